import fc from 'fast-check';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The bank refuses every transfer to this account, and its name enquiry does not know it. */
const REFUSED = '9000000001';
const MAIN_ACCOUNT = '0123456789';
const OTHER_ACCOUNT = '0123456780';

/** One attempt, to be quoted and to be paid. */
export interface Pay {
  readonly do: 'pay';
  readonly amount: number;
  readonly merchant: string;
  readonly account: string;
  readonly bank: string;
  /** Which of the wallet's keys. */
  readonly by: number;
  readonly guardMinutes: number | null;
  /** What it says that it repeats on purpose. */
  readonly confirms: 'nothing' | 'what is like it' | 'something else';
  /** Which replica quotes, and which one pays. */
  readonly quotedAt: number;
  readonly paidAt: number;
  /** Whether it is what the wallet was last asked to pay, once more. */
  readonly isRepeated: boolean;
  /** What is tried besides. */
  readonly probes: 'nothing' | 'the most' | 'the earliest' | 'a repetition' | 'a quote after it';
}

/** What an owner does between two attempts. */
export type OwnerStep =
  | { readonly do: 'top up'; readonly amount: number }
  | { readonly do: 'suspend' | 'resume' | 'close' | 'approve' | 'deny' }
  | { readonly do: 'withdraw'; readonly amount: number }
  | { readonly do: 'change'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly do: 'revoke'; readonly key: number }
  | { readonly do: 'register payee' | 'remove payee'; readonly merchant: string; readonly account: string };

type Step = Pay | OwnerStep;

/** A wallet, its rules, and what becomes of it. */
export interface Scenario {
  readonly spendLimitPerTx: number;
  /** By how much the limit of the period is above that of one payment. */
  readonly more: number;
  readonly periodWindowDays: number;
  readonly expiryMs: number;
  readonly useAllowlist: boolean;
  readonly funds: number;
  readonly controls: Readonly<Record<string, unknown>>;
  /** As many payments wait for a person from the start as can. */
  readonly isCrowded: boolean;
  /** As many payees are known from the start as can be. */
  readonly isFull: boolean;
  /** Rules on trial from the start; null: there are none. */
  readonly trial: { readonly spendLimitPerTx: number; readonly spendLimitPeriod: number } | null;
  readonly limits: readonly KeyScenario[];
  readonly steps: readonly Step[];
}

/** A key that narrows. */
export interface KeyScenario {
  readonly spendLimitPerTx?: number;
  readonly totalCap?: number;
  readonly maxPayments?: number;
  readonly allowedMerchants?: readonly string[];
  readonly payee?: { readonly accountNumber: string; readonly bankCode: string };
  readonly period?: { readonly spendLimitPeriod: number; readonly periodWindowDays: number };
  /** After so long it pays nothing more. */
  readonly expiryMs?: number;
  /** After so long it is no key any more. */
  readonly deadAfterMs?: number;
}

const merchant = fc.constantFrom('Acme', 'Acme', 'ACME ', 'Other', 'Third');
const account = fc.constantFrom(MAIN_ACCOUNT, MAIN_ACCOUNT, MAIN_ACCOUNT, OTHER_ACCOUNT, REFUSED);
/** There in one of `outOf` cases. */
const sometimes = <Value>(value: fc.Arbitrary<Value>, outOf: number): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 1, arbitrary: value }, { weight: outOf - 1, arbitrary: fc.constant(undefined) });
const oneIn = (all: number) => fc.constantFrom(true, ...Array<boolean>(all - 1).fill(false));
const without = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };

const pay: fc.Arbitrary<Pay> = fc.record({
  do: fc.constant('pay' as const),
  amount: fc.oneof(fc.constantFrom(3, 7, 12, 25), fc.integer({ min: 1, max: 50 })),
  merchant,
  account,
  bank: fc.constantFrom('058', '058', '058', '044'),
  by: fc.constantFrom(0, 0, 0, 1, 2, 3),
  guardMinutes: fc.constantFrom(null, null, null, 10, 90),
  confirms: fc.constantFrom('nothing', 'nothing', 'what is like it', 'what is like it', 'something else'),
  quotedAt: fc.integer({ min: 0, max: 1 }),
  paidAt: fc.integer({ min: 0, max: 1 }),
  isRepeated: oneIn(3),
  probes: fc.constantFrom(
    'nothing',
    'the most',
    'the most',
    'the earliest',
    'the earliest',
    'a repetition',
    'a quote after it',
  ),
});

const coolingOff = fc.record({
  newKeyHours: fc.constantFrom(1, 24),
  newKeyCap: fc.integer({ min: 5, max: 40 }),
  newPayeeHours: fc.constantFrom(1, 30),
  newPayeeCap: fc.integer({ min: 5, max: 40 }),
});
const someCoolingOff = fc.oneof(
  coolingOff,
  coolingOff.map(({ newKeyHours, newKeyCap }) => ({ newKeyHours, newKeyCap })),
  coolingOff.map(({ newPayeeHours, newPayeeCap }) => ({ newPayeeHours, newPayeeCap })),
);
const controls = fc
  .record({
    payeePolicy: sometimes(fc.constantFrom('off', 'warn', 'warn', 'first_use', 'strict'), 3),
    verifyRecipient: sometimes(fc.boolean(), 3),
    coolingOff: sometimes(someCoolingOff, 3),
    duplicateGuardMinutes: sometimes(fc.constantFrom(0, 1, 1_440, 1_440, 1_440), 2),
    approvalThreshold: sometimes(fc.integer({ min: 4, max: 30 }), 3),
    approvalTtlMinutes: sometimes(fc.constantFrom(1, 60, 3_000, 3_000), 2),
  })
  .map(without);
/** A rule that is there, that is not, or that is another. */
const change = fc.oneof(
  controls,
  fc.record({ spendLimitPerTx: fc.integer({ min: 10, max: 50 }) }),
  fc.record({ spendLimitPeriod: fc.integer({ min: 50, max: 110 }) }),
  fc.record({ periodWindowDays: fc.constantFrom(1, 2, 3) }),
  fc.constantFrom<Record<string, unknown>>(
    { coolingOff: null },
    { payeePolicy: null },
    { approvalThreshold: null },
    { duplicateGuardMinutes: null },
    { verifyRecipient: false },
    { useAllowlist: true, merchantAllowlist: ['acme', 'third'] },
    { useAllowlist: false },
  ),
);

const ownerStep: fc.Arbitrary<OwnerStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('top up' as const),
      amount: fc.integer({ min: 1, max: 120 }),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['suspend', 'resume', 'resume', 'resume', 'approve', 'approve', 'deny', 'deny'] as const),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('withdraw' as const),
      amount: fc.integer({ min: 1, max: 40 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('change' as const), fields: change }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('revoke' as const), key: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('register payee' as const, 'register payee' as const, 'remove payee' as const),
      merchant,
      account: fc.constantFrom(MAIN_ACCOUNT, OTHER_ACCOUNT),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('close', 'resume', 'resume') }) },
);

const limits: fc.Arbitrary<KeyScenario> = fc
  .record({
    spendLimitPerTx: sometimes(fc.integer({ min: 3, max: 30 }), 4),
    totalCap: sometimes(fc.integer({ min: 10, max: 80 }), 4),
    maxPayments: sometimes(fc.integer({ min: 1, max: 6 }), 4),
    allowedMerchants: sometimes(fc.constant(['acme']), 6),
    payee: sometimes(fc.constant({ accountNumber: MAIN_ACCOUNT, bankCode: '058' }), 6),
    period: sometimes(
      fc.record({
        spendLimitPeriod: fc.integer({ min: 10, max: 60 }),
        periodWindowDays: fc.constantFrom(1, 2),
      }),
      4,
    ),
    expiryMs: sometimes(fc.constantFrom(20 * HOUR_MS, 3 * DAY_MS), 6),
    deadAfterMs: sometimes(fc.constantFrom(2 * DAY_MS, 5 * DAY_MS), 8),
  })
  .map(without);

/** One wallet of a batch, with as many steps as the batch has rounds. */
export const scenario = (rounds: number): fc.Arbitrary<Scenario> =>
  fc.record({
    spendLimitPerTx: fc.integer({ min: 20, max: 60 }),
    more: fc.integer({ min: 0, max: 90 }),
    periodWindowDays: fc.constantFrom(1, 2),
    expiryMs: oneIn(8).map((isShort) => (isShort ? 3 : 90) * DAY_MS),
    useAllowlist: oneIn(4),
    funds: fc.constantFrom(40, 100, 3_000),
    controls,
    isCrowded: oneIn(16),
    isFull: oneIn(16),
    trial: fc.constantFrom({ spendLimitPerTx: 12, spendLimitPeriod: 45 }, null),
    limits: fc.array(limits, { minLength: 3, maxLength: 3 }),
    steps: fc.array(fc.oneof({ weight: 4, arbitrary: pay }, { weight: 1, arbitrary: ownerStep }), {
      minLength: rounds,
      maxLength: rounds,
    }),
  });

/** How long a round waits before it begins, in milliseconds. */
export const pause = fc.constantFrom(
  ...[0, 0, 1, 1_000, 59_999, 60_000, 9 * 60_000, 10 * 60_000, 59 * 60_000],
  ...[HOUR_MS, HOUR_MS, 5 * HOUR_MS, 11 * HOUR_MS, DAY_MS - 1, DAY_MS, DAY_MS + 1],
);
