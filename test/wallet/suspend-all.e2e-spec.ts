import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Bank, type PayoutState } from '../../src/contexts/bank/bank.port.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';

interface Named {
  readonly id: string;
  readonly status: string;
  readonly suspendedAllAt?: string;
}
interface AtBank {
  readonly count: number;
  readonly amount: number;
  readonly isPartial: boolean;
}

let service: TestService;
let [one, other]: CreatedWallet[] = [];
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  one = await service.fundedWallet(50_000);
  other = await service.createWallet(one.owner);
});
afterAll(() => service.close());

const send = <Body>(method: string, path: string, body?: object) =>
  service.call<Body>(method, path, { token: one!.owner.token, ...(body && { body }) });
/** When each wallet was suspended with all others, by every list that shows it; null where none says so. */
async function suspendedAllAt(): Promise<Record<string, string | null>> {
  const lists = ['/v1/wallets', '/v1/wallets/names'].map((path) => send<{ data: Named[] }>('GET', path));
  const [listed, names] = (await Promise.all(lists)).map(({ body }) =>
    Object.fromEntries(body.data.map((each) => [each.id, each.suspendedAllAt ?? null])),
  );
  expect(names).toEqual(listed);
  return listed!;
}
const act = async (path: string) => expectStatus(200, await send('POST', path));

describe('a wallet that was suspended with all others', () => {
  it('says when, and one that was suspended alone before does not', async () => {
    await act(`/api/wallets/${other!.id}/suspend`);
    await act('/v1/wallets/suspend-all');
    const { [one!.id]: at, [other!.id]: alone } = await suspendedAllAt();
    expect([at, alone]).toEqual([expect.any(String), null]);
    const path = `/api/wallets/${one!.id}`;
    const { body } = await send<{ data: { wallet: Named & { updatedAt: string } } }>('GET', path);
    expect(body.data.wallet).toMatchObject({ suspendedAllAt: at, updatedAt: at });
  });

  it('keeps that time when all are suspended again, or it alone', async () => {
    await act('/v1/wallets/suspend-all');
    const before = await suspendedAllAt();
    await act(`/api/wallets/${other!.id}/resume`);
    await act(`/api/wallets/${one!.id}/suspend`);
    await act('/v1/wallets/suspend-all');
    const after = await suspendedAllAt();
    expect(after[one!.id]).toBe(before[one!.id]);
    expect(after[other!.id]! > before[other!.id]!).toBe(true);
  });

  it.each([
    ['resumed', (id: string) => act(`/api/wallets/${id}/resume`)],
    ['resumed with others', (id: string) => send('POST', '/v1/wallets/resume', { walletIds: [id] })],
    ['closed', (id: string) => send('POST', `/api/wallets/${id}/close`)],
  ])('says so no longer when it is %s', async (_, end) => {
    await act('/v1/wallets/suspend-all');
    expectStatus(200, await end(other!.id));
    expect(await suspendedAllAt()).toEqual({ [one!.id]: expect.any(String), [other!.id]: null });
    await act(`/api/wallets/${one!.id}/resume`);
    await act(`/api/wallets/${one!.id}/suspend`);
    expect(Object.values(await suspendedAllAt())).toEqual([null, null]);
  });
});

describe('what is with the bank', () => {
  const atBank = async (token = one!.owner.token): Promise<AtBank> =>
    expectStatus(200, await service.get<{ data: AtBank }>('/v1/stats/at-bank', { token })).body.data;

  it('is counted until the bank has paid it or not, withdrawals too, and of the user alone', async () => {
    let verdict: PayoutState = { kind: 'accepted' };
    const bank = service.app.get(Bank, { strict: false });
    jest.spyOn(bank, 'startPayout').mockImplementation(() => Promise.resolve(verdict));
    jest.spyOn(bank, 'getPayout').mockImplementation(() => Promise.resolve(verdict));
    expect(await atBank()).toEqual({ count: 0, amount: 0, isPartial: false });
    expectStatus(201, await service.pay(one!.key, { amount: 7_000 }));
    const account = { accountNumber: '0123456789', bankCode: '058', amount: 5_000 };
    const path = `/api/wallets/${one!.id}/withdrawals`;
    const { token } = one!.owner;
    expectStatus(
      201,
      await service.post(path, { token, body: account, headers: { 'idempotency-key': 'a' } }),
    );
    await act('/v1/wallets/suspend-all');
    expect(await atBank()).toEqual({ count: 2, amount: 12_000, isPartial: false });
    expect(await atBank((await service.signUp()).token)).toMatchObject({ count: 0, amount: 0 });
    verdict = { kind: 'succeeded' };
    await service.query(
      'UPDATE settlements SET next_poll_at = clock_timestamp() WHERE next_poll_at IS NOT NULL',
    );
    await until(async () => (await atBank()).count === 0);
    await service.settled();
  });

  it('is said to be perhaps more where more payouts of all users are open than are looked at', async () => {
    const seed = (count: number) =>
      service.query(
        `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, status, steps,
           approved_at, next_poll_at)
         SELECT gen_random_uuid(), gen_random_uuid(), 1, '0123456789', '058', 'x', 'processing', '[]', now(),
                timestamptz '2099-01-01' FROM generate_series(1, $1::integer)`,
        [count],
      );
    await seed(49_999);
    expect(await atBank()).toEqual({ count: 0, amount: 0, isPartial: false });
    await seed(1);
    expect(await atBank()).toEqual({ count: 0, amount: 0, isPartial: true });
  });
});
