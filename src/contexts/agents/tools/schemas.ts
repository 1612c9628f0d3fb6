import { z } from 'zod';
import { KOBO_MAX } from '../../../kernel/money.js';
import { Money } from './naira.js';

const Id = z.string().describe('A UUID.');
const Time = z.string().describe('UTC, ISO 8601.');

const ToolError = z
  .strictObject({
    code: z.string().describe('Stable: go by it, not by the message.'),
    message: z.string().describe('What was compared, or what was wrong.'),
    next: z.string().describe('What to do now.'),
    replayed: z
      .literal(true)
      .optional()
      .describe('An earlier call with this purchaseId was blocked: this is its answer; hint is of now.'),
    hint: z.string().optional().describe('What would pass, in one sentence.'),
    maxAmountNow: Money.optional().describe('The most that would pass at this moment.'),
    earliestPassAt: Time.optional().describe('When the same payment would pass, if nothing else is spent.'),
    transactionId: Id.optional().describe('The recorded attempt.'),
    details: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('What it is about, such as the limit of the key; amounts are in kobo.'),
    retryAfterSeconds: z.int().optional().describe('How long to wait before trying again.'),
    errors: z
      .array(z.strictObject({ field: z.string(), message: z.string() }))
      .optional()
      .describe('One entry for each wrong argument.'),
  })
  .describe('Set when the call failed or the payment was blocked; nothing else is set then.');

export type ToolError = z.infer<typeof ToolError>;

function described<Schema extends z.ZodType>(schema: Schema): Schema {
  const standard = schema['~standard'];
  type Describe = typeof standard.jsonSchema.input;
  const once = (describe: Describe): Describe => {
    const made = new Map<string, ReturnType<Describe>>();
    return (options) => {
      const known = made.get(options.target) ?? describe(options);
      made.set(options.target, known);
      return known;
    };
  };
  const { input, output } = standard.jsonSchema;
  const jsonSchema = { input: once(input), output: once(output) };
  return Object.defineProperty(schema, '~standard', { value: { ...standard, jsonSchema } });
}

/** Members, or `error` alone. */
const answer = <Members extends z.ZodRawShape>(members: Members) =>
  described(
    z
      .strictObject(members)
      .partial()
      .extend({ error: ToolError.optional() })
      .meta({ oneOf: [{ required: Object.keys(members) }, { required: ['error'] }] }),
  );

/** `null` means absent. */
const given = <Members extends z.ZodRawShape>(members: Members) =>
  described(z.preprocess(withoutNulls, z.strictObject(members)));

function withoutNulls(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** Models send such numbers as text. */
const count = (max: number) =>
  z.preprocess(
    (given) => (typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given),
    z.int().min(1).max(max),
  );

const recipientAccountNo = z
  .string()
  .regex(/^\d{10}$/)
  .describe("The recipient's account number: 10 digits, as text, leading zeros included.");
const recipientBankCode = z
  .string()
  .regex(/^\d{3}$/)
  .describe("The code of the recipient's bank: 3 digits, as text; list_banks has them.");

/** Lengths are code points, unlike a string's `length`. */
const intent = {
  amount: z
    .int()
    .min(1)
    .max(KOBO_MAX)
    .describe('Kobo, a whole number: ₦1 is 100, ₦400 is 40000, ₦5,000.50 is 500050.'),
  merchantName: z
    .string()
    .meta({ minLength: 3, maxLength: 200 })
    .describe('Who is paid; compared with the allowlist of the wallet, regardless of case.'),
  recipientAccountNo,
  recipientBankCode,
  reason: z.string().meta({ maxLength: 200 }).optional().describe('What the payment is for.'),
  runId: z
    .string()
    .meta({ minLength: 1, maxLength: 100 })
    .optional()
    .describe('Your run or task, the same for all its payments; the owner sees what each run spent.'),
  rationale: z
    .string()
    .meta({ minLength: 1, maxLength: 1000 })
    .optional()
    .describe('Why you make this payment, for the owner to read.'),
  confirmSecondPurchase: z
    .uuid()
    .optional()
    .describe(
      'Only after POSSIBLE_DUPLICATE, and only if a second payment of the same is really wanted: the id that ' +
        'details.duplicateOf named.',
    ),
};

export const NoArguments = given({});

export const QuoteArguments = given(intent);

export const PayArguments = given({
  purchaseId: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .describe(
      'One per thing bought; reuse it on every retry. Choose it before the first call, e.g. "order-1843": with the ' +
        'same purchaseId the payment is made at most once, however often you call. A new one is a new payment.',
    ),
  ...intent,
});

export const PaymentArguments = given({
  paymentId: z.uuid().describe('The id of an attempt to pay, as make_payment or list_payments answered it.'),
});

export const ListArguments = given({
  page: count(2_147_483_647).default(1).describe('From 1; the newest payments are on page 1.'),
  pageSize: count(100).default(10),
  decision: z.enum(['approved', 'blocked', 'pending']).optional().describe('Only these attempts.'),
  from: z.iso.datetime({ offset: true }).optional().describe('Only attempts of this time or later.'),
  to: z.iso.datetime({ offset: true }).optional().describe('Only attempts before this time.'),
});

export const AccountArguments = given({
  accountNumber: recipientAccountNo,
  bankCode: recipientBankCode,
});

/** Shown as the API answers them; null where it answers none. */
export const ShownDetails = z.strictObject({
  merchantName: z.string(),
  recipientAccountNo: z.string(),
  recipientBankCode: z.string(),
  reason: z.string().nullable(),
  runId: z.string().nullable().describe('The run it belongs to; null: none was given.'),
  rationale: z.string().nullable().describe('Why it was made; null: not said.'),
});

export type ShownDetails = z.infer<typeof ShownDetails>;

const Payment = z.strictObject({
  id: Id,
  decision: z
    .string()
    .describe(
      'approved: the wallet is debited and the bank is told to pay; settlement says how that went. blocked: ' +
        'nothing moved. pending: a person has to approve it; nothing has moved yet, and the amount is held.',
    ),
  amount: Money,
  ...ShownDetails.shape,
  blockReason: z.string().nullable().describe('Of a blocked attempt: the code of the check that blocked it.'),
  createdAt: Time,
  settlement: z
    .strictObject({
      reference: z.string(),
      status: z
        .string()
        .describe(
          'pending or processing: on its way. succeeded: the recipient has it. failed: not paid, and refunded. ' +
            'reversed: sent back by the bank, and refunded once refundedAt is a time. unknown: the service did not say just now; get_payment tells.',
        ),
      reversedAt: Time.optional().describe('When the bank sent the money back, if it did.'),
      refundedAt: Time.nullable()
        .optional()
        .describe(
          'Set only if the bank sent the money back: null until operators of the service have refunded the wallet.',
        ),
    })
    .nullable()
    .describe('The transfer to the recipient; null unless approved.'),
  approval: z
    .strictObject({ id: Id, expiresAt: Time })
    .nullable()
    .describe('Of a pending payment: a person decides until then; get_payment tells how it went.'),
  note: z.string().nullable().describe('What the owner wrote when approving or denying it.'),
});

export type Payment = z.infer<typeof Payment>;

export const PayAnswer = answer({
  payment: Payment,
  replayed: z
    .boolean()
    .describe(
      'true: an earlier call with this purchaseId made the attempt, and this call paid nothing more.',
    ),
});

export const PaymentAnswer = answer({ payment: Payment });

const ShownQuote = z.strictObject({
  decision: z
    .string()
    .describe('What a payment would be now: approved, blocked, or pending: it would wait for a person.'),
  blockReason: z.string().nullable().describe('The first check that fails; null when all pass.'),
  message: z.string().nullable().describe('Why it would be blocked.'),
  hint: z.string().nullable().describe('What to do instead, in one sentence.'),
  maxAmountNow: Money.describe('The most that this payment could be now.'),
  earliestPassAt: Time.nullable().describe(
    'From then on it passes if nothing else happens. Null: it passes now, or waiting alone does not help.',
  ),
  balanceAfter: Money.describe('What the wallet would have then; its balance when blocked.'),
  at: Time.describe('When it was looked at.'),
  checks: z
    .array(
      z.strictObject({
        check: z.string().describe('The code that it blocks with.'),
        passed: z.boolean(),
        compared: z
          .record(z.string(), z.union([z.string(), z.number()]))
          .describe(
            'What was compared: limit is what is allowed, actual what was found; amounts are in kobo.',
          ),
      }),
    )
    .describe('Every check that applies, in order.'),
});

export type ShownQuote = z.infer<typeof ShownQuote>;

export const QuoteAnswer = answer({ quote: ShownQuote });

export const PaymentsAnswer = answer({
  payments: z.array(Payment).describe('Newest first.'),
  totalCount: z.int(),
  totalPages: z.int(),
});

const ShownWallet = z.strictObject({
  id: Id,
  name: z.string(),
  purpose: z.string().nullable().describe('What this key is for, as the owner named it.'),
  status: z.string().describe('Only an ACTIVE wallet pays.'),
  balance: Money.describe('With what payments hold of it that wait for approval.'),
  available: Money.describe('What of the balance is not held, and so can be spent.'),
  spendLimitPerTx: Money.describe('The most one payment may be.'),
  spendLimitPeriod: Money.describe('The most that may be spent within the rolling window.'),
  periodWindowDays: z.int().describe('Days of the rolling window, 24 hours each.'),
  spentThisPeriod: Money,
  remainingAllowance: Money.describe('What the limit of the period still leaves.'),
  expiry: Time.describe('From then on every payment is blocked.'),
  expired: z.boolean(),
  keyExpiresAt: Time.nullable().describe('From then on this key pays nothing; null: it does not expire.'),
  useAllowlist: z.boolean().describe('true: only the merchants of merchantAllowlist may be paid.'),
  merchantAllowlist: z.array(z.string()),
});

export type ShownWallet = z.infer<typeof ShownWallet>;

export const WalletAnswer = answer({ wallet: ShownWallet });

export const AccountAnswer = answer({
  account: z.strictObject({
    accountName: z.string().describe('The name of the account holder, as the bank says.'),
    accountNumber: z.string(),
    bankCode: z.string(),
  }),
});

export const BanksAnswer = answer({
  banks: z.array(z.strictObject({ code: z.string(), name: z.string() })),
});
