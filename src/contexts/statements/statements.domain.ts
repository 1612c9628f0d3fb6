import { KOBO_MAX, kobo, nairaFromKobo } from '../../kernel/money.js';
import type { LedgerLine, LedgerPeriod, LedgerSums } from '../ledger/ledger.port.js';

export const STATEMENT_STATUSES = ['waiting', 'making', 'done', 'failed'] as const;
export type StatementStatus = (typeof STATEMENT_STATUSES)[number];
export type StatementFormat = 'pdf' | 'csv';

export const STATEMENT_TYPE = 'account-statement+jwt';
export const STATEMENT_ROWS_MAX = 200_000;

/** In kobo. */
export interface Figures {
  readonly opening: bigint;
  readonly received: bigint;
  readonly paidOut: bigint;
  readonly refunded: bigint;
  readonly closing: bigint;
}

/** Its message is shown to people. */
export class StatementRefused extends Error {}

export class BooksDisagree extends Error {
  constructor(
    readonly walletId: string,
    reason: string,
  ) {
    super(reason);
  }
}

const NONE: LedgerSums = { received: 0n, paidOut: 0n, refunded: 0n };

export function addedUp({ opening, received, paidOut, refunded }: Omit<Figures, 'closing'>): bigint {
  return opening + received - paidOut + refunded;
}

/** Throws {@link BooksDisagree}. */
export function figuresOf(period: LedgerPeriod, sums: LedgerSums = NONE): Figures {
  const figures = { ...sums, opening: BigInt(period.opening), closing: BigInt(period.closing) };
  if (addedUp(figures) !== figures.closing) {
    throw new BooksDisagree(
      period.walletId,
      `opening ${figures.opening} + in ${figures.received} - out ${figures.paidOut} + refunds ${figures.refunded} kobo is not closing ${figures.closing}`,
    );
  }
  return figures;
}

/** Throws {@link StatementRefused}. */
export function total(all: readonly Figures[]): Figures {
  const sum = (of: keyof Figures) => all.reduce((before, figures) => before + figures[of], 0n);
  const figures = {
    opening: sum('opening'),
    received: sum('received'),
    paidOut: sum('paidOut'),
    refunded: sum('refunded'),
    closing: sum('closing'),
  };
  if (Object.values(figures).some((amount) => amount > BigInt(KOBO_MAX))) {
    throw new StatementRefused('The sums of this month are too large. Ask for one wallet at a time.');
  }
  return figures;
}

export class RunningBook {
  private balance: bigint;
  private seq: number;
  private readonly sums = { topup: 0n, debit: 0n, refund: 0n };

  constructor(private readonly period: LedgerPeriod) {
    this.balance = BigInt(period.opening);
    this.seq = period.after;
  }

  /** Throws {@link BooksDisagree}. */
  add({
    seq,
    type,
    amount,
    balanceAfter,
  }: Pick<LedgerLine, 'seq' | 'type' | 'amount' | 'balanceAfter'>): void {
    this.sums[type] += BigInt(amount);
    this.balance += type === 'debit' ? -BigInt(amount) : BigInt(amount);
    this.seq += 1;
    if (seq !== this.seq || BigInt(balanceAfter) !== this.balance)
      throw new BooksDisagree(this.period.walletId, `entry ${seq} does not follow from the one before`);
  }

  /** Throws {@link BooksDisagree}. */
  end({ received, paidOut, refunded, closing }: Figures): void {
    const { topup, debit, refund } = this.sums;
    const isSame = topup === received && debit === paidOut && refund === refunded;
    if (!isSame || this.balance !== closing || this.seq !== this.period.upTo)
      throw new BooksDisagree(this.period.walletId, 'its entries are not those of its sums');
  }
}

const CAUSES: Readonly<Record<LedgerLine['cause'], string>> = {
  payment: 'Payment',
  withdrawal: 'Withdrawal',
  transfer: 'Transfer between wallets',
  'bank-transfer': 'Money in',
};

export function kindOf({ type, cause }: Pick<LedgerLine, 'type' | 'cause'>): string {
  return type === 'refund'
    ? `Refund of a ${cause === 'withdrawal' ? 'withdrawal' : 'payment'}`
    : CAUSES[cause];
}

export function keyText(key: LedgerLine['key']): string {
  if (key === null) return '';
  return key.name === null ? `${key.prefix}…` : `${key.name} (${key.prefix}…)`;
}

export function nairaOf(amount: bigint): string {
  return nairaFromKobo(kobo(Number(amount)));
}

export function grouped(naira: string): string {
  return naira.replace(/\B(?=(\d{3})+\.)/g, ',');
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export function monthInWords(month: string): string {
  const [year, number] = month.split('-');
  return `${MONTHS[Number(number) - 1]} ${year}`;
}

export function monthBefore(local: string): string {
  const [year = 0, month = 1] = local.split('-').map(Number);
  const before = year * 12 + month - 2;
  return `${Math.floor(before / 12)}-${String((before % 12) + 1).padStart(2, '0')}`;
}
