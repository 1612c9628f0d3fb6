import { brokenInvariants, type Source } from './invariants.ts';

export const BANK_KEY = 'sk_test_fake_bank';
/** How long a call to the bank may take in these tests, in milliseconds. */
export const BANK_TIMEOUT_MS = 500;

/** The settings with which a service speaks to a fake bank and hears from it. */
export function bankSettings(bankUrl: string, port: number): Record<string, string> {
  return {
    BANK_PROVIDER: 'kora',
    KORA_SECRET_KEY: BANK_KEY,
    KORA_BASE_URL: bankUrl,
    KORA_BVN: '22222222222',
    KORA_PAYOUT_EMAIL: 'payouts@example.com',
    BANK_TIMEOUT_MS: String(BANK_TIMEOUT_MS),
    SETTLEMENT_POLL_SECONDS: '1',
    PAYOUT_WEBHOOK_URL: `http://127.0.0.1:${port}/api/webhooks/payouts`,
  };
}

/** The bank's books, as `GET /__fake/state` shows them: amounts in decimal naira. */
export interface BankBooks {
  readonly balance: string;
  readonly collections: readonly {
    reference: string;
    accountReference: string;
    amount: string;
    fee: string;
  }[];
  readonly payouts: readonly {
    reference: string;
    amount: string;
    fee: string;
    status: string;
    bankCode: string;
    accountNumber: string;
  }[];
}

export interface Expected {
  /** What the operator had with the bank at first, in decimal naira. */
  readonly startNaira?: string;
  /** Payouts whose end contradicts an earlier one: they have a case, and moved nothing. */
  readonly contradicted?: ReadonlySet<string>;
}

interface Moved {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly refunds: number;
  readonly saysRefunded: boolean;
}

/**
 * What does not hold between the bank's books and ours once nothing is under way; empty when all is well. Each
 * line says what is wrong.
 */
export async function disagreements(
  service: Source,
  bank: BankBooks,
  { startNaira = '100000000.00', contradicted = new Set() }: Expected = {},
): Promise<string[]> {
  const wrong: string[] = [];
  const say = (what: string, isWrong: boolean): void => {
    if (isWrong) wrong.push(what);
  };
  for (const [rule, rows] of Object.entries(await brokenInvariants(service))) {
    wrong.push(`${rule}: ${JSON.stringify(rows)}`);
  }

  const payments = await service.query<Moved>(`
    SELECT t.id, t.amount::float8 AS amount, s.status, s.steps @> '[{"type": "refund.posted"}]' AS "saysRefunded",
           (SELECT count(*)::int FROM ledger_entries l WHERE l.transaction_id = t.id AND l.type = 'refund') AS refunds
      FROM (SELECT id, amount FROM transactions WHERE block_reason IS NULL
            UNION ALL SELECT id, amount FROM withdrawals) t
      JOIN settlements s ON s.reference = t.id`);
  const paymentOf = new Map(payments.map((payment) => [payment.id, payment]));
  const payoutOf = new Map(bank.payouts.map((payout) => [payout.reference, payout]));
  for (const { reference, amount } of bank.payouts) {
    const payment = paymentOf.get(reference);
    say(`the payout ${reference} belongs to no approved payment or withdrawal`, !payment);
    say(`the payout ${reference} has another amount`, !!payment && BigInt(payment.amount) !== toKobo(amount));
  }
  let balance = toKobo(startNaira);
  for (const { id, amount, status, refunds, saysRefunded } of payments) {
    const payout = payoutOf.get(id);
    const isPaid = payout?.status === 'success';
    if (isPaid) balance -= BigInt(amount) + toKobo(payout.fee);
    say(`${id} is still ${status}`, status === 'pending' || status === 'processing');
    // One that was sent back after it was paid is refunded by a person.
    const mayRefund = status === 'reversed' ? [0, 1] : [status === 'succeeded' ? 0 : 1];
    say(`${id} is ${status} and has ${refunds} refunds`, !mayRefund.includes(refunds));
    say(`${id} has ${refunds} refunds, which its record denies`, saysRefunded !== (refunds === 1));
    if (contradicted.has(id)) continue;
    say(
      `${id} is ${status} here and ${payout?.status ?? 'unknown'} at the bank`,
      isPaid !== (status === 'succeeded'),
    );
  }

  const topups = await service.query<{ reference: string; wallet: string; amount: number }>(
    `SELECT reference, wallet_id AS wallet, amount::float8 AS amount FROM ledger_entries WHERE type = 'topup' AND source IS NULL`,
  );
  const topupOf = new Map(topups.map((topup) => [topup.reference, topup]));
  for (const { reference, accountReference, amount, fee } of bank.collections) {
    const topup = topupOf.get(reference);
    say(`the collection ${reference} was not credited`, !topup);
    balance += BigInt(topup?.amount ?? 0) - toKobo(fee);
    say(
      `the collection ${reference} was credited otherwise`,
      !!topup && (topup.wallet !== accountReference || BigInt(topup.amount) !== toKobo(amount)),
    );
  }
  say(
    `${topups.length} top-ups for ${bank.collections.length} collections`,
    topups.length !== bank.collections.length,
  );
  say(
    `the bank's balance is ${bank.balance}, our books explain ${balance} kobo`,
    balance !== toKobo(bank.balance),
  );
  return wrong;
}

function toKobo(naira: string): bigint {
  const [whole = '', fraction = ''] = naira.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}
