import { describe, expect, it } from '@jest/globals';
import { queryKeys } from '../api/query-keys.js';
import { FIRST_WALLETS } from '../api/wallet-list.js';
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
    ['a payment, the list of its wallet', payment, queryKeys.payments({ walletId: 'w' }, null), true],
    ['a payment, the list of all wallets', payment, queryKeys.payments({ status: 'paid' }, null), true],
    ['a payment, the list of another wallet', payment, queryKeys.payments({ walletId: 'v' }, null), false],
    ['a payment, itself', payment, queryKeys.payment('w', 't'), true],
    ['a payment, another one', payment, queryKeys.payment('w', 'u'), false],
    ['several payments, any of them', { ...payment, transactionId: null }, queryKeys.payment('w', 'u'), true],
    ['a payment, the totals of all', payment, queryKeys.stats(), true],
    ['a payment, the chart of all', payment, queryKeys.spendByDay(null, 30), true],
    ['a payment, the chart of another wallet', payment, queryKeys.spendByDay('v', 30), false],
    ['a payment, the approvals', payment, queryKeys.approvalCount, false],
    ['a payment, those that an owner was asked about', payment, queryKeys.allApprovals(1), true],
    ['the ledger, those that an owner was asked about', ledger, queryKeys.allApprovals(1), true],
    ['an approval, those that an owner was asked about', approval, queryKeys.allApprovals(1), true],
    ['a payment, the endpoints', payment, queryKeys.endpoints(1), false],
    ['the ledger, its pages', ledger, queryKeys.ledger('w', 2), true],
    ['the ledger, a payment that came back', ledger, queryKeys.payment('w', 't'), true],
    ['the ledger, the wallets of somebody', ledger, queryKeys.wallets(FIRST_WALLETS), true],
    ['the ledger, another wallet', ledger, queryKeys.wallet('v'), false],
    ['an approval, the count', approval, queryKeys.approvalCount, true],
    ['an approval, the payment that waited', approval, queryKeys.payment('w', 't'), true],
    ['a wallet, the names of all', wallet, queryKeys.walletNames, true],
    ['the ledger, the names of all', ledger, queryKeys.walletNames, false],
    ['a wallet, its keys', wallet, queryKeys.keys('w'), true],
    ['a wallet, the keys of another', wallet, queryKeys.keys('v'), false],
    ['a wallet, a payment of it', wallet, queryKeys.payment('w', 't'), false],
    ['a withdrawal, those of its wallet', withdrawal, queryKeys.withdrawals('w'), true],
    ['a withdrawal, those of another wallet', withdrawal, queryKeys.withdrawals('v'), false],
    ['a withdrawal, a payment of its wallet', withdrawal, queryKeys.payment('w', 't'), false],
    ['a key, those of its wallet', key, queryKeys.keys('w'), true],
    ['a key, the wallet itself', key, queryKeys.wallet('w'), false],
    ['a key, a payment of its wallet', key, queryKeys.payment('w', 't'), false],
    ['a delivery, those of its endpoint', delivery, queryKeys.deliveries('e', 1, null, null), true],
    ['a delivery, those of another endpoint', delivery, queryKeys.deliveries('f', 1, null, null), false],
    ['a delivery, one that is open', delivery, queryKeys.delivery('d'), true],
    ['a delivery, the wallets', delivery, queryKeys.wallets(FIRST_WALLETS), false],
    ['an unknown one, anything', { type: 'ready' }, queryKeys.payees('w', 1), true],
    ['an unknown one, the banks', { type: 'ready' }, queryKeys.banks, false],
    ['an unknown one, who is signed in', { type: 'ready' }, queryKeys.session, false],
  ])('concerns what may be answered otherwise: %s', (_, change, key, expected) => {
    expect(concerns(change, key)).toBe(expected);
  });
});
