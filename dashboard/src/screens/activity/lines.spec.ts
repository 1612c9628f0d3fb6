import { expect, it } from '@jest/globals';
import type { Activity } from '../../api/types.js';
import { linesOf } from './lines.js';

const names = { walletName: () => 'Groceries', bankName: () => 'GTBank' };
const lines = (act: string, before: object | null, after: object | null) =>
  linesOf({ act, subject: 'w', before, after } as Activity, names);

it('names each limit of a new key, and nothing that a person can’t read', () => {
  const limits = { totalCap: 250_000, maxPayments: 1_200, allowedMerchants: ['Jumia'], payee: null };
  expect(lines('key.created', null, { keyId: 'k', name: 'Errands', limits })).toEqual([
    'Wallet Groceries',
    'Name “Errands”',
    'Total limit ₦2,500',
    'Number of payments 1,200',
    'Merchants “Jumia”',
  ]);
  expect(
    lines('payee.registered', null, { merchantName: 'Jumia', bankCode: '058', origin: 'registered' }),
  ).toEqual(['Wallet Groceries', 'Merchant “Jumia”', 'Bank GTBank']);
});

it('names the status of an endpoint only where it changed', () => {
  expect(lines('webhook.created', null, { host: 'example.com', status: 'enabled' })).toEqual([
    'Host “example.com”',
  ]);
  expect(lines('webhook.changed', { status: 'enabled' }, { status: 'disabled' })).toEqual([
    'Status from “enabled” to “disabled”',
  ]);
});
