import { describe, expect, it } from '@jest/globals';
import type { WalletState } from '../wallet/wallet-activity.port.js';
import {
  attemptsBetween,
  changesBetween,
  changesByAttempts,
  pauseAfterRead,
  type Snapshot,
  streamToEnd,
} from './live-updates.domain.js';

function snapshot(
  wallets: readonly Partial<WalletState>[],
  endpoints: Readonly<Record<string, string>> = {},
): Snapshot {
  const states = wallets.map((each): WalletState => ({
    walletId: 'w',
    accountId: 'u',
    attemptCount: 3,
    entryCount: 5,
    returnCount: 0,
    changeCount: 1,
    heldCount: 0,
    keysUsedAt: 0,
    ...each,
  }));
  return {
    wallets: new Map(states.map((each) => [each.walletId, each])),
    endpoints: new Map(Object.entries(endpoints)),
  };
}

describe('what changed between two snapshots', () => {
  it('is nothing when nothing did', () => {
    const same = snapshot([{}, { walletId: 'v' }], { e: '1' });
    expect([changesBetween(same, same), attemptsBetween(same, same)]).toEqual([[], []]);
  });

  it('is the ledger of a wallet with more entries, and the wallet that its owner changed', () => {
    const before = snapshot([{}, { walletId: 'v' }]);
    const after = snapshot([{ entryCount: 6 }, { walletId: 'v', changeCount: 2 }]);
    expect(changesBetween(before, after)).toEqual([
      { type: 'ledger', walletId: 'w' },
      { type: 'wallet', walletId: 'v' },
    ]);
  });

  it('is a wallet that is new, with its ledger when money is in it', () => {
    expect(changesBetween(snapshot([]), snapshot([{ entryCount: 0 }]))).toEqual([
      { type: 'wallet', walletId: 'w' },
    ]);
    expect(changesBetween(snapshot([]), snapshot([{ entryCount: 1 }]))).toEqual([
      { type: 'wallet', walletId: 'w' },
      { type: 'ledger', walletId: 'w' },
    ]);
  });

  it('is the payments and the ledger of a wallet of which the bank took a payout back', () => {
    expect(changesBetween(snapshot([{}]), snapshot([{ returnCount: 1 }]))).toEqual([
      { type: 'payment', walletId: 'w', transactionId: null },
      { type: 'ledger', walletId: 'w' },
    ]);
  });

  it('is the approvals of a wallet in which more or fewer payments wait', () => {
    const approval = [{ type: 'approval', walletId: 'w' }];
    expect(changesBetween(snapshot([{}]), snapshot([{ heldCount: 1 }]))).toEqual(approval);
    expect(changesBetween(snapshot([{ heldCount: 2 }]), snapshot([{ heldCount: 1 }]))).toEqual(approval);
    expect(changesBetween(snapshot([{ heldCount: 2 }]), snapshot([{ heldCount: 2 }]))).toEqual([]);
  });

  it('is the keys of a wallet of which one was used, for the first time or again', () => {
    const key = [{ type: 'key', walletId: 'w' }];
    expect(changesBetween(snapshot([{}]), snapshot([{ keysUsedAt: 7 }]))).toEqual(key);
    expect(changesBetween(snapshot([{ keysUsedAt: 7 }]), snapshot([{ keysUsedAt: 8 }]))).toEqual(key);
    expect(changesBetween(snapshot([{ keysUsedAt: 8 }]), snapshot([{ keysUsedAt: 8 }]))).toEqual([]);
  });

  it('is the approvals too when a new attempt waits, whose place another one left', () => {
    const attempt = { id: 'a', walletId: 'w', isReviewed: false };
    const payment = { type: 'payment', walletId: 'w', transactionId: 'a' };
    const approval = { type: 'approval', walletId: 'w' };
    expect(changesByAttempts('w', [attempt])).toEqual([payment]);
    expect(changesByAttempts('w', [{ ...attempt, isReviewed: true }])).toEqual([payment, approval]);
    expect(changesByAttempts('w', null)).toEqual([{ ...payment, transactionId: null }, approval]);
  });

  it('is the deliveries of an endpoint that is new, gone, or stands elsewhere', () => {
    const before = snapshot([], { gone: '1', moved: '1', same: '1' });
    const after = snapshot([], { moved: '2', same: '1', added: '1' });
    expect(changesBetween(before, after)).toEqual([
      { type: 'delivery', endpointId: 'gone' },
      { type: 'delivery', endpointId: 'moved' },
      { type: 'delivery', endpointId: 'added' },
    ]);
  });

  it('is the attempts beyond the last one that was known, from the first of a new wallet', () => {
    const after = snapshot([
      { attemptCount: 5 },
      { walletId: 'v', attemptCount: 2 },
      { walletId: 'u', attemptCount: 0 },
    ]);
    expect(attemptsBetween(snapshot([{}]), after)).toEqual([
      { walletId: 'w', after: 3, upTo: 5 },
      { walletId: 'v', after: 0, upTo: 2 },
    ]);
  });
});

describe('the pause after a read', () => {
  it('is nine times as long as the read, and never more than three seconds', () => {
    expect([0, 1, 50, 333].map(pauseAfterRead)).toEqual([0, 9, 450, 2_997]);
    expect([334, 1_000, 60_000].map(pauseAfterRead)).toEqual([3_000, 3_000, 3_000]);
  });
});

describe('the stream that makes room for another', () => {
  /** Streams as `user@network`, oldest first; returns the place of the one that ends. */
  const ended = (open: readonly string[], newcomer: string) => {
    const holder = (text: string) => {
      const [userId = '', network = ''] = text.split('@');
      return { userId, network };
    };
    return streamToEnd(
      open.map((text, i) => [i, holder(text)] as const),
      holder(newcomer),
    )?.[0];
  };

  it.each([
    ['is the newest of the user with most', ['a@1', 'b@1', 'a@1', 'b@1', 'a@1', 'c@1'], 'd@1', 4],
    [
      'is of the network with most, however few streams each of its users has',
      ['a@1', 'b@2', 'c@2', 'd@2'],
      'e@3',
      3,
    ],
    ['is of the user with most there', ['a@1', 'b@2', 'b@2', 'c@2', 'a@1'], 'e@3', 2],
    [
      'is of the user with most anywhere, for one in the network with most',
      ['a@1', 'a@1', 'b@2', 'c@2', 'd@2'],
      'e@2',
      1,
    ],
    ['is none when all have as many as the newcomer would have', ['a@1', 'b@2', 'c@3'], 'd@4', undefined],
    [
      'is none when the newcomer has one less than the user with most',
      ['a@1', 'a@1', 'b@1'],
      'b@1',
      undefined,
    ],
    ['is one when the newcomer has two less', ['a@1', 'a@1', 'a@1', 'b@1'], 'b@1', 2],
  ])('%s', (_, open, newcomer, expected) => {
    expect(ended(open, newcomer)).toBe(expected);
  });
});
