import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brokenInvariants } from '../support/invariants.js';
import { type CreatedWallet, paymentBody, startService, type TestService } from '../support/service.js';

/** What many payments that are decided together have in common is sent once: see `RowStatement`. */

const COUNT = 40;
const AMOUNT = 1_000;
const PER_TX_MAX = 5_000;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Asked {
  readonly key: string;
  readonly fields: Record<string, unknown>;
  readonly idempotencyKey?: string;
}

interface Stored {
  readonly key: string;
  readonly amount: string;
  readonly merchant: string;
  readonly account: string;
  readonly bank: string;
  readonly reason: string | null;
  readonly idempotencyKey: string | null;
  readonly blockReason: string | null;
  readonly paidTo: string | null;
  readonly narration: string | null;
}

/** What is on record of a wallet's attempts, by their ids. */
async function stored({ id }: CreatedWallet): Promise<Map<string, Stored>> {
  const rows = await service.query<Stored & { id: string }>(
    `SELECT t.id, k.key_prefix AS key, t.amount::text, t.merchant_name AS merchant, t.recipient_account_no AS account,
            t.recipient_bank_code AS bank, t.reason, t.idempotency_key AS "idempotencyKey",
            t.block_reason AS "blockReason", s.bank_code || '/' || s.account_no AS "paidTo", s.narration
       FROM transactions t JOIN api_keys k ON k.id = t.key_id LEFT JOIN settlements s ON s.reference = t.id
      WHERE t.wallet_id = $1`,
    [id],
  );
  return new Map(rows.map(({ id: attempt, ...row }) => [attempt, row]));
}

async function secondKey({ id, owner }: CreatedWallet): Promise<string> {
  const { body } = await service.post<{ data: { apiKey: { fullKey: string } } }>(`/api/wallets/${id}/keys`, {
    token: owner.token,
    body: { name: 'second' },
  });
  return body.data.apiKey.fullKey;
}

const account = (i: number): string => String(2_000_000_000 + i);

describe('payments from one wallet that are decided together are on record as they were asked for', () => {
  it.each<[string, (i: number, keys: readonly [string, string]) => Asked]>([
    ['all to one payee', (_, [key]) => ({ key, fields: {} })],
    [
      'each to a payee of its own',
      (i, [key]) => ({ key, fields: { merchantName: `Shop ${i}`, recipientAccountNo: account(i) } }),
    ],
    [
      'one of them to another account',
      (i, [key]) => ({ key, fields: { recipientAccountNo: account(i === 23 ? 1 : 0) } }),
    ],
    [
      'one of them to another bank',
      (i, [key]) => ({ key, fields: { recipientBankCode: i === 31 ? '058' : '057' } }),
    ],
    ['each for a reason of its own', (i, [key]) => ({ key, fields: { reason: `order ${i}` } })],
    ['by two keys', (i, keys) => ({ key: keys[i % 2 === 0 ? 0 : 1], fields: {} })],
    ['one of them by another key', (i, keys) => ({ key: keys[i === 17 ? 1 : 0], fields: {} })],
    ['each with an idempotency key', (_, [key]) => ({ key, fields: {}, idempotencyKey: randomUUID() })],
    [
      'one of them with an idempotency key',
      (i, [key]) => ({ key, fields: {}, ...(i === 29 && { idempotencyKey: randomUUID() }) }),
    ],
    ['one of them blocked', (i, [key]) => ({ key, fields: { amount: i === 35 ? PER_TX_MAX + 1 : AMOUNT } })],
    ['all of them blocked', (_, [key]) => ({ key, fields: { amount: PER_TX_MAX + 1 } })],
  ])('%s', async (_, ask) => {
    const wallet = await service.fundedWallet(COUNT * PER_TX_MAX, { spendLimitPerTx: PER_TX_MAX });
    const keys = [wallet.key, await secondKey(wallet)] as const;
    const all = Array.from({ length: COUNT }, (_, i) => ask(i, keys));
    const answers = await Promise.all(
      all.map(({ key, fields, idempotencyKey }) =>
        service.pay(
          key,
          { amount: AMOUNT, ...fields },
          idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey },
        ),
      ),
    );
    const rows = await stored(wallet);
    expect(rows.size).toBe(COUNT);
    for (const [i, { key, fields, idempotencyKey = null }] of all.entries()) {
      const asked = paymentBody({ amount: AMOUNT, ...fields }) as Record<string, string>;
      const answer = answers[i]?.body;
      const row = rows.get((answer?.success ? answer.data.transaction.id : answer?.transactionId) ?? '');
      const isBlocked = Number(asked.amount) > PER_TX_MAX;
      expect(row).toMatchObject({
        amount: String(asked.amount),
        merchant: asked.merchantName,
        account: asked.recipientAccountNo,
        bank: asked.recipientBankCode,
        reason: asked.reason ?? null,
        idempotencyKey,
        blockReason: isBlocked ? 'SPEND_LIMIT_PER_TX_EXCEEDED' : null,
        paidTo: isBlocked ? null : `${asked.recipientBankCode}/${asked.recipientAccountNo}`,
        narration: isBlocked ? null : (asked.reason ?? asked.merchantName),
      });
      expect(key.startsWith(row?.key ?? 'none')).toBe(true);
    }
    expect(await brokenInvariants(service)).toEqual({});
  });
});
