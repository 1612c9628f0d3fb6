import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Businesses } from '../../src/contexts/identity/identity.port.js';
import { Settlements } from '../../src/contexts/settlement/settlement.port.js';
import { Database } from '../../src/platform/database/database.js';
import { outcomeUnknown } from '../../src/platform/database/failures.js';
import { READ_QUEUE_MAX } from '../../src/platform/database/reads.js';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { type CreatedWallet, startService, type TestService } from '../support/service.js';

let service: TestService;
let database: Database;
beforeAll(async () => {
  service = await startService();
  database = service.app.get(Database, { strict: false });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await service.settled();
  expect(await brokenInvariants(service)).toEqual({});
});
afterAll(() => service.close());

interface Withdrawal {
  readonly id: string;
  readonly amount: number;
  readonly settlement: { readonly reference: string; readonly status: string };
}
interface Body {
  readonly data: {
    readonly withdrawal: Withdrawal | null;
    readonly wallet: { readonly status: string; readonly businessId: string | null };
  };
  readonly error: { readonly code: string };
}

const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
const ask = ({ id, owner }: CreatedWallet, path: string, body?: object, key?: string) =>
  service.post<Body>(`/api/wallets/${id}/${path}`, {
    token: owner.token,
    body,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const withdraw = (wallet: CreatedWallet, amount: number, key: string = randomUUID()) =>
  ask(wallet, 'withdrawals', { ...ACCOUNT, amount }, key);
const close = (wallet: CreatedWallet) => ask(wallet, 'close', { payoutTo: ACCOUNT });
const stateOf = async ({ id, owner }: CreatedWallet) => {
  const { body } = await service.get<{ data: { wallet: object } }>(`/api/wallets/${id}`, {
    token: owner.token,
  });
  return body.data.wallet;
};

/** Does `work` while so many lists are asked for that one more is refused. */
function whileListsAreRefused<T>(work: () => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_lock(1)');
    const list = () => database.reads.query('SELECT pg_advisory_lock(1), pg_advisory_unlock(1)');
    const connections = Math.floor(database.pool.options.max / 4);
    const lists = Promise.allSettled(Array.from({ length: connections + READ_QUEUE_MAX }, list));
    await expect(list()).rejects.toMatchObject({ code: 'OVERLOADED' });
    try {
      return await work();
    } finally {
      await tx.query('SELECT pg_advisory_unlock(1)');
      await lists;
    }
  });
}

const LOST = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

describe('while no list can be read', () => {
  it('a withdrawal is answered as it was carried out, and so is its repetition', async () => {
    const wallet = await service.fundedWallet(5_000);
    const [first, second] = await whileListsAreRefused(async () => [
      await withdraw(wallet, 1_000, 'once'),
      await withdraw(wallet, 1_000, 'once'),
    ]);
    const { withdrawal } = first.body.data;
    expect([first.status, withdrawal?.settlement]).toEqual([
      201,
      { reference: withdrawal?.id, status: 'pending' },
    ]);
    expect([second.status, second.headers['idempotency-replayed'], second.body.data.withdrawal?.id]).toEqual([
      201,
      'true',
      withdrawal?.id,
    ]);
    expect(await stateOf(wallet)).toMatchObject({ balance: 4_000 });
  });

  it('the closing of a wallet is answered with what its balance left by', async () => {
    const wallet = await service.fundedWallet(5_000);
    const { status, body } = await whileListsAreRefused(() => close(wallet));
    expect([status, body.data.wallet.status, body.data.withdrawal]).toMatchObject([
      200,
      'CLOSED',
      { amount: 5_000, settlement: { reference: body.data.withdrawal?.id, status: 'pending' } },
    ]);
    expect(await stateOf(wallet)).toMatchObject({ status: 'CLOSED', balance: 0 });
  });

  it('an approval is answered as it was given, and so is its repetition', async () => {
    const wallet = await service.fundedWallet(5_000);
    await askAbove(service, wallet, 1_000);
    const { id } = await payPending(service, wallet, { amount: 2_000 });
    const answers = await whileListsAreRefused(async () => [
      await decide(service, wallet, id, 'approve'),
      await decide(service, wallet, id, 'approve'),
    ]);
    expect(answers.map(({ status, body }) => [status, body])).toMatchObject([
      [200, { data: { approval: { status: 'approved' } } }],
      [200, { data: { approval: { status: 'approved' } } }],
    ]);
    expect(await stateOf(wallet)).toMatchObject({ balance: 3_000 });
  });

  it('a trial of rules is answered as it was begun', async () => {
    const wallet = await service.createWallet();
    const path = `/api/wallets/${wallet.id}/shadow-rules`;
    const options = { token: wallet.owner.token, body: { spendLimitPerTx: 500 } };
    const begun = await whileListsAreRefused(() => service.call('PATCH', path, options));
    expect([begun.status, begun.body]).toMatchObject([
      200,
      { data: { shadow: { rules: { spendLimitPerTx: 500 }, judged: 0, flips: [] } } },
    ]);
    expect((await service.get(path, options)).body).toEqual(begun.body);
  });
});

describe('where the database is lost', () => {
  it('a repetition does not say that nothing was carried out', async () => {
    const wallet = await service.fundedWallet(5_000);
    expect((await withdraw(wallet, 1_000, 'once')).status).toBe(201);
    const settlements = service.app.get(Settlements, { strict: false });
    for (const name of ['of', 'statusesOf'] as const) {
      jest.spyOn(settlements, name).mockRejectedValue(LOST);
    }
    const { status, body } = await withdraw(wallet, 1_000, 'once');
    expect([status, body.error.code]).toEqual([503, 'OUTCOME_UNKNOWN']);
    jest.restoreAllMocks();
    expect((await withdraw(wallet, 1_000, 'once')).status).toBe(201);
    expect(await stateOf(wallet)).toMatchObject({ balance: 4_000 });
  });

  it('an approval that is repeated does not say that nothing was carried out', async () => {
    const wallet = await service.fundedWallet(5_000);
    await askAbove(service, wallet, 1_000);
    const { id } = await payPending(service, wallet, { amount: 2_000 });
    expect((await decide(service, wallet, id, 'approve')).status).toBe(200);
    const settlements = service.app.get(Settlements, { strict: false });
    jest.spyOn(settlements, 'statusesOf').mockRejectedValue(LOST);
    const { status, body } = await decide(service, wallet, id, 'approve');
    expect([status, body.error.code]).toEqual([503, 'OUTCOME_UNKNOWN']);
    jest.restoreAllMocks();
    expect((await decide(service, wallet, id, 'approve')).status).toBe(200);
  });

  it.each<[string, (wallet: CreatedWallet) => Promise<{ status: number; body: Body }>]>([
    ['a suspension', (wallet) => ask(wallet, 'suspend')],
    ['a closing', close],
    [
      'a change',
      ({ id, owner }) =>
        service.call<Body>('PATCH', `/api/wallets/${id}`, { token: owner.token, body: { name: 'Another' } }),
    ],
  ])('%s that is refused was not carried out', async (_, act) => {
    const wallet = await service.fundedWallet(5_000);
    const before = await stateOf(wallet);
    jest.spyOn(service.app.get(Businesses, { strict: false }), 'idOf').mockRejectedValue(LOST);
    const { status, body } = await act(wallet);
    expect([status, body.error.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    jest.restoreAllMocks();
    expect(await stateOf(wallet)).toEqual(before);
  });
});

it('a changed wallet is answered with the business of its owner', async () => {
  const owner = await service.signUp({ accountType: 'business' });
  const wallet = await service.createWallet(owner);
  for (const path of ['suspend', 'resume', 'close', 'close']) {
    const { body } = await ask(wallet, path, {});
    expect([path, body.data.wallet.businessId]).toEqual([path, owner.businessId]);
  }
});

it('a key whose answer was lost is found in the list, and the next takes its place', async () => {
  const wallet = await service.createWallet();
  const transaction = database.transaction.bind(database);
  jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    await transaction(work);
    throw outcomeUnknown();
  });
  const lost = await ask(wallet, 'keys', { name: 'agent' });
  expect([lost.status, lost.body.error]).toMatchObject([
    503,
    { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('look first what there is') as unknown },
  ]);
  const keys = async () =>
    (
      await service.get<{ data: { id: string; name: string; status: string }[] }>(
        `/api/wallets/${wallet.id}/keys`,
        { token: wallet.owner.token },
      )
    ).body.data;
  const [unseen] = await keys();
  expect(unseen?.name).toBe('agent');
  const again = { name: 'agent', replaces: unseen?.id, graceSeconds: 0, inheritAge: true };
  expect((await ask(wallet, 'keys', again)).status).toBe(201);
  expect((await keys()).map(({ status }) => status)).toEqual(['active', 'revoked', 'active']);
});
