import { expect, it } from '@jest/globals';
import type { LedgerEntry, Transaction } from '../../api/types.js';
import { ENTRIES_READ, newestOf, PAYMENTS_READ } from './happened.domain.js';

const at = (second: number) => new Date(second * 1_000).toISOString();
const payment = (second: number, fields: Partial<Transaction> = {}) =>
  ({
    id: String(second),
    walletId: 'w',
    merchantName: 'Konga',
    amount: 100,
    status: 'blocked',
    blockReason: 'INSUFFICIENT_FUNDS',
    createdAt: at(second),
    ...fields,
  }) as Transaction;
const entry = (second: number, transactionId: string | null = null) =>
  ({ id: `e${second}`, transactionId, createdAt: at(second) }) as LedgerEntry;
const rows = (payments: Transaction[], entries: LedgerEntry[] = []) =>
  newestOf(payments, entries).map(({ payments: alike, entry: moved }) =>
    moved ? moved.id : alike.map(({ id }) => id).join('+'),
  );

it('makes one row of payments alike that followed each other, and of no others', () => {
  expect(rows([payment(9), payment(8), payment(7)])).toEqual(['9+8+7']);
  for (const other of [
    { walletId: 'v' },
    { merchantName: 'Jumia' },
    { amount: 101 },
    { status: 'denied' },
    { blockReason: 'WALLET_EXPIRED' },
  ] as const)
    expect(rows([payment(9), payment(8, other), payment(7)])).toEqual(['9', '8', '7']);
  expect(rows([payment(9), payment(7)], [entry(8)])).toEqual(['9', 'e8', '7']);
  expect(rows([payment(9), payment(7)], [entry(8, '7')])).toEqual(['9+7']);
});

it('has at most ten rows, and the tenth is whole', () => {
  const different = Array.from({ length: 9 }, (_, i) => payment(100 - i, { amount: 1 + i }));
  const all = rows([...different, payment(50), payment(49), payment(40, { amount: 7 })]);
  expect(all).toHaveLength(10);
  expect(all.at(-1)).toBe('50+49');
});

it('shows nothing from before what was read of either list', () => {
  const payments = Array.from({ length: PAYMENTS_READ }, (_, i) => payment(1_000 - i));
  const alike = payments.map(({ id }) => id).join('+');
  expect(rows(payments, [entry(1_001), entry(900)])).toEqual(['e1001', alike]);
  expect(rows(payments.slice(1), [entry(900)])).toEqual([alike.slice('1000+'.length), 'e900']);
  const entries = Array.from({ length: ENTRIES_READ }, (_, i) => entry(1_000 - i, 'x'));
  expect(rows([payment(1_000), payment(10, { amount: 7 })], entries)).toEqual(['1000']);
  expect(rows([payment(1_000), payment(10, { amount: 7 })], entries.slice(1))).toEqual(['1000', '10']);
});
