import { expect, it } from '@jest/globals';
import { problemsOf } from './problem.js';

const NOW = Date.parse('2026-11-28T12:00:00.000Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();
const WALLET = { status: 'ACTIVE', expiry: at(1), balance: 1_000 } as const;

const given = (change: {
  approval?: { expiresAt?: string; approvedBy?: string[]; notBy?: string };
  wallet?: { status?: 'ACTIVE' | 'SUSPENDED' | 'CLOSED'; expiry?: string; balance?: number };
  mayDecide?: boolean;
}) =>
  problemsOf({
    approval: { expiresAt: at(1), transaction: { amount: 1_000 }, ...change.approval },
    wallet: { ...WALLET, ...change.wallet },
    userId: 'me',
    mayDecide: change.mayDecide ?? true,
    now: NOW,
  });

it('lets a payment be decided that its wallet can just pay, up to the last millisecond', () => {
  expect(given({})).toEqual({ approve: null, deny: null });
});

it.each<[string, Parameters<typeof given>[0], RegExp]>([
  ['one kobo short', { wallet: { balance: 999 } }, /balance is lower/],
  ['of a frozen wallet', { wallet: { status: 'SUSPENDED' } }, /frozen/],
  ['of a closed wallet', { wallet: { status: 'CLOSED' } }, /closed/],
  ['of a wallet that expires now', { wallet: { expiry: at(0) } }, /has expired\. Extend/],
  ['that a key of mine asked for', { approval: { notBy: 'me' } }, /made the key/],
  ['that I approved', { approval: { approvedBy: ['me'] } }, /second member/],
])('lets a payment be denied, but not approved: %s', (_, change, words) => {
  expect(given(change)).toEqual({ approve: expect.stringMatching(words), deny: null });
});

it('lets another member give the second approval', () => {
  expect(given({ approval: { approvedBy: ['another'] } }).approve).toBeNull();
});

it.each([
  ['that expires now', { approval: { expiresAt: at(0) } }],
  ['by a role that may not', { mayDecide: false }],
])('lets nobody decide a payment %s', (_, change) => {
  const { approve, deny } = given(change);
  expect([approve, deny]).toEqual([expect.any(String), expect.any(String)]);
});
