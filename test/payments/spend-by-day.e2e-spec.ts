import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type CreatedWallet, startService, type TestService } from '../support/service.js';

/** Midnight in Lagos, which is an hour ahead of UTC. */
const MIDNIGHT = new Date('2026-03-01T23:00:00.000Z');
const HOUR_MS = 60 * 60 * 1_000;
const after = (ms: number) => new Date(MIDNIGHT.getTime() + ms);

let service: TestService;
let wallet: CreatedWallet;
beforeAll(async () => {
  service = await startService({ clock: true });
  await service.setClock(after(-2 * HOUR_MS));
  wallet = await service.fundedWallet(100_000, { spendLimitPerTx: 1_000 });
  await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
  for (const [ms, amount] of [
    [-HOUR_MS, 1],
    [-1, 10],
    [-1, 1_001],
    [0, 100],
    [0, 1_002],
    [0, 1_003],
    [1, 200],
  ] as const) {
    await service.setClock(after(ms));
    await service.pay(wallet.key, { amount });
  }
  await service.setClock(after(2 * HOUR_MS));
});
afterAll(() => service.close());

async function days(path: string): Promise<object[]> {
  const { status, body } = await service.get<{ data: object[] }>(path, { token: wallet.owner.token });
  expect(status).toBe(200);
  return body.data;
}

it.each(['/v1/spend-by-day', '/v1/wallets/ID/spend-by-day'])(
  'a payment at midnight belongs to the day that begins, by %s',
  async (path) => {
    expect(await days(`${path.replace('ID', wallet.id)}?days=3&timeZone=Africa/Lagos`)).toEqual([
      { day: '2026-02-28', spent: 0, approved: 0, blocked: 0 },
      { day: '2026-03-01', spent: 11, approved: 2, blocked: 1 },
      { day: '2026-03-02', spent: 300, approved: 2, blocked: 2 },
    ]);
  },
);

it('midnight is that of the time zone that is asked for', async () => {
  expect(await days('/v1/spend-by-day?days=2&timeZone=UTC')).toEqual([
    { day: '2026-03-01', spent: 311, approved: 4, blocked: 3 },
    { day: '2026-03-02', spent: 0, approved: 0, blocked: 0 },
  ]);
});

it('a day in which midnight comes twice begins with the first', async () => {
  const lively = await service.fundedWallet(100_000, { spendLimitPerTx: 1_000 });
  await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
  // In Havana the clocks go back from one o'clock to midnight: that of 04:00 UTC comes again at 05:00.
  for (const [time, amount] of [
    ['03:59:59.999', 1],
    ['04:00:00.000', 10],
    ['04:59:59.999', 1_001],
    ['05:30:00.000', 100],
  ] as const) {
    await service.setClock(new Date(`2026-11-01T${time}Z`));
    await service.pay(lively.key, { amount });
  }
  const { body } = await service.get<{ data: object[] }>(
    `/v1/wallets/${lively.id}/spend-by-day?days=2&timeZone=America/Havana`,
    { token: lively.owner.token },
  );
  expect(body.data).toEqual([
    { day: '2026-10-31', spent: 1, approved: 1, blocked: 0 },
    { day: '2026-11-01', spent: 110, approved: 2, blocked: 1 },
  ]);
});
