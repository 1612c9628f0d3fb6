import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DeliveryQueueStore } from '../../src/contexts/notifications/deliveries/delivery-queue.store.js';
import { PaymentLoad } from '../../src/contexts/payments/payments.port.js';
import { newId } from '../../src/kernel/ids.ts';
import { Database } from '../../src/platform/database/database.js';
import { expectStatus, startService, type TestService, type TestUser, until } from '../support/service.js';

/** Who gets a delivery to send, asked of the queue itself: the service's own dispatcher finds nothing due. */

const LEASE_MS = 3_600_000;
const LONG_AGO = new Date(0);

let service: TestService;
let queue: DeliveryQueueStore;
let due: DeliveryQueueStore['due'];
let nothingDue: jest.SpiedFunction<DeliveryQueueStore['due']>;

beforeAll(async () => {
  const original = DeliveryQueueStore.prototype.due;
  due = (leaseMs) => original.call(queue, leaseMs);
  nothingDue = jest
    .spyOn(DeliveryQueueStore.prototype, 'due')
    .mockResolvedValue({ endpoints: [], isAnyPending: false });
  service = await startService();
  queue = service.app.get(DeliveryQueueStore);
});
afterAll(async () => {
  await service.close();
  nothingDue.mockRestore();
});

async function newEndpoint(): Promise<string> {
  const { token } = await service.signUp();
  const body = { url: 'http://127.0.0.1:8080/hook' };
  const answer = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', { token, body });
  return expectStatus(201, answer).body.data.id;
}

/** A pending delivery that has been due for so long, and was claimed so long ago, if at all. */
async function newDelivery(endpointId: string, dueSeconds: number, claimedSeconds?: number): Promise<string> {
  const id = newId();
  await service.query(
    `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, next_attempt_at, claim, claimed_at, created_at)
     VALUES ($1, $2, $1, 'wallet.funded', '{}', now() - $3 * interval '1 second', $4,
             now() - $5 * interval '1 second', now())`,
    [id, endpointId, dueSeconds, claimedSeconds === undefined ? null : randomUUID(), claimedSeconds],
  );
  return id;
}

async function claimed(endpointId: string, availableSlots: number, since = LONG_AGO): Promise<string[]> {
  const rows = await queue.claim([{ endpointId, availableSlots, since }], newId(), LEASE_MS);
  return rows.map(({ id }) => id).sort();
}

describe('what is still to be sent to an endpoint', () => {
  it('is given up with it, but for what another replica is sending', async () => {
    const endpoint = await newEndpoint();
    const neighbour = await newDelivery(await newEndpoint(), 20);
    const waiting = await newDelivery(endpoint, 20);
    const [theirs, ours] = [await newDelivery(endpoint, 20, 1), await newDelivery(endpoint, 20, 1)];
    const states = async () => {
      const rows = await service.query<{ id: string; status: string; isClaimed: boolean }>(
        `SELECT id, status, claim IS NOT NULL AS "isClaimed" FROM webhook_deliveries WHERE id = ANY ($1)`,
        [[neighbour, waiting, theirs, ours]],
      );
      return Object.fromEntries(rows.map((row) => [row.id, [row.status, row.isClaimed]]));
    };
    const sending = { [neighbour]: ['pending', false], [theirs]: ['pending', true] };
    expect(await queue.disableEndpoint(endpoint, 'the receiver answered 410 Gone', null)).toBe(true);
    expect(await states()).toEqual({ ...sending, [waiting]: ['failed', false], [ours]: ['pending', true] });
    const [claim] = await service.query<{ claim: string }>(
      'SELECT claim FROM webhook_deliveries WHERE id = $1',
      [ours],
    );
    await queue.cancelPending(endpoint, 'the endpoint is disabled', claim!.claim);
    expect(await states()).toEqual({ ...sending, [waiting]: ['failed', false], [ours]: ['failed', false] });
  });
});

describe('what is being sent', () => {
  it('is left to who sends it where its delivery is replayed, or all that failed are recovered', async () => {
    const { token } = await service.signUp();
    const body = { url: 'http://127.0.0.1:8080/hook' };
    const made = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', { token, body });
    const endpoint = expectStatus(201, made).body.data.id;
    const [sending, waiting] = [await newDelivery(endpoint, 20, 1), await newDelivery(endpoint, 20)];
    await service.query(
      'UPDATE webhook_deliveries SET tries = 2, last_attempt_at = now() WHERE endpoint_id = $1',
      [endpoint],
    );
    const stateOf = async (id: string) => {
      const [row] = await service.query<{ claim: string | null; tries: number }>(
        'SELECT claim, tries FROM webhook_deliveries WHERE id = $1',
        [id],
      );
      return row!;
    };
    const before = await stateOf(sending);
    expectStatus(202, await service.post(`/v1/webhook-deliveries/${sending}/replay`, { token }));
    expect(await stateOf(sending)).toEqual(before);
    const recovered = await service.post(`/v1/webhook-endpoints/${endpoint}/recover`, {
      token,
      body: { since: LONG_AGO.toISOString() },
    });
    expect(expectStatus(202, recovered).body).toMatchObject({ data: { recovered: 1 } });
    expect(await stateOf(sending)).toEqual(before);
    expect(await stateOf(waiting)).toEqual({ claim: null, tries: 0 });
  });
});

describe('what is still to be sent to an endpoint, or to be sent again, however much it is', () => {
  const MANY = 4_500;

  /** An endpoint of `user` with very many deliveries that failed once and are to be tried again in an hour. */
  async function failing({ token }: TestUser): Promise<string> {
    const body = { url: 'http://127.0.0.1:8080/hook' };
    const answer = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', { token, body });
    const { id } = expectStatus(201, answer).body.data;
    await service.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, next_attempt_at, tries, attempts,
         last_attempt_at, created_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), 'wallet.funded', '{}', now() + interval '1 hour', 1, 1, now(), now()
         FROM generate_series(1, $2::integer)`,
      [id, MANY],
    );
    return id;
  }

  const statesOf = (endpointId: string) =>
    service.query<{ status: string; reason: string | null; count: string }>(
      `SELECT status, failure_reason AS reason, count(*) FROM webhook_deliveries WHERE endpoint_id = $1 GROUP BY 1, 2`,
      [endpointId],
    );

  /** How many of an endpoint's deliveries one transaction wrote at most. */
  async function mostAtOnce(endpointId: string): Promise<number> {
    const [row] = await service.query<{ most: string }>(
      `SELECT max(count) AS most FROM (SELECT count(*) FROM webhook_deliveries WHERE endpoint_id = $1 GROUP BY xmin::text) t`,
      [endpointId],
    );
    return Number(row!.most);
  }

  it('is given up and recovered a part at a time', async () => {
    const user = await service.signUp();
    const { token } = user;
    const id = await failing(user);
    const path = `/v1/webhook-endpoints/${id}`;
    const change = (status: string) => service.call('PATCH', path, { token, body: { status } });

    expectStatus(200, await change('disabled'));
    expect(await statesOf(id)).toEqual([
      { status: 'failed', reason: 'the endpoint is disabled', count: String(MANY) },
    ]);
    expect(await mostAtOnce(id)).toBe(2_000);

    expectStatus(200, await change('enabled'));
    const body = { since: new Date(0).toISOString() };
    expect((await service.post(`${path}/recover`, { token, body })).body).toEqual({
      success: true,
      data: { recovered: MANY },
    });
    expect(await statesOf(id)).toEqual([{ status: 'pending', reason: null, count: String(MANY) }]);
    expect(await mostAtOnce(id)).toBe(2_000);

    expectStatus(200, await service.call('DELETE', path, { token }));
    expect(await statesOf(id)).toEqual([
      { status: 'failed', reason: 'the endpoint is deleted', count: String(MANY) },
    ]);
    expect(await mostAtOnce(id)).toBe(2_000);
  });

  it('is kept where the endpoint is enabled again meanwhile', async () => {
    const id = await failing(await service.signUp());
    await queue.cancelRest(id, 'the endpoint is disabled');
    expect(await statesOf(id)).toEqual([{ status: 'pending', reason: null, count: String(MANY) }]);
  });
});

describe('a delivery is claimed', () => {
  it('once it is due, by one only', async () => {
    const endpoint = await newEndpoint();
    const [first, second] = [await newDelivery(endpoint, 20), await newDelivery(endpoint, 10)];
    await newDelivery(endpoint, -60);
    expect(await claimed(endpoint, 1)).toEqual([first]);
    expect(await claimed(endpoint, 5)).toEqual([second]);
    expect(await claimed(endpoint, 5)).toEqual([]);
  });

  it('again once the lease of an earlier claim is over, and not before', async () => {
    const endpoint = await newEndpoint();
    await newDelivery(endpoint, 7_200, LEASE_MS / 1_000 - 60);
    expect((await due(LEASE_MS)).endpoints.map(({ id }) => id)).not.toContain(endpoint);
    expect(await claimed(endpoint, 5)).toEqual([]);
    const over = await newDelivery(endpoint, 7_200, LEASE_MS / 1_000);
    expect((await due(LEASE_MS)).endpoints.map(({ id }) => id)).toContain(endpoint);
    expect(await claimed(endpoint, 5)).toEqual([over]);
    const lost = await service.query<{ error: string }>(
      'SELECT error FROM webhook_attempts WHERE delivery_id = $1',
      [over],
    );
    expect(lost).toEqual([{ error: expect.stringMatching(/stopped in the middle/) }]);
  });

  it('from the first that is due, which is told with the endpoint', async () => {
    const endpoint = await newEndpoint();
    await newDelivery(endpoint, 90, 90);
    const [first, second] = [await newDelivery(endpoint, 60), await newDelivery(endpoint, 30)];
    const since = (await due(LEASE_MS)).endpoints.find(({ id }) => id === endpoint)?.since;
    const [row] = await service.query<{ at: Date }>(
      'SELECT next_attempt_at AS at FROM webhook_deliveries WHERE id = $1',
      [first],
    );
    expect(since).toEqual(row?.at);
    expect(await claimed(endpoint, 5, new Date((since?.getTime() ?? 0) + 1_000))).toEqual([second]);
    expect(await claimed(endpoint, 5, since)).toEqual([first]);
  });

  it('with no more pages read than it takes, however long the history and the queue are', async () => {
    const endpoint = await newEndpoint();
    await service.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, status, next_attempt_at, finished_at,
         created_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), 'wallet.funded', repeat('x', 400),
              CASE WHEN n % 8 = 0 THEN 'pending' ELSE 'succeeded' END, now() - n * interval '1 millisecond',
              CASE WHEN n % 8 = 0 THEN NULL ELSE now() END, now()
         FROM generate_series(1, 16000) n`,
      [endpoint],
    );
    await service.query('ANALYZE webhook_deliveries');
    const query = jest.spyOn(service.app.get(Database), 'query');
    expect(await claimed(endpoint, 8)).toHaveLength(8);
    const [statement, values] = query.mock.calls.find(([text]) => text.includes('WITH due')) ?? [];
    query.mockRestore();
    const [plan] = await service.query<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`,
      values as unknown[],
    );
    expect(plan?.['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(400);
    // What is to be due is guessed: with a guess that is too high, a join by key would read the whole table.
    expect(JSON.stringify(plan)).toContain('Tid Scan');
  });
});

describe('deliveries give way to payments', () => {
  it('from the moment in which one waits for its decision until it has it', async () => {
    const load = service.app.get(PaymentLoad);
    const { key } = await service.fundedWallet(10_000);
    const endpoints = Array.from({ length: 10 }, () => ({ id: randomUUID(), since: LONG_AGO }));
    const claim = jest.spyOn(DeliveryQueueStore.prototype, 'claim');
    /** How many attempts the dispatcher wants to begin when it next finds something due. */
    const begun = async (): Promise<number> => {
      claim.mockClear();
      nothingDue.mockResolvedValueOnce({ endpoints, isAnyPending: true });
      await until(() => Promise.resolve(claim.mock.calls.length > 0));
      return claim.mock.calls[0]![0].reduce((sum, { availableSlots }) => sum + availableSlots, 0);
    };
    expect(load.pendingDecisions).toBe(0);
    expect(await begun()).toBe(80);
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
    const paid = service.pay(key);
    for (let i = 0; load.pendingDecisions === 0 && i < 100; i += 1) await sleep(20);
    expect(load.pendingDecisions).toBe(1);
    expect(await begun()).toBe(40);
    await holder.query('COMMIT');
    await holder.end();
    expectStatus(201, await paid);
    expect(load.pendingDecisions).toBe(0);
    claim.mockRestore();
  });
});
