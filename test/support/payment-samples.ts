import { kobo } from '../../src/kernel/money.js';
import type { Facts, Intent } from '../../src/contexts/payments/checks/facts.port.js';
import type { LockedWallet } from '../../src/contexts/wallet/wallet.port.js';

/** The moment at which the specs of the payment rules decide. */
export const NOW = new Date('2026-06-01T12:00:00.000Z');
export const at = (ms: number): Date => new Date(NOW.getTime() + ms);

/** An active wallet that has made attempts before and spent none of its window. */
export const lockedWallet = (fields: Partial<LockedWallet> = {}): LockedWallet => ({
  id: '01a1fd71-ec35-77c2-9900-6d901138ea6a',
  status: 'ACTIVE',
  expiry: at(1),
  balance: kobo(1_000),
  held: kobo(0),
  heldCount: 0,
  spendLimitPerTx: kobo(500),
  spendLimitPeriod: kobo(700),
  periodWindowDays: 30,
  useAllowlist: false,
  now: NOW,
  totals: {
    attemptCount: 7,
    blockedCount: 2,
    spentTotal: 2n ** 63n,
    window: { days: 30, spent: 0, from: null },
  },
  ...fields,
});

export const paymentOf = (fields: Partial<Intent> = {}): Intent => ({
  amount: 100,
  merchant: 'acme',
  merchantName: 'Acme',
  recipientAccountNo: '0123456789',
  recipientBankCode: '058',
  reason: null,
  runId: null,
  rationale: null,
  ...fields,
});

/** The facts of a decision that every check passes. */
export const factsOf = (fields: Partial<Facts> = {}): Facts => ({
  status: 'ACTIVE',
  expiry: at(1).toISOString(),
  now: NOW.toISOString(),
  spendLimitPerTx: 1_000,
  spendLimitPeriod: 1_000,
  spent: 0,
  balance: 1_000,
  useAllowlist: false,
  onAllowlist: false,
  ...fields,
});
