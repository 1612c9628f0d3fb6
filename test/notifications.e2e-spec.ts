import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SettlementFailed } from '../src/contexts/settlement/settlement.events.js';
import { Database } from '../src/platform/database/database.js';
import { Events } from '../src/platform/events/events.js';
import { kobo } from '../src/kernel/money.js';
import { isVerified, Receiver, verified } from './support/receiver.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
  until,
} from './support/service.js';

interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly events: string[];
  readonly walletIds: string[] | null;
  readonly status: string;
  readonly disabledReason: string | null;
  readonly disabledAt: string | null;
  readonly secret: string;
}

interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly event: string;
  readonly walletId: string | null;
  readonly isTest: boolean;
  readonly status: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
  readonly failureReason: string | null;
  readonly body: { event: string; data: Record<string, unknown> };
  readonly attempts: {
    at: string;
    statusCode: number | null;
    durationMs: number;
    response: string | null;
    error: string | null;
  }[];
}

interface ErrorBody {
  readonly error: { code: string; message: string; errors?: { field: string; message: string }[] };
}

const ALL = [
  'wallet.funded',
  'payment.approved',
  'payment.blocked',
  'payment.settled',
  'payment.refunded',
  'wallet.low_balance',
];
const NOBODY = randomUUID();

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService({ env: { WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2' } });
  receiver = await Receiver.start();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function subscribe(
  { token }: TestUser,
  path: string,
  fields: Record<string, unknown> = {},
): Promise<Endpoint> {
  const answer = await service.post<{ data: Endpoint }>('/v1/webhook-endpoints', {
    token,
    body: { url: receiver.url(path), ...fields },
  });
  return expectStatus(201, answer).body.data;
}

async function deliveriesOf(user: TestUser, { id }: Endpoint, query = ''): Promise<Delivery[]> {
  const path = `/v1/webhook-endpoints/${id}/deliveries${query}`;
  return expectStatus(200, await service.get<{ data: Delivery[] }>(path, { token: user.token })).body.data;
}

async function deliveryOf({ token }: TestUser, id: string): Promise<Delivery> {
  const answer = await service.get<{ data: Delivery }>(`/v1/webhook-deliveries/${id}`, { token });
  return expectStatus(200, answer).body.data;
}

async function endpointOf({ token }: TestUser, id: string): Promise<Endpoint> {
  const answer = await service.get<{ data: Endpoint }>(`/v1/webhook-endpoints/${id}`, { token });
  return expectStatus(200, answer).body.data;
}

/** The one delivery of an endpoint, once it is no longer pending. */
async function outcome(user: TestUser, endpoint: Endpoint): Promise<Delivery> {
  await until(async () => {
    const deliveries = await deliveriesOf(user, endpoint);
    return deliveries.length > 0 && deliveries.every(({ status }) => status !== 'pending');
  });
  const [delivery] = await deliveriesOf(user, endpoint);
  return deliveryOf(user, delivery!.id);
}

function sendTest({ token }: TestUser, { id }: Endpoint, body?: object) {
  return service.post<{ data: Delivery } & ErrorBody>(`/v1/webhook-endpoints/${id}/test`, { token, body });
}

/** A user with a wallet and one endpoint at a path that nobody else uses. */
async function subscriber(
  fields: Record<string, unknown> = {},
): Promise<{ user: TestUser; wallet: CreatedWallet; endpoint: Endpoint; path: string }> {
  const user = await service.signUp();
  const wallet = await service.createWallet(user);
  const path = `/${randomUUID()}`;
  return { user, wallet, endpoint: await subscribe(user, path, fields), path };
}

describe('wallet.funded', () => {
  it('reaches a receiver of the stock library within a second, exactly as specified', async () => {
    const { wallet, endpoint, path } = await subscriber();
    const before = Date.now();
    await service.topUp(wallet.id, 105_055);
    await until(() => Promise.resolve(receiver.at(path).length > 0), 2_000);
    const [received] = receiver.at(path);
    expect(received!.at - before).toBeLessThan(1_000);
    const body = verified(received!, endpoint.secret);
    expect(body).toEqual({
      event: 'wallet.funded',
      data: {
        walletId: wallet.id,
        amountCredited: 105_055,
        newBalance: 105_055,
        currency: 'NGN',
        fundedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect(received!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(isVerified(received!, endpoint.secret.replace(/.{5}$/, 'AAAA='))).toBe(false);
  });

  it('is sent once for a transfer that is delivered twice', async () => {
    const { wallet, path } = await subscriber();
    const reference = await service.topUp(wallet.id, 1_000);
    await service.topUp(wallet.id, 1_000, reference);
    await service.topUp(wallet.id, 2_000);
    await until(() => Promise.resolve(receiver.at(path).length >= 2));
    expect(
      receiver.at(path).map(({ body }) => (JSON.parse(body) as Delivery['body']).data['amountCredited']),
    ).toEqual([1_000, 2_000]);
  });
});

describe('the other events', () => {
  it('tell of approved, blocked and settled payments and of a balance that falls below its threshold', async () => {
    const { user, wallet, endpoint, path } = await subscriber({ events: ALL });
    await service.topUp(wallet.id, 50_000);
    const { body: set } = await service.call('PUT', `/v1/wallets/${wallet.id}/low-balance-threshold`, {
      token: user.token,
      body: { threshold: 40_000 },
    });
    expect(set).toEqual({ success: true, data: { walletId: wallet.id, threshold: 40_000 } });
    const at = await service.pay(wallet.key, { amount: 10_000, reason: 'one' });
    const below = await service.pay(wallet.key, { amount: 1, reason: 'two' });
    await service.pay(wallet.key, { amount: 1 });
    const blocked = await service.pay(wallet.key, { amount: 100_001 });
    await until(() => Promise.resolve(receiver.at(path).length >= 9));
    const bodies = receiver
      .at(path)
      .map((received) => verified(received, endpoint.secret) as Delivery['body']);
    const of = (event: string) => bodies.filter((body) => body.event === event).map(({ data }) => data);
    const payment = {
      walletId: wallet.id,
      currency: 'NGN',
      merchant: 'acme stores',
      merchantName: 'Acme Stores',
      recipientAccountNo: '0123456789',
      recipientBankCode: '058',
    };
    expect(of('payment.approved')).toHaveLength(3);
    expect(of('payment.approved')).toContainEqual({
      ...payment,
      transactionId: at.body.data.transaction.id,
      amount: 10_000,
      reason: 'one',
      approvedAt: at.body.data.transaction.createdAt,
    });
    expect(of('payment.blocked')).toEqual([
      {
        ...payment,
        transactionId: blocked.body.transactionId,
        amount: 100_001,
        reason: null,
        blockReason: 'SPEND_LIMIT_PER_TX_EXCEEDED',
        message: blocked.body.message,
        blockedAt: expect.any(String),
      },
    ]);
    expect(of('payment.settled')).toHaveLength(3);
    expect(of('payment.settled')).toContainEqual({
      transactionId: at.body.data.transaction.id,
      walletId: wallet.id,
      amount: 10_000,
      currency: 'NGN',
      settledAt: expect.any(String),
    });
    expect(of('wallet.low_balance')).toEqual([
      {
        walletId: wallet.id,
        threshold: 40_000,
        newBalance: 39_999,
        currency: 'NGN',
        transactionId: below.body.data.transaction.id,
        reachedAt: expect.any(String),
      },
    ]);
  });

  it('tell of a payment that the bank did not carry out', async () => {
    const { wallet, endpoint, path } = await subscriber({ events: ['payment.refunded'] });
    await service.topUp(wallet.id, 50_000);
    const paid = await service.pay(wallet.key, { amount: 20_000 });
    const { id, createdAt } = paid.body.data.transaction;
    const events = service.app.get(Events);
    await service.app.get(Database).transaction((tx) =>
      events.publish(
        [
          new SettlementFailed({
            reference: id,
            walletId: wallet.id,
            amount: kobo(20_000),
            approvedAt: createdAt,
            reason: 'no such account',
          }),
        ],
        tx,
      ),
    );
    await until(() => Promise.resolve(receiver.at(path).length > 0));
    expect(verified(receiver.at(path)[0]!, endpoint.secret)).toEqual({
      event: 'payment.refunded',
      data: {
        transactionId: id,
        walletId: wallet.id,
        amountRefunded: 20_000,
        newBalance: 50_000,
        currency: 'NGN',
        refundedAt: expect.any(String),
      },
    });
  });

  it('are sent only to who listens, for the wallets that were named', async () => {
    const { user, wallet, path: fundedOnly } = await subscriber();
    const other = await service.createWallet(user);
    await subscribe(user, `${fundedOnly}/other`, { walletIds: [other.id.toUpperCase()] });
    await subscribe(user, `${fundedOnly}/blocked`, { events: ['payment.blocked'] });
    await service.topUp(wallet.id, 5_000);
    await service.topUp(other.id, 6_000);
    await service.pay(wallet.key, { amount: 1_000 });
    await service.pay(wallet.key, { amount: 90_000 });
    await until(() => Promise.resolve(receiver.at(`${fundedOnly}/blocked`).length > 0));
    await until(() => Promise.resolve(receiver.at(fundedOnly).length > 1));
    const eventsAt = (path: string) =>
      receiver.at(path).map(({ body }) => (JSON.parse(body) as Delivery['body']).event);
    expect(eventsAt(fundedOnly)).toEqual(['wallet.funded', 'wallet.funded']);
    expect(eventsAt(`${fundedOnly}/other`)).toEqual(['wallet.funded']);
    expect(eventsAt(`${fundedOnly}/blocked`)).toEqual(['payment.blocked']);
  });

  it('leave a transaction that fails without a trace', async () => {
    const { user, wallet, endpoint } = await subscriber({ events: ALL });
    await service.topUp(wallet.id, 9_007_199_254_740_991);
    await service.topUp(wallet.id, 1);
    expect(await deliveriesOf(user, endpoint)).toHaveLength(1);
  });
});

describe('the threshold of a wallet', () => {
  it('is set, read and removed by the owner alone', async () => {
    const { user, wallet } = await subscriber();
    const path = `/v1/wallets/${wallet.id}/low-balance-threshold`;
    const put = (token: string, body: unknown) => service.call<ErrorBody>('PUT', path, { token, body });
    expect((await service.get(path, { token: user.token })).body).toEqual({
      success: true,
      data: { walletId: wallet.id, threshold: null },
    });
    expectStatus(200, await put(user.token, { threshold: 1 }));
    expectStatus(200, await put(user.token, { threshold: 2 }));
    expect((await service.get(path, { token: user.token })).body).toMatchObject({ data: { threshold: 2 } });
    for (const threshold of [0, -1, 1.5, '1', undefined]) {
      const { body } = expectStatus(400, await put(user.token, { threshold }));
      expect(body.error.errors?.[0]?.field).toBe('threshold');
    }
    const stranger = await service.signUp();
    expect((await put(stranger.token, { threshold: 1 })).body.error.code).toBe('WALLET_NOT_FOUND');
    expectStatus(404, await service.get(path, { token: stranger.token }));
    expectStatus(200, await put(user.token, { threshold: null }));
    expect((await service.get(path, { token: user.token })).body).toMatchObject({
      data: { threshold: null },
    });
  });
});

describe('an endpoint', () => {
  it('is made with its secret, which is shown then and never again, nor stored as it is', async () => {
    const user = await service.signUp();
    const { body } = expectStatus(
      201,
      await service.post<{ data: Endpoint }>('/v1/webhook-endpoints', {
        token: user.token,
        body: { url: ` ${receiver.url('/x')} `, description: ' Books ' },
      }),
    );
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.any(String),
        url: receiver.url('/x'),
        events: ['wallet.funded'],
        walletIds: null,
        description: 'Books',
        status: 'enabled',
        disabledReason: null,
        disabledAt: null,
        createdAt: expect.any(String),
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
    });
    const { secret, ...shown } = body.data;
    expect(await endpointOf(user, shown.id)).toEqual(shown);
    const { body: list } = await service.get('/v1/webhook-endpoints', { token: user.token });
    expect(list).toEqual({
      success: true,
      data: [shown],
      pagination: { page: 1, pageSize: 10, totalCount: 1, totalPages: 1 },
    });
    const [row] = await service.query<{ text: string }>(
      'SELECT e::text AS text FROM webhook_endpoints e WHERE id = $1',
      [shown.id],
    );
    expect(row!.text).not.toContain(secret.slice(6, 30));
  });

  it('is refused when its fields are wrong, with a message for each', async () => {
    const { token, id: userId } = await service.signUp();
    const wallet = await service.createWallet();
    const refused = async (body: unknown) => {
      const answer = await service.post<ErrorBody>('/v1/webhook-endpoints', { token, body });
      return { status: answer.status, ...answer.body.error };
    };
    const url = receiver.url('/');
    expect(await refused({})).toMatchObject({ status: 400, errors: [{ field: 'url' }] });
    for (const bad of [
      'nonsense',
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'data:text/plain,x',
      'http://user@example.com/',
      'http://:password@example.com/',
      'http://127.0.0.1:22/',
      'http://127.0.0.1:25/',
      'http://127.0.0.1:1023/',
      `http://example.com/${'x'.repeat(2_048)}`,
    ]) {
      expect(await refused({ url: bad })).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        errors: [{ field: 'url', message: expect.stringMatching(/^must/) }],
      });
    }
    for (const events of [[], ['wallet.closed'], ['wallet.funded', 'wallet.funded'], 'wallet.funded', [1]]) {
      expect(await refused({ url, events })).toMatchObject({ status: 400, errors: [{ field: 'events' }] });
    }
    for (const walletIds of [[], ['nonsense'], 'x', Array.from({ length: 101 }, () => NOBODY)]) {
      expect(await refused({ url, walletIds })).toMatchObject({
        status: 400,
        errors: [{ field: 'walletIds' }],
      });
    }
    expect(await refused({ url, description: 'x'.repeat(201) })).toMatchObject({
      status: 400,
      errors: [{ field: 'description' }],
    });
    for (const walletId of [wallet.id, NOBODY]) {
      expect(await refused({ url, walletIds: [walletId] })).toMatchObject({
        status: 404,
        code: 'WALLET_NOT_FOUND',
      });
    }
    expect(await service.query('SELECT 1 FROM webhook_endpoints WHERE user_id = $1', [userId])).toEqual([]);
  });

  it('is changed field by field, paused and resumed', async () => {
    const { user, wallet, endpoint, path } = await subscriber({ description: 'one' });
    const patch = (body: unknown) =>
      service.call<{ data: Endpoint }>('PATCH', `/v1/webhook-endpoints/${endpoint.id}`, {
        token: user.token,
        body,
      });
    expect((await patch({})).body.data).toMatchObject({ url: endpoint.url, description: 'one' });
    expect(
      (await patch({ url: receiver.url(`${path}/new`), walletIds: [wallet.id], description: null })).body
        .data,
    ).toMatchObject({ url: receiver.url(`${path}/new`), walletIds: [wallet.id], description: null });
    await service.topUp(wallet.id, 100);
    await until(() => Promise.resolve(receiver.at(`${path}/new`).length === 1));
    expect((await patch({ status: 'disabled', walletIds: null })).body.data).toMatchObject({
      status: 'disabled',
      walletIds: null,
      disabledReason: 'disabled by its owner',
      disabledAt: expect.any(String),
    });
    expect((await sendTest(user, endpoint)).body.error.code).toBe('WEBHOOK_ENDPOINT_DISABLED');
    await service.topUp(wallet.id, 200);
    expect((await patch({ status: 'enabled' })).body.data).toMatchObject({
      status: 'enabled',
      disabledReason: null,
      disabledAt: null,
    });
    await service.topUp(wallet.id, 300);
    await until(() => Promise.resolve(receiver.at(`${path}/new`).length === 2));
    expect(receiver.at(path)).toEqual([]);
    expectStatus(400, await patch({ status: 'broken' }));
    expectStatus(400, await patch({ url: 'http://127.0.0.1:23' }));
  });

  it('is deleted, and what was still to be sent with it', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    await service.topUp(wallet.id, 100);
    await until(() => Promise.resolve(receiver.at(path).length > 0));
    const [delivery] = await deliveriesOf(user, endpoint);
    const gone = (method: string, at: string) => service.call(method, at, { token: user.token });
    expectStatus(200, await gone('DELETE', `/v1/webhook-endpoints/${endpoint.id}`));
    expectStatus(404, await gone('DELETE', `/v1/webhook-endpoints/${endpoint.id}`));
    expectStatus(404, await gone('GET', `/v1/webhook-endpoints/${endpoint.id}/deliveries`));
    expectStatus(404, await gone('GET', `/v1/webhook-deliveries/${delivery!.id}`));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const count = receiver.at(path).length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(receiver.at(path)).toHaveLength(count);
  });

  it('is one of 50 at most, also when they are made at once', async () => {
    const user = await service.signUp();
    const answers = await Promise.all(
      Array.from({ length: 53 }, () =>
        service.post<ErrorBody>('/v1/webhook-endpoints', {
          token: user.token,
          body: { url: receiver.url('/many') },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array.from({ length: 3 }, () => [409, 'WEBHOOK_LIMIT_REACHED']),
    );
    const { body } = await service.get('/v1/webhook-endpoints?page=6', { token: user.token });
    expect(body).toMatchObject({ data: [], pagination: { totalCount: 50, totalPages: 5 } });
  });
});

describe('tenants', () => {
  it('see and touch nothing of each other', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    const stranger = await subscriber();
    await service.topUp(wallet.id, 100);
    await until(() => Promise.resolve(receiver.at(path).length > 0));
    const { id: deliveryId } = await outcome(user, endpoint);
    const routes: [string, string, unknown?][] = [
      ['GET', `/v1/webhook-endpoints/<endpoint>`],
      ['PATCH', `/v1/webhook-endpoints/<endpoint>`, { description: 'mine' }],
      ['DELETE', `/v1/webhook-endpoints/<endpoint>`],
      ['POST', `/v1/webhook-endpoints/<endpoint>/rotate-secret`],
      ['POST', `/v1/webhook-endpoints/<endpoint>/test`],
      ['POST', `/v1/webhook-endpoints/<endpoint>/recover`, { since: '2026-01-01T00:00:00Z' }],
      ['GET', `/v1/webhook-endpoints/<endpoint>/deliveries`],
      ['GET', `/v1/webhook-deliveries/<delivery>`],
      ['POST', `/v1/webhook-deliveries/<delivery>/replay`],
    ];
    for (const [method, route, body] of routes) {
      const ask = (own: string, token?: string) =>
        service.call<ErrorBody>(method, own, { token, ...(body !== undefined && { body }) });
      const foreign = await ask(
        route.replace('<endpoint>', endpoint.id).replace('<delivery>', deliveryId),
        stranger.user.token,
      );
      const unknown = await ask(route.replace(/<\w+>/, NOBODY), stranger.user.token);
      const nonsense = await ask(route.replace(/<\w+>/, "'"), stranger.user.token);
      expect([route, foreign.status]).toEqual([route, 404]);
      expect(foreign.body.error.code).toMatch(/^WEBHOOK_(ENDPOINT|DELIVERY)_NOT_FOUND$/);
      expect(unknown.body).toEqual(foreign.body);
      expect(nonsense.body).toEqual(foreign.body);
      const anonymous = await ask(route.replace('<endpoint>', endpoint.id).replace('<delivery>', deliveryId));
      expect([anonymous.status, anonymous.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    }
    const { body: list } = await service.get<{ data: Endpoint[] }>('/v1/webhook-endpoints', {
      token: stranger.user.token,
    });
    expect(list.data.map(({ id }) => id)).toEqual([stranger.endpoint.id]);
    expect(await endpointOf(user, endpoint.id)).toMatchObject({ description: null, status: 'enabled' });
    expect(receiver.at(stranger.path)).toEqual([]);
    expect(receiver.at(path)).toHaveLength(1);
  });
});

describe('a receiver that', () => {
  const SCHEDULE_TRIES = 4;

  it.each<[string, Parameters<Receiver['behave']>[1], object]>([
    ['answers 500', (answer) => answer.writeHead(500).end('broken'), { statusCode: 500, response: 'broken' }],
    ['answers 404', (answer) => answer.writeHead(404).end(), { statusCode: 404, response: '' }],
    [
      'resets the connection',
      (answer) => answer.destroy(),
      { statusCode: null, error: expect.stringMatching(/closed|reset/) },
    ],
    [
      'sends too many headers',
      (answer) => answer.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end(),
      { statusCode: null, error: expect.stringMatching(/headers/) },
    ],
  ])('%s gets every attempt of the schedule, and each is on record', async (_, behaviour, attempt) => {
    const { user, wallet, endpoint, path } = await subscriber();
    receiver.behave(path, behaviour);
    await service.topUp(wallet.id, 100);
    const delivery = await outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'failed', attemptCount: SCHEDULE_TRIES, nextAttemptAt: null });
    expect(delivery.failureReason).toBeTruthy();
    expect(delivery.attempts).toHaveLength(SCHEDULE_TRIES);
    for (const each of delivery.attempts) {
      expect(each).toMatchObject(attempt);
      expect(each.durationMs).toBeGreaterThanOrEqual(0);
    }
    const received = receiver.at(path);
    expect(received).toHaveLength(SCHEDULE_TRIES);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([delivery.webhookId]),
    );
    for (const each of received) expect(isVerified(each, endpoint.secret)).toBe(true);
    for (let i = 1; i < received.length; i += 1) {
      expect(received[i]!.at - received[i - 1]!.at).toBeGreaterThanOrEqual(150);
    }
  });

  it('refuses connections is tried like any other', async () => {
    const user = await service.signUp();
    const wallet = await service.createWallet(user);
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const endpoint = await subscribe(user, '/', { url: `http://127.0.0.1:${port}/` });
    await service.topUp(wallet.id, 100);
    const delivery = await outcome(user, endpoint);
    expect(delivery.attempts.map(({ error }) => error)).toEqual(
      Array.from({ length: SCHEDULE_TRIES }, () => 'the connection was refused (ECONNREFUSED)'),
    );
  });

  it('recovers is done with', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    receiver.behave(path, (answer, count) => answer.writeHead(count < 3 ? 503 : 204).end());
    await service.topUp(wallet.id, 100);
    const delivery = await outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 3, failureReason: null });
    expect(delivery.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 503, 204]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(receiver.at(path)).toHaveLength(3);
  });

  it('redirects is not followed', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    receiver.behave(path, (answer) =>
      answer.writeHead(302, { location: receiver.url(`${path}/secret`) }).end(),
    );
    await service.topUp(wallet.id, 100);
    const delivery = await outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'failed', failureReason: 'answered 302' });
    expect(receiver.at(`${path}/secret`)).toEqual([]);
  });

  it('says Retry-After is not asked earlier', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    receiver.behave(path, (answer, count) =>
      count === 1 ? answer.writeHead(429, { 'retry-after': '2' }).end() : answer.writeHead(200).end(),
    );
    await service.topUp(wallet.id, 100);
    expect(await outcome(user, endpoint)).toMatchObject({ status: 'succeeded', attemptCount: 2 });
    const [first, second] = receiver.at(path);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_990);
    expect(second!.at - first!.at).toBeLessThan(3_000);
  });

  it('is gone (410) is disabled at once, and its owner can see why', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    receiver.behave(path, (answer) => answer.writeHead(410).end());
    await service.topUp(wallet.id, 100);
    const delivery = await outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'failed', attemptCount: 1, failureReason: 'answered 410' });
    await until(async () => (await endpointOf(user, endpoint.id)).status === 'disabled');
    expect(await endpointOf(user, endpoint.id)).toMatchObject({
      disabledReason: 'the receiver answered 410 Gone',
      disabledAt: expect.any(String),
    });
    await service.topUp(wallet.id, 100);
    expect(await deliveriesOf(user, endpoint)).toHaveLength(1);
  });

  it('only failed for five days is disabled; one that succeeded in between is not', async () => {
    const long = await subscriber();
    const sporadic = await subscriber();
    for (const { path } of [long, sporadic]) receiver.behave(path, (answer) => answer.writeHead(500).end());
    await service.query(
      `UPDATE webhook_endpoints SET failing_since = now() - interval '5 days', last_failed_at = now() - interval '1 day'
        WHERE id = ANY ($1)`,
      [[long.endpoint.id, sporadic.endpoint.id]],
    );
    receiver.behave(sporadic.path, (answer) => answer.writeHead(200).end());
    await service.topUp(sporadic.wallet.id, 100);
    await outcome(sporadic.user, sporadic.endpoint);
    receiver.behave(sporadic.path, (answer) => answer.writeHead(500).end());
    await service.topUp(sporadic.wallet.id, 100);
    await service.topUp(long.wallet.id, 100);
    await until(async () => (await endpointOf(long.user, long.endpoint.id)).status === 'disabled');
    expect(await endpointOf(long.user, long.endpoint.id)).toMatchObject({
      disabledReason: 'every delivery failed for 5 days',
    });
    expect(await outcome(long.user, long.endpoint)).toMatchObject({ status: 'failed' });
    await outcome(sporadic.user, sporadic.endpoint);
    expect(await endpointOf(sporadic.user, sporadic.endpoint.id)).toMatchObject({ status: 'enabled' });
  });

  it('answers without an end is read to a bound, and only the beginning is kept', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    let written = 0;
    receiver.behave(path, (answer) => {
      answer.writeHead(200);
      const chunk = Buffer.alloc(16_384, 'x');
      const write = (): void => {
        while (!answer.destroyed && answer.write(chunk)) written += chunk.length;
        if (!answer.destroyed) answer.once('drain', write);
      };
      write();
    });
    await service.topUp(wallet.id, 100);
    const delivery = await outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 1 });
    expect(delivery.attempts[0]!.response).toBe('x'.repeat(1_024));
    expect(written).toBeLessThan(50_000_000);
  });

  it('answers what is no text is kept as text', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    receiver.behave(path, (answer) => answer.writeHead(200).end(Buffer.from([0, 0xff, 0x41])));
    await service.topUp(wallet.id, 100);
    expect((await outcome(user, endpoint)).attempts[0]!.response).toBe('\ufffd\ufffdA');
  });

  it('never answers delays nobody else', async () => {
    const { user, wallet, path } = await subscriber();
    receiver.behave(path, () => undefined);
    await subscribe(user, `${path}/well`);
    for (let i = 0; i < 20; i += 1) await service.topUp(wallet.id, 100);
    await until(() => Promise.resolve(receiver.at(`${path}/well`).length === 20), 1_500);
    expect(receiver.at(path).length).toBeLessThanOrEqual(8);
    receiver.behave(path, (answer) => answer.writeHead(200).end());
  });
});

describe('a secret', () => {
  it('that was rotated signs beside the new one, or no longer when that is asked for', async () => {
    const { user, endpoint, path } = await subscriber();
    const rotate = async (body?: object) =>
      expectStatus(
        200,
        await service.post<{ data: { secret: string; oldSecretsExpireAt: string | null } }>(
          `/v1/webhook-endpoints/${endpoint.id}/rotate-secret`,
          { token: user.token, body },
        ),
      ).body.data;
    const second = await rotate();
    expect(Date.parse(second.oldSecretsExpireAt!) - Date.now()).toBeGreaterThan(86_390_000);
    await sendTest(user, endpoint);
    await until(() => Promise.resolve(receiver.at(path).length === 1));
    const third = await rotate({ revokePrevious: true });
    expect(third.oldSecretsExpireAt).toBeNull();
    await sendTest(user, endpoint);
    await until(() => Promise.resolve(receiver.at(path).length === 2));
    const secrets = [endpoint.secret, second.secret, third.secret];
    expect(new Set(secrets).size).toBe(3);
    const good = receiver.at(path).map((each) => secrets.map((secret) => isVerified(each, secret)));
    expect(good).toEqual([
      [true, true, false],
      [false, false, true],
    ]);
  });

  it('cannot be rotated so often that old ones would be dropped unasked', async () => {
    const { user, endpoint } = await subscriber();
    const rotate = (body?: object) =>
      service.post<ErrorBody>(`/v1/webhook-endpoints/${endpoint.id}/rotate-secret`, {
        token: user.token,
        body,
      });
    for (let i = 0; i < 4; i += 1) expectStatus(200, await rotate());
    expect((await rotate()).body.error.code).toBe('WEBHOOK_LIMIT_REACHED');
    expectStatus(200, await rotate({ revokePrevious: true }));
    expectStatus(400, await rotate({ revokePrevious: 'yes' }));
  });
});

describe('deliveries', () => {
  it('are tested with an example of any event', async () => {
    const { user, endpoint, path } = await subscriber();
    for (const [i, event] of ALL.entries()) {
      const { body } = expectStatus(202, await sendTest(user, endpoint, { event }));
      expect(body.data).toMatchObject({ event, isTest: true, status: 'pending', attemptCount: 0 });
      await until(() => Promise.resolve(receiver.at(path).length === i + 1));
      expect(verified(receiver.at(path)[i]!, endpoint.secret).event).toBe(event);
    }
    expectStatus(400, await sendTest(user, endpoint, { event: 'nothing' }));
  });

  it('are listed newest first, by page, status and event', async () => {
    const { user, wallet, endpoint, path } = await subscriber({ events: ALL });
    await service.topUp(wallet.id, 100);
    await outcome(user, endpoint);
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    await service.pay(wallet.key, { amount: 200 });
    await outcome(user, endpoint);
    const ids = async (query: string) =>
      (await deliveriesOf(user, endpoint, query)).map(({ event }) => event);
    expect(await ids('')).toEqual(['payment.blocked', 'wallet.funded']);
    expect(await ids('?status=failed')).toEqual(['payment.blocked']);
    expect(await ids('?status=succeeded')).toEqual(['wallet.funded']);
    expect(await ids('?status=pending')).toEqual([]);
    expect(await ids('?event=wallet.funded&status=succeeded')).toEqual(['wallet.funded']);
    expect(await ids('?pageSize=1&page=2')).toEqual(['wallet.funded']);
    for (const query of ['status=lost', 'event=x', 'page=0', 'pageSize=x']) {
      const path = `/v1/webhook-endpoints/${endpoint.id}/deliveries?${query}`;
      expectStatus(400, await service.get(path, { token: user.token }));
    }
  });

  it('are replayed under the same id, with all their retries', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    await service.topUp(wallet.id, 100);
    const failed = await outcome(user, endpoint);
    receiver.behave(path, (answer, count) => answer.writeHead(count < 6 ? 500 : 200).end());
    const replay = () =>
      service.post<{ data: Delivery }>(`/v1/webhook-deliveries/${failed.id}/replay`, { token: user.token });
    expect(expectStatus(202, await replay()).body.data).toMatchObject({ id: failed.id, status: 'pending' });
    const done = await outcome(user, endpoint);
    expect(done).toMatchObject({ id: failed.id, status: 'succeeded', attemptCount: 6 });
    expect(done.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500, 500, 500, 200]);
    expectStatus(202, await replay());
    await until(() => Promise.resolve(receiver.at(path).length === 7));
    expect(new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.at(path).map(({ body }) => body)).size).toBe(1);
  });

  it('that failed are recovered all at once', async () => {
    const { user, wallet, endpoint, path } = await subscriber();
    await service.topUp(wallet.id, 1);
    await outcome(user, endpoint);
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    const since = new Date().toISOString();
    for (let i = 0; i < 5; i += 1) await service.topUp(wallet.id, 100);
    await outcome(user, endpoint);
    receiver.behave(path, (answer) => answer.writeHead(200).end());
    const recover = (from: string) =>
      service.post(`/v1/webhook-endpoints/${endpoint.id}/recover`, {
        token: user.token,
        body: { since: from },
      });
    expect((await recover(new Date(Date.now() + 60_000).toISOString())).body).toEqual({
      success: true,
      data: { recovered: 0 },
    });
    expect(expectStatus(202, await recover(since)).body).toEqual({ success: true, data: { recovered: 5 } });
    await until(async () => (await deliveriesOf(user, endpoint, '?status=succeeded')).length === 6);
    expectStatus(400, await recover('yesterday'));
  });
});

describe('two replicas', () => {
  it('share the work and send nothing twice', async () => {
    const second = await startService({ beside: service, env: { WEBHOOK_RETRY_SECONDS: '1' } });
    try {
      const { wallet, path } = await subscriber();
      // Ten at a time: more at once on one wallet may be answered OVERLOADED on a slow machine, and rightly so.
      for (let i = 0; i < 20; i += 1) {
        await Promise.all(Array.from({ length: 10 }, () => service.topUp(wallet.id, 100)));
      }
      await until(async () => {
        const open = await service.query(
          `SELECT 1 FROM webhook_deliveries WHERE wallet_id = $1 AND (status = 'pending' OR claim IS NOT NULL)`,
          [wallet.id],
        );
        return open.length === 0;
      }, 25_000);
      const ids = receiver.at(path).map(({ headers }) => headers['webhook-id']);
      expect(ids).toHaveLength(200);
      expect(new Set(ids).size).toBe(200);
    } finally {
      await second.close();
    }
  });
});
