import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MailServer } from '../support/mail-server.js';
import { Receiver } from '../support/receiver.js';
import { expectStatus, startService, type TestService, type TestUser } from '../support/service.js';

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
