import { koboTyped, plainNaira } from '../money/money.js';
import { day, endOfDay } from '../text/time.js';

export interface RuleTyped {
  name: string;
  spendLimitPerTx: string;
  spendLimitPeriod: string;
  periodWindowDays: string;
  expiry: string;
  useAllowlist: boolean;
  merchantAllowlist: readonly string[];
}

/** The rule that is being typed, as a sentence; `…` stands for what is missing. */
export function ruleInWords(typed: RuleTyped): string {
  const until = endOfDay(typed.expiry);
  return sentence({
    name: typed.name.trim() || 'The agent',
    perTx: koboTyped(typed.spendLimitPerTx),
    period: koboTyped(typed.spendLimitPeriod),
    days: typed.periodWindowDays.trim() || '…',
    until: until ? day(until) : '…',
    merchants: typed.useAllowlist ? typed.merchantAllowlist : null,
  });
}

interface Rule {
  name: string;
  perTx: number | null;
  period: number | null;
  days: string;
  until: string;
  /** Null: any. */
  merchants: readonly string[] | null;
}

function sentence({ name, perTx, period, days, until, merchants }: Rule): string {
  const amount = (kobo: number | null) => (kobo === null ? '₦…' : plainNaira(kobo));
  const span = days === '1' ? 'in any 24 hours' : `in any ${days} days`;
  const where = merchants === null ? 'at any merchant' : `only at ${either(merchants)}`;
  return `${name} can spend up to ${amount(perTx)} per payment and ${amount(period)} ${span}, until ${until}, ${where}.`;
}

const NAMED_MAX = 5;

/** `Shoprite, Jumia or Bolt`. */
function either(names: readonly string[]): string {
  if (names.length === 0) return '…';
  const shown = names.slice(0, NAMED_MAX);
  const more = names.length - shown.length;
  const parts = more > 0 ? [...shown, `${more} more`] : shown;
  return parts.length === 1 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1) ?? ''}`;
}
