import type { Wallet, WalletStats } from '../api/types.js';
import { koboTyped, typedNaira } from '../money/money.js';
import type { RuleTyped } from './rule.js';
import { endOfDay, inputOf } from '../text/time.js';

/* What a wallet may spend: as the API names it, as it is typed, and as a trial of other limits has it. */

/** What payments that wait for approval hold of the limit of the period: the rest of it is spent, or left. */
export function heldInPeriod({
  spendLimitPeriod,
  spentThisPeriod,
  remainingAllowance,
}: Pick<WalletStats, 'spendLimitPeriod' | 'spentThisPeriod' | 'remainingAllowance'>): number {
  return spendLimitPeriod - spentThisPeriod - remainingAllowance;
}

export interface WalletLimits {
  spendLimitPerTx: number;
  spendLimitPeriod: number;
  periodWindowDays: number;
  expiry: string;
  useAllowlist: boolean;
  merchantAllowlist: string[];
}

export interface WalletLimitsTyped extends Omit<RuleTyped, 'name'> {
  merchantAllowlist: string[];
}

export function limitsOf({
  spendLimitPerTx,
  spendLimitPeriod,
  periodWindowDays,
  expiry,
  useAllowlist,
  merchantAllowlist,
}: Pick<Wallet, keyof WalletLimits>): WalletLimits {
  return { spendLimitPerTx, spendLimitPeriod, periodWindowDays, expiry, useAllowlist, merchantAllowlist };
}

export function typedLimits(limits: WalletLimits): WalletLimitsTyped {
  return {
    ...limits,
    spendLimitPerTx: typedNaira(limits.spendLimitPerTx),
    spendLimitPeriod: typedNaira(limits.spendLimitPeriod),
    periodWindowDays: String(limits.periodWindowDays),
    expiry: inputOf(new Date(limits.expiry)),
  };
}

/** Unreadable input keeps the earlier limit. */
export function limitsTyped(typed: WalletLimitsTyped, was: WalletLimits): WalletLimits {
  // A day that was left alone keeps its time.
  const isSameDay = typed.expiry === inputOf(new Date(was.expiry));
  return {
    spendLimitPerTx: koboTyped(typed.spendLimitPerTx) ?? was.spendLimitPerTx,
    spendLimitPeriod: koboTyped(typed.spendLimitPeriod) ?? was.spendLimitPeriod,
    periodWindowDays: Number(typed.periodWindowDays) || was.periodWindowDays,
    expiry: (!isSameDay && endOfDay(typed.expiry)?.toISOString()) || was.expiry,
    useAllowlist: typed.useAllowlist,
    merchantAllowlist: typed.useAllowlist ? typed.merchantAllowlist : [],
  };
}

/** The limits that differ; a list of merchants comes with whether it is used. */
export function changedLimits(limits: WalletLimits, was: WalletLimits): Partial<WalletLimits> {
  return Object.fromEntries(
    Object.entries(limits).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name as Name]),
    ),
  );
}

type Name = keyof WalletLimits;

const KINDS: Readonly<Record<Name, (value: unknown) => boolean>> = {
  spendLimitPerTx: isAmount,
  spendLimitPeriod: isAmount,
  periodWindowDays: (value) => isAmount(value) && Number(value) <= 3_650,
  expiry: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  useAllowlist: (value) => typeof value === 'boolean',
  merchantAllowlist: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

function isAmount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** The limits among these values; what is none is left out. */
export function limitsAmong(values: unknown): Partial<WalletLimits> {
  if (typeof values !== 'object' || values === null) return {};
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => Object.hasOwn(KINDS, name) && KINDS[name as Name](value),
    ),
  );
}

/** The limits that an address carries; null for none. */
export function limitsInAddress(text: string | null): Partial<WalletLimits> | null {
  if (text === null) return null;
  try {
    return limitsAmong(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The question of a backtest. It holds the window only if that differs, as recorded spend is exact only for its own. */
export function backtestOf(limits: WalletLimits, changed: Partial<WalletLimits>): Partial<WalletLimits> {
  const { spendLimitPerTx, spendLimitPeriod, useAllowlist, merchantAllowlist } = limits;
  return {
    ...changed,
    spendLimitPerTx,
    spendLimitPeriod,
    useAllowlist,
    ...(useAllowlist && { merchantAllowlist }),
  };
}
