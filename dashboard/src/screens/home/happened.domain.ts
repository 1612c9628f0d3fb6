import type { LedgerEntry, Transaction } from '../../api/types.js';

/** A ledger entry, or equal payments that followed each other, newest first. */
export interface Happened {
  readonly at: string;
  readonly payments: readonly Transaction[];
  readonly entry?: LedgerEntry;
}

const ROWS_MAX = 10;

export const PAYMENTS_READ = 20;
export const ENTRIES_READ = 50;

/** The newest of both lists, each newest first; nothing from before what was read of either. */
export function newestOf(payments: readonly Transaction[], entries: readonly LedgerEntry[]): Happened[] {
  const begins = [
    payments.length < PAYMENTS_READ ? '' : payments.at(-1)?.createdAt,
    entries.length < ENTRIES_READ ? '' : entries.at(-1)?.createdAt,
  ];
  // Shown as the payment already.
  const others = entries.filter(({ transactionId }) => transactionId === null);
  const all: Happened[] = [
    ...payments.map((payment) => ({ at: payment.createdAt, payments: [payment] })),
    ...others.map((entry) => ({ at: entry.createdAt, payments: [], entry })),
  ]
    .filter(({ at }) => begins.every((begin = '') => at >= begin))
    .sort((a, b) => b.at.localeCompare(a.at));
  const rows: Happened[] = [];
  for (const each of all) {
    const last = rows.at(-1);
    const [newest] = last?.payments ?? [];
    const [next] = each.payments;
    if (last && newest && next && areAlike(newest, next))
      rows[rows.length - 1] = { ...last, payments: [...last.payments, next] };
    else if (rows.length === ROWS_MAX) break;
    else rows.push(each);
  }
  return rows;
}

const areAlike = (one: Transaction, other: Transaction) =>
  one.walletId === other.walletId &&
  one.merchantName === other.merchantName &&
  one.amount === other.amount &&
  one.status === other.status &&
  one.blockReason === other.blockReason;
