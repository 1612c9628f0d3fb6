import { type KeyPayment, type Limits, areTooWide, NaiveKey, sum } from './keys.js';
import { NaiveLedger } from './ledger.js';
import { type CoolingOff, NaivePayees, type Policy } from './payees.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long a payment waits for its owner. */
export const TTL_MINUTES = 20 * 60;
/** The bank fails payouts of this amount; all of one amount, so that the order of their refunds is no matter. */
export const FAILING_AMOUNT = 7;

/** What the owner of a wallet may change. Null, and what is absent: the rule is off. */
export interface Settings {
  readonly spendLimitPerTx: number;
  readonly spendLimitPeriod: number;
  readonly periodWindowDays: number;
  readonly expiryMs: number;
  readonly useAllowlist: boolean;
  readonly merchantAllowlist: readonly string[];
  readonly approvalThreshold?: number | null;
  readonly duplicateGuardMinutes?: number | null;
  readonly payeePolicy?: Policy | null;
  readonly verifyRecipient?: boolean | null;
  readonly coolingOff?: CoolingOff | null;
}

/** What an agent asks for. */
export interface Wish {
  readonly amount: number;
  readonly merchant: string;
  readonly account: string;
  /** The payment that this one says it repeats on purpose. */
  readonly confirms: string | null;
  readonly guardMinutes: number | null;
}

/** One attempt to pay. */
export class Attempt implements KeyPayment {
  /** As the service calls it; unknown before it has answered. */
  id: string | null = null;
  blockReason: string | null = null;
  waits = false;
  isRefunded = false;
  /** The duplicate-purchase guard compares with it: it was on, or was switched on soon after. */
  isGuarded = false;

  constructor(
    readonly key: NaiveKey,
    readonly amount: number,
    readonly merchant: string,
    readonly account: string,
    readonly atMs: number,
  ) {}

  get counts(): boolean {
    return this.blockReason === null && !this.isRefunded;
  }

  get decision(): string {
    return this.waits ? 'pending' : this.blockReason ? 'blocked' : 'approved';
  }
}

/** The specification again, written to be read: it keeps all history, and adds it up for every question. */
export class NaiveWallet {
  readonly attempts: Attempt[] = [];
  readonly ledger = new NaiveLedger();
  readonly payees = new NaivePayees();
  readonly keys: NaiveKey[] = [];
  status: 'ACTIVE' | 'SUSPENDED' | 'CLOSED' = 'ACTIVE';
  version = 1;

  constructor(
    public settings: Settings,
    public nowMs: number,
  ) {}

  get balance(): number {
    return this.ledger.balance;
  }

  /** What counts in the window now: approved and waiting, by the time of the request. */
  private get counted(): readonly Attempt[] {
    const opensMs = this.nowMs - this.settings.periodWindowDays * DAY_MS;
    return this.attempts.filter(({ counts, atMs }) => counts && atMs > opensMs);
  }

  get spent(): number {
    return sum(this.counted.filter(({ waits }) => !waits));
  }

  get allowance(): number {
    return this.settings.spendLimitPeriod - sum(this.counted);
  }

  get waiting(): Attempt[] {
    return this.attempts.filter(({ waits }) => waits);
  }

  get held(): number {
    return sum(this.waiting);
  }

  get available(): number {
    return this.balance - this.held;
  }

  /** What becomes of a wish: `approved`, `waits`, or the code of what blocks it, with the limit of the key. */
  pay(key: NaiveKey, { amount, merchant, account, confirms, guardMinutes }: Wish): string {
    // What a dead key asks for is not even put on record.
    if (!key.isLive(this.nowMs)) return 'INVALID_API_KEY';
    const attempt = new Attempt(key, amount, merchant, account, this.nowMs);
    const limit = key.forbids(attempt);
    const minutes = this.settings.duplicateGuardMinutes ?? guardMinutes ?? 0;
    const blocked =
      this.blocks(attempt) ??
      (limit && `KEY_LIMIT_EXCEEDED ${limit}`) ??
      this.payees.blocks(attempt) ??
      (this.repeats(attempt, confirms, minutes) ? 'POSSIBLE_DUPLICATE' : null);
    this.attempts.push(attempt);
    attempt.blockReason = blocked?.split(' ')[0] ?? null;
    if (blocked) return blocked;
    attempt.isGuarded = minutes > 0;
    key.payments.push(attempt);
    this.payees.count(attempt);
    const { approvalThreshold } = this.settings;
    attempt.waits = approvalThreshold != null && amount > approvalThreshold;
    if (attempt.waits) return 'waits';
    this.approve(attempt);
    return 'approved';
  }

  private blocks({ amount, merchant }: Attempt): string | null {
    const { spendLimitPerTx, expiryMs, useAllowlist, merchantAllowlist } = this.settings;
    if (this.status !== 'ACTIVE') return 'WALLET_INACTIVE';
    if (this.nowMs >= expiryMs) return 'WALLET_EXPIRED';
    if (amount > spendLimitPerTx) return 'SPEND_LIMIT_PER_TX_EXCEEDED';
    if (amount > this.allowance) return 'SPEND_LIMIT_PER_PERIOD_EXCEEDED';
    if (useAllowlist && !merchantAllowlist.includes(merchant)) return 'MERCHANT_NOT_ALLOWED';
    return amount > this.available ? 'INSUFFICIENT_FUNDS' : null;
  }

  /** The newest guarded payment that bought the same with the same key; one that was denied or refunded bought nothing. */
  lastLike(like: { key: NaiveKey; amount: number; account: string }): Attempt | undefined {
    return this.attempts.findLast(
      ({ key, amount, account, counts, isGuarded }) =>
        counts && isGuarded && key === like.key && amount === like.amount && account === like.account,
    );
  }

  private repeats(attempt: Attempt, confirms: string | null, minutes: number): boolean {
    const last = this.lastLike(attempt);
    if (!last || this.nowMs >= last.atMs + minutes * MINUTE_MS) return false;
    return last.id === null || last.id !== confirms;
  }

  private approve(attempt: Attempt, hasWaited = false): void {
    this.ledger.debit(attempt.amount);
    this.payees.approve(attempt, this.nowMs, hasWaited);
  }

  /** What the owner's word on a waiting attempt is answered with. */
  decide(attempt: Attempt, word: 'approve' | 'deny'): string {
    if (word === 'approve' && this.status !== 'ACTIVE') return 'WALLET_INACTIVE';
    if (word === 'approve' && this.nowMs >= this.settings.expiryMs) return 'WALLET_EXPIRED';
    if (word === 'deny') {
      this.end(attempt, 'APPROVAL_DENIED');
      return 'denied';
    }
    attempt.waits = false;
    this.approve(attempt, true);
    return 'approved';
  }

  /** Time passes; answers what lapsed. */
  pass(ms: number): readonly Attempt[] {
    this.nowMs += ms;
    const overdue = this.waiting.filter(({ atMs }) => this.nowMs >= atMs + TTL_MINUTES * MINUTE_MS);
    for (const attempt of overdue) this.end(attempt, 'APPROVAL_EXPIRED');
    return overdue;
  }

  private end(attempt: Attempt, blockReason: string): void {
    attempt.waits = false;
    attempt.blockReason = blockReason;
    this.payees.giveBack(attempt);
  }

  /** Gives back what the bank did not pay; answers which payments. */
  refund(): readonly Attempt[] {
    const failed = this.attempts.filter(
      ({ counts, waits, amount }) => counts && !waits && amount === FAILING_AMOUNT,
    );
    for (const attempt of failed) {
      attempt.isRefunded = true;
      this.payees.giveBack(attempt);
      this.ledger.credit(attempt.amount, 'refund');
    }
    return failed;
  }

  /** What the owner takes out, and the bank may refuse. */
  withdraw(asked: number | 'all'): string {
    const amount = asked === 'all' ? this.available : asked;
    if (amount === 0 || amount > this.available) return 'INSUFFICIENT_FUNDS';
    this.ledger.debit(amount);
    if (amount === FAILING_AMOUNT) this.ledger.credit(amount, 'refund');
    return 'done';
  }

  transferTo(other: NaiveLedger, amount: number): string {
    if (amount > this.available) return 'INSUFFICIENT_FUNDS';
    this.ledger.debit(amount);
    other.credit(amount);
    return 'done';
  }

  transferFrom(other: NaiveLedger, amount: number): string {
    if (this.status === 'CLOSED') return 'WALLET_CLOSED';
    if (amount > other.balance) return 'INSUFFICIENT_FUNDS';
    other.debit(amount);
    this.ledger.credit(amount);
    return 'done';
  }

  /** What an editor who has seen `version` (null: any) is answered; changes nothing unless that is `done`. */
  change(change: Partial<Settings>, version: number | null): string {
    if (version !== null && version !== this.version) return 'VERSION_CONFLICT';
    if (this.status === 'CLOSED') return 'WALLET_CLOSED';
    const before = this.settings;
    const wanted = { ...before, ...change };
    const after = { ...wanted, merchantAllowlist: wanted.useAllowlist ? wanted.merchantAllowlist : [] };
    if (change.expiryMs !== undefined && change.expiryMs <= this.nowMs) return 'EXPIRY_IN_PAST';
    if (after.useAllowlist && after.merchantAllowlist.length === 0) return 'ALLOWLIST_REQUIRED';
    if (after.spendLimitPeriod < after.spendLimitPerTx) return 'PERIOD_LIMIT_TOO_LOW';
    const isDifferent = (name: keyof Settings) =>
      JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null);
    if ((Object.keys(after) as (keyof Settings)[]).some(isDifferent)) this.version += 1;
    this.settings = after;
    this.guard(before.duplicateGuardMinutes ?? 0, after.duplicateGuardMinutes ?? 0);
    this.payees.setPolicy(after.payeePolicy ?? 'off');
    this.payees.verifies = after.verifyRecipient ?? false;
    this.payees.setCoolingOff(after.coolingOff ?? null);
    return 'done';
  }

  /** A guard that is switched on, or looks back further, knows what was paid before. */
  private guard(before: number, after: number): void {
    if (after <= before) return;
    const recent = this.attempts.filter(({ atMs }) => atMs > this.nowMs - after * MINUTE_MS);
    for (const attempt of recent) attempt.isGuarded ||= attempt.counts;
  }

  setStatus(status: 'ACTIVE' | 'SUSPENDED'): string {
    if (this.status === 'CLOSED') return 'WALLET_CLOSED';
    if (this.status !== status) this.version += 1;
    this.status = status;
    return 'done';
  }

  close(hasPayout: boolean): string {
    if (this.status === 'CLOSED') return 'done';
    if (this.balance > 0 && !hasPayout) return 'WALLET_NOT_EMPTY';
    for (const attempt of this.waiting) this.end(attempt, 'APPROVAL_DENIED');
    if (this.balance > 0) this.withdraw('all');
    this.status = 'CLOSED';
    this.version += 1;
    return 'done';
  }

  /** Why a key with these limits can't be made, or one that has no age to inherit; null when it can. */
  refusesKey(limits: Limits, lacksAge: boolean): string | null {
    if (this.status === 'CLOSED') return 'WALLET_CLOSED';
    return lacksAge || areTooWide(limits, this.settings, this.nowMs) ? 'VALIDATION_ERROR' : null;
  }

  /** Adds a key that takes the place of `replaced`, which live on for their grace. */
  addKey(
    made: { readonly id: string; readonly fullKey: string; readonly atMs: number; readonly limits: Limits },
    replaced: readonly NaiveKey[],
    graceSeconds: number,
    inheritsAge: boolean,
  ): void {
    const oldest = inheritsAge ? replaced.toSorted((a, b) => a.sinceMs - b.sinceMs)[0] : undefined;
    const inherited = new Set(oldest ? this.payees.countedOf(oldest) : []);
    for (const key of replaced) if (key.isLive(made.atMs)) key.retire(made.atMs, graceSeconds);
    const { id, fullKey, limits } = made;
    const only = replaced.length === 1 ? replaced[0] : undefined;
    this.keys.push(new NaiveKey(id, fullKey, oldest?.sinceMs ?? made.atMs, inherited, limits, only));
  }
}
