import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { leastIdAt } from '../../src/kernel/ids.ts';
import { DeliveryQueueStore } from '../../src/contexts/notifications/deliveries/delivery-queue.store.js';
import { Receiver } from '../support/receiver.js';
import {
  type Answer,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
} from '../support/service.js';

interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly status: string;
}
interface ErrorBody {
  readonly error: { code: string; message: string; errors?: { field: string; message: string }[] };
}

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const DAY = 24 * 60 * 60 * 1_000;

function subscribe(
  { token }: TestUser,
  url: string,
  to = service,
): Promise<Answer<{ data: Endpoint } & ErrorBody>> {
  return to.post('/v1/webhook-endpoints', { token, body: { url } });
}

async function newEndpoint(user: TestUser): Promise<Endpoint> {
  return expectStatus(201, await subscribe(user, receiver.url(`/${randomUUID()}`))).body.data;
}

const sendTest = ({ token }: TestUser, { id }: Endpoint, body?: unknown) =>
  service.post<ErrorBody>(`/v1/webhook-endpoints/${id}/test`, { token, body });

const endpointOf = async ({ token }: TestUser, id: string): Promise<Endpoint> =>
  expectStatus(200, await service.get<{ data: Endpoint }>(`/v1/webhook-endpoints/${id}`, { token })).body
    .data;

const codes = (answers: readonly { status: number }[]): Record<number, number> => {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};

describe('tests of an endpoint', () => {
  it('are ten a minute to one endpoint, also when they are asked for at once', async () => {
    const user = await service.signUp();
    const [endpoint, other] = [await newEndpoint(user), await newEndpoint(user)];
    const answers = await Promise.all(Array.from({ length: 15 }, () => sendTest(user, endpoint)));
    expect(codes(answers)).toEqual({ 202: 10, 429: 5 });
    const refused = answers.find(({ status }) => status === 429);
    expect([refused?.body.error.code, refused?.headers['retry-after']]).toEqual(['RATE_LIMITED', '60']);
    expectStatus(202, await sendTest(user, other));
    await service.query(`UPDATE webhook_tests SET at = at - interval '61 seconds' WHERE endpoint_id = $1`, [
      endpoint.id,
    ]);
    expectStatus(202, await sendTest(user, endpoint));
  });

  it('are sixty an hour by one user, those to deleted endpoints included', async () => {
    const user = await service.signUp();
    for (let i = 0; i < 6; i += 1) {
      const endpoint = await newEndpoint(user);
      const answers = await Promise.all(Array.from({ length: 10 }, () => sendTest(user, endpoint)));
      expect(codes(answers)).toEqual({ 202: 10 });
      expectStatus(
        200,
        await service.call('DELETE', `/v1/webhook-endpoints/${endpoint.id}`, { token: user.token }),
      );
    }
    expectStatus(429, await sendTest(user, await newEndpoint(user)));
    const stranger = await service.signUp();
    expectStatus(202, await sendTest(stranger, await newEndpoint(stranger)));
  });
});

describe('an endpoint', () => {
  it.each([
    ['HTTP://EXAMPLE.com:80/a b', 'http://example.com/a%20b'],
    ['https://example.com\\hooks', 'https://example.com/hooks'],
    ['https://example.com/ho\r\noks', 'https://example.com/hooks'],
    ['https://example.com/a/../b', 'https://example.com/b'],
  ])('given as %j is stored as %s', async (given, stored) => {
    const user = await service.signUp();
    const { id, url } = expectStatus(201, await subscribe(user, given)).body.data;
    expect(url).toBe(stored);
    const changed = await service.call<{ data: Endpoint }>('PATCH', `/v1/webhook-endpoints/${id}`, {
      token: user.token,
      body: { url: given },
    });
    expect(expectStatus(200, changed).body.data.url).toBe(stored);
  });

  it.each(['rotate-secret', 'test'])('takes no body or an object at %s, and no null', async (route) => {
    const user = await service.signUp();
    const { id } = await newEndpoint(user);
    const send = (body?: unknown) =>
      service.post<ErrorBody>(`/v1/webhook-endpoints/${id}/${route}`, { token: user.token, body });
    expect((await send()).status).toBeLessThan(300);
    expect((await send({})).status).toBeLessThan(300);
    for (const body of ['null', '[]', '"x"', '1']) {
      expect([body, expectStatus(400, await send(body)).body.error.code]).toEqual([body, 'VALIDATION_ERROR']);
    }
  });

  it.each([
    ['two days without an attempt, and starts anew then', '2 days 1 minute', 'enabled'],
    ['almost two days without an attempt, and is disabled', '1 day 23 hours 59 minutes', 'disabled'],
  ])('that fails for five days may have %s', async (_, quiet, status) => {
    const user = await service.signUp();
    const { id } = await newEndpoint(user);
    // The dispatcher must not record a success of the test in between.
    receiver.behave(new URL((await endpointOf(user, id)).url).pathname, () => undefined);
    await service.query(
      `UPDATE webhook_endpoints SET failing_since = now() - interval '6 days', last_failed_at = now() - $2::interval
        WHERE id = $1`,
      [id, quiet],
    );
    const test = await service.post<{ data: { id: string } }>(`/v1/webhook-endpoints/${id}/test`, {
      token: user.token,
    });
    const queue = service.app.get(DeliveryQueueStore);
    const overdue = await queue.record([failedAttempt(id, expectStatus(202, test).body.data.id)]);
    expect(overdue).toEqual(status === 'disabled' ? [id] : []);
    const [row] = await service.query<{ isNew: boolean }>(
      `SELECT failing_since > now() - interval '1 minute' AS "isNew" FROM webhook_endpoints WHERE id = $1`,
      [id],
    );
    expect(row?.isNew).toBe(status === 'enabled');
  });
});

describe('old deliveries', () => {
  it('are deleted once they are finished, and kept while they are pending', async () => {
    const user = await service.signUp();
    const { id: endpointId } = await newEndpoint(user);
    const old = (ms: number) => leastIdAt(Date.now() - 31 * DAY + ms);
    const young = leastIdAt(Date.now() - 29 * DAY);
    const [finished, pending] = [old(1), old(2)];
    for (const [id, status] of [
      [finished, 'succeeded'],
      [pending, 'pending'],
      [young, 'failed'],
    ]) {
      await service.query(
        `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, status, next_attempt_at, finished_at,
           created_at)
         VALUES ($1, $2, $1, 'wallet.funded', '{}', $3, now() + interval '1 day',
                 CASE WHEN $3 <> 'pending' THEN now() END, now())`,
        [id, endpointId, status],
      );
    }
    for (const id of [finished, pending, young]) {
      await service.query(`INSERT INTO webhook_attempts (delivery_id, id, at) VALUES ($1, $1, now())`, [id]);
    }
    const floor = leastIdAt(Date.now() - 30 * DAY);
    expect(await service.app.get(DeliveryQueueStore).purgeBefore(floor, 100)).toBe(1);
    const left = await service.query<{ id: string }>(
      'SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY id',
      [endpointId],
    );
    expect(left.map(({ id }) => id)).toEqual([pending, young].sort());
    const attempts = await service.query<{ id: string }>(
      'SELECT id FROM webhook_attempts WHERE delivery_id = ANY ($1::uuid[]) ORDER BY id',
      [[finished, pending, young]],
    );
    expect(attempts.map(({ id }) => id)).toEqual([pending, young].sort());
  });

  it('are kept when they are sent again while the old ones are deleted', async () => {
    const { id: endpointId } = await newEndpoint(await service.signUp());
    const id = leastIdAt(Date.now() - 90 * DAY);
    await service.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, status, next_attempt_at, finished_at,
         created_at)
       VALUES ($1, $2, $1, 'wallet.funded', '{}', 'failed', now(), now(), now())`,
      [id, endpointId],
    );
    const resend = new pg.Client({ connectionString: service.databaseUrl });
    await resend.connect();
    await resend.query('BEGIN');
    await resend.query(
      `UPDATE webhook_deliveries SET status = 'pending', finished_at = NULL, next_attempt_at = now() + interval '1 day'
        WHERE id = $1`,
      [id],
    );
    const purged = service.app.get(DeliveryQueueStore).purgeBefore(leastIdAt(Date.now() - 80 * DAY), 100);
    await Promise.race([purged, sleep(300)]);
    await resend.query('COMMIT');
    await resend.end();
    expect(await purged).toBe(0);
    expect(await service.query('SELECT FROM webhook_deliveries WHERE id = $1', [id])).toHaveLength(1);
  });

  it('are deleted a bounded number at a time, over all endpoints', async () => {
    const user = await service.signUp();
    const floor = leastIdAt(Date.now() - 60 * DAY);
    for (const endpoint of [await newEndpoint(user), await newEndpoint(user)]) {
      await service.query(
        `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, status, next_attempt_at, finished_at,
           created_at)
         SELECT id::uuid, $1, id::uuid, 'wallet.funded', '{}', 'succeeded', now(), now(), now()
           FROM unnest($2::text[]) AS old (id)`,
        [endpoint.id, [1, 2].map((ms) => leastIdAt(Date.now() - 61 * DAY + ms))],
      );
    }
    const queue = service.app.get(DeliveryQueueStore);
    expect(await queue.purgeBefore(floor, 3)).toBe(3);
    expect(await queue.purgeBefore(floor, 3)).toBe(1);
    expect(await queue.purgeBefore(floor, 3)).toBe(0);
  });
});

describe('in production', () => {
  let production: TestService;
  beforeAll(async () => {
    production = await startService({
      env: {
        NODE_ENV: 'production',
        BANK_PROVIDER: 'sandbox',
        WEBHOOK_UNSIGNED: 'allow',
        JWT_SECRET: 'x'.repeat(32),
      },
    });
  });
  afterAll(() => production.close());

  it.each([
    ['http://example.com/hook', /https/],
    ['https://127.0.0.1/hook', /public internet/],
    ['https://[::1]/hook', /public internet/],
    ['https://10.0.0.7/hook', /public internet/],
    ['https://169.254.169.254/latest', /public internet/],
    ['https://localhost/hook', /public internet/],
    ['https://203.0.113.9:5432/', /databases/],
    ['https://198.51.100.7:6379/', /databases/],
    ['https://93.184.215.14:5432/', /5432/],
    ['https://93.184.215.14:6379/', /6379/],
    ['https://93.184.215.14:22/', /port/],
  ])('no endpoint is %s', async (url, why) => {
    const user = await production.signUp();
    const { body } = expectStatus(400, await subscribe(user, url, production));
    expect(body.error.errors?.[0]).toEqual({ field: 'url', message: expect.stringMatching(why) });
  });

  it('an endpoint on the public internet is taken', async () => {
    const user = await production.signUp();
    expectStatus(201, await subscribe(user, 'https://93.184.215.14:8443/hook', production));
  });
});

function failedAttempt(endpointId: string, deliveryId: string) {
  return {
    deliveryId,
    endpointId,
    claim: randomUUID(),
    attempt: {
      at: new Date(),
      durationMs: 1,
      statusCode: 500,
      response: '',
      error: null,
      retryAfterSeconds: null,
    },
    verdict: { status: 'pending', waitSeconds: 3_600 } as const,
  };
}
