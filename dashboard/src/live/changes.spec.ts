import { describe, expect, it } from '@jest/globals';
import { type Change, concerns } from './changes.js';

const payment: Change = { type: 'payment', walletId: 'w', transactionId: 't' };
const ledger: Change = { type: 'ledger', walletId: 'w' };
const approval: Change = { type: 'approval', walletId: 'w' };
const wallet: Change = { type: 'wallet', walletId: 'w' };
const withdrawal: Change = { type: 'withdrawal', walletId: 'w', withdrawalId: 'd' };
const key: Change = { type: 'key', walletId: 'w' };
const delivery: Change = { type: 'delivery', endpointId: 'e' };

describe('a change', () => {
  it.each<[string, Change, readonly unknown[], boolean]>([
    ['a payment, the list of its wallet', payment, ['payments', { walletId: 'w' }, null], true],
    ['a payment, the list of all wallets', payment, ['payments', { status: 'paid' }, null], true],
    ['a payment, the list of another wallet', payment, ['payments', { walletId: 'v' }, null], false],
    ['a payment, itself', payment, ['transaction', 'w', 't'], true],
    ['a payment, another one', payment, ['transaction', 'w', 'u'], false],
    ['several payments, any of them', { ...payment, transactionId: null }, ['transaction', 'w', 'u'], true],
    ['a payment, the totals of all', payment, ['stats'], true],
    ['a payment, the chart of all', payment, ['by-day', null, 30], true],
    ['a payment, the chart of another wallet', payment, ['by-day', 'v', 30], false],
    ['a payment, the approvals', payment, ['approvals', 'count'], false],
    ['a payment, those that an owner was asked about', payment, ['reviewed', 1], true],
    ['the ledger, those that an owner was asked about', ledger, ['reviewed', 1], true],
    ['an approval, those that an owner was asked about', approval, ['reviewed', 1], true],
    ['a payment, the endpoints', payment, ['endpoints', 1], false],
    ['the ledger, its pages', ledger, ['ledger', 'w', 2], true],
    ['the ledger, a payment that came back', ledger, ['transaction', 'w', 't'], true],
    ['the ledger, the wallets of somebody', ledger, ['wallets', 'somebody'], true],
    ['the ledger, another wallet', ledger, ['wallet', 'v'], false],
    ['an approval, the count', approval, ['approvals', 'count'], true],
    ['an approval, the payment that waited', approval, ['transaction', 'w', 't'], true],
    ['a wallet, the names of all', wallet, ['names'], true],
    ['the ledger, the names of all', ledger, ['names'], false],
    ['a wallet, its keys', wallet, ['keys', 'w'], true],
    ['a wallet, the keys of another', wallet, ['keys', 'v'], false],
    ['a wallet, a payment of it', wallet, ['transaction', 'w', 't'], false],
    ['a withdrawal, those of its wallet', withdrawal, ['withdrawals', 'w'], true],
    ['a withdrawal, those of another wallet', withdrawal, ['withdrawals', 'v'], false],
    ['a withdrawal, a payment of its wallet', withdrawal, ['transaction', 'w', 't'], false],
    ['a key, those of its wallet', key, ['keys', 'w'], true],
    ['a key, the wallet itself', key, ['wallet', 'w'], false],
    ['a key, a payment of its wallet', key, ['transaction', 'w', 't'], false],
    ['a delivery, those of its endpoint', delivery, ['deliveries', 'e', 1, null, null], true],
    ['a delivery, those of another endpoint', delivery, ['deliveries', 'f', 1, null, null], false],
    ['a delivery, one that is open', delivery, ['delivery', 'd'], true],
    ['a delivery, the wallets', delivery, ['wallets', 'somebody'], false],
    ['an unknown one, anything', { type: 'ready' }, ['payees', 'w', 1], true],
    ['an unknown one, the banks', { type: 'ready' }, ['banks'], false],
    ['an unknown one, who is signed in', { type: 'ready' }, ['session'], false],
  ])('concerns what may be answered otherwise: %s', (_, change, key, expected) => {
    expect(concerns(change, key)).toBe(expected);
  });
});
