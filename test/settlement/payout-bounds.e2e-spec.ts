import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import { type CreatedWallet, type TestService, UNKNOWN_KEY, until } from '../support/service.js';
import { PATIENT, startWithFakeBank } from '../support/with-fake-bank.js';

/** Kora pays out from ₦100 to ₦10,000,000 at a time. */
const [LEAST, MOST] = [10_000, 1_000_000_000];

let fake: FakeBank;
let service: TestService;
let wallet: CreatedWallet;

beforeAll(async () => {
  ({ fake, service } = await startWithFakeBank({}, PATIENT));
  wallet = await service.createWallet(undefined, {
    spendLimitPerTx: 10 * MOST,
    spendLimitPeriod: 100 * MOST,
  });
  fake.books.collect({ accountReference: wallet.id, amount: '20000000.00' });
  await until(async () => (await service.stats(wallet)).balance === 2 * MOST);
});

afterAll(async () => {
  await service.close();
  await fake.close();
});

describe('a payment intent of an amount that the bank does not pay out', () => {
  it.each([
    ['below the least', LEAST - 1, String(LEAST)],
    ['above the most', MOST + 1, String(MOST)],
  ])('%s is refused with the bound, before anything is decided or stored', async (_, amount, bound) => {
    const { status, body } = await service.pay(wallet.key, { amount });
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.errors).toEqual([{ field: 'amount', message: expect.stringContaining(bound) }]);
    expect((await service.history(wallet)).data.filter((row) => row.amount === amount)).toEqual([]);
  });

  it('tells nothing of the bound to a client without a live key', async () => {
    const { status, body } = await service.pay(UNKNOWN_KEY, { amount: 1 });
    expect([status, body.code]).toEqual([401, 'INVALID_API_KEY']);
  });
});

it.each([LEAST, MOST])('a payment intent of exactly %d kobo is approved', async (amount) => {
  expect((await service.pay(wallet.key, { amount })).status).toBe(201);
});
