import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NoticesService } from '../../src/contexts/notices/notices.service.js';
import { PushKeys } from '../../src/contexts/notices/push/push-keys.service.js';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import { withTwoFactor } from '../support/operators.js';
import { PushedBrowser, PushService } from '../support/push-service.js';
import {
  expectStatus,
  PASSWORD,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

interface Listed {
  readonly data: { id: string; endpoint: string; device: string | null }[];
  readonly publicKey: string;
}

let pushes: PushService;
let mails: MailServer;
let service: TestService;
let other: TestService;
beforeAll(async () => {
  pushes = await PushService.start();
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  other = await startService({ beside: service, env: mailingTo(mails) });
});
afterAll(async () => {
  await other.close();
  await service.close();
  await mails.stop();
  await pushes.stop();
});

const subscribe = ({ token }: { token: string }, { subscription }: PushedBrowser, more: object = {}) =>
  service.post<{ data: { id: string } }>('/v1/push-subscriptions', {
    token,
    body: { ...subscription, ...more },
    headers: { 'user-agent': 'Lagos Browser' },
  });
const listOf = async ({ token }: { token: string }): Promise<Listed> =>
  expectStatus(200, await service.get<Listed>('/v1/push-subscriptions', { token })).body;
const endpointsOf = async (user: { token: string }) =>
  (await listOf(user)).data.map(({ endpoint }) => endpoint);

async function subscribed(user: { token: string }): Promise<PushedBrowser> {
  const browser = pushes.browser();
  expectStatus(201, await subscribe(user, browser));
  return browser;
}

let told = 0;
/** Tells the members of an account of new payees, or of something else. */
function tell(accountId: string, count = 1, more: object = {}): Promise<void> {
  const news = Array.from({ length: count }, () => ({
    kind: 'key.created' as const,
    accountId,
    key: `told ${(told += 1)}`,
    walletId: null,
    subjectId: null,
    parts: { walletName: 'Research', keyName: `Key ${told}` },
    ...more,
  }));
  return service.app.get(NoticesService, { strict: false }).tell(news);
}
/** Once this has arrived, whatever was told before has arrived or never will. */
async function afterMore(accountId: string, browser: PushedBrowser): Promise<string[]> {
  await tell(accountId, 1, { parts: { walletName: 'Research', keyName: 'The last' } });
  const texts = () => browser.received.map((push) => browser.read(push).body);
  await until(() => Promise.resolve(texts().some((text) => text.includes('The last'))));
  return texts();
}
const waitingTries = () =>
  service.query<{ id: string; seconds: number }>(
    `SELECT id, extract(epoch FROM run_at - now())::integer AS seconds FROM graphile_worker.jobs
      WHERE task_identifier = 'notices.push-to-browser' AND run_at > now()`,
  );
const tryNow = async (): Promise<void> => {
  const ids = (await waitingTries()).map(({ id }) => id);
  await service.query(`SELECT graphile_worker.reschedule_jobs($1, run_at := now())`, [ids]);
};

describe('an approval that is wanted', () => {
  it('is pushed encrypted and signed, once over two replicas, until it expires; a renewed one replaces it', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    const browser = await subscribed(wallet.owner);
    await askAbove(service, wallet, 50_000);
    const { id } = await payPending(service, wallet, { amount: 60_000, merchantName: 'Jumia' });
    const push = await browser.await();
    const { topic, ...shown } = browser.read(push);
    expect(shown).toEqual({
      title: 'Approve ₦600.00 to Jumia?',
      body: 'Payments above ₦500.00 wait for your decision.',
      path: `/approvals?id=${id}`,
    });
    expect(() => pushes.browser().read(push)).toThrow();
    const { publicKey } = await listOf(wallet.owner);
    const { sub, lives } = await browser.vapidOf(push, publicKey);
    expect(sub).toBe('https://wallets.example.ng');
    expect(lives).toBeGreaterThan(0);
    expect(lives).toBeLessThanOrEqual(24 * 3_600);
    expect(push.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      urgency: 'high',
      topic,
    });
    expect(Number(push.headers.ttl)).toBeGreaterThan(0);
    expect(Number(push.headers.ttl)).toBeLessThanOrEqual(24 * 3_600);
    expect(push.body.length).toBeLessThan(4_096);
    await service.query(
      `SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker.jobs WHERE key = $1`,
      [`notices.remind ${id}`],
    );
    const renewed = await browser.await(2);
    expect(browser.read(renewed).title).toContain('expires within an hour');
    expect(renewed.headers.topic).toBe(topic);
    expectStatus(200, await decide(service, wallet, id, 'deny'));
    expect(await afterMore(wallet.owner.id, browser)).toHaveLength(3);
  });
});

describe('a browser', () => {
  it('is listed, is one however often it subscribes, and is gone once removed', async () => {
    const user = await service.signUp();
    const browser = await subscribed(user);
    const { id } = expectStatus(201, await subscribe(user, browser)).body.data;
    expect((await listOf(user)).data).toMatchObject([
      { id, endpoint: browser.endpoint, device: 'Lagos Browser' },
    ]);
    const stranger = await service.signUp();
    const remove = ({ token }: TestUser) => service.call('DELETE', `/v1/push-subscriptions/${id}`, { token });
    expectStatus(404, await remove(stranger));
    expectStatus(200, await remove(user));
    expect(await listOf(user)).toMatchObject({ data: [] });
    const next = await subscribed(user);
    await afterMore(user.id, next);
    expect(browser.received).toEqual([]);
  });

  it('moves to whom signs in there, as it proves by its secret, and to nobody else', async () => {
    const [user, next] = [await service.signUp(), await service.signUp()];
    const browser = await subscribed(user);
    const { body } = expectStatus(
      400,
      await subscribe(next, browser, { auth: pushes.browser().subscription.auth }),
    );
    expect(JSON.stringify(body)).toContain('belongs to the browser of somebody else');
    expectStatus(201, await subscribe(next, browser));
    expect([await endpointsOf(user), await endpointsOf(next)]).toEqual([[], [browser.endpoint]]);
  });

  it('is one of twenty: one more replaces the oldest', async () => {
    const user = await service.signUp();
    const browsers: PushedBrowser[] = [];
    for (let i = 0; i < 20; i += 1) browsers.push(await subscribed(user));
    expect(await endpointsOf(user)).toEqual(browsers.map(({ endpoint }) => endpoint).reverse());
    await subscribed(user);
    expect(await endpointsOf(user)).toHaveLength(20);
    expect(await endpointsOf(user)).not.toContain(browsers[0]!.endpoint);
  });

  it.each([
    ['endpoint', { endpoint: 'nowhere' }],
    ['endpoint', { endpoint: 'https://ada:secret@example.com/push' }],
    ['p256dh', { p256dh: Buffer.alloc(65, 4).toString('base64url') }],
    ['p256dh', { p256dh: Buffer.alloc(64, 4).toString('base64url') }],
    ['auth', { auth: Buffer.alloc(15).toString('base64url') }],
    ['auth', { auth: 'not base64url!' }],
  ])('is refused with a wrong %s', async (field, wrong) => {
    const { status, body } = await subscribe(await service.signUp(), pushes.browser(), wrong);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`"${field}"`)]);
  });

  it('that has unsubscribed is forgotten', async () => {
    const user = await service.signUp();
    const [gone, stays] = [await subscribed(user), await subscribed(user)];
    gone.answer = { status: 410 };
    await tell(user.id);
    await until(async () => (await endpointsOf(user)).length === 1);
    expect(await endpointsOf(user)).toEqual([stays.endpoint]);
    await afterMore(user.id, stays);
    expect(gone.received).toHaveLength(1);
  });

  it('is forgotten with its session: signed out, ended elsewhere, or ended by a new password', async () => {
    const user = await service.signUp();
    const body = { email: user.email, password: PASSWORD };
    const signIn = async () =>
      expectStatus(200, await service.post<{ data: { token: string } }>('/v1/auth/login', { body })).body
        .data;
    const sessions = [await signIn(), await signIn(), await signIn()];
    const browsers = [await subscribed(user)];
    for (const session of sessions) browsers.push(await subscribed(session));
    const left = async () => {
      const endpoints = await endpointsOf(user);
      return browsers.map(({ endpoint }) => endpoints.includes(endpoint));
    };
    expectStatus(200, await service.post('/v1/auth/logout', { token: sessions[0]!.token }));
    expect(await left()).toEqual([true, false, true, true]);
    const shown = await service.get<{ data: { sessions: { id: string; current: boolean }[] } }>(
      '/v1/auth/sessions',
      { token: sessions[1]!.token },
    );
    const { id } = shown.body.data.sessions.find(({ current }) => current)!;
    expectStatus(200, await service.call('DELETE', `/v1/auth/sessions/${id}`, { token: user.token }));
    expect(await left()).toEqual([true, false, false, true]);
    const passwords = { currentPassword: PASSWORD, newPassword: 'battery staple' };
    expectStatus(200, await service.post('/v1/auth/password', { token: user.token, body: passwords }));
    expect(await left()).toEqual([true, false, false, false]);
  });

  it('outlives the expiry of its session, at which nobody signed out', async () => {
    const user = await service.signUp();
    const browser = await subscribed(user);
    await service.query(`UPDATE sessions SET expires_at = now() - interval '1 day' WHERE user_id = $1`, [
      user.id,
    ]);
    await tell(user.id);
    await browser.await();
  });

  it('of a removed member, or one whose role may not, gets nothing', async () => {
    const owner = await businessOwner(service);
    const [removed, viewer] = [
      await newMember(service, mails, owner, 'developer'),
      await newMember(service, mails, owner, 'developer'),
    ];
    const [ofRemoved, ofViewer, ofOwner] = [
      await subscribed(removed),
      await subscribed(viewer),
      await subscribed(owner),
    ];
    ofViewer.answer = { status: 503 };
    await tell(owner.id);
    await Promise.all([ofRemoved.await(), ofViewer.await(), ofOwner.await()]);
    expectStatus(200, await service.call('DELETE', `/v1/members/${removed.id}`, { token: owner.token }));
    const viewing = { token: owner.token, body: { role: 'viewer' } };
    expectStatus(200, await service.call('PATCH', `/v1/members/${viewer.id}`, viewing));
    await until(async () => (await waitingTries()).length === 1);
    await tryNow();
    await until(async () => (await waitingTries()).length === 0);
    await afterMore(owner.id, ofOwner);
    expect([ofRemoved.received.length, ofViewer.received.length]).toEqual([1, 1]);
  });

  it('of a member without the second factor that the business demands gets nothing, and no other is added', async () => {
    const owner = await businessOwner(service);
    const member = await newMember(service, mails, owner, 'developer');
    const [ofMember, ofOwner] = [await subscribed(member), await subscribed(owner)];
    const demand = (demanded: boolean, headers: Record<string, string> = {}) =>
      service.call('PUT', '/v1/members/two-factor', { token: owner.token, body: { demanded }, headers });
    const code = await withTwoFactor(service, owner);
    expectStatus(200, await demand(true, { 'x-totp-code': code }));
    await afterMore(owner.id, ofOwner);
    expect(ofMember.received).toEqual([]);
    expectStatus(403, await subscribe(member, pushes.browser()));

    expectStatus(200, await demand(false));
    expect(await endpointsOf(member)).toEqual([ofMember.endpoint]);
    await tell(owner.id);
    await ofMember.await();
  });
});

describe('a push', () => {
  it('that fails is tried five times, each later, and no sooner than the push service asks', async () => {
    const user = await service.signUp();
    const browser = await subscribed(user);
    browser.answer = { status: 500 };
    await tell(user.id);
    const waits: number[] = [];
    for (let tries = 1; tries < 5; tries += 1) {
      await browser.await(tries);
      if (tries === 3) browser.answer = { status: 429, headers: { 'retry-after': '3000' } };
      await until(async () => (await waitingTries()).length === 1);
      waits.push((await waitingTries())[0]!.seconds);
      await tryNow();
    }
    await browser.await(5);
    browser.answer = { status: 201 };
    expect(await waitingTries()).toEqual([]);
    expect(waits.map((seconds) => Math.round(seconds / 10) * 10)).toEqual([30, 120, 600, 3_000]);
    expect(await afterMore(user.id, browser)).toHaveLength(6);
  });

  it.each([400, 403, 413])('that is refused with %d is not tried again', async (status) => {
    const user = await service.signUp();
    const browser = await subscribed(user);
    browser.answer = { status };
    await tell(user.id);
    await browser.await();
    await service.settled();
    expect([await waitingTries(), await endpointsOf(user)]).toEqual([[], [browser.endpoint]]);
  });

  it('is one for more than three at once', async () => {
    const user = await service.signUp();
    const browser = await subscribed(user);
    await tell(user.id, 3);
    await browser.await(3);
    await tell(user.id, 4);
    const { title, path } = browser.read(await browser.await(4));
    expect([title, path]).toEqual(['4 new notifications', '/notifications']);
    await afterMore(user.id, browser).catch(() => undefined);
    expect(browser.received).toHaveLength(5);
  });

  it('is one of sixty an hour; the rest waits for the next', async () => {
    const user = await service.signUp();
    const browser = await subscribed(user);
    await service.query(`INSERT INTO push_budgets VALUES ($1, date_trunc('hour', clock_timestamp()), 59)`, [
      user.id,
    ]);
    await tell(user.id);
    await browser.await();
    await tell(user.id);
    const waiting = () =>
      service.query<{ id: string }>(`SELECT id FROM graphile_worker.jobs WHERE key = $1 AND run_at > now()`, [
        `notices.push ${user.id}`,
      ]);
    await until(async () => (await waiting()).length === 1);
    expect(browser.received).toHaveLength(1);
    await service.query(`UPDATE push_budgets SET hour = hour - interval '1 hour' WHERE user_id = $1`, [
      user.id,
    ]);
    await service.query(`SELECT graphile_worker.reschedule_jobs($1, run_at := now())`, [
      (await waiting()).map(({ id }) => id),
    ]);
    await browser.await(2);
  });

  it('is not sent of a kind that was switched off, though it is mailed', async () => {
    const user = await service.signUp();
    const browser = await subscribed(user);
    const choose = (body: object) =>
      service.call<{ data: { kind: string; mail: boolean; push: boolean }[] }>(
        'PUT',
        '/v1/notification-settings',
        {
          token: user.token,
          body,
        },
      );
    const { data } = expectStatus(
      200,
      await choose({ kind: 'webhook_endpoint.disabled', mail: true, push: false }),
    ).body;
    expect(data.find(({ kind }) => kind === 'webhook_endpoint.disabled')).toMatchObject({
      mail: true,
      push: false,
    });
    await tell(user.id, 1, {
      kind: 'webhook_endpoint.disabled',
      parts: { host: 'shop.example.ng', reason: 'dead' },
    });
    await mails.await(user.email);
    expect(await afterMore(user.id, browser)).toHaveLength(1);
    const kept = expectStatus(200, await choose({ kind: 'webhook_endpoint.disabled', mail: false })).body
      .data;
    expect(kept.find(({ kind }) => kind === 'webhook_endpoint.disabled')).toMatchObject({
      mail: false,
      push: false,
    });
  });
});

describe('in production', () => {
  it('a browser is at a public address, by https, and is not connected to elsewhere', async () => {
    const strict = await startService({ beside: service, env: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
    try {
      const { token } = await service.signUp();
      const browser = pushes.browser();
      for (const endpoint of [
        browser.endpoint,
        'https://127.0.0.1/push',
        'https://localhost/push',
        'http://93.184.215.14/',
      ])
        expectStatus(
          400,
          await strict.post('/v1/push-subscriptions', { token, body: { ...browser.subscription, endpoint } }),
        );
      expectStatus(
        201,
        await strict.post('/v1/push-subscriptions', {
          token,
          body: { ...browser.subscription, endpoint: 'https://93.184.215.14/push' },
        }),
      );
    } finally {
      await strict.close();
    }
  });
});

it('one key is made by replicas that start at once, and is stored sealed', async () => {
  await service.query('DELETE FROM push_keys');
  const ensure = (at: TestService) =>
    at.app.get<{ ensure(): Promise<void> }>(PushKeys, { strict: false }).ensure();
  await Promise.all([service, other, service, other].map(ensure));
  const keys = await service.query<{ public_key: string; sealed_private_key: string }>(
    'SELECT * FROM push_keys',
  );
  expect(keys).toHaveLength(1);
  expect(Buffer.from(keys[0]!.public_key, 'base64url')).toHaveLength(65);
  expect(Buffer.from(keys[0]!.sealed_private_key, 'base64')).toHaveLength(12 + 16 + 43);
});
