import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  paymentBody,
  startService,
  type TestService,
} from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

const RUN = 'x'.repeat(100);
const WHY = '🥛'.repeat(1_000);

const found = async ({ owner }: CreatedWallet, query: Record<string, string>): Promise<unknown[]> => {
  const { body } = expectStatus(
    200,
    await service.get<{ data: { id: string }[] }>(
      `/v1/transactions?${new URLSearchParams(query).toString()}`,
      {
        token: owner.token,
      },
    ),
  );
  return body.data.map(({ id }) => id);
};

describe('the run and the rationale of a payment', () => {
  it('stand in its answers, in the history, in the CSV and in its receipt as hashes', async () => {
    const wallet = await service.fundedWallet(5_000);
    const { token } = wallet.owner;
    const { body } = expectStatus(201, await service.pay(wallet.key, { runId: RUN, rationale: WHY }));
    const paid = body.data.transaction;
    expect(paid).toMatchObject({ runId: RUN, rationale: WHY });
    const read = await service.get<{ data: object }>(`/v1/wallets/${wallet.id}/transactions/${paid.id}`, {
      token,
    });
    expect(read.body.data).toMatchObject({ runId: RUN, rationale: WHY });
    const csv = await service.get(`/v1/transactions.csv`, { token });
    expect(csv.text).toContain(`,${RUN},${WHY}`);
    const { data } = (
      await service.get<{ data: { receipt: string; runId: string; rationale: string } }>(
        `/api/payment-intent/${paid.id}/receipt`,
        { key: wallet.key },
      )
    ).body;
    expect(data).toMatchObject({ runId: RUN, rationale: WHY });
    const claims = String(Buffer.from(data.receipt.split('.')[1]!, 'base64url'));
    expect(JSON.parse(claims)).toMatchObject({
      runIdHash: expect.stringMatching(/^[\w-]{43}$/),
      rationaleHash: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(claims).not.toContain(RUN);
    expect(claims).not.toContain('🥛');
  });

  it('are absent where none was given, also of a blocked attempt', async () => {
    const wallet = await service.fundedWallet(5_000);
    const plain = expectStatus(201, await service.pay(wallet.key)).body.data.transaction;
    expect(plain).not.toHaveProperty('runId');
    expect(plain).not.toHaveProperty('rationale');
    expectStatus(402, await service.pay(wallet.key, { amount: 6_000, runId: 'one' }));
    expect((await service.history(wallet)).data.map((row) => 'runId' in row && row.runId)).toEqual([
      'one',
      false,
    ]);
  });

  it.each([
    ['runId', { runId: `${RUN}x` }],
    ['runId', { runId: ' ' }],
    ['runId', { runId: 'one\ntwo' }],
    ['rationale', { rationale: `${WHY}x` }],
    ['rationale', { rationale: '' }],
  ])('%s is refused past its limit', async (field, fields) => {
    const wallet = await service.fundedWallet(5_000);
    const { body } = expectStatus(400, await service.pay(wallet.key, fields));
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ field }] });
  });

  it('belong to what an Idempotency-Key stands for', async () => {
    const wallet = await service.fundedWallet(5_000);
    const headers = { 'idempotency-key': 'one' };
    expectStatus(201, await service.pay(wallet.key, { runId: 'one' }, headers));
    expectStatus(201, await service.pay(wallet.key, { runId: 'one', rationale: null }, headers));
    for (const fields of [{ runId: 'two' }, {}, { runId: 'one', rationale: 'why' }]) {
      const { body } = expectStatus(422, await service.pay(wallet.key, fields, headers));
      expect(body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    }
    expect((await service.stats(wallet)).balance).toBe(4_000);
  });

  it('find the payments of a run, and of no other', async () => {
    const wallet = await service.fundedWallet(5_000);
    const pay = async (runId: string) =>
      expectStatus(201, await service.pay(wallet.key, { runId })).body.data.transaction.id;
    const [first, second, third] = [await pay('one'), await pay('one'), await pay('one 2')];
    expect(await found(wallet, { run: 'one' })).toEqual([second, first]);
    expect(await found(wallet, { run: 'one 2' })).toEqual([third]);
    expect(await found(wallet, { run: 'On' })).toEqual([]);
    const refused = await service.get(`/v1/transactions?run=${RUN}x`, { token: wallet.owner.token });
    expectStatus(400, refused);
  });
});

describe('a key that requires them', () => {
  const keyOf = async ({ id, owner }: CreatedWallet, body: object): Promise<string> =>
    expectStatus(
      201,
      await service.post<{ data: { apiKey: { fullKey: string } } }>(`/api/wallets/${id}/keys`, {
        token: owner.token,
        body: { name: 'strict', ...body },
      }),
    ).body.data.apiKey.fullKey;
  const attempts = async ({ id }: CreatedWallet): Promise<number> =>
    (await service.query('SELECT 1 FROM transactions WHERE wallet_id = $1', [id])).length;

  it('refuses payments and quotes without them before any check, and stores nothing', async () => {
    const wallet = await service.fundedWallet(5_000);
    const key = await keyOf(wallet, { requireRunId: true, requireRationale: true });
    const errors = (...fields: string[]) =>
      fields.map((field) => ({ field, message: 'is required by this API key' }));
    const bare = expectStatus(400, await service.pay(key, { amount: 6_000 }));
    expect(bare.body).toMatchObject({ code: 'VALIDATION_ERROR', errors: errors('runId', 'rationale') });
    const half = expectStatus(400, await service.pay(key, { runId: 'one' }));
    expect(half.body).toMatchObject({ code: 'VALIDATION_ERROR', errors: errors('rationale') });
    const body = paymentBody({ rationale: 'why' });
    const quote = expectStatus(400, await service.post('/api/payment-intent/quote', { key, body }));
    expect(quote.body).toMatchObject({ errors: errors('runId') });
    expect(await attempts(wallet)).toBe(0);
    expectStatus(201, await service.pay(key, { runId: 'one', rationale: 'why' }));
    expect(await attempts(wallet)).toBe(1);
  });

  it('is shown so, and leaves the other keys of its wallet as they are', async () => {
    const wallet = await service.fundedWallet(5_000);
    const key = await keyOf(wallet, { requireRunId: true, requireRationale: false });
    const { body } = await service.get<{ data: object[] }>(`/api/wallets/${wallet.id}/keys`, {
      token: wallet.owner.token,
    });
    expect(body.data[0]).toMatchObject({ requireRunId: true });
    expect(body.data[0]).not.toHaveProperty('requireRationale');
    expect(body.data[1]).not.toHaveProperty('requireRunId');
    expectStatus(400, await service.pay(key));
    expectStatus(201, await service.pay(wallet.key));
    expectStatus(201, await service.pay(key, { runId: 'one' }));
  });

  it('answers what was paid before under the same Idempotency-Key', async () => {
    const wallet = await service.fundedWallet(5_000);
    const headers = { 'idempotency-key': 'one' };
    expectStatus(201, await service.pay(wallet.key, {}, headers));
    const key = await keyOf(wallet, { requireRunId: true, graceSeconds: 60 });
    const { headers: told } = expectStatus(201, await service.pay(key, {}, headers));
    expect(told['idempotency-replayed']).toBe('true');
  });
});
