import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { VirtualAccounts } from '../../src/contexts/funding/funding.port.js';
import { AddressGuard } from '../../src/platform/security/safe-address.js';
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
  walletBody,
} from '../support/service.js';

/** What a member asked for before the removal is not carried out after it. */

let mails: MailServer;
let service: TestService;
let second: TestService;
let owner: TestUser;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  second = await startService({ env: mailingTo(mails), beside: service });
  await second.app.listen(0, '127.0.0.1');
  owner = await businessOwner(service);
});
afterEach(() => {
  jest.restoreAllMocks();
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
  'freeze everything': ['approver', () => Promise.resolve(['/v1/wallets/suspend-all'] as const)],
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

const newUrl = () => `http://127.0.0.1:4010/${randomUUID()}`;
const endpointsAt = (url: string) => service.query('SELECT 1 FROM webhook_endpoints WHERE url = $1', [url]);
/** The member's name server may take its time. */
const whileLookedUp = (change: () => Promise<void>) =>
  jest.spyOn(AddressGuard.prototype, 'problem').mockImplementationOnce(() => change().then(() => null));

/** Acts that wait for something else, during which `change` comes. Answers what they made, too. */
const SLOW_ACTS: Readonly<
  Record<
    string,
    readonly [
      role: string,
      run: (
        member: TestUser,
        change: () => Promise<void>,
      ) => Promise<readonly [Answer<unknown>, has: unknown]>,
    ]
  >
> = {
  'add a webhook endpoint': [
    'developer',
    async ({ token }, change) => {
      whileLookedUp(change);
      const url = newUrl();
      const answer = await second.post('/v1/webhook-endpoints', { token, body: { url } });
      return [answer, await endpointsAt(url)];
    },
  ],
  'send the webhooks of an endpoint elsewhere': [
    'developer',
    async ({ token }, change) => {
      const { body } = await second.post<{ data: { id: string } }>('/v1/webhook-endpoints', {
        ...{ token: owner.token, body: { url: newUrl() } },
      });
      whileLookedUp(change);
      const url = newUrl();
      const answer = await second.call('PATCH', `/v1/webhook-endpoints/${body.data.id}`, {
        ...{ token, body: { url } },
      });
      return [answer, await endpointsAt(url)];
    },
  ],
  'open a wallet': [
    'owner',
    async ({ id, token }, change) => {
      const bank = second.app.get(VirtualAccounts, { strict: false });
      const issue = bank.issue.bind(bank);
      jest.spyOn(bank, 'issue').mockImplementationOnce(async (request) => {
        await change();
        return issue(request);
      });
      const name = randomUUID();
      const answer = await second.post('/api/wallets', { token, body: walletBody(id, { name }) });
      return [answer, await service.query('SELECT 1 FROM wallets WHERE name = $1', [name])];
    },
  ],
  'add a file': [
    'accountant',
    async ({ token }, change) => {
      const wallet = await service.createWallet(owner);
      await service.topUp(wallet.id, 50_000);
      const { transaction } = expectStatus(201, await service.pay(wallet.key)).body.data;
      const path = `/v1/wallets/${wallet.id}/transactions/${transaction.id}/files`;
      async function* slowly() {
        yield Buffer.from('%PDF-1.7');
        await change();
        yield Buffer.from('\n');
      }
      const { port } = second.app.getHttpServer().address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/pdf' },
        body: ReadableStream.from(slowly()),
        duplex: 'half',
      });
      const answer = { status: response.status, body: await response.json() } as Answer<unknown>;
      return [answer, (await service.get<{ data: object[] }>(path, { token: owner.token })).body.data];
    },
  ],
};

it.each(Object.keys(SLOW_ACTS).flatMap((act) => Object.keys(ENDS).map((end) => [act, end] as const)))(
  'lets nobody %s who was %s meanwhile',
  async (act, end) => {
    const [role, run] = SLOW_ACTS[act]!;
    const member = await newMember(service, mails, owner, role);
    const [answer, has] = await run(member, async () => {
      expectStatus(200, await ENDS[end]!(member));
    });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    expect(has).toEqual([]);
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
