import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { isSigned, isVerified, type Receiver } from '../support/receiver.js';
import { expectStatus, type TestService, until } from '../support/service.js';
import { type Endpoint, type ErrorBody, Subscribers } from '../support/subscribers.js';

/** The endpoints of webhooks, their secrets, and whose they are. */

const NOBODY = randomUUID();

let hooks: Subscribers;
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  hooks = await Subscribers.start();
  ({ service, receiver } = hooks);
});
afterAll(() => hooks.close());

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
    const { secret, ...made } = body.data;
    const health = {
      attempted: 0,
      succeeded: 0,
      lastFailedAt: null,
      lastFailureReason: null,
      nextRetryAt: null,
      failingSince: null,
    };
    const shown = { ...made, health };
    expect(await hooks.endpointOf(user, made.id)).toEqual(shown);
    const { body: list } = await service.get('/v1/webhook-endpoints', { token: user.token });
    expect(list).toEqual({
      success: true,
      data: [shown],
      pagination: { page: 1, pageSize: 10, totalCount: 1, totalPages: 1 },
    });
    const [row] = await service.query<{ text: string }>(
      'SELECT e::text AS text FROM webhook_endpoints e WHERE id = $1',
      [made.id],
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

  it('is measured as it is stored: what is accepted can be sent to', async () => {
    const { user, endpoint } = await hooks.subscriber();
    // Each é is stored as six characters.
    const short = receiver.url(`/${randomUUID()}/${'é'.repeat(300)}/`);
    const sized = (length: number) => short + 'x'.repeat(length - new URL(short).href.length);
    const ask = (method: string, path: string, length: number) =>
      service.call<ErrorBody & { data: Endpoint }>(method, `/v1/webhook-endpoints${path}`, {
        token: user.token,
        body: { url: sized(length) },
      });
    for (const answer of [await ask('POST', '', 2_049), await ask('PATCH', `/${endpoint.id}`, 2_049)]) {
      expect(expectStatus(400, answer).body.error.errors![0]!.message).toContain('2048 characters');
    }
    expectStatus(200, await ask('PATCH', `/${endpoint.id}`, 2_048));
    const made = expectStatus(201, await ask('POST', '', 2_048)).body.data;
    for (const each of [made, endpoint]) {
      expectStatus(202, await hooks.sendTest(user, each));
      expect(await hooks.outcome(user, each)).toMatchObject({ status: 'succeeded' });
    }
  });

  it('is changed field by field, paused and resumed', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber({ description: 'one' });
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
    expect((await hooks.sendTest(user, endpoint)).body.error.code).toBe('WEBHOOK_ENDPOINT_DISABLED');
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
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    await service.topUp(wallet.id, 100);
    await until(() => Promise.resolve(receiver.at(path).length > 0));
    const [delivery] = await hooks.deliveriesOf(user, endpoint);
    const gone = (method: string, at: string) => service.call(method, at, { token: user.token });
    expectStatus(200, await gone('DELETE', `/v1/webhook-endpoints/${endpoint.id}`));
    const kept = await service.query('SELECT secrets FROM webhook_endpoints WHERE id = $1', [endpoint.id]);
    expect(kept).toEqual([{ secrets: [] }]);
    const written = () =>
      service.query('SELECT 1 FROM webhook_deliveries WHERE endpoint_id = $1', [endpoint.id]);
    const before = (await written()).length;
    await service.topUp(wallet.id, 100);
    expect(await written()).toHaveLength(before);
    expectStatus(404, await gone('DELETE', `/v1/webhook-endpoints/${endpoint.id}`));
    expectStatus(404, await gone('GET', `/v1/webhook-endpoints/${endpoint.id}/deliveries`));
    expectStatus(404, await gone('GET', `/v1/webhook-deliveries/${delivery!.id}`));
    // What was under way has arrived when a later delivery has; nothing follows while that one is tried to its end.
    const later = await hooks.subscriber();
    receiver.behave(later.path, (answer) => answer.writeHead(500).end());
    await service.topUp(later.wallet.id, 100);
    await until(() => Promise.resolve(receiver.at(later.path).length > 0));
    const count = receiver.at(path).length;
    await hooks.outcome(later.user, later.endpoint);
    expect(receiver.at(path)).toHaveLength(count);
  });

  it('is one of 50 at most, also when they are made at once', async () => {
    const user = await service.signUp();
    const atOnce = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          service.post<ErrorBody & { data: Endpoint }>('/v1/webhook-endpoints', {
            token: user.token,
            body: { url: receiver.url('/many') },
          }),
        ),
      );
    const answers = [...(await atOnce(20)), ...(await atOnce(20)), ...(await atOnce(13))];
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array.from({ length: 3 }, () => [409, 'WEBHOOK_LIMIT_REACHED']),
    );
    const { body } = await service.get('/v1/webhook-endpoints?page=6', { token: user.token });
    expect(body).toMatchObject({ data: [], pagination: { totalCount: 50, totalPages: 5 } });
    const { id } = answers.find(({ status }) => status === 201)!.body.data;
    const make = async () =>
      (
        await service.post('/v1/webhook-endpoints', {
          token: user.token,
          body: { url: receiver.url('/one-more') },
        })
      ).status;
    expect(await make()).toBe(409);
    // One that is deleted leaves its place.
    expectStatus(200, await service.call('DELETE', `/v1/webhook-endpoints/${id}`, { token: user.token }));
    expect([await make(), await make()]).toEqual([201, 409]);
  });
});

describe('tenants', () => {
  it('see and touch nothing of each other', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    const stranger = await hooks.subscriber();
    await service.topUp(wallet.id, 100);
    await until(() => Promise.resolve(receiver.at(path).length > 0));
    const { id: deliveryId } = await hooks.outcome(user, endpoint);
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
    expect(await hooks.endpointOf(user, endpoint.id)).toMatchObject({ description: null, status: 'enabled' });
    expect(receiver.at(stranger.path)).toEqual([]);
    expect(receiver.at(path)).toHaveLength(1);
  });
});

describe('a secret', () => {
  it('that was rotated signs beside the new one, or no longer when that is asked for', async () => {
    const { user, endpoint, path } = await hooks.subscriber();
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
    await hooks.sendTest(user, endpoint);
    await until(() => Promise.resolve(receiver.at(path).length === 1));
    const third = await rotate({ revokePrevious: true });
    expect(third.oldSecretsExpireAt).toBeNull();
    await hooks.sendTest(user, endpoint);
    await until(() => Promise.resolve(receiver.at(path).length === 2));
    const secrets = [endpoint.secret, second.secret, third.secret];
    expect(new Set(secrets).size).toBe(3);
    const good = receiver.at(path).map((each) => secrets.map((secret) => isVerified(each, secret)));
    expect(good).toEqual([
      [true, true, false],
      [false, false, true],
    ]);
  });

  it('that was rotated ends by the clock of the database, also where that is two days off', async () => {
    const off = await Subscribers.start({ clock: true });
    const { user, endpoint, path } = await off.subscriber();
    const rotatedMs = Date.now() - 48 * 60 * 60 * 1_000;
    const endMs = rotatedMs + 24 * 60 * 60 * 1_000;
    await off.service.setClock(new Date(rotatedMs));
    const { secret, oldSecretsExpireAt } = expectStatus(
      200,
      await off.service.post<{ data: { secret: string; oldSecretsExpireAt: string } }>(
        `/v1/webhook-endpoints/${endpoint.id}/rotate-secret`,
        { token: user.token },
      ),
    ).body.data;
    expect(oldSecretsExpireAt).toBe(new Date(endMs).toISOString());
    const signedWith = async (): Promise<boolean[]> => {
      const { webhookId } = expectStatus(202, await off.sendTest(user, endpoint)).body.data;
      const sent = () => off.receiver.at(path).find(({ headers }) => headers['webhook-id'] === webhookId);
      await until(() => Promise.resolve(sent() !== undefined));
      return [endpoint.secret, secret].map((each) => isSigned(sent()!, each));
    };
    await off.service.setClock(new Date(endMs - 1));
    expect(await signedWith()).toEqual([true, true]);
    await off.service.setClock(new Date(endMs));
    expect(await signedWith()).toEqual([false, true]);
    await off.close();
  });

  it('that was made beside another at once signs like it: of two rotations none is lost', async () => {
    const { user, endpoint, path } = await hooks.subscriber();
    // Both are held at the endpoint, so that neither can be done before the other begins.
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [endpoint.id]);
    const rotating = Promise.all(
      [1, 2].map(() =>
        service.post<{ data: { secret: string } }>(`/v1/webhook-endpoints/${endpoint.id}/rotate-secret`, {
          token: user.token,
        }),
      ),
    );
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await service.query(waiting)).length === 2);
    await holder.query('COMMIT');
    await holder.end();
    const rotated = await rotating;
    await hooks.sendTest(user, endpoint);
    await until(() => Promise.resolve(receiver.at(path).length === 1));
    const secrets = [endpoint.secret, ...rotated.map((each) => expectStatus(200, each).body.data.secret)];
    expect(secrets.map((secret) => isVerified(receiver.at(path)[0]!, secret))).toEqual([true, true, true]);
  });

  it('cannot be rotated so often that old ones would be dropped unasked', async () => {
    const { user, endpoint } = await hooks.subscriber();
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
