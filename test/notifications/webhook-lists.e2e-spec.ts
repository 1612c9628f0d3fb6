import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Database } from '../../src/platform/database/database.js';
import { Receiver, verified } from '../support/receiver.js';
import { expectStatus, startService, type TestService, type TestUser, until } from '../support/service.js';

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: readonly { readonly requestHeaders: Record<string, string> | null }[];
}
interface Listed {
  readonly data: readonly Delivery[];
  readonly nextCursor: string | null;
}
interface Health {
  readonly attempted: number;
  readonly succeeded: number;
  readonly lastFailedAt: string | null;
  readonly lastFailureReason: string | null;
  readonly nextRetryAt: string | null;
  readonly failingSince: string | null;
}
interface Endpoint {
  readonly id: string;
  readonly secret: string;
  readonly health: Health;
}

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService({ env: { WEBHOOK_RETRY_SECONDS: '3600' } });
  receiver = await Receiver.start();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function subscribe({ token }: TestUser, path: string): Promise<Endpoint> {
  const body = { url: receiver.url(path) };
  return expectStatus(201, await service.post<{ data: Endpoint }>('/v1/webhook-endpoints', { token, body }))
    .body.data;
}

describe('the deliveries of an endpoint', () => {
  it('are read beside the connections of payments', async () => {
    const { owner } = await service.createWallet();
    const { id } = await subscribe(owner, `/${randomUUID()}`);
    const database = service.app.get(Database);
    const [paying, reading] = [jest.spyOn(database, 'query'), jest.spyOn(database.reads, 'query')];
    const { token } = owner;
    expectStatus(200, await service.get(`/v1/webhook-endpoints/${id}/deliveries`, { token }));
    const ofDeliveries = ([text]: [string, ...unknown[]]) =>
      text.includes('FROM webhook_deliveries d WHERE d.endpoint_id');
    const counts = [paying, reading].map(({ mock }) => mock.calls.filter(ofDeliveries).length);
    for (const spy of [paying, reading]) spy.mockRestore();
    expect(counts).toEqual([0, 2]);
  });
});

describe('the health of an endpoint', () => {
  it('counts its newest 100 deliveries, and says what failed last and when it is tried again', async () => {
    const wallet = await service.createWallet();
    const { token } = wallet.owner;
    const path = `/${randomUUID()}`;
    const { id } = await subscribe(wallet.owner, path);
    const health = async () => {
      const shown = async () =>
        (await service.get<{ data: Endpoint }>(`/v1/webhook-endpoints/${id}`, { token })).body.data.health;
      // A delivery may end between two answers; without one, both routes say the same.
      for (;;) {
        const before = await shown();
        const list = await service.get<{ data: Endpoint[] }>('/v1/webhook-endpoints', { token });
        const after = await shown();
        if (!isDeepStrictEqual(before, after)) continue;
        expect(list.body.data[0]?.health).toEqual(after);
        return after;
      }
    };
    const none = { lastFailedAt: null, lastFailureReason: null, nextRetryAt: null, failingSince: null };
    expect(await health()).toEqual({ attempted: 0, succeeded: 0, ...none });
    await service.topUp(wallet.id, 100);
    await until(async () => (await health()).attempted === 1);
    expect(await health()).toEqual({ attempted: 1, succeeded: 1, ...none });
    receiver.behave(path, (answer) => answer.writeHead(503).end());
    await service.topUp(wallet.id, 100);
    await until(async () => (await health()).attempted === 2);
    const failing = await health();
    expect(failing).toMatchObject({ attempted: 2, succeeded: 1, lastFailureReason: 'answered 503' });
    await until(async () => (await health()).failingSince !== null);
    expect(Date.parse(failing.nextRetryAt!)).toBeGreaterThan(Date.parse(failing.lastFailedAt!));
    await service.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, status, tries, attempts,
         next_attempt_at, finished_at, created_at)
       SELECT ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, gen_random_uuid(), 'wallet.funded',
              '{}', 'succeeded', 1, 1, now(), now(), now() FROM generate_series(1, 99) n`,
      [id],
    );
    // The first one is out of sight, the failed one is the hundredth.
    expect(await health()).toMatchObject({ attempted: 100, succeeded: 99 });
    await service.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, next_attempt_at, created_at)
       VALUES ('ffffffff-0000-7000-8001-000000000000', $1, gen_random_uuid(), 'wallet.funded', '{}',
               now() + interval '1 hour', now())`,
      [id],
    );
    // What was not attempted yet is none of those that failed to arrive.
    expect(await health()).toMatchObject({ attempted: 99, succeeded: 99 });
  });
});

describe('a delivery', () => {
  it('shows the headers of each request as they were sent, also after the secret was rotated', async () => {
    const wallet = await service.createWallet();
    const { token } = wallet.owner;
    const path = `/${randomUUID()}`;
    const endpoint = await subscribe(wallet.owner, path);
    await service.topUp(wallet.id, 100);
    const deliveries = () =>
      service.get<Listed>(`/v1/webhook-endpoints/${endpoint.id}/deliveries`, { token });
    await until(async () => (await deliveries()).body.data[0]?.status === 'succeeded');
    await service.post(`/v1/webhook-endpoints/${endpoint.id}/rotate-secret`, {
      token,
      body: { revokePrevious: true },
    });
    const [{ id } = { id: '' }] = (await deliveries()).body.data;
    const { body, text } = await service.get<{ data: Delivery }>(`/v1/webhook-deliveries/${id}`, { token });
    const [received] = receiver.at(path);
    const shown = body.data.attempts[0]!.requestHeaders!;
    expect(received!.headers).toMatchObject(shown);
    expect(Object.keys(shown).sort()).toEqual([
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ]);
    expect(verified({ ...received!, headers: shown }, endpoint.secret)).toMatchObject({
      event: 'wallet.funded',
    });
    expect(text).not.toContain(endpoint.secret);
    expect(text).not.toContain('whsec_');
  });
});

describe('deliveries by cursor', () => {
  const COUNT = 10_400;
  let owner: TestUser;
  let id: string;
  beforeAll(async () => {
    owner = await service.signUp();
    id = (await subscribe(owner, '/listed')).id;
    const { id: other } = await subscribe(await service.signUp(), '/other');
    await service.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, body, status, next_attempt_at, finished_at,
         created_at)
       SELECT gen_random_uuid(), CASE WHEN n % 26 = 0 THEN $2 ELSE $1 END::uuid, gen_random_uuid(),
              CASE WHEN n % 3 = 0 THEN 'wallet.funded' ELSE 'payment.approved' END, '{}',
              CASE WHEN n % 1000 = 1 THEN 'failed' ELSE 'succeeded' END, now(), now(), now()
         FROM generate_series(1, $3::integer) n`,
      [id, other, Math.ceil((COUNT * 26) / 25)],
    );
    // Behind more than one page looks at, wherever chance has put the others.
    await service.query(
      `UPDATE webhook_deliveries SET status = 'failed', event = 'wallet.funded'
        WHERE id = (SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY id LIMIT 1)`,
      [id],
    );
  });

  const list = async (query: string) =>
    expectStatus(
      200,
      await service.get<Listed>(`/v1/webhook-deliveries?endpointId=${id}&${query}`, { token: owner.token }),
    ).body;
  async function walk(query: string, limit: number): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Listed = await list(`limit=${limit}${query}${cursor && `&cursor=${cursor}`}`);
      expect(page.data.length).toBeLessThanOrEqual(limit);
      // A narrowed page may be empty before the end; none else is, the last one included.
      if (query === '') expect(page.data).not.toHaveLength(0);
      ids.push(...page.data.map((each) => each.id));
      cursor = page.nextCursor;
    }
    return ids;
  }
  const plain = async (where: string) => {
    const rows = await service.query<{ id: string }>(
      `SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 AND ${where} ORDER BY id DESC`,
      [id],
    );
    return rows.map((row) => row.id);
  };

  it('come page by page in the plain order, each once, however they are narrowed', async () => {
    expect(await walk('', 100)).toEqual(await plain('true'));
    const rare = await plain(`status = 'failed'`);
    const filters = fc.constantFrom(
      ['&status=failed', `status = 'failed'`],
      ['&status=failed&event=wallet.funded', `status = 'failed' AND event = 'wallet.funded'`],
      ['&status=pending', 'false'],
      ['&event=payment.blocked', 'false'],
    );
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.integer({ min: 1, max: rare.length + 1 }),
        async ([query, where], limit) => {
          expect(await walk(query, limit)).toEqual(await plain(where));
        },
      ),
      { numRuns: 10 },
    );
  });

  it.each([
    ['limit=0', 'limit'],
    ['cursor=abc', 'cursor'],
    ['cursor=', 'cursor'],
    ['endpointId=1', 'endpointId'],
  ])('refuse %s', async (query, field) => {
    const { status, body } = await service.get<{ error: { errors: { field: string }[] } }>(
      `/v1/webhook-deliveries?endpointId=${id}&${query}`,
      { token: owner.token },
    );
    expect([status, body.error.errors[0]?.field]).toEqual([400, field]);
  });

  it('are of no other user', async () => {
    const { token } = await service.signUp();
    const { status } = await service.get(`/v1/webhook-deliveries?endpointId=${id}&limit=5`, { token });
    expect(status).toBe(404);
  });
});
