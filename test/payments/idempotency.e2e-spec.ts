import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hash, randomUUID } from 'node:crypto';
import { brokenInvariants } from '../support/invariants.js';
import { newApiKey } from '../../src/contexts/wallet/wallet.domain.js';
import {
  type CreatedWallet,
  paymentBody,
  startService,
  type TestService,
  UNKNOWN_KEY,
} from '../support/service.js';

let service: TestService;
let second: TestService;
beforeAll(async () => {
  service = await startService();
  second = await startService({ beside: service });
});
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await second.close();
  await service.close();
  expect(broken).toEqual({});
});

const withKey = (idempotencyKey: string) => ({ 'idempotency-key': idempotencyKey });
const attempts = async ({ id }: CreatedWallet): Promise<number> =>
  (await service.query('SELECT 1 FROM transactions WHERE wallet_id = $1', [id])).length;
const send = (wallet: CreatedWallet, body: unknown, idempotencyKey: string, to = service) =>
  to.post<{
    code: string;
    message: string;
    transactionId: string;
    data: { transaction: { id: string } };
  }>('/api/payment-intent', {
    key: wallet.key,
    body,
    headers: withKey(idempotencyKey),
  });

describe('a payment that is sent again under its Idempotency-Key', () => {
  it('is carried out once, and answered with the same status and the same bytes', async () => {
    const wallet = await service.fundedWallet(5_000);
    const key = randomUUID();
    const first = await send(wallet, paymentBody(), key);
    const again = await send(wallet, paymentBody(), key);
    const elsewhere = await send(wallet, paymentBody(), key, second);
    expect([first.status, again.status, elsewhere.status]).toEqual([201, 201, 201]);
    expect([again.text, elsewhere.text]).toEqual([first.text, first.text]);
    expect((await service.stats(wallet)).balance).toBe(4_000);
    expect(await attempts(wallet)).toBe(1);
  });

  it('is marked as replayed, and the first answer is not', async () => {
    const wallet = await service.fundedWallet(5_000);
    const first = await send(wallet, paymentBody(), 'marked');
    const again = await send(wallet, paymentBody(), 'marked');
    expect([first, again].map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true']);
  });

  it('is the same whatever the order of its fields, its white space and its unknown fields', async () => {
    const wallet = await service.fundedWallet(5_000);
    const { status, text } = await send(wallet, paymentBody({ reason: null }), 'same');
    const reordered = Object.fromEntries(Object.entries(paymentBody()).reverse());
    for (const body of [
      reordered,
      JSON.stringify(paymentBody(), null, 4),
      paymentBody({ merchantName: '  Acme Stores\t' }),
      paymentBody({ colour: 'blue' }),
      JSON.stringify(paymentBody()).replace('1000', '1e3'),
    ]) {
      const again = await send(wallet, body, 'same');
      expect([again.status, again.text]).toEqual([status, text]);
    }
    expect(await attempts(wallet)).toBe(1);
  });

  it.each([
    ['amount', { amount: 1_001 }],
    ['merchantName', { merchantName: 'ACME Stores' }],
    ['recipientAccountNo', { recipientAccountNo: '0123456780' }],
    ['recipientBankCode', { recipientBankCode: '059' }],
    ['reason', { reason: 'Another' }],
  ])('with another %s is refused with 422 and moves nothing', async (_, change) => {
    const wallet = await service.fundedWallet(5_000);
    const first = await send(wallet, paymentBody(), 'other');
    const { status, body } = await send(wallet, paymentBody(change), 'other');
    expect([status, body]).toEqual([
      422,
      {
        success: false,
        message: expect.stringContaining('do not pay again'),
        code: 'IDEMPOTENCY_KEY_REUSED',
        transactionId: first.body.data.transaction.id,
      },
    ]);
    expect(await attempts(wallet)).toBe(1);
    expect((await send(wallet, paymentBody(), 'other')).status).toBe(201);
  });

  it('is carried out once however many arrive at once, at both of two replicas', async () => {
    const wallet = await service.fundedWallet(50_000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => send(wallet, paymentBody(), 'at-once', i % 2 ? service : second)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect((await service.stats(wallet)).balance).toBe(49_000);
    expect(await attempts(wallet)).toBe(1);
  });

  it('is carried out once however many arrive at once through several API keys of the wallet', async () => {
    const wallet = await service.fundedWallet(20_000);
    await send(wallet, paymentBody({ amount: 100 }), 'before');
    const more = Array.from({ length: 4 }, () => ({ ...wallet, key: newApiKey().fullKey }));
    for (const { id, key } of more) {
      await service.query(
        'INSERT INTO api_keys (id, wallet_id, hash, key_prefix, created_at) VALUES ($1, $2, $3, $4, now())',
        [randomUUID(), id, hash('sha256', key, 'buffer'), key.slice(0, 12)],
      );
    }
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        send([wallet, ...more][i % 5] as CreatedWallet, paymentBody({ amount: 200 }), `order-${i % 2}`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(40).fill(201));
    const replays = [wallet, ...more].map((each) => send(each, paymentBody({ amount: 100 }), 'before'));
    expect((await Promise.all(replays)).map(({ headers }) => headers['idempotency-replayed'])).toEqual(
      Array<string>(5).fill('true'),
    );
    expect(await attempts(wallet)).toBe(3);
    expect((await service.stats(wallet)).balance).toBe(19_500);
  });

  it('lets one of several different payments through that use one key at once', async () => {
    const wallet = await service.fundedWallet(50_000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send(wallet, paymentBody({ amount: 100 + i }), 'race', i % 2 ? service : second),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(422)]);
    expect(await attempts(wallet)).toBe(1);
  });

  it('stays blocked when it was blocked, though it would pass by now', async () => {
    const wallet = await service.createWallet();
    const first = await send(wallet, paymentBody(), 'blocked');
    expect([first.status, first.body.code]).toEqual([402, 'INSUFFICIENT_FUNDS']);
    await service.topUp(wallet.id, 5_000);
    const again = await send(wallet, paymentBody(), 'blocked');
    const { transactionId, message } = first.body;
    expect([again.status, again.body]).toMatchObject([
      402,
      { code: 'INSUFFICIENT_FUNDS', transactionId, message, replayed: true },
    ]);
    expect(await attempts(wallet)).toBe(1);
    expect((await send(wallet, paymentBody(), 'a-new-key')).status).toBe(201);
  });

  it('stays approved when it was approved, though it would be blocked by now', async () => {
    const wallet = await service.fundedWallet(1_000);
    const first = await send(wallet, paymentBody(), 'approved');
    await service.query(`UPDATE wallets SET status = 'SUSPENDED' WHERE id = $1`, [wallet.id]);
    const again = await send(wallet, paymentBody(), 'approved');
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  it('is not remembered when its body was refused', async () => {
    const wallet = await service.fundedWallet(5_000);
    expect((await send(wallet, paymentBody({ amount: 0 }), 'after-400')).status).toBe(400);
    expect((await send(wallet, '{', 'after-400')).status).toBe(400);
    expect((await send(wallet, paymentBody(), 'after-400')).status).toBe(201);
  });

  it('is not remembered when its API key was refused', async () => {
    const wallet = await service.fundedWallet(5_000);
    const other = await service.pay(UNKNOWN_KEY, {}, withKey('after-401'));
    expect(other.status).toBe(401);
    expect((await send(wallet, paymentBody({ amount: 2 }), 'after-401')).status).toBe(201);
  });
});

describe('an Idempotency-Key', () => {
  it('belongs to one wallet: the same key on two wallets makes two payments', async () => {
    const one = await service.fundedWallet(5_000);
    const other = await service.fundedWallet(5_000);
    const first = await send(one, paymentBody(), 'shared');
    const also = await send(other, paymentBody({ amount: 7 }), 'shared');
    expect([first.status, also.status]).toEqual([201, 201]);
    expect(also.body.data.transaction.id).not.toBe(first.body.data.transaction.id);
  });

  it('is optional: without one each request is a payment of its own', async () => {
    const wallet = await service.fundedWallet(5_000);
    await service.pay(wallet.key);
    await service.pay(wallet.key);
    expect(await attempts(wallet)).toBe(2);
  });

  it('counts as it is written: in another case it is another key', async () => {
    const wallet = await service.fundedWallet(5_000);
    await send(wallet, paymentBody(), 'Case');
    await send(wallet, paymentBody(), 'case');
    expect(await attempts(wallet)).toBe(2);
  });

  it.each([
    ['of 1 character', 'k', true],
    ['of 254 characters', 'k'.repeat(254), true],
    ['of 255 characters', 'k'.repeat(255), true],
    ['of 256 characters', 'k'.repeat(256), false],
    ['that is empty', '', false],
    ['with a space in it', 'a b', false],
    ['beyond ASCII', 'clé', false],
    ['with a tab in it', 'a\tb', false],
    ['of visible ASCII', '!~"#{}', true],
  ])('%s is taken or refused with 400: %s', async (_, idempotencyKey, isSound) => {
    const wallet = await service.fundedWallet(5_000);
    const { status, body } = await service.pay(wallet.key, {}, withKey(idempotencyKey));
    expect(status).toBe(isSound ? 201 : 400);
    if (!isSound) expect(body.errors?.map(({ field }) => field)).toEqual(['Idempotency-Key']);
    expect(await attempts(wallet)).toBe(isSound ? 1 : 0);
  });
});
