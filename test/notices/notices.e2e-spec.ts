import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NoticesService } from '../../src/contexts/notices/notices.service.js';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { MailServer } from '../support/mail-server.js';
import {
  type CreatedWallet,
  expectStatus,
  PASSWORD,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  readonly path: string;
  readonly readAt: string | null;
  readonly outcome: string | null;
  readonly outcomeBy: string | null;
}

interface List {
  readonly data: Shown[];
  readonly unread: number;
  readonly pagination: { readonly totalCount: number };
}

const PUBLIC_URL = 'https://wallets.example.ng';

let mails: MailServer;
let service: TestService;
let other: TestService;
beforeAll(async () => {
  mails = await MailServer.start();
  const env = { SMTP_URL: mails.url, MAIL_FROM: 'wallets@example.ng', PUBLIC_URL };
  service = await startService({ env });
  other = await startService({ beside: service, env });
});
afterAll(async () => {
  await service.settled();
  expect(await brokenInvariants(service)).toEqual({});
  await other.close();
  await service.close();
  await mails.stop();
});

const listOf = async ({ token }: TestUser, query = ''): Promise<List> =>
  expectStatus(200, await service.get<List>(`/v1/notifications${query}`, { token })).body;

/** Waits for a notification of this kind. */
async function told(user: TestUser, kind: string, where: (shown: Shown) => boolean = () => true) {
  let found: Shown | undefined;
  await until(async () => {
    const { data } = await listOf(user, '?pageSize=100');
    found = data.find((each) => each.kind === kind && where(each));
    return found !== undefined;
  });
  return found!;
}

const choose = ({ token }: TestUser, body: object) =>
  service.call('PUT', '/v1/notification-settings', { token, body });

const mailsAbout = ({ email }: TestUser, words: string) =>
  mails.to(email).filter(({ subject }) => subject.includes(words));

/** Members are made in the database, as no route is needed to test who is told. */
async function memberOf(account: TestUser, role: string): Promise<TestUser> {
  const user = await service.signUp();
  await service.query('UPDATE users SET account_id = $1, role = $2 WHERE id = $3', [
    account.id,
    role,
    user.id,
  ]);
  return user;
}

async function pending(wallet: CreatedWallet, fields: Record<string, unknown> = {}) {
  await askAbove(service, wallet, 50_000);
  return payPending(service, wallet, { amount: 60_000, merchantName: 'Jumia <b>& Sons</b>', ...fields });
}

describe('an approval that is wanted', () => {
  it('is mailed with amount, merchant, account holder, reason and expiry; its link opens that approval', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    const approval = await pending(wallet, { reason: 'A desk' });
    const { title, path, outcome } = await told(wallet.owner, 'approval.requested');
    expect([title, path, outcome]).toEqual([
      'Approve ₦600.00 to Jumia <b>& Sons</b>?',
      `/approvals?id=${approval.id}`,
      null,
    ]);
    await until(() => Promise.resolve(mailsAbout(wallet.owner, 'Approve ₦600.00').length > 0));
    const { text, html } = mailsAbout(wallet.owner, 'Approve ₦600.00')[0]!;
    expect(text).toContain('Payments above ₦500.00 wait for your decision.');
    expect(text).toContain('Account: 0123456789 at GTBank');
    expect(text).toContain('Reason: A desk');
    expect(text).toMatch(/Key: apw_live_\w+/);
    expect(text).toMatch(/Account holder: \S+/);
    expect(text).toMatch(/Expires: \d+ \w+ \d{4},? \d\d:\d\d WAT/);
    expect(text).toContain(`${PUBLIC_URL}/approvals?id=${approval.id}`);
    expect(html).toContain('Jumia &lt;b&gt;&amp; Sons&lt;/b&gt;');
    expect(html).not.toContain('<b>');
  });

  it('shows what was done about it, once and for every member who was told', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    const approver = await memberOf(wallet.owner, 'approver');
    const viewer = await memberOf(wallet.owner, 'viewer');
    const approval = await pending(wallet);
    await told(approver, 'approval.requested');
    await told(wallet.owner, 'approval.requested');
    expectStatus(200, await decide(service, wallet, approval.id, 'deny'));
    for (const user of [wallet.owner, approver]) {
      const { outcome, outcomeBy } = await told(user, 'approval.requested', (each) => each.outcome !== null);
      expect([outcome, outcomeBy]).toEqual(['denied', wallet.owner.email]);
    }
    expect((await told(approver, 'approval.decided')).text).toBe(`Decided by ${wallet.owner.email}.`);
    const kinds = (await listOf(wallet.owner)).data.map(({ kind }) => kind);
    expect(kinds).not.toContain('approval.decided');
    expect((await listOf(viewer)).data.map(({ kind }) => kind)).toEqual([]);
  });

  it('is mailed with its expiry in the zone of the account', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    const { token } = wallet.owner;
    const zone = { token, body: { timeZone: 'America/New_York' } };
    expectStatus(200, await service.call('PUT', '/v1/time-zone', zone));
    await pending(wallet);
    const { text } = await mails.await(wallet.owner.email);
    expect(text).toMatch(/Expires: \d+ \w+ \d{4},? \d\d:\d\d GMT-[45]/);
  });

  it('is mailed to nobody who switched it off, and stays in the list', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    expectStatus(200, await choose(wallet.owner, { kind: 'approval.requested', mail: false }));
    const approval = await pending(wallet);
    await told(wallet.owner, 'approval.requested');
    expectStatus(200, await decide(service, wallet, approval.id, 'approve'));
    // A mail about something later comes behind whatever there would be about the approval.
    await service.call('PUT', `/v1/wallets/${wallet.id}/low-balance-threshold`, {
      token: wallet.owner.token,
      body: { threshold: 990_000 },
    });
    expectStatus(201, await service.pay(wallet.key));
    await until(() => Promise.resolve(mailsAbout(wallet.owner, 'is low').length > 0));
    expect(mailsAbout(wallet.owner, 'Approve')).toEqual([]);
  });
});

describe('a payout', () => {
  it('that the bank refuses is told with the merchant and the reason', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    expectStatus(201, await service.pay(wallet.key, { recipientAccountNo: '9000000001' }));
    const { title, text, path } = await told(wallet.owner, 'payment.failed');
    expect(title).toBe('₦10.00 to Acme Stores was not paid out');
    expect(text).toMatch(/^The bank refused: .*\. The money is back in Research agent\.$/);
    expect(path).toMatch(new RegExp(`^/payments\\?transaction=[0-9a-f-]{36}&of=${wallet.id}$`));
  });
});

describe('a low balance', () => {
  it('is told one kobo below the threshold, not at it, once, and again after it was funded', async () => {
    const wallet = await service.fundedWallet(10_000);
    const { token } = wallet.owner;
    await service.call('PUT', `/v1/wallets/${wallet.id}/low-balance-threshold`, {
      token,
      body: { threshold: 9_000 },
    });
    expectStatus(201, await service.pay(wallet.key, { amount: 1_000 }));
    expectStatus(201, await service.pay(wallet.key, { amount: 1 }));
    const { title, text } = await told(wallet.owner, 'wallet.low_balance');
    expect([title, text]).toEqual(['Research agent is low: ₦89.99', 'Its balance fell below ₦90.00.']);
    await other.topUp(wallet.id, 1);
    expect((await told(wallet.owner, 'wallet.low_balance', (each) => each.outcome !== null)).outcome).toBe(
      'funded',
    );
    expectStatus(201, await service.pay(wallet.key, { amount: 2 }));
    await told(wallet.owner, 'wallet.low_balance', (each) => each.outcome === null);
    const { data } = await listOf(wallet.owner, '?pageSize=100');
    expect(data.filter(({ kind }) => kind === 'wallet.low_balance')).toHaveLength(2);
  });
});

describe('blocked payments', () => {
  it('are told of as one burst, however many follow', async () => {
    const wallet = await service.createWallet();
    for (let i = 0; i < 15; i += 1) expectStatus(402, await service.pay(wallet.key, { amount: 1_000 + i }));
    const { title, path } = await told(wallet.owner, 'payments.blocked');
    expect(title).toMatch(/^1[0-5] payments of Research agent were blocked$/);
    expect(path).toBe(`/payments?wallet=${wallet.id}&status=blocked`);
    for (let i = 0; i < 10; i += 1) expectStatus(402, await service.pay(wallet.key, { amount: 2_000 + i }));
    await service.post(`/api/wallets/${wallet.id}/keys`, {
      token: wallet.owner.token,
      body: { name: 'After the burst' },
    });
    await told(wallet.owner, 'key.created');
    const { data } = await listOf(wallet.owner);
    expect(data.filter(({ kind }) => kind === 'payments.blocked')).toHaveLength(1);
  });
});

describe('what happens to an account', () => {
  it('is told: a new key, a new payee, and a sign-in from another browser but not from a known one', async () => {
    const wallet = await service.createWallet();
    const { email, token } = wallet.owner;
    expectStatus(
      201,
      await service.post(`/api/wallets/${wallet.id}/keys`, { token, body: { name: 'Night job' } }),
    );
    expect((await told(wallet.owner, 'key.created')).text).toContain('The key Night job can pay');
    const payee = { merchantName: 'Acme Stores', accountNumber: '0123456789', bankCode: '058' };
    expectStatus(201, await service.post(`/api/wallets/${wallet.id}/payees`, { token, body: payee }));
    expect((await told(wallet.owner, 'payee.added')).title).toBe('New payee of Research agent: Acme Stores');
    const logIn = (userAgent: string) =>
      service.post('/v1/auth/login', {
        body: { email, password: PASSWORD },
        headers: { 'user-agent': userAgent },
      });
    for (const browser of ['Lagos Browser', 'Lagos Browser', 'Abuja Browser'])
      expectStatus(200, await logIn(browser));
    await told(wallet.owner, 'session.started', ({ text }) => text.includes('Abuja Browser'));
    const { data } = await listOf(wallet.owner);
    expect(data.filter(({ kind }) => kind === 'session.started')).toHaveLength(2);
  });
});

describe('what was done about a notification', () => {
  const done = async (user: TestUser, kind: string) => {
    const { outcome, outcomeBy } = await told(user, kind, (each) => each.outcome !== null);
    return [outcome, outcomeBy];
  };

  it('is that a key was revoked, a payee removed and a sign-in ended', async () => {
    const wallet = await service.createWallet();
    const { email, token } = wallet.owner;
    const make = (path: string, body: object) =>
      service.post<{ data: Record<string, { id: string }> }>(`/api/wallets/${wallet.id}/${path}`, {
        token,
        body,
      });
    const [first, second] = [await make('keys', { name: 'One' }), await make('keys', { name: 'Two' })];
    const payee = { merchantName: 'Acme Stores', accountNumber: '0123456789', bankCode: '058' };
    const { payee: added } = expectStatus(201, await make('payees', payee)).body.data;
    await until(async () => (await listOf(wallet.owner)).data.length === 3);
    const keyId = expectStatus(201, first).body.data.apiKey!.id;
    expectStatus(201, second);
    const remove = (path: string) => service.call('DELETE', `/api/wallets/${wallet.id}/${path}`, { token });
    expect((await remove(`keys/${keyId}`)).status).toBeLessThan(300);
    expect((await remove(`payees/${added!.id}`)).status).toBeLessThan(300);
    expect(await done(wallet.owner, 'key.created')).toEqual(['revoked', email]);
    expect(await done(wallet.owner, 'payee.added')).toEqual(['removed', email]);
    const keys = (await listOf(wallet.owner)).data.filter(({ kind }) => kind === 'key.created');
    expect(keys.map(({ text, outcome }) => [text.includes('One'), outcome])).toEqual([
      [false, null],
      [true, 'revoked'],
    ]);

    const headers = { 'user-agent': 'Kano Browser' };
    const body = { email, password: PASSWORD };
    expectStatus(200, await service.post('/v1/auth/login', { body, headers }));
    await told(wallet.owner, 'session.started');
    const { body: sessions } = await service.get<{ data: { sessions: { id: string; current: boolean }[] } }>(
      '/v1/auth/sessions',
      { token },
    );
    const other = sessions.data.sessions.find(({ current }) => !current)!;
    expect((await service.call('DELETE', `/v1/auth/sessions/${other.id}`, { token })).status).toBeLessThan(
      300,
    );
    expect(await done(wallet.owner, 'session.started')).toEqual(['signed out', email]);
  });

  it('is that the wallet of a burst was frozen, and the limit that was reached changed, by whom', async () => {
    const wallet = await service.fundedWallet(1_000_000, {
      spendLimitPerTx: 10_000,
      spendLimitPeriod: 10_000,
    });
    const { email, token } = wallet.owner;
    expectStatus(201, await service.pay(wallet.key, { amount: 10_000 }));
    await told(wallet.owner, 'wallet.limit_warning');
    for (let i = 0; i < 12; i += 1) expectStatus(403, await service.pay(wallet.key, { amount: 1_000 + i }));
    await told(wallet.owner, 'payments.blocked');
    const patch = (body: object) => service.call('PATCH', `/api/wallets/${wallet.id}`, { token, body });
    // Another change settles nothing.
    expectStatus(200, await patch({ name: 'Renamed' }));
    expectStatus(200, await service.post(`/api/wallets/${wallet.id}/suspend`, { token }));
    expect(await done(wallet.owner, 'payments.blocked')).toEqual(['wallet frozen', email]);
    expect((await told(wallet.owner, 'wallet.limit_warning')).outcome).toBeNull();
    expectStatus(200, await patch({ spendLimitPeriod: 20_000 }));
    expect(await done(wallet.owner, 'wallet.limit_warning')).toEqual(['limit changed', email]);
  });

  it('is noted on those of the account alone', async () => {
    const [user, stranger] = [await service.signUp(), await service.signUp()];
    const notices = service.app.get(NoticesService, { strict: false });
    const about = randomUUID();
    for (const accountId of [user.id, stranger.id])
      await notices.tell([
        { kind: 'key.created', accountId, key: `key ${about}`, walletId: null, subjectId: about, parts: {} },
      ]);
    await notices.endAbout({ accountId: user.id, kind: 'key.created', about, outcome: 'revoked', by: null });
    expect((await told(user, 'key.created')).outcome).toBe('revoked');
    expect((await told(stranger, 'key.created')).outcome).toBeNull();
  });
});

it('a paused endpoint is told of from a job that the release before has queued, too', async () => {
  const user = await service.signUp();
  const event = {
    endpointId: randomUUID(),
    userId: user.id,
    url: 'https://shop.example.ng/hooks?secret=1',
    reason: 'it failed for five days',
  };
  await service.query(`SELECT graphile_worker.add_job($1, $2)`, [
    'webhook-endpoint.disabled EndpointMail.tellOwners',
    JSON.stringify([event]),
  ]);
  const shown = await told(user, 'webhook_endpoint.disabled');
  expect(JSON.stringify(shown)).toContain(event.endpointId);
  expect(JSON.stringify(shown)).not.toContain('secret=1');
});

describe('the list', () => {
  it('keeps the last 100 of a person, and says which are read', async () => {
    const user = await service.signUp();
    const notices = service.app.get(NoticesService, { strict: false });
    const about = (i: number) => ({
      kind: 'payee.added' as const,
      accountId: user.id,
      key: `test ${i}`,
      walletId: null,
      subjectId: null,
      parts: { merchantName: `Merchant ${i}`, walletName: 'Research' },
    });
    await notices.tell(Array.from({ length: 100 }, (_, i) => about(i)));
    expect(await listOf(user)).toMatchObject({ unread: 100, pagination: { totalCount: 100 } });
    await notices.tell([about(100), about(0), about(100)]);
    const { data, pagination } = await listOf(user, '?pageSize=100');
    expect(pagination.totalCount).toBe(100);
    expect([data[0]?.title, data.at(-1)?.title]).toEqual([
      'New payee of Research: Merchant 100',
      'New payee of Research: Merchant 1',
    ]);
    const { token } = user;
    const read = (body: object) => service.post('/v1/notifications/read', { token, body });
    expect((await read({ ids: [data[0]!.id, randomUUID()] })).body).toMatchObject({ data: { unread: 99 } });
    const stranger = await service.signUp();
    expectStatus(200, await service.post('/v1/notifications/read', { token: stranger.token, body: {} }));
    expect((await listOf(user)).unread).toBe(99);
    expect((await read({})).body).toMatchObject({ data: { unread: 0 } });
    expectStatus(400, await read({ ids: ['nothing'] }));
  });

  it('is that of the account a person is in now', async () => {
    const [account, user] = [await service.signUp(), await service.signUp()];
    const notices = service.app.get(NoticesService, { strict: false });
    await notices.tell([
      {
        kind: 'payee.added',
        accountId: user.id,
        key: 'own',
        walletId: null,
        subjectId: null,
        parts: {},
      },
    ]);
    expect((await listOf(user)).unread).toBe(1);
    await service.query(`UPDATE users SET account_id = $1, role = 'owner' WHERE id = $2`, [
      account.id,
      user.id,
    ]);
    expect(await listOf(user)).toMatchObject({ unread: 0, data: [] });
  });
});

describe('mails', () => {
  const aboutKey = (accountId: string, i: number) => ({
    kind: 'key.created' as const,
    accountId,
    key: `key ${i}`,
    walletId: null,
    subjectId: null,
    parts: { keyName: `Key ${i}`, walletName: 'Research' },
  });

  it('come one by one up to three at a time, and four as one', async () => {
    const [few, many] = [await service.signUp(), await service.signUp()];
    const notices = service.app.get(NoticesService, { strict: false });
    await notices.tell([0, 1, 2].map((i) => aboutKey(few.id, i)));
    await mails.await(few.email, 3);
    await notices.tell([0, 1, 2, 3].map((i) => aboutKey(many.id, i)));
    const digest = await mails.await(many.email);
    expect(digest.subject).toBe('4 new notifications');
    expect(digest.text).toContain(`${PUBLIC_URL}/notifications\n`);
    await notices.tell([aboutKey(many.id, 4)]);
    await mails.await(many.email, 2);
    expect([mails.to(few.email).length, mails.to(many.email).length]).toEqual([3, 2]);
  });

  it('are thirty an hour to one account; the rest waits, and comes in the next hour as one', async () => {
    const user = await service.signUp();
    const notices = service.app.get(NoticesService, { strict: false });
    await service.query(
      `INSERT INTO notice_mail_budgets VALUES ($1, date_trunc('hour', clock_timestamp()), 29)`,
      [user.id],
    );
    await notices.tell([0, 1, 2].map((i) => aboutKey(user.id, i)));
    await mails.await(user.email);
    const due = () =>
      service.query<{ id: string; delay: number }>(
        `SELECT j.id, extract(epoch FROM run_at - now())::integer AS delay FROM graphile_worker.jobs j
          WHERE key = $1 AND run_at > now()`,
        [`notices.send ${user.id}`],
      );
    await until(async () => (await due()).length === 1);
    await notices.tell([3, 4].map((i) => aboutKey(user.id, i)));
    await until(async () => (await due()).length === 1);
    expect(mails.to(user.email)).toHaveLength(1);
    await service.query(
      `UPDATE notice_mail_budgets SET hour = hour - interval '1 hour' WHERE account_id = $1`,
      [user.id],
    );
    await service.query(`SELECT graphile_worker.reschedule_jobs($1, run_at := now())`, [
      (await due()).map(({ id }) => id),
    ]);
    expect((await mails.await(user.email, 2)).subject).toBe('4 new notifications');
  });

  it('that waited go neither to who was removed meanwhile nor to whose role may not any more', async () => {
    const owner = await service.signUp();
    const [removed, viewer] = [await memberOf(owner, 'developer'), await memberOf(owner, 'developer')];
    const notices = service.app.get(NoticesService, { strict: false });
    await service.query(
      `INSERT INTO notice_mail_budgets VALUES ($1, date_trunc('hour', clock_timestamp()), 30)`,
      [owner.id],
    );
    const signIn = { ...aboutKey(owner.id, 1), kind: 'session.started' as const, onlyTo: removed.id };
    await notices.tell([aboutKey(owner.id, 0), signIn]);
    const keys = [owner, removed, viewer].map(({ id }) => `notices.send ${id}`);
    const jobs = () =>
      service.query<{ id: string; waits: boolean }>(
        'SELECT id, run_at > now() AS waits FROM graphile_worker.jobs WHERE key = ANY ($1)',
        [keys],
      );
    await until(async () => (await jobs()).filter(({ waits }) => waits).length === 3);
    const { token } = owner;
    expectStatus(200, await service.call('DELETE', `/v1/members/${removed.id}`, { token }));
    const viewing = { token, body: { role: 'viewer' } };
    expectStatus(200, await service.call('PATCH', `/v1/members/${viewer.id}`, viewing));
    await service.query(
      `UPDATE notice_mail_budgets SET hour = hour - interval '1 hour' WHERE account_id = $1`,
      [owner.id],
    );
    await service.query(`SELECT graphile_worker.reschedule_jobs($1, run_at := now())`, [
      (await jobs()).map(({ id }) => id),
    ]);
    await until(async () => (await jobs()).length === 0);
    const subjectsTo = ({ email }: TestUser) => mails.to(email).map(({ subject }) => subject);
    expect([owner, removed, viewer].map(subjectsTo)).toEqual([
      ['New API key for Research'],
      // It is about the own login.
      ['New sign-in to your account'],
      [],
    ]);
  });
});

describe('the settings', () => {
  it('name the kinds that a role is told of, with a choice for each', async () => {
    const owner = await service.signUp();
    const developer = await memberOf(owner, 'developer');
    const get = async ({ token }: TestUser) =>
      (
        await service.get<{ data: { kind: string; mail: boolean }[]; mailAvailable: boolean }>(
          '/v1/notification-settings',
          { token },
        )
      ).body;
    expect((await get(owner)).data).toHaveLength(12);
    expect((await get(developer)).data.map(({ kind }) => kind)).toEqual([
      'session.started',
      'key.created',
      'webhook_endpoint.disabled',
    ]);
    expectStatus(200, await choose(owner, { kind: 'payee.added', mail: true }));
    const { data, mailAvailable } = await get(owner);
    expect(data.find(({ kind }) => kind === 'payee.added')).toMatchObject({ mail: true });
    expect(mailAvailable).toBe(true);
    expectStatus(400, await choose(owner, { kind: 'anything', mail: true }));
    expectStatus(400, await choose(owner, { kind: 'payee.added', mail: 'yes' }));
  });
});
