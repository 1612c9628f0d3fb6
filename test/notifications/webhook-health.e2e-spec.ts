import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { Finished } from '../../src/contexts/notifications/deliveries/deliveries.domain.js';
import { DeliveryQueueStore } from '../../src/contexts/notifications/deliveries/delivery-queue.store.js';
import { recordHealth } from '../../src/contexts/notifications/deliveries/endpoint-health.js';
import { EndpointFailing, EndpointRecovered } from '../../src/contexts/notifications/notifications.events.js';
import { newId } from '../../src/kernel/ids.ts';
import { Database } from '../../src/platform/database/database.js';
import { Events } from '../../src/platform/events/events.js';
import { ATTEMPT } from '../support/dispatcher.js';
import { expectStatus, startService, type TestService, until } from '../support/service.js';

/** Two replicas record attempts of one endpoint at the same moment. */

let service: TestService;
let replica: TestService;
let publish: jest.SpiedFunction<Events['publish']>;
let locker: pg.Client;
beforeAll(async () => {
  service = await startService();
  replica = await startService({ beside: service });
  publish = jest.spyOn(Events.prototype, 'publish');
  locker = new pg.Client({ connectionString: service.databaseUrl });
  await locker.connect();
});
beforeEach(() => {
  publish.mockClear();
});
afterAll(async () => {
  publish.mockRestore();
  await locker.end();
  await replica.close();
  await service.close();
});

async function newEndpoint(): Promise<string> {
  const { token } = await service.signUp();
  const body = { url: 'http://127.0.0.1:8080/hook' };
  const answer = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', { token, body });
  return expectStatus(201, answer).body.data.id;
}

/** `ago`: since when it fails; the last failure was before anybody was told. */
const failsSince = (endpointId: string, ago: string) =>
  service.query(
    `UPDATE webhook_endpoints SET failing_since = clock_timestamp() - $2::interval,
            last_failed_at = clock_timestamp() - $2::interval + interval '1 minute' WHERE id = $1`,
    [endpointId, ago],
  );

/** An attempt of a delivery that is not due yet. */
async function attemptOf(endpointId: string, statusCode: number): Promise<Finished> {
  const deliveryId = newId();
  await service.query(
    `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, next_attempt_at, created_at)
     VALUES ($1, $2, $1, 'wallet.funded', '{}', now() + interval '1 hour', now())`,
    [deliveryId, endpointId],
  );
  const attempt = { ...ATTEMPT, at: new Date(), statusCode };
  const verdict: Finished['verdict'] =
    statusCode === 200 ? { status: 'succeeded' } : { status: 'pending', waitSeconds: 3_600 };
  return { deliveryId, endpointId, claim: randomUUID(), attempt, verdict };
}

/** The first one's statement, then the other's, both while neither has the endpoint's row. */
async function recordAtOnce(endpointId: string, statusCodes: readonly number[]): Promise<void> {
  const attempts = await Promise.all(statusCodes.map((code) => attemptOf(endpointId, code)));
  await locker.query('BEGIN');
  await locker.query('SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [endpointId]);
  const recording: Promise<unknown>[] = [];
  for (const [i, attempt] of attempts.entries()) {
    const { app } = i === 0 ? service : replica;
    recording.push(app.get(DeliveryQueueStore, { strict: false }).record([attempt]));
    await until(async () => {
      const [row] = await service.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return row?.count === i + 1;
    });
  }
  await locker.query('COMMIT');
  await Promise.all(recording);
}

const told = () =>
  publish.mock.calls
    .flatMap(([events]) => events)
    .filter((event) => event instanceof EndpointFailing || event instanceof EndpointRecovered)
    .map((event) => event.constructor.name);

it('both find that it fails, and one tells of it', async () => {
  const endpointId = await newEndpoint();
  await failsSince(endpointId, '20 minutes');
  await recordAtOnce(endpointId, [500, 500]);
  expect(told()).toEqual(['EndpointFailing']);
});

it('one tells that it fails, and the other that it works again', async () => {
  const endpointId = await newEndpoint();
  await failsSince(endpointId, '20 minutes');
  await recordAtOnce(endpointId, [500, 200]);
  expect(told()).toEqual(['EndpointFailing', 'EndpointRecovered']);
});

it('tells of it once although a transaction that began before ends behind', async () => {
  const endpointId = await newEndpoint();
  const [early, prompt, later] = await Promise.all(
    [500, 500, 500].map((code) => attemptOf(endpointId, code)),
  );
  const { app } = service;
  const record = (attempt?: Finished) =>
    replica.app.get(DeliveryQueueStore, { strict: false }).record([attempt!]);
  await app.get(Database).transaction(async (tx) => {
    await tx.query('SELECT');
    await failsSince(endpointId, '15 minutes');
    await record(prompt);
    expect(told()).toEqual(['EndpointFailing']);
    await recordHealth([early!], app.get(Events), tx);
  });
  await record(later);
  expect(told()).toEqual(['EndpointFailing']);
});
