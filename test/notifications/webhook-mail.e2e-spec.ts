import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MailServer } from '../support/mail-server.js';
import { Receiver } from '../support/receiver.js';
import { expectStatus, startService, type TestService, type TestUser, until } from '../support/service.js';

let mails: MailServer;
let receiver: Receiver;
let service: TestService;
beforeAll(async () => {
  mails = await MailServer.start();
  receiver = await Receiver.start();
  service = await startService({
    env: {
      SMTP_URL: mails.url,
      MAIL_FROM: 'wallets@example.ng',
      PUBLIC_URL: 'https://wallets.example.ng/',
      WEBHOOK_RETRY_SECONDS: '1',
    },
  });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  await mails.stop();
});

async function newEndpoint({ token }: TestUser, path: string): Promise<string> {
  const url = receiver.url(path);
  const { body } = expectStatus(
    201,
    await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', { token, body: { url } }),
  );
  return body.data.id;
}

it('the owner of an endpoint that the service disables gets one mail, which says why and names no path', async () => {
  const user = await service.signUp();
  const path = `/${randomUUID()}`;
  receiver.behave(path, (answer) => answer.writeHead(410).end());
  const id = await newEndpoint(user, path);
  const wallet = await service.createWallet(user);
  await Promise.all([service.topUp(wallet.id, 100), service.topUp(wallet.id, 200)]);
  const { subject, text } = await mails.await(user.email);
  expect(subject).toBe('A webhook endpoint was paused');
  expect(text).toContain(`at ${new URL(receiver.url('/')).host}: the receiver answered 410 Gone.`);
  expect(text).toContain(`https://wallets.example.ng/webhooks/${id}`);
  expect(text).not.toContain(path);

  // A mail about another endpoint, which comes behind whatever there would be about the first.
  const second = `/${randomUUID()}`;
  receiver.behave(second, (answer) => answer.writeHead(410).end());
  const other = await newEndpoint(user, second);
  await service.topUp(wallet.id, 300);
  expect((await mails.await(user.email, 2)).text).toContain(other);
});

it('an owner who disables an endpoint gets no mail about it', async () => {
  const user = await service.signUp();
  const id = await newEndpoint(user, `/${randomUUID()}`);
  const change = (body: object) =>
    service.call('PATCH', `/v1/webhook-endpoints/${id}`, { token: user.token, body });
  expectStatus(200, await change({ status: 'disabled' }));
  const path = `/${randomUUID()}`;
  receiver.behave(path, (answer) => answer.writeHead(410).end());
  const gone = await newEndpoint(user, path);
  await service.topUp((await service.createWallet(user)).id, 100);
  expect((await mails.await(user.email)).text).toContain(gone);
  expect(mails.to(user.email)).toHaveLength(1);
});

it('an endpoint that failed for a quarter of an hour is told of once, and that it works again', async () => {
  const user = await service.signUp();
  const wallet = await service.createWallet(user);
  const path = `/${randomUUID()}`;
  let isBroken = true;
  receiver.behave(path, (answer) => answer.writeHead(isBroken ? 500 : 200).end());
  const id = await newEndpoint(user, path);
  const attempts = async () => {
    const [row] = await service.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
        WHERE d.endpoint_id = $1`,
      [id],
    );
    return row!.count;
  };
  const fails = async () => {
    const before = await attempts();
    await service.topUp(wallet.id, 100);
    await until(async () => (await attempts()) > before);
    await service.settled();
  };
  const failedFor = (since: string) =>
    service.query(
      `UPDATE webhook_endpoints SET failing_since = date_trunc('milliseconds', now() - $2::interval),
              last_failed_at = now() - interval '10 minutes' WHERE id = $1`,
      [id, since],
    );
  const told = async () => {
    const { body } = await service.get<{ data: { title: string; outcome: string | null; path: string }[] }>(
      '/v1/notifications',
      { token: user.token },
    );
    return body.data.map(({ title, outcome, path: to }) => [title, outcome, to]);
  };
  await fails();
  await failedFor('14 minutes 30 seconds');
  await fails();
  expect(await told()).toEqual([]);
  await failedFor('15 minutes');
  await fails();
  const { host } = new URL(receiver.url('/'));
  const title = `The webhook endpoint at ${host} fails`;
  await until(async () => (await told()).length === 1);
  expect(await told()).toEqual([[title, null, `/webhooks/${id}`]]);
  const { subject, text } = await mails.await(user.email);
  expect(subject).toBe(title);
  expect(text).toMatch(/^No delivery has arrived since \d+ \w+ \d{4}, \d\d:\d\d WAT\./);
  await fails();
  isBroken = false;
  await service.topUp(wallet.id, 100);
  await until(async () => (await told())[0]?.[1] === 'works again');
  expect(await told()).toHaveLength(1);
});
