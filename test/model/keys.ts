const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What an owner narrows a key to; times are counted from the moment at which it is made. */
export interface Limits {
  readonly spendLimitPerTx?: number;
  readonly spendLimitPeriod?: number;
  readonly periodWindowDays?: number;
  readonly totalCap?: number;
  readonly maxPayments?: number;
  readonly allowedMerchants?: readonly string[];
  readonly payee?: string;
  readonly expiryMs?: number;
}

/** What the rules of a wallet say of the limits that its keys may have. */
export interface Bounds {
  readonly spendLimitPerTx: number;
  readonly spendLimitPeriod: number;
  readonly periodWindowDays: number;
  readonly expiryMs: number;
  readonly useAllowlist: boolean;
  readonly merchantAllowlist: readonly string[];
}

/** A payment as the limits of its key see it. */
export interface KeyPayment {
  readonly amount: number;
  readonly merchant: string;
  readonly account: string;
  readonly atMs: number;
  /** It is approved or waits, and its money did not come back. */
  readonly counts: boolean;
}

/** Whether these limits would be wider than the wallet somewhere, or make no sense. */
export function areTooWide(limits: Limits, wallet: Bounds, nowMs: number): boolean {
  const { spendLimitPerTx = 0, spendLimitPeriod, periodWindowDays, allowedMerchants = [], expiryMs } = limits;
  return (
    spendLimitPerTx > wallet.spendLimitPerTx ||
    (spendLimitPeriod ?? 0) > wallet.spendLimitPeriod ||
    (periodWindowDays !== undefined && spendLimitPeriod === undefined) ||
    (wallet.useAllowlist && allowedMerchants.some((each) => !wallet.merchantAllowlist.includes(each))) ||
    (expiryMs !== undefined && (expiryMs <= nowMs || expiryMs > wallet.expiryMs))
  );
}

/** A key again, written to be read: it keeps every payment, and adds them up for every question. */
export class NaiveKey {
  expiresMs: number | null = null;
  isRevoked = false;
  readonly payments: KeyPayment[] = [];

  constructor(
    readonly id: string,
    readonly secret: string,
    /** Since when it counts as old, which may be earlier than its creation. */
    readonly sinceMs: number,
    /** What it took over of what another key had paid while that one was new. */
    readonly inherited: ReadonlySet<object>,
    readonly limits: Limits,
    /** The key whose line it goes on with, where that has limits and is the only one that it replaces. */
    private readonly goesOnFrom?: NaiveKey,
  ) {}

  /** What keys with limits bind, they bind for their line alone; null: for the whole wallet. */
  get line(): string | null {
    return this.isLimited ? (this.goesOnFrom?.line ?? this.id) : null;
  }

  isLive(nowMs: number): boolean {
    return !this.isRevoked && (this.expiresMs === null || nowMs < this.expiresMs);
  }

  statusAt(nowMs: number): string {
    if (this.isRevoked) return 'revoked';
    return this.isLive(nowMs) ? 'active' : 'expired';
  }

  /** Another key takes its place, but not before its grace is over. */
  retire(atMs: number, graceSeconds: number): void {
    if (graceSeconds === 0) this.isRevoked = true;
    else this.expiresMs = Math.min(this.expiresMs ?? Infinity, atMs + graceSeconds * 1_000);
  }

  get isLimited(): boolean {
    return Object.keys(this.limits).length > 0;
  }

  /** The name of the first limit that forbids a payment; null when none does. */
  forbids({ amount, merchant, account, atMs }: KeyPayment): string | null {
    const { limits } = this;
    const left = this.leftAt(atMs);
    if (limits.expiryMs !== undefined && atMs >= limits.expiryMs) return 'expiry';
    if (limits.spendLimitPerTx !== undefined && amount > limits.spendLimitPerTx) return 'spendLimitPerTx';
    if (left.spendLimitPeriod !== undefined && amount > left.spendLimitPeriod) return 'spendLimitPeriod';
    if (limits.allowedMerchants && !limits.allowedMerchants.includes(merchant)) return 'allowedMerchants';
    if (limits.payee !== undefined && account !== limits.payee) return 'payee';
    if (left.totalCap !== undefined && amount > left.totalCap) return 'totalCap';
    if (left.maxPayments !== undefined && left.maxPayments < 1) return 'maxPayments';
    return null;
  }

  /** What its payments leave of the limits that they use up. */
  leftAt(nowMs: number): { spendLimitPeriod?: number; totalCap?: number; maxPayments?: number } {
    const { spendLimitPeriod, periodWindowDays = 0, totalCap, maxPayments } = this.limits;
    const counted = this.payments.filter(({ counts }) => counts);
    const inWindow = counted.filter(({ atMs }) => atMs > nowMs - periodWindowDays * DAY_MS);
    return {
      ...(spendLimitPeriod !== undefined && { spendLimitPeriod: spendLimitPeriod - sum(inWindow) }),
      ...(totalCap !== undefined && { totalCap: totalCap - sum(counted) }),
      ...(maxPayments !== undefined && { maxPayments: maxPayments - counted.length }),
    };
  }
}

export const sum = (payments: readonly { readonly amount: number }[]): number =>
  payments.reduce((total, { amount }) => total + amount, 0);
