import { sum } from './keys.js';
import { UNKNOWN_ACCOUNT } from './steps.js';

const HOUR_MS = 3_600_000;

export type Policy = 'off' | 'warn' | 'first_use' | 'strict';
export interface CoolingOff {
  readonly newKeyHours?: number;
  readonly newKeyCap?: number;
  readonly newPayeeHours?: number;
  readonly newPayeeCap?: number;
}
/** A payment as the rules on payees see it. */
export interface NaivePayment {
  readonly amount: number;
  /** The merchant's identity. */
  readonly merchant: string;
  readonly account: string;
  readonly atMs: number;
  readonly key: AgeingKey;
}
/** A key as cooling off sees it. */
interface AgeingKey {
  readonly sinceMs: number;
  /** What it took over of what another key had paid while that one was new. */
  readonly inherited: ReadonlySet<object>;
  /** For whom it binds merchants by first use; null: for the whole wallet. */
  readonly line: string | null;
}
interface NaivePayee {
  readonly merchant: string;
  readonly account: string;
  isRegistered: boolean;
  readonly sinceMs: number;
  readonly line: string | null;
}

/** The rules on payees and cooling off again, written to be read. */
export class NaivePayees {
  policy: Policy = 'off';
  /** The bank of a recipient must know the account. */
  verifies = false;
  coolingOff: CoolingOff = {};
  payees: NaivePayee[] = [];
  /** Where each merchant was first paid, and when; null once its owner removed that payee. */
  private readonly firstPaid = new Map<string, { account: string; atMs: number } | null>();
  /** Since when accounts are known to be paid, as far as cooling off needs to know. */
  private readonly paidSince = new Map<string, number>();
  /** The payments that count while the key, or the account, cools off. */
  private readonly counted: { payment: NaivePayment; by: 'key' | 'payee' }[] = [];
  /** The payments that were let by as the first ones of their merchants. */
  private readonly firstUses = new Set<NaivePayment>();
  /** The payments that no policy was asked about. */
  private readonly unasked = new Set<NaivePayment>();
  /** The accounts that were ever counted. */
  private readonly countedAccounts = new Set<string>();

  blocks(payment: NaivePayment): string | null {
    if (!this.mayBePaid(payment) && this.policy !== 'warn') return 'PAYEE_NOT_ALLOWED';
    if (this.verifies && payment.account === UNKNOWN_ACCOUNT) return 'PAYEE_NOT_ALLOWED unknown account';
    const left = (['key', 'payee'] as const).map((by) => this.capOf(payment, by) - this.spentOf(payment, by));
    return left.some((each) => payment.amount > each) ? 'COOLING_OFF' : null;
  }

  private ownOf({ merchant, key }: NaivePayment): NaivePayee[] {
    const isOwn = ({ line }: NaivePayee) => line === null || line === key.line;
    return this.payees.filter((payee) => payee.merchant === merchant && isOwn(payee));
  }

  private mayBePaid(payment: NaivePayment): boolean {
    const { account: to } = payment;
    if (this.policy === 'off') return true;
    const own = this.ownOf(payment);
    if (this.policy === 'strict') return own.some((payee) => payee.isRegistered && payee.account === to);
    return own.length === 0 || own.some((payee) => payee.account === to);
  }

  private capOf(payment: NaivePayment, by: 'key' | 'payee'): number {
    const { newKeyHours = 0, newKeyCap = 0, newPayeeHours = 0, newPayeeCap = 0 } = this.coolingOff;
    const [length, most] = by === 'key' ? [newKeyHours, newKeyCap] : [newPayeeHours, newPayeeCap];
    const since = by === 'key' ? payment.key.sinceMs : this.sinceOf(payment);
    return payment.atMs < since + length * HOUR_MS ? most : Number.POSITIVE_INFINITY;
  }

  private sinceOf({ account: to, atMs }: NaivePayment): number {
    const times = this.payees
      .filter((payee) => payee.account === to && payee.line === null)
      .map(({ sinceMs }) => sinceMs);
    return Math.min(this.paidSince.get(to) ?? atMs, ...times);
  }

  private spentOf({ key, account: to }: NaivePayment, by: 'key' | 'payee'): number {
    return sum(
      by === 'key'
        ? this.countedOf(key)
        : this.countedWhere((each) => each.by === by && each.payment.account === to),
    );
  }

  /** What a key paid while it was new and did not come back, with what it took over. */
  countedOf(key: AgeingKey): NaivePayment[] {
    return this.countedWhere(
      ({ by, payment }) => by === 'key' && (payment.key === key || key.inherited.has(payment)),
    );
  }

  private countedWhere(
    isWanted: (counted: { payment: NaivePayment; by: 'key' | 'payee' }) => boolean,
  ): NaivePayment[] {
    return this.counted.filter(isWanted).map(({ payment }) => payment);
  }

  /** Counts a payment that is approved, or waits for a person. */
  count(payment: NaivePayment): void {
    const by = (['key', 'payee'] as const).filter((each) => Number.isFinite(this.capOf(payment, each)));
    this.counted.push(...by.map((each) => ({ payment, by: each })));
    if (by.includes('payee')) this.countedAccounts.add(payment.account);
    if (this.policy === 'off') this.unasked.add(payment);
    if (this.remembers() && !this.isBound(payment)) this.firstUses.add(payment);
  }

  private remembers(): boolean {
    return this.policy === 'first_use' || this.policy === 'warn';
  }

  /** Remembers a payment that was counted, and is approved at `atMs`, at once or after it waited for a person. */
  approve(payment: NaivePayment, atMs: number, hasWaited: boolean): void {
    const { merchant, account: to } = payment;
    const binds = this.firstUses.has(payment) || (this.unasked.has(payment) && this.remembers());
    if (binds && !this.isBound(payment)) {
      this.payees.push({ merchant, account: to, isRegistered: false, sinceMs: atMs, line: payment.key.line });
    }
    const isCounted = (by: 'key' | 'payee') =>
      this.counted.some((each) => each.payment === payment && each.by === by);
    const isKnown = this.coolingOff.newPayeeHours !== undefined || this.countedAccounts.has(to);
    if (isCounted('payee') || (hasWaited && isKnown)) this.paidSince.set(to, this.paidSince.get(to) ?? atMs);
    for (const by of hasWaited ? (['key', 'payee'] as const) : []) {
      if (isCounted(by) || !Number.isFinite(this.capOf({ ...payment, atMs }, by))) continue;
      this.counted.push({ payment, by });
      if (by === 'payee') this.countedAccounts.add(to);
    }
    if (!this.firstPaid.has(merchant)) this.firstPaid.set(merchant, { account: to, atMs });
  }

  private isBound(payment: NaivePayment): boolean {
    return this.ownOf(payment).length > 0;
  }

  /** The money of a payment came back, or never went. */
  giveBack(payment: NaivePayment): void {
    for (const each of this.counted.filter((one) => one.payment === payment)) {
      this.counted.splice(this.counted.indexOf(each), 1);
    }
  }

  setPolicy(policy: Policy): void {
    const remembers = (each: Policy) => each === 'first_use' || each === 'warn';
    if (remembers(policy) && !remembers(this.policy)) {
      for (const [merchant, first] of this.firstPaid) {
        if (!first || this.payees.some((payee) => payee.merchant === merchant && payee.line === null))
          continue;
        this.payees.push({
          merchant,
          account: first.account,
          isRegistered: false,
          sinceMs: first.atMs,
          line: null,
        });
      }
    }
    this.policy = policy;
  }

  setCoolingOff(coolingOff: CoolingOff | null): void {
    if (coolingOff?.newPayeeHours !== undefined && this.coolingOff.newPayeeHours === undefined) {
      for (const first of this.firstPaid.values()) {
        if (!first) continue;
        const since = this.paidSince.get(first.account) ?? first.atMs;
        this.paidSince.set(first.account, Math.min(since, first.atMs));
      }
    }
    this.coolingOff = coolingOff ?? {};
  }

  register(merchant: string, to: string, sinceMs: number): void {
    const known = this.payees.find(
      (payee) => payee.merchant === merchant && payee.account === to && payee.line === null,
    );
    if (known) known.isRegistered = true;
    else this.payees.push({ merchant, account: to, isRegistered: true, sinceMs, line: null });
  }

  remove(payee: NaivePayee): void {
    const { merchant, account: to, line } = payee;
    this.payees = this.payees.filter((each) => each !== payee);
    if (line === null && this.firstPaid.get(merchant)?.account === to) this.firstPaid.set(merchant, null);
  }
}
