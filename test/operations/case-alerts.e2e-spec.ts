import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MailServer } from '../support/mail-server.js';
import { Receiver, verified } from '../support/receiver.js';
import { chargeBody, expectStatus, startService, type TestService, until } from '../support/service.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OPERATOR = 'operations@example.ng';

let receiver: Receiver;
let mails: MailServer;
let service: TestService;

beforeAll(async () => {
  receiver = await Receiver.start();
  mails = await MailServer.start();
  service = await startService({
    env: {
      SMTP_URL: mails.url,
      MAIL_FROM: 'wallets@example.ng',
      PUBLIC_URL: 'https://wallets.example.ng',
      OPERATOR_EMAIL: OPERATOR,
      OPERATOR_WEBHOOK_URL: receiver.url('/cases'),
      OPERATOR_WEBHOOK_SECRET: SECRET,
      WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  });
});
afterAll(async () => {
  await service.close();
  await mails.stop();
  await receiver.close();
});

it('a case is told by a signed webhook, tried again until it is taken, and by mail', async () => {
  receiver.behave('/cases', (answer, count) => answer.writeHead(count === 1 ? 500 : 200).end());
  const reference = randomUUID();
  expectStatus(400, await service.webhook(chargeBody(randomUUID(), { reference, amount: 500 })));
  await until(() => Promise.resolve(receiver.at('/cases').length === 2));
  const [refused, taken] = receiver.at('/cases');
  for (const delivery of [refused!, taken!]) {
    expect(verified(delivery, SECRET)).toMatchObject({
      event: 'case.opened',
      data: { kind: 'transfer-unmatched', subject: reference },
    });
  }
  expect(taken!.headers['webhook-id']).toBe(refused!.headers['webhook-id']);
  const mail = await mails.await(OPERATOR);
  expect(mail.subject).toBe('Case: transfer-unmatched');
  expect(mail.text).toContain('https://wallets.example.ng/operator');
});

it('the same delivery once more tells nobody again', async () => {
  const [before, reference] = [receiver.at('/cases').length, randomUUID()];
  const body = chargeBody(randomUUID(), { reference, amount: 500 });
  expectStatus(400, await service.webhook(body));
  await until(() => Promise.resolve(receiver.at('/cases').length === before + 1));
  expectStatus(400, await service.webhook(body));
  const other = randomUUID();
  expectStatus(400, await service.webhook(chargeBody(randomUUID(), { reference: other, amount: 500 })));
  await until(() => Promise.resolve(receiver.at('/cases').some((each) => each.body.includes(other))));
  expect(receiver.at('/cases').filter((each) => each.body.includes(reference))).toHaveLength(1);
});
