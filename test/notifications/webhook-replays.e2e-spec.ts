import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Receiver } from '../support/receiver.js';
import { expectStatus, type TestService, type TestUser, until } from '../support/service.js';
import { type Delivery, type ErrorBody, Subscribers } from '../support/subscribers.js';

/** Tests of webhooks that are sent again: they stay within the limits of tests. */

let hooks: Subscribers;
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  hooks = await Subscribers.start();
  ({ service, receiver } = hooks);
});
afterAll(() => hooks.close());

const replay = ({ token }: TestUser, id: string) =>
  service.post<{ data: Delivery } & ErrorBody>(`/v1/webhook-deliveries/${id}/replay`, { token });
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

/** A subscriber with one test that was sent and has arrived. */
async function tested() {
  const all = await hooks.subscriber();
  expectStatus(202, await hooks.sendTest(all.user, all.endpoint));
  return { ...all, test: await hooks.outcome(all.user, all.endpoint) };
}

/** As if `count` more tests had been sent, each so long ago. */
const sentBefore = (user: TestUser, endpointId: string, count: number, ago: string) =>
  service.query(
    `INSERT INTO webhook_tests (user_id, id, endpoint_id, at)
     SELECT $1, gen_random_uuid(), $2, now() - $4::interval FROM generate_series(1, $3)`,
    [user.id, endpointId, count, ago],
  );

describe('a test that is sent again', () => {
  it('keeps its delivery, and counts like a new one: ten a minute to one endpoint, also at once', async () => {
    const { user, endpoint, path, test } = await tested();
    expect(expectStatus(202, await replay(user, test.id)).body.data).toMatchObject({ id: test.id });
    const answers = await Promise.all(Array.from({ length: 15 }, () => replay(user, test.id)));
    expect(statuses(answers)).toEqual([...Array<number>(8).fill(202), ...Array<number>(7).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect([refused?.body.error.code, refused?.headers['retry-after']]).toEqual(['RATE_LIMITED', '60']);
    expectStatus(429, await hooks.sendTest(user, endpoint));
    await hooks.outcome(user, endpoint);
    expect(receiver.at(path).length).toBeLessThanOrEqual(10);
    await service.query(`UPDATE webhook_tests SET at = at - interval '61 seconds' WHERE user_id = $1`, [
      user.id,
    ]);
    expectStatus(202, await replay(user, test.id));
  });

  it('counts in the sixty an hour of its user, whose older ones are dropped', async () => {
    const { user, endpoint, test } = await tested();
    await sentBefore(user, endpoint.id, 30, '61 minutes');
    await sentBefore(user, endpoint.id, 58, '59 minutes');
    expectStatus(202, await replay(user, test.id));
    expect((await replay(user, test.id)).headers['retry-after']).toBe('600');
    expect(await service.query('SELECT FROM webhook_tests WHERE user_id = $1', [user.id])).toHaveLength(60);
  });

  it('leaves what is no test without a limit', async () => {
    const { user, wallet, endpoint, path } = await tested();
    await sentBefore(user, endpoint.id, 60, '1 second');
    await service.topUp(wallet.id, 100);
    const { id } = await hooks.outcome(user, endpoint);
    for (let i = 0; i < 11; i += 1) expectStatus(202, await replay(user, id));
    await until(() => Promise.resolve(receiver.at(path).length > 2));
  });

  it('is none of those that are recovered', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber();
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    expectStatus(202, await hooks.sendTest(user, endpoint));
    await service.topUp(wallet.id, 100);
    await hooks.outcome(user, endpoint);
    receiver.behave(path, (answer) => answer.writeHead(200).end());
    const recovered = await service.post(`/v1/webhook-endpoints/${endpoint.id}/recover`, {
      token: user.token,
      body: { since: '2026-01-01T00:00:00Z' },
    });
    expect(expectStatus(202, recovered).body).toEqual({ success: true, data: { recovered: 1 } });
    await hooks.outcome(user, endpoint);
    const isTest = async (status: string) =>
      (await hooks.deliveriesOf(user, endpoint, `?status=${status}`)).map((each) => each.isTest);
    expect([await isTest('succeeded'), await isTest('failed')]).toEqual([[false], [true]]);
  });
});
