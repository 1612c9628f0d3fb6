import fc from 'fast-check';
import type { Limits } from './keys.js';
import type { CoolingOff, Policy } from './payees.js';
import { ACCOUNTS, DAY_MS, HOUR_MS, type Payment, START_MS, type Step, UNKNOWN_ACCOUNT } from './steps.js';
import { FAILING_AMOUNT, type Settings } from './wallet.js';

const doing = <Name extends string>(name: Name) => fc.constant(name);
const account = fc.constantFrom<string[]>(...ACCOUNTS);
const merchant = fc.constantFrom('acme', 'other');
const merchants = fc.constantFrom(['acme'], ['other'], ['acme', 'other']);
const number = (min: number, max: number) => fc.integer({ min, max });
/** Few different amounts, so that some are paid again. */
const amount = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(3, 11, 20, FAILING_AMOUNT) },
  { weight: 2, arbitrary: number(1, 15) },
  { weight: 1, arbitrary: number(1, 60) },
);
/** There in one of `n` cases. */
const oneIn = <Value>(n: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: n - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const weighed = <Of>(...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Of>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** A record without the members that are undefined. */
function sparse<Of extends object>(record: fc.Arbitrary<{ [Name in keyof Of]: Of[Name] | undefined }>) {
  return record.map(
    (fields) =>
      Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Of>,
  );
}

const hours = fc.constantFrom(1, 12, 24, 48);
const cap = number(20, 80);
const policy: fc.Arbitrary<Policy | null> = fc.constantFrom(null, 'off', 'warn', 'first_use', 'strict');
const coolingOff: fc.Arbitrary<CoolingOff | null> = fc.oneof(
  fc.constant(null),
  fc.record({ newKeyHours: hours, newKeyCap: cap }),
  fc.record({ newPayeeHours: hours, newPayeeCap: cap }),
  fc.record({ newKeyHours: hours, newKeyCap: cap, newPayeeHours: hours, newPayeeCap: cap }),
);
const guardMinutes = fc.constantFrom(null, null, 0, 60, 720, 1_440);
const verification = fc.constantFrom(null, null, true, false);
const threshold = fc.oneof(fc.constant(null), number(2, 20), number(2, 20));

/** Times of a change and of limits are counted from the step that makes them. */
const expiryMs = fc.constantFrom(-HOUR_MS, HOUR_MS, DAY_MS, 4 * DAY_MS, 30 * DAY_MS);
const change: fc.Arbitrary<Partial<Settings>> = sparse<Settings>(
  fc.record({
    spendLimitPerTx: oneIn(6, number(12, 60)),
    spendLimitPeriod: oneIn(6, number(15, 200)),
    periodWindowDays: oneIn(5, number(1, 3)),
    expiryMs: oneIn(10, expiryMs),
    useAllowlist: oneIn(8, fc.boolean()),
    merchantAllowlist: oneIn(8, fc.oneof(merchants, fc.constant([]))),
    approvalThreshold: oneIn(4, threshold),
    duplicateGuardMinutes: oneIn(4, guardMinutes),
    payeePolicy: oneIn(6, policy),
    verifyRecipient: oneIn(6, verification),
    coolingOff: oneIn(6, coolingOff),
  }),
);
const limits: fc.Arbitrary<Limits> = sparse<Limits>(
  fc.record({
    spendLimitPerTx: oneIn(5, number(8, 40)),
    spendLimitPeriod: oneIn(4, number(10, 60)),
    periodWindowDays: oneIn(12, number(1, 2)),
    totalCap: oneIn(4, number(10, 60)),
    maxPayments: oneIn(3, number(1, 4)),
    allowedMerchants: oneIn(6, merchants),
    payee: oneIn(6, account),
    expiryMs: oneIn(6, fc.constantFrom(HOUR_MS, 12 * HOUR_MS, DAY_MS, 40 * DAY_MS)),
  }),
);

const paymentTo = (to: fc.Arbitrary<string>) =>
  fc.record({ amount, to, confirms: oneIn(3, fc.constant(true)).map(Boolean) });
const pay = fc.record({
  do: doing('pay'),
  payments: weighed<Payment[]>(
    [12, fc.array(paymentTo(account), { minLength: 1, maxLength: 4 })],
    // Alone: while a bank is asked, what came at the same time goes ahead.
    [1, paymentTo(fc.constant(UNKNOWN_ACCOUNT)).map((payment) => [payment])],
  ),
  merchant,
  nthKey: fc.nat({ max: 40 }),
  guardMinutes: oneIn(5, fc.constantFrom(60, 1_440)).map((minutes) => minutes ?? null),
});
const topUp = fc.record({ do: doing('top up'), amount: number(20, 120) });
const decide = fc.record({
  do: doing('decide'),
  nth: fc.nat({ max: 20 }),
  word: fc.constantFrom('approve' as const, 'deny' as const),
});
const withdraw = fc.record({
  do: doing('withdraw'),
  amount: fc.oneof(number(1, 30), fc.constantFrom(FAILING_AMOUNT, 'all' as const)),
});
const transfer = fc.record({ do: doing('transfer'), amount: number(1, 40), isOut: fc.boolean() });
const patch = fc.record({
  do: doing('change'),
  change,
  seen: fc.constantFrom(
    'nothing' as const,
    'nothing' as const,
    'this version' as const,
    'an older version' as const,
  ),
});
const makeKey = fc.record({
  do: doing('make key'),
  limits,
  replaces: fc.constantFrom('none' as const, 'none' as const, 'all' as const, 'one' as const),
  graceSeconds: fc.constantFrom(0, 3_600, 86_400),
  inheritsAge: fc.boolean(),
  nth: fc.nat({ max: 20 }),
});
const PLAIN_KEY = { do: 'make key', replaces: 'none', graceSeconds: 0, inheritsAge: false, nth: 0 } as const;
const revokeKey = fc.record({ do: doing('revoke key'), nth: fc.nat({ max: 20 }) });
const standing = fc.constantFrom<Step>({ do: 'suspend' }, { do: 'suspend all' }, { do: 'resume' });
const register = fc.record({ do: doing('register'), merchant, accountNumber: account });
const removePayee = fc.record({ do: doing('remove payee'), nth: fc.nat({ max: 5 }) });
const wait = fc.record({
  do: doing('wait'),
  ms: fc.constantFrom(0, 1, HOUR_MS, 12 * HOUR_MS, DAY_MS - 1, DAY_MS, DAY_MS + 1, 2 * DAY_MS),
});

/** What happens while a wallet is open. */
const step: fc.Arbitrary<Step> = weighed<Step>(
  [30, pay],
  [5, topUp],
  [8, decide],
  [2, withdraw],
  [2, transfer],
  [4, patch],
  // A wallet that stays suspended would make a dull run.
  [1, standing],
  [3, fc.constant({ do: 'resume' as const })],
  [4, makeKey],
  [1, revokeKey],
  [2, register],
  [1, removePayee],
  [6, wait],
);

/** Some runs close the wallet, and go on: what it still takes and gives is part of the promise. */
const ending: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc.constant([]),
  fc
    .tuple(
      fc.record({ do: doing('close'), hasPayout: fc.boolean() }),
      fc.array(
        weighed<Step>(
          [3, pay],
          [2, topUp],
          [2, withdraw],
          [2, transfer],
          [1, patch],
          [1, standing],
          [1, makeKey],
          [1, decide],
          [1, revokeKey],
          [1, register],
        ),
        { maxLength: 6 },
      ),
    )
    .map(([close, after]) => [close, ...after]),
);

/** The newest key that lives. */
const NEWEST = 1;
const own = (steps: readonly Step[]): readonly Step[] => steps;
const paid = (payments: readonly Payment[], by: string): Step => ({
  do: 'pay',
  payments,
  merchant: by,
  nthKey: NEWEST,
  guardMinutes: null,
});
const large = fc.record({
  amount: fc.constantFrom(6, FAILING_AMOUNT, 11),
  to: account,
  confirms: fc.constant(false),
});
const asking: Step = { do: 'change', change: { approvalThreshold: 5 }, seen: 'nothing' };

/** Several steps in which rules meet that seldom do so by chance; how they end is up to all that went before. */
const chapter: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc
    .tuple(
      makeKey,
      fc.array(large, { minLength: 2, maxLength: 4 }),
      merchant,
      fc.array(decide, { minLength: 2, maxLength: 3 }),
    )
    .map(([key, payments, by, words]) => own([asking, key, paid(payments, by), ...words])),
  fc
    .tuple(fc.constantFrom(720, 1_440), large, merchant)
    .map(([duplicateGuardMinutes, payment, by]) =>
      own([
        { do: 'change', change: { duplicateGuardMinutes }, seen: 'nothing' },
        paid([payment, payment], by),
        paid([{ ...payment, confirms: true }], by),
      ]),
    ),
  fc
    .tuple(large, merchant, decide)
    .map(([payment, by, word]) =>
      own([
        asking,
        paid([payment], by),
        { do: 'suspend' },
        { ...word, word: 'approve' },
        paid([payment], by),
        { do: 'resume' },
      ]),
    ),
  fc
    .tuple(merchants, large, merchant)
    .map(([allowedMerchants, payment, by]) =>
      own([
        { ...PLAIN_KEY, limits: { allowedMerchants } },
        paid([payment], by),
        { do: 'change', change: { expiryMs: -HOUR_MS }, seen: 'nothing' },
      ]),
    ),
);

/** All that happens to one wallet, in order. */
export const story: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(weighed<readonly Step[]>([14, step.map((each) => [each])], [2, chapter]), {
      minLength: 12,
      maxLength: 24,
      size: 'max',
    }),
    ending,
  )
  .map(([steps, end]) => [...steps.flat(), ...end]);

/** The settings of a new wallet; every rule is on in some. */
export const settings: fc.Arbitrary<Settings> = fc
  .record({
    spendLimitPerTx: number(12, 60),
    more: number(0, 140),
    periodWindowDays: number(1, 2),
    expiryMs: fc.constantFrom(START_MS + 4 * DAY_MS, START_MS + 30 * DAY_MS),
    useAllowlist: oneIn(5, fc.constant(true)).map(Boolean),
    approvalThreshold: threshold,
    duplicateGuardMinutes: guardMinutes,
    payeePolicy: policy,
    verifyRecipient: verification,
    coolingOff,
  })
  .map(({ more, ...rest }) => ({
    ...rest,
    spendLimitPeriod: rest.spendLimitPerTx + more,
    merchantAllowlist: rest.useAllowlist ? ['acme'] : [],
  }));
