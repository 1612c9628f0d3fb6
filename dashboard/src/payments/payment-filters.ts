import { koboTyped } from '../money/money.js';
import { type BlockReason, isBlockReason } from './checks.js';
import { PAYMENT_STATUSES, SPENT } from './status.js';
import { endOfDay, startOfDay } from '../text/time.js';

/*
 * What a list of payments is narrowed to, as the address keeps it: days of the viewer's zone, amounts as they were
 * typed. What can't be read narrows nothing.
 */

const FILTER_NAMES = [
  ...(['search', 'status', 'wallet', 'key', 'run', 'purpose', 'reason'] as const),
  ...(['from', 'to', 'min', 'max', 'merchant', 'category', 'costCentre', 'without'] as const),
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** What a list keeps in the address. */
export const LIST_PARAMETERS = [...FILTER_NAMES, 'page', 'after'] as const;
/** Takes all of it out of the address. */
export const NO_FILTER: Readonly<Record<string, null>> = Object.fromEntries(
  LIST_PARAMETERS.map((name) => [name, null]),
);
export type Filters = Readonly<Record<FilterName, string>>;

/** The filters by the names that the API has for them. */
export interface PaymentQuery {
  search?: string;
  /** One or several, with commas between them. */
  status?: string;
  spent?: 'true';
  walletId?: string;
  key?: string;
  run?: string;
  purpose?: string;
  blockReason?: BlockReason;
  from?: string;
  to?: string;
  minAmount?: number;
  maxAmount?: number;
  merchant?: string;
  category?: string;
  costCentre?: string;
  without?: Without;
}

export const WITHOUT = {
  purpose: 'Purpose',
  run: 'Run',
  category: 'Category',
  costCentre: 'Cost centre',
  key: 'Known key',
} as const;
type Without = keyof typeof WITHOUT;
const isWithout = (text: string): text is Without => Object.hasOwn(WITHOUT, text);

export function filtersOf(get: (name: FilterName) => string | null): Filters {
  const value = (name: FilterName) => get(name) ?? '';
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, value(name)])) as Record<FilterName, string>;
}

export function isFiltered(filters: Filters): boolean {
  return FILTER_NAMES.some((name) => filters[name] !== '');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Omits inverted ranges. */
export function queryOf(filters: Filters): PaymentQuery {
  const from = startOfDay(filters.from);
  // The end is the first moment that no longer counts.
  const last = endOfDay(filters.to);
  const to = last && new Date(last.getTime() + 1_000);
  const [min, max] = [koboTyped(filters.min), koboTyped(filters.max)];
  const status =
    filters.status.split(',').every((each) => Object.hasOwn(PAYMENT_STATUSES, each)) && filters.status;
  const search = filters.search.trim().slice(0, 200);
  const merchant = filters.merchant.trim().slice(0, 200);
  const run = filters.run.trim().slice(0, 100);
  const purpose = filters.purpose.trim().slice(0, 200);
  const category = filters.category.trim().slice(0, 60);
  const costCentre = filters.costCentre.trim().slice(0, 60);
  return {
    ...(search && { search }),
    ...(status && { status }),
    ...(filters.status === SPENT && { spent: 'true' as const }),
    ...(UUID.test(filters.wallet) && { walletId: filters.wallet }),
    ...(UUID.test(filters.key) && { key: filters.key }),
    ...(from && { from: from.toISOString() }),
    ...(to && (!from || to > from) && { to: to.toISOString() }),
    ...(min !== null && { minAmount: min }),
    ...(max !== null && (min === null || max >= min) && { maxAmount: max }),
    ...(merchant && { merchant }),
    ...(run && { run }),
    ...(purpose && { purpose }),
    ...(category && { category }),
    ...(costCentre && { costCentre }),
    ...(isWithout(filters.without) && { without: filters.without }),
    ...(isBlockReason(filters.reason) && { blockReason: filters.reason }),
  };
}

export function rangeProblem({ from, to, min, max }: Filters): { to: string | null; max: string | null } {
  const [start, end] = [startOfDay(from), endOfDay(to)];
  const [least, most] = [koboTyped(min), koboTyped(max)];
  return {
    to: start && end && end < start ? 'Before “From”' : null,
    max: least !== null && most !== null && most < least ? 'Less than “At least”' : null,
  };
}
