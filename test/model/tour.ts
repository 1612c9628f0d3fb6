import type { Limits } from './keys.js';
import { ACCOUNTS, DAY_MS, HOUR_MS, START_MS, type Step, UNKNOWN_ACCOUNT } from './steps.js';
import { FAILING_AMOUNT, type Settings } from './wallet.js';

const NEWEST = 1;
const [A] = ACCOUNTS;
const pay = (
  amount: number,
  fields: { merchant?: string; nthKey?: number; confirms?: boolean; to?: string; guardMinutes?: number } = {},
): Step => ({
  do: 'pay',
  payments: [{ amount, to: fields.to ?? A, confirms: fields.confirms ?? false }],
  merchant: fields.merchant ?? 'acme',
  nthKey: fields.nthKey ?? NEWEST,
  guardMinutes: fields.guardMinutes ?? null,
});
const change = (settings: Partial<Settings>): Step => ({ do: 'change', change: settings, seen: 'nothing' });
const key = (limits: Limits = {}): Step => ({
  do: 'make key',
  limits,
  replaces: 'none',
  graceSeconds: 0,
  inheritsAge: false,
  nth: 0,
});
const rotate = (graceSeconds: number): Step => ({
  do: 'make key',
  limits: {},
  replaces: 'all',
  graceSeconds,
  inheritsAge: true,
  nth: 0,
});
const say = (word: 'approve' | 'deny'): Step => ({ do: 'decide', nth: 0, word });
const wait = (ms: number): Step => ({ do: 'wait', ms });

/** The wallet of {@link TOUR}: as much as it may, with no rule that its owner may ask for. */
export const TOURED: Settings = {
  spendLimitPerTx: 60,
  spendLimitPeriod: 200,
  periodWindowDays: 1,
  expiryMs: START_MS + 4 * DAY_MS,
  useAllowlist: false,
  merchantAllowlist: [],
  approvalThreshold: null,
  duplicateGuardMinutes: null,
  payeePolicy: null,
  verifyRecipient: null,
  coolingOff: null,
};

/** A story that meets every rule once, so that every run of the model does, whatever chance brings. */
export const TOUR: readonly Step[] = [
  // The limits of keys.
  ...[key({ expiryMs: HOUR_MS }), pay(3), wait(HOUR_MS), pay(3)],
  ...[key({ spendLimitPerTx: 8 }), pay(11)],
  ...[key({ spendLimitPeriod: 10 }), pay(11)],
  ...[key({ allowedMerchants: ['other'] }), pay(3)],
  ...[key({ payee: '0000000022' }), pay(3)],
  ...[key({ totalCap: 10 }), pay(11)],
  ...[key({ maxPayments: 1 }), pay(3), pay(3)],
  // Changes, refused and made.
  ...[change({ spendLimitPeriod: 20 }), change({ useAllowlist: true }), change({ expiryMs: -HOUR_MS })],
  { do: 'change', change: { useAllowlist: true, merchantAllowlist: ['acme'] }, seen: 'an older version' },
  ...[change({ useAllowlist: true, merchantAllowlist: ['acme'] }), pay(3, { merchant: 'other' })],
  ...[key({ allowedMerchants: ['other'] }), change({ useAllowlist: false })],
  // Payees, and what cools off while something waits.
  ...[key(), pay(FAILING_AMOUNT), pay(61), change({ payeePolicy: 'strict' }), pay(3)],
  { do: 'register', merchant: 'acme', accountNumber: A },
  change({ payeePolicy: null, approvalThreshold: 5, coolingOff: { newKeyHours: 48, newKeyCap: 20 } }),
  ...[key(), pay(11), pay(11), say('deny')],
  // The duplicate guard and a limited key, whose payments wait for a person.
  ...[change({ coolingOff: null, duplicateGuardMinutes: 1_440 }), key({ maxPayments: 4 })],
  ...[pay(11), pay(11), pay(11, { confirms: true })],
  ...[{ do: 'suspend' } as const, say('approve'), pay(3), { do: 'resume' } as const],
  ...[say('approve'), say('deny'), pay(FAILING_AMOUNT), say('approve'), pay(20), wait(DAY_MS)],
  ...[key(), pay(20), wait(DAY_MS), pay(20), say('approve')],
  // Keys that take the place of others.
  ...[rotate(0), pay(3, { nthKey: 8 }), rotate(3_600), pay(3), { do: 'revoke key', nth: 0 } as const],
  // Money that its owner moves.
  ...[{ do: 'withdraw', amount: 500 } as const, { do: 'transfer', amount: 500, isOut: true } as const],
  ...[
    { do: 'transfer', amount: 5, isOut: true } as const,
    { do: 'transfer', amount: 5, isOut: false } as const,
  ],
  ...[{ do: 'withdraw', amount: 'all' } as const, pay(4), { do: 'top up', amount: 200 } as const],
  // A guard that the requests ask for, and what they paid without it.
  ...[change({ duplicateGuardMinutes: null }), key(), pay(4), pay(4, { guardMinutes: 60 })],
  ...[pay(4, { guardMinutes: 60 }), pay(4), pay(4, { guardMinutes: 60, confirms: true })],
  // Banks that are asked, and all wallets suspended at once: a second time finds none.
  ...[change({ verifyRecipient: true }), pay(3), pay(3, { to: UNKNOWN_ACCOUNT })],
  ...[change({ verifyRecipient: false }), pay(3, { to: UNKNOWN_ACCOUNT })],
  ...[{ do: 'suspend all' } as const, { do: 'suspend all' } as const, pay(3)],
  ...[{ do: 'transfer', amount: 5, isOut: false } as const, { do: 'resume' } as const],
  ...[change({ spendLimitPeriod: 60, approvalThreshold: null }), pay(50), pay(20)],
  // The end.
  ...[wait(2 * DAY_MS), pay(3), change({ expiryMs: DAY_MS, approvalThreshold: 5 }), pay(11)],
  ...[{ do: 'close', hasPayout: false } as const, { do: 'close', hasPayout: true } as const],
  ...[change({ spendLimitPerTx: 9 }), { do: 'top up', amount: 20 } as const],
  ...[
    { do: 'withdraw', amount: FAILING_AMOUNT } as const,
    { do: 'transfer', amount: 20, isOut: true } as const,
  ],
];
