import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askAbove, payPending } from '../support/approvals.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import {
  expectStatus,
  type PageOf,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

interface Line {
  readonly id: string;
  readonly at: string;
  readonly userId: string;
  readonly actor: string;
  readonly act: string;
  readonly subject: string | null;
  readonly before: object | null;
  readonly after: Record<string, unknown> | null;
  readonly address: string;
  readonly requestId: string;
}

let mails: MailServer;
let service: TestService;
let owner: TestUser;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  owner = await businessOwner(service);
});
afterAll(async () => {
  await service.close();
  await mails.stop();
});

const linesOf = async ({ token }: TestUser, query = ''): Promise<readonly Line[]> =>
  expectStatus(200, await service.get<PageOf<Line>>(`/v1/activity?pageSize=100${query}`, { token })).body
    .data;

it('says of every act who did it, from where, and what it was before and after', async () => {
  const ben = await newMember(service, mails, owner, 'approver');
  const wallet = await service.createWallet(owner);
  await service.topUp(wallet.id, 100_000);
  const path = `/api/wallets/${wallet.id}`;
  const { token } = owner;
  expectStatus(200, await service.call('PATCH', path, { token, body: { spendLimitPerTx: 40_000 } }));
  expectStatus(201, await service.post(`${path}/keys`, { token, body: { name: 'Second' } }));
  expectStatus(
    201,
    await service.post(`${path}/payees`, {
      token,
      body: { merchantName: 'Acme', accountNumber: '0123456789', bankCode: '058' },
    }),
  );
  expectStatus(
    201,
    await service.post('/v1/webhook-endpoints', {
      token,
      body: { url: 'http://127.0.0.1:65001/hooks?secret=hidden', events: ['wallet.funded'] },
    }),
  );
  await askAbove(service, wallet, 10);
  const pending = await payPending(service, wallet, { amount: 50 });
  expectStatus(200, await service.post(`/v1/approvals/${pending.id}/approve`, { token: ben.token }));
  expectStatus(200, await service.post('/v1/wallets/suspend-all', { token: ben.token }));
  expectStatus(200, await service.get(`${path}/transactions.csv`, { token }));
  expectStatus(
    200,
    await service.call('PATCH', `/v1/members/${ben.id}`, { token, body: { role: 'viewer' } }),
  );

  const lines = await linesOf(owner);
  expect(lines.map(({ actor, act }) => [actor, act]).reverse()).toEqual([
    [owner.email, 'sign-in.succeeded'],
    [owner.email, 'member.invited'],
    [ben.email, 'member.joined'],
    [owner.email, 'wallet.opened'],
    [owner.email, 'wallet.updated'],
    [owner.email, 'key.created'],
    [owner.email, 'payee.registered'],
    [owner.email, 'webhook.created'],
    [owner.email, 'wallet.updated'],
    [ben.email, 'payment.approved'],
    [ben.email, 'wallet.suspended'],
    [owner.email, 'export.downloaded'],
    [owner.email, 'member.role-changed'],
  ]);
  const change = lines.filter(({ act }) => act === 'wallet.updated').at(-1);
  expect(change).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/Z$/),
    userId: owner.id,
    actor: owner.email,
    act: 'wallet.updated',
    subject: wallet.id,
    before: { spendLimitPerTx: 100_000 },
    after: { spendLimitPerTx: 40_000 },
    address: '127.0.0.1',
    requestId: expect.any(String),
  });
  expect(lines.find(({ act }) => act === 'payment.approved')?.subject).toBe(pending.id);
  expect(lines.find(({ act }) => act === 'member.role-changed')).toMatchObject({
    subject: ben.id,
    before: { role: 'approver' },
    after: { role: 'viewer' },
  });
  expect(JSON.stringify(lines)).not.toMatch(/hidden|apw_live|whsec/);
});

it('tells of sign-ins that failed, of a user that is known, and of a changed password', async () => {
  const user = await service.signUp();
  const logIn = (email: string) =>
    service.post('/v1/auth/login', { body: { email, password: 'wrong horse' } });
  expect((await logIn(user.email)).status).toBe(401);
  expect((await logIn(`x${user.email}`)).status).toBe(401);
  await until(async () => (await linesOf(user, '&act=sign-in.failed')).length > 0);
  const [failed] = await linesOf(user, '&act=sign-in.failed');
  expect(failed).toMatchObject({ subject: null, after: { reason: 'INVALID_CREDENTIALS' } });
  expectStatus(
    200,
    await service.post('/v1/auth/password', {
      token: user.token,
      body: { currentPassword: 'correct horse', newPassword: 'battery staple' },
    }),
  );
  expect((await linesOf(user, '&act=security')).map(({ act }) => act)).toEqual(['security.password-changed']);
});

it('is filtered by person, kind and time, and downloaded', async () => {
  const boss = await businessOwner(service);
  const ben = await newMember(service, mails, boss, 'developer');
  const wallet = await service.createWallet(boss);
  expectStatus(
    201,
    await service.post(`/api/wallets/${wallet.id}/keys`, { token: ben.token, body: { name: '=cmd()' } }),
  );
  expect((await linesOf(boss, `&userId=${ben.id}`)).map(({ act }) => act)).toEqual([
    'key.created',
    'member.joined',
  ]);
  expect((await linesOf(boss, '&act=wallet')).map(({ act }) => act)).toEqual(['wallet.opened']);
  expect(await linesOf(boss, '&act=wal')).toEqual([]);
  const [newest] = await linesOf(boss);
  expect((await linesOf(boss, `&from=${newest!.at}`)).map(({ id }) => id)).toEqual([newest!.id]);
  expect((await linesOf(boss, `&to=${newest!.at}`)).map(({ id }) => id)).not.toContain(newest!.id);
  const csv = await service.get('/v1/activity.csv?act=key', { token: boss.token });
  expect(csv.text.split('\r\n')).toHaveLength(3);
  expect(csv.text).toContain(ben.email);
  expect((await service.get('/v1/activity', { token: ben.token })).status).toBe(403);
});

it('shows one account nothing of another, and no line of it can be changed', async () => {
  const other = await businessOwner(service);
  expect((await linesOf(other)).map(({ actor }) => actor)).toEqual([other.email]);
  await expect(service.query(`UPDATE account_activity SET act = 'x'`)).rejects.toThrow('append-only');
  await expect(service.query('DELETE FROM account_activity')).rejects.toThrow('append-only');
});
