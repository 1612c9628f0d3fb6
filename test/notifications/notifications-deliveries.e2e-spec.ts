import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DeliveryQueueStore } from '../../src/contexts/notifications/deliveries/delivery-queue.store.js';
import { isVerified, type Receiver, verified } from '../support/receiver.js';
import { expectStatus, startService, type TestService, until } from '../support/service.js';
import { ALL_EVENTS, type Delivery, Subscribers } from '../support/subscribers.js';

/** Receivers of every kind, and what becomes of the deliveries to them. */

let hooks: Subscribers;
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  hooks = await Subscribers.start();
  ({ service, receiver } = hooks);
});
afterAll(() => hooks.close());

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
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, behaviour);
    await service.topUp(wallet.id, 100);
    const delivery = await hooks.outcome(user, endpoint);
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
    const endpoint = await hooks.subscribe(user, '/', { url: `http://127.0.0.1:${port}/` });
    await service.topUp(wallet.id, 100);
    const delivery = await hooks.outcome(user, endpoint);
    expect(delivery.attempts.map(({ error }) => error)).toEqual(
      Array.from({ length: SCHEDULE_TRIES }, () => 'the connection was refused (ECONNREFUSED)'),
    );
  });

  it('recovers is done with', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, (answer, count) => answer.writeHead(count < 3 ? 503 : 204).end());
    await service.topUp(wallet.id, 100);
    const delivery = await hooks.outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 3, failureReason: null });
    expect(delivery.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 503, 204]);
    // The next one takes as long; the first is not sent again meanwhile.
    receiver.behave(path, (answer, count) => answer.writeHead(count < 6 ? 503 : 204).end());
    await service.topUp(wallet.id, 200);
    await hooks.outcome(user, endpoint);
    const sent = receiver.at(path).filter(({ headers }) => headers['webhook-id'] === delivery.webhookId);
    expect([sent.length, receiver.at(path).length]).toEqual([3, 6]);
  });

  it('redirects is not followed', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, (answer) =>
      answer.writeHead(302, { location: receiver.url(`${path}/secret`) }).end(),
    );
    await service.topUp(wallet.id, 100);
    const delivery = await hooks.outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'failed', failureReason: 'answered 302' });
    expect(receiver.at(`${path}/secret`)).toEqual([]);
  });

  it('says Retry-After is not asked earlier', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, (answer, count) =>
      count === 1 ? answer.writeHead(429, { 'retry-after': '1' }).end() : answer.writeHead(200).end(),
    );
    await service.topUp(wallet.id, 100);
    expect(await hooks.outcome(user, endpoint)).toMatchObject({ status: 'succeeded', attemptCount: 2 });
    const [first, second] = receiver.at(path);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
  });

  it('is gone (410) is disabled at once, and its owner can see why', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, (answer) => answer.writeHead(410).end());
    await service.topUp(wallet.id, 100);
    const delivery = await hooks.outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'failed', attemptCount: 1, failureReason: 'answered 410' });
    await until(async () => (await hooks.endpointOf(user, endpoint.id)).status === 'disabled');
    expect(await hooks.endpointOf(user, endpoint.id)).toMatchObject({
      disabledReason: 'the receiver answered 410 Gone',
      disabledAt: expect.any(String),
    });
    await service.topUp(wallet.id, 100);
    expect(await hooks.deliveriesOf(user, endpoint)).toHaveLength(1);
  });

  it('is gone (410) is given up with all that waits, however much it is', async () => {
    const { wallet, endpoint, path } = await hooks.subscriber();
    await service.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, next_attempt_at, created_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), 'wallet.funded', '{}', now() + interval '1 hour', now()
         FROM generate_series(1, 4500)`,
      [endpoint.id],
    );
    receiver.behave(path, (answer) => answer.writeHead(410).end());
    await service.topUp(wallet.id, 100);
    const waiting = `SELECT FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'pending' LIMIT 1`;
    await until(async () => (await service.query(waiting, [endpoint.id])).length === 0);
  });

  it('is gone (410) disables no endpoint that has another URL by then', async () => {
    const { user, endpoint } = await hooks.subscriber();
    const queue = service.app.get(DeliveryQueueStore, { strict: false });
    const gone = 'the receiver answered 410 Gone';
    expect(await queue.disableEndpoint(endpoint.id, gone, `${endpoint.url}/before`)).toBe(false);
    expect((await hooks.endpointOf(user, endpoint.id)).status).toBe('enabled');
    expect(await queue.disableEndpoint(endpoint.id, gone, endpoint.url)).toBe(true);
    expect(await hooks.endpointOf(user, endpoint.id)).toMatchObject({
      status: 'disabled',
      disabledReason: gone,
    });
  });

  it('only failed for five days is disabled; one that succeeded in between is not', async () => {
    const long = await hooks.subscriber();
    const sporadic = await hooks.subscriber();
    for (const { path } of [long, sporadic]) receiver.behave(path, (answer) => answer.writeHead(500).end());
    await service.query(
      `UPDATE webhook_endpoints SET failing_since = now() - interval '5 days', last_failed_at = now() - interval '1 day'
        WHERE id = ANY ($1)`,
      [[long.endpoint.id, sporadic.endpoint.id]],
    );
    receiver.behave(sporadic.path, (answer) => answer.writeHead(200).end());
    await service.topUp(sporadic.wallet.id, 100);
    await hooks.outcome(sporadic.user, sporadic.endpoint);
    receiver.behave(sporadic.path, (answer) => answer.writeHead(500).end());
    await service.topUp(sporadic.wallet.id, 100);
    await service.topUp(long.wallet.id, 100);
    await until(async () => (await hooks.endpointOf(long.user, long.endpoint.id)).status === 'disabled');
    expect(await hooks.endpointOf(long.user, long.endpoint.id)).toMatchObject({
      disabledReason: 'every delivery failed for 5 days',
    });
    expect(await hooks.outcome(long.user, long.endpoint)).toMatchObject({ status: 'failed' });
    await hooks.outcome(sporadic.user, sporadic.endpoint);
    expect(await hooks.endpointOf(sporadic.user, sporadic.endpoint.id)).toMatchObject({ status: 'enabled' });
  });

  it('moved after it failed for five days is not disabled for what failed at the URL before', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    await service.query(
      `UPDATE webhook_endpoints SET failing_since = now() - interval '5 days', last_failed_at = now() - interval '1 day'
        WHERE id = $1`,
      [endpoint.id],
    );
    const url = receiver.url(`${path}/moved`);
    receiver.behave(`${path}/moved`, (answer) => answer.writeHead(500).end());
    expectStatus(
      200,
      await service.call('PATCH', `/v1/webhook-endpoints/${endpoint.id}`, {
        token: user.token,
        body: { url },
      }),
    );
    await service.topUp(wallet.id, 100);
    await hooks.outcome(user, endpoint);
    expect(await hooks.endpointOf(user, endpoint.id)).toMatchObject({ status: 'enabled', url });
  });

  it('answers without an end is read to a bound, and only the beginning is kept', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
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
    const delivery = await hooks.outcome(user, endpoint);
    expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 1 });
    expect(delivery.attempts[0]!.response).toBe('x'.repeat(1_024));
    expect(written).toBeLessThan(50_000_000);
  });

  it('answers what is no text is kept as text', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, (answer) => answer.writeHead(200).end(Buffer.from([0, 0xff, 0x41])));
    await service.topUp(wallet.id, 100);
    expect((await hooks.outcome(user, endpoint)).attempts[0]!.response).toBe('\ufffd\ufffdA');
  });

  it('never answers delays no other endpoint', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, () => undefined);
    await hooks.subscribe(user, `${path}/well`);
    for (let i = 0; i < 20; i += 1) await service.topUp(wallet.id, 100);
    await until(() => Promise.resolve(receiver.at(`${path}/well`).length === 20));
    expect(receiver.at(path).length).toBeLessThanOrEqual(8);
    // No call to the silent one has been given up yet, so nobody has waited for one.
    const silent = await hooks.deliveriesOf(user, endpoint, '?pageSize=20');
    expect(silent.map(({ attemptCount }) => attemptCount)).toEqual(Array<number>(20).fill(0));
    receiver.behave(path, (answer) => answer.writeHead(200).end());
  });
});

describe('deliveries', () => {
  it('are tested with an example of any event', async () => {
    const { user, endpoint, path } = await hooks.subscriber();
    for (const [i, event] of ALL_EVENTS.entries()) {
      const { body } = expectStatus(202, await hooks.sendTest(user, endpoint, { event }));
      expect(body.data).toMatchObject({ event, isTest: true, status: 'pending', attemptCount: 0 });
      await until(() => Promise.resolve(receiver.at(path).length === i + 1));
      expect(verified(receiver.at(path)[i]!, endpoint.secret).event).toBe(event);
    }
    expectStatus(400, await hooks.sendTest(user, endpoint, { event: 'nothing' }));
  });

  it('are listed newest first, by page, status and event', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber({ events: ALL_EVENTS });
    await service.topUp(wallet.id, 100);
    await hooks.outcome(user, endpoint);
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    await service.pay(wallet.key, { amount: 200 });
    await hooks.outcome(user, endpoint);
    const ids = async (query: string) =>
      (await hooks.deliveriesOf(user, endpoint, query)).map(({ event }) => event);
    expect(await ids('')).toEqual(['payment.blocked', 'wallet.funded']);
    expect(await ids('?status=failed')).toEqual(['payment.blocked']);
    expect(await ids('?status=succeeded')).toEqual(['wallet.funded']);
    expect(await ids('?status=pending')).toEqual([]);
    expect(await ids('?event=wallet.funded&status=succeeded')).toEqual(['wallet.funded']);
    expect(await ids('?pageSize=1&page=2')).toEqual(['wallet.funded']);
    const counts = async (query: string) => {
      const path = `/v1/webhook-endpoints/${endpoint.id}/deliveries?pageSize=1${query}`;
      const { token } = user;
      const { body } = await service.get<{ counts: object; pagination: { totalCount: number } }>(path, {
        token,
      });
      return [body.pagination.totalCount, body.counts];
    };
    expect(await counts('')).toEqual([2, { pending: 0, succeeded: 1, failed: 1 }]);
    expect(await counts('&status=pending')).toEqual([0, { pending: 0, succeeded: 1, failed: 1 }]);
    expect(await counts('&event=wallet.funded')).toEqual([1, { pending: 0, succeeded: 1, failed: 0 }]);
    for (const query of ['status=lost', 'event=x', 'page=0', 'pageSize=x']) {
      const path = `/v1/webhook-endpoints/${endpoint.id}/deliveries?${query}`;
      expectStatus(400, await service.get(path, { token: user.token }));
    }
  });

  it('are replayed under the same id, with all their retries', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    await service.topUp(wallet.id, 100);
    const failed = await hooks.outcome(user, endpoint);
    receiver.behave(path, (answer, count) => answer.writeHead(count < 6 ? 500 : 200).end());
    const replay = () =>
      service.post<{ data: Delivery }>(`/v1/webhook-deliveries/${failed.id}/replay`, { token: user.token });
    expect(expectStatus(202, await replay()).body.data).toMatchObject({ id: failed.id, status: 'pending' });
    const done = await hooks.outcome(user, endpoint);
    expect(done).toMatchObject({ id: failed.id, status: 'succeeded', attemptCount: 6 });
    expect(done.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500, 500, 500, 200]);
    expectStatus(202, await replay());
    await until(() => Promise.resolve(receiver.at(path).length === 7));
    expect(new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.at(path).map(({ body }) => body)).size).toBe(1);
  });

  it('that failed are recovered all at once', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    await service.topUp(wallet.id, 1);
    await hooks.outcome(user, endpoint);
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    const since = new Date().toISOString();
    for (let i = 0; i < 5; i += 1) await service.topUp(wallet.id, 100);
    await hooks.outcome(user, endpoint);
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
    await until(async () => (await hooks.deliveriesOf(user, endpoint, '?status=succeeded')).length === 6);
    expectStatus(400, await recover('yesterday'));
  });
});

describe('two replicas', () => {
  it('share the work and send nothing twice', async () => {
    const second = await startService({ beside: service, env: { WEBHOOK_RETRY_SECONDS: '1' } });
    try {
      const { wallet, path } = await hooks.subscriber();
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

  it('keep what the other is sending: a late answer is put on record, and moves nothing', async () => {
    const { wallet, path } = await hooks.subscriber();
    const late: ServerResponse[] = [];
    receiver.behave(path, (answer) => late.push(answer));
    await service.topUp(wallet.id, 100);
    await until(() => Promise.resolve(late.length === 1));
    // As another replica leaves it that finds the claim run out: the attempt is lost, and a new one under way.
    const claim = randomUUID();
    await service.query(
      `WITH lost AS (SELECT id, claim FROM webhook_deliveries WHERE wallet_id = $1),
            noted AS (INSERT INTO webhook_attempts (delivery_id, id, at, error) SELECT id, claim, now(), 'lost' FROM lost)
       UPDATE webhook_deliveries SET claim = $2, attempts = 1, claimed_at = now() + interval '1 hour'
        WHERE wallet_id = $1`,
      [wallet.id, claim],
    );
    late[0]?.writeHead(200).end('late');
    const read = () =>
      service.query<{ statusCode: number | null }>(
        `SELECT d.status, d.claim, d.attempts, d.tries, a.status_code AS "statusCode", a.response, a.error
           FROM webhook_deliveries d JOIN webhook_attempts a ON a.delivery_id = d.id WHERE d.wallet_id = $1`,
        [wallet.id],
      );
    await until(async () => (await read()).some(({ statusCode }) => statusCode !== null));
    expect(await read()).toEqual([
      { status: 'pending', claim, attempts: 1, tries: 0, statusCode: 200, response: 'late', error: null },
    ]);
    await service.query(
      `UPDATE webhook_deliveries SET status = 'failed', claim = NULL, claimed_at = NULL, finished_at = now()
        WHERE wallet_id = $1`,
      [wallet.id],
    );
  });

  it('find what another one has made due, also after nothing was pending', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    await service.topUp(wallet.id, 100);
    const { id } = await hooks.outcome(user, endpoint);
    const due = jest.spyOn(DeliveryQueueStore.prototype, 'due');
    await until(async () => {
      const last = due.mock.results.at(-1)?.value as ReturnType<DeliveryQueueStore['due']> | undefined;
      return (await last)?.isAnyPending === false;
    });
    // As the commit of another replica leaves it, of which this one is not told.
    await service.query(
      `UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = now(), finished_at = NULL WHERE id = $1`,
      [id],
    );
    await until(() => Promise.resolve(receiver.at(path).length === 2));
    expect(new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });
});
