import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';
import { plainDatabase } from '../support/service-database.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { Receiver, verified } from '../support/receiver.js';
import { chargeBody, PASSWORD, until, walletBody } from '../support/service.js';

const CREDITS = 120;

let build: ServiceBuild;
let database: TestDatabase;
let receiver: Receiver;
let service: ServiceProcess;

beforeAll(async () => {
  build = new ServiceBuild();
  database = await plainDatabase();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await service.kill('SIGTERM');
  await receiver.close();
  await database.drop();
  build.remove();
});

it('kill -9 of the service in the middle loses no delivery', async () => {
  const env = {
    DATABASE_URL: database.url,
    JWT_SECRET: 'a secret that signs the session tokens of the tests',
    WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2,1,1,1',
  };
  const port = await freePort();
  service = await build.start(port, env);
  const { data: owner } = await service.call<{ data: { user: { id: string }; token: string } }>(
    'POST',
    '/v1/auth/signup',
    { body: { email: `${randomUUID()}@example.com`, password: PASSWORD, accountType: 'developer' } },
  );
  const { token } = owner;
  const { data: made } = await service.call<{ data: { wallet: { id: string } } }>('POST', '/api/wallets', {
    token,
    body: walletBody(owner.user.id),
  });
  const { data: endpoint } = await service.call<{ data: { id: string; secret: string } }>(
    'POST',
    '/v1/webhook-endpoints',
    { token, body: { url: receiver.url('/hook') } },
  );
  receiver.behave('/hook', (answer) => setTimeout(() => answer.writeHead(200).end(), 30));

  // Each transfer has an amount of its own, so that its delivery can be told from the others. The bank sends one
  // again until it is acknowledged.
  const credit = async (kobo: number): Promise<void> => {
    const body = chargeBody(made.wallet.id, { reference: `transfer-${kobo}`, amount: kobo / 100 });
    for (;;) {
      const acknowledged = await service
        .call('POST', '/api/webhooks', { body })
        .then(() => true)
        .catch(() => false);
      if (acknowledged) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const credits = Promise.all(
    Array.from({ length: 10 }, async (_, lane) => {
      for (let kobo = lane + 1; kobo <= CREDITS; kobo += 10) await credit(kobo);
    }),
  );
  await until(() => Promise.resolve(receiver.received.length > CREDITS / 3));
  await service.kill('SIGKILL');
  // Nobody else is at work: the claims of the dead run out now, not in a while.
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `UPDATE webhook_deliveries SET claimed_at = claimed_at - interval '1 hour' WHERE claim IS NOT NULL`,
  );
  await client.end();
  service = await build.start(port, env);
  await credits;

  const amounts = () =>
    new Set(
      receiver.received.map(
        (each) => (verified(each, endpoint.secret).data as { amountCredited: number }).amountCredited,
      ),
    );
  await until(() => Promise.resolve(amounts().size === CREDITS), 40_000);
  const idsByBody = Map.groupBy(receiver.received, ({ body }) => body);
  for (const sent of idsByBody.values()) {
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }
  const list = (query: string) =>
    service.call<{ data: { id: string; attemptCount: number }[]; pagination: { totalCount: number } }>(
      'GET',
      `/v1/webhook-endpoints/${endpoint.id}/deliveries?pageSize=100&${query}`,
      { token },
    );
  // Those under way when the service died are sent again when their claims have run out.
  await until(async () => (await list('status=succeeded')).pagination.totalCount === CREDITS, 40_000);
  // What was under way when the service died is on record as such.
  const pages = await Promise.all([1, 2].map((page) => list(`page=${page}`)));
  const twice = pages.flatMap(({ data }) => data).filter(({ attemptCount }) => attemptCount === 2);
  expect(twice.length).toBeGreaterThan(0);
  const { data } = await service.call<{
    data: { attempts: { error: string | null; statusCode: number | null }[] };
  }>('GET', `/v1/webhook-deliveries/${twice[0]!.id}`, { token });
  expect(data.attempts).toMatchObject([
    { statusCode: null, error: 'the service stopped in the middle; whether this arrived is not known' },
    { statusCode: 200, error: null },
  ]);
}, 90_000);
