import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askAbove, payPending } from '../support/approvals.js';
import { withClient } from '../support/database.js';
import { brokenInvariants } from '../support/invariants.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import { Operator } from '../support/operators.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

/** What a member asked for before the removal, and waits for the wallet, moves no money after it. */

let mails: MailServer;
let service: TestService;
let second: TestService;
let owner: TestUser;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  second = await startService({ env: mailingTo(mails), beside: service });
  owner = await businessOwner(service);
});
afterAll(async () => {
  expect(await brokenInvariants(service)).toEqual({});
  await second.close();
  await service.close();
  await mails.stop();
});

const balanceOf = async (wallet: CreatedWallet) => (await service.stats(wallet)).balance;
const account = { accountNumber: '0123456789', bankCode: '058' };

/** What a member of a role asks the second replica for; the preparation comes before the wallet is locked. */
const ACTS: Readonly<
  Record<
    string,
    readonly [
      role: string,
      prepare: (wallet: CreatedWallet) => Promise<readonly [path: string, body?: object]>,
    ]
  >
> = {
  'approve a payment': [
    'approver',
    async (wallet) => {
      await askAbove(service, wallet, 10);
      const { id } = await payPending(service, wallet, { amount: 5_000 });
      return [`/v1/approvals/${id}/approve`];
    },
  ],
  withdraw: [
    'owner',
    ({ id }) => Promise.resolve([`/api/wallets/${id}/withdrawals`, { amount: 5_000, ...account }] as const),
  ],
  transfer: [
    'owner',
    async ({ id }) => {
      const { id: toWalletId } = await service.createWallet(owner);
      return [`/api/wallets/${id}/transfers`, { toWalletId, amount: 5_000 }];
    },
  ],
  close: ['owner', ({ id }) => Promise.resolve([`/api/wallets/${id}/close`, { payoutTo: account }] as const)],
  'make a key': [
    'developer',
    ({ id }) => Promise.resolve([`/api/wallets/${id}/keys`, { name: 'Mine' }] as const),
  ],
  'register a payee': [
    'owner',
    ({ id }) => Promise.resolve([`/api/wallets/${id}/payees`, { merchantName: 'Mine', ...account }] as const),
  ],
};

const ENDS: Readonly<Record<string, (member: TestUser) => Promise<Answer<unknown>>>> = {
  removed: ({ id }) => service.call('DELETE', `/v1/members/${id}`, { token: owner.token }),
  demoted: ({ id }) =>
    service.call('PATCH', `/v1/members/${id}`, { token: owner.token, body: { role: 'viewer' } }),
};

it.each(Object.keys(ACTS).flatMap((act) => Object.keys(ENDS).map((end) => [act, end] as const)))(
  'lets nobody %s who was %s while the request waited for the wallet',
  async (act, end) => {
    const [role, prepare] = ACTS[act]!;
    const wallet = await service.createWallet(owner);
    await service.topUp(wallet.id, 50_000);
    const { id, token } = await newMember(service, mails, owner, role);
    const [path, body] = await prepare(wallet);
    const ask = () =>
      second.post(path, { token, headers: { 'idempotency-key': randomUUID() }, ...(body && { body }) });
    await whileLocked(wallet, ask, async () => {
      expectStatus(200, await ENDS[end]!({ id } as TestUser));
    });
    expect(await balanceOf(wallet)).toBe(50_000);
    const { body: shown } = await service.get<{ data: { apiKeys: object[]; wallet: object } }>(
      `/api/wallets/${wallet.id}`,
      { token: owner.token },
    );
    expect(shown.data).toMatchObject({ wallet: { status: 'ACTIVE' }, apiKeys: [{}] });
    expect(shown.data.apiKeys).toHaveLength(1);
  },
);

it('lets nobody approve a payment whose login an operator suspended meanwhile', async () => {
  const operator = await Operator.make(service);
  const wallet = await service.createWallet(owner);
  await service.topUp(wallet.id, 50_000);
  await askAbove(service, wallet, 10);
  const { id } = await payPending(service, wallet, { amount: 5_000 });
  const fay = await newMember(service, mails, owner, 'approver');
  const ask = () => second.post(`/v1/approvals/${id}/approve`, { token: fay.token });
  await whileLocked(wallet, ask, async () => {
    expectStatus(201, await operator.act('user.suspend', fay.id));
  });
  expect(await balanceOf(wallet)).toBe(50_000);
});

/** Has a request wait for a wallet, changes something, and expects that the request is refused. */
async function whileLocked(
  { id }: CreatedWallet,
  ask: () => Promise<Answer<unknown>>,
  change: () => Promise<void>,
): Promise<void> {
  await withClient(service.databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [id]);
    const answer = ask();
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await service.query(waiting)).length > 0);
    await change();
    await client.query('COMMIT');
    expect(await answer).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  });
}
