import { expect } from '@jest/globals';
import fc from 'fast-check';
import { change, payeesOf, registerPayee, removePayee } from './payees.js';
import type { CreatedWallet, TestService } from './service.js';

const HOUR_MS = 3_600_000;

export type Policy = 'off' | 'warn' | 'first_use' | 'strict';
export interface CoolingOff {
  readonly newKeyHours?: number;
  readonly newKeyCap?: number;
  readonly newPayeeHours?: number;
  readonly newPayeeCap?: number;
}
/** What an owner does about payees and new keys. */
export type PayeeStep =
  | { readonly do: 'set policy'; readonly payeePolicy: Policy }
  | { readonly do: 'set cooling off'; readonly coolingOff: CoolingOff | null }
  | { readonly do: 'register'; readonly merchantName: string; readonly accountNumber: string }
  | { readonly do: 'remove'; readonly nth: number };

/** A payment as the rules on payees see it. */
export interface NaivePayment {
  readonly amount: number;
  /** The merchant's identity. */
  readonly merchant: string;
  readonly account: string;
  readonly atMs: number;
}
interface NaivePayee {
  readonly merchant: string;
  readonly account: string;
  isRegistered: boolean;
  readonly sinceMs: number;
}

export const account = fc.constantFrom('0000000011', '0000000022');
const hours = fc.constantFrom(1, 12, 24, 48);
const cap = fc.integer({ min: 5, max: 60 });
export const payeeStep: fc.Arbitrary<PayeeStep> = fc.oneof(
  fc.record({
    do: fc.constant('set policy' as const),
    payeePolicy: fc.constantFrom<Policy>('off', 'warn', 'first_use', 'strict'),
  }),
  fc.record({
    do: fc.constant('set cooling off' as const),
    coolingOff: fc.oneof(
      fc.constant(null),
      fc.record({ newKeyHours: hours, newKeyCap: cap }),
      fc.record({ newPayeeHours: hours, newPayeeCap: cap }),
      fc.record({ newKeyHours: hours, newKeyCap: cap, newPayeeHours: hours, newPayeeCap: cap }),
    ),
  }),
  fc.record({
    do: fc.constant('register' as const),
    merchantName: fc.constantFrom('Acme', 'Other'),
    accountNumber: account,
  }),
  fc.record({ do: fc.constant('remove' as const), nth: fc.nat({ max: 5 }) }),
);

/** The rules on payees and cooling off again, written to be read: of a wallet with one key. */
export class NaivePayees {
  policy: Policy = 'off';
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

  constructor(private readonly keySinceMs: number) {}

  blocks(payment: NaivePayment): string | null {
    if (!this.mayBePaid(payment) && this.policy !== 'warn') return 'PAYEE_NOT_ALLOWED';
    const left = (['key', 'payee'] as const).map((by) => this.capOf(payment, by) - this.spentOf(payment, by));
    return left.some((each) => payment.amount > each) ? 'COOLING_OFF' : null;
  }

  private mayBePaid({ merchant, account: to }: NaivePayment): boolean {
    if (this.policy === 'off') return true;
    const own = this.payees.filter((payee) => payee.merchant === merchant);
    if (this.policy === 'strict') return own.some((payee) => payee.isRegistered && payee.account === to);
    return own.length === 0 || own.some((payee) => payee.account === to);
  }

  private capOf(payment: NaivePayment, by: 'key' | 'payee'): number {
    const { newKeyHours = 0, newKeyCap = 0, newPayeeHours = 0, newPayeeCap = 0 } = this.coolingOff;
    const [length, most] = by === 'key' ? [newKeyHours, newKeyCap] : [newPayeeHours, newPayeeCap];
    const since = by === 'key' ? this.keySinceMs : this.sinceOf(payment);
    return payment.atMs < since + length * HOUR_MS ? most : Number.POSITIVE_INFINITY;
  }

  private sinceOf({ account: to, atMs }: NaivePayment): number {
    const times = this.payees.filter((payee) => payee.account === to).map(({ sinceMs }) => sinceMs);
    return Math.min(this.paidSince.get(to) ?? atMs, ...times);
  }

  private spentOf({ account: to }: NaivePayment, by: 'key' | 'payee'): number {
    return this.counted
      .filter((each) => each.by === by && (by === 'key' || each.payment.account === to))
      .reduce((sum, { payment: { amount } }) => sum + amount, 0);
  }

  /** Counts a payment that is approved, or waits for a person. */
  count(payment: NaivePayment): void {
    const by = (['key', 'payee'] as const).filter((each) => Number.isFinite(this.capOf(payment, each)));
    this.counted.push(...by.map((each) => ({ payment, by: each })));
    const remembers = this.policy === 'first_use' || this.policy === 'warn';
    if (remembers && !this.isBound(payment)) this.firstUses.add(payment);
  }

  /** Remembers a payment that was counted, and is approved at `atMs`. */
  approve(payment: NaivePayment, atMs: number): void {
    const { merchant, account: to } = payment;
    if (this.firstUses.has(payment) && !this.isBound(payment)) {
      this.payees.push({ merchant, account: to, isRegistered: false, sinceMs: atMs });
    }
    if (this.counted.some((each) => each.payment === payment && each.by === 'payee')) {
      this.paidSince.set(to, this.paidSince.get(to) ?? atMs);
    }
    if (!this.firstPaid.has(merchant)) this.firstPaid.set(merchant, { account: to, atMs });
  }

  private isBound({ merchant }: NaivePayment): boolean {
    return this.payees.some((payee) => payee.merchant === merchant);
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
        if (!first || this.payees.some((payee) => payee.merchant === merchant)) continue;
        this.payees.push({ merchant, account: first.account, isRegistered: false, sinceMs: first.atMs });
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
    const known = this.payees.find((payee) => payee.merchant === merchant && payee.account === to);
    if (known) known.isRegistered = true;
    else this.payees.push({ merchant, account: to, isRegistered: true, sinceMs });
  }

  remove(merchant: string, to: string): void {
    this.payees = this.payees.filter((payee) => payee.merchant !== merchant || payee.account !== to);
    if (this.firstPaid.get(merchant)?.account === to) this.firstPaid.set(merchant, null);
  }
}

/** Does a step in the service and in the model of its wallet. */
export async function carryOutPayeeStep(
  one: PayeeStep,
  service: TestService,
  wallet: CreatedWallet,
  model: NaivePayees,
): Promise<void> {
  if (one.do === 'set policy') {
    expect(await change(service, wallet, { payeePolicy: one.payeePolicy })).toBe(200);
    model.setPolicy(one.payeePolicy);
  } else if (one.do === 'set cooling off') {
    expect(await change(service, wallet, { coolingOff: one.coolingOff })).toBe(200);
    model.setCoolingOff(one.coolingOff);
  } else if (one.do === 'register') {
    const { merchantName, accountNumber } = one;
    const fields = { merchantName, accountNumber, bankCode: '058' };
    const { status, body } = await registerPayee(service, wallet, fields);
    expect(status).toBe(201);
    const { merchant, createdAt } = body.data.payee;
    model.register(merchant, accountNumber, Date.parse(createdAt));
  } else {
    const payee = model.payees[one.nth];
    if (!payee) return;
    const { data } = await payeesOf(service, wallet, '?pageSize=100');
    const stored = data.find(
      ({ merchant, accountNumber }) => merchant === payee.merchant && accountNumber === payee.account,
    );
    expect((await removePayee(service, wallet, stored?.id ?? 'none')).status).toBe(200);
    model.remove(payee.merchant, payee.account);
  }
}

/** The service and the model have the same payees. */
export async function expectSamePayees(
  service: TestService,
  wallet: CreatedWallet,
  model: NaivePayees,
): Promise<void> {
  const { data } = await payeesOf(service, wallet, '?pageSize=100');
  const stored = data.map((each) => [
    each.merchant,
    each.accountNumber,
    each.origin,
    Date.parse(each.createdAt),
  ]);
  const expected = model.payees.map((each) => [
    each.merchant,
    each.account,
    each.isRegistered ? 'registered' : 'first_use',
    each.sinceMs,
  ]);
  expect(stored.sort()).toEqual(expected.sort());
}
