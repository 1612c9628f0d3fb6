import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type FakeBank, startFakeBank } from '../fake-bank/fake-bank.ts';
import { BANK_KEY, bankSettings } from '../support/bank-books.js';
import type { TestDatabase } from '../support/database.js';
import { LoggedService } from '../support/logged-service.js';
import { freePort } from '../support/ports.js';
import { Receiver } from '../support/receiver.js';
import { ROOT } from '../support/server-process.js';
import { plainDatabase } from '../support/service-database.js';
import { PASSWORD, paymentBody, until, walletBody } from '../support/service.js';
import { type CollectedSpan, SpanCollector } from '../support/span-collector.js';

const ACCOUNT = '2000000017';
const SERVER = 2;
const CLIENT = 3;
const CONSUMER = 5;

let database: TestDatabase;
let collector: SpanCollector;
let fake: FakeBank;
let receiver: Receiver;
let service: LoggedService;
const secrets: string[] = [ACCOUNT, PASSWORD, BANK_KEY, 'Ada Obi'];

beforeAll(async () => {
  [database, collector, receiver] = await Promise.all([
    plainDatabase(),
    SpanCollector.start(),
    Receiver.start(),
  ]);
  const port = await freePort();
  fake = await startFakeBank({
    speed: 60,
    secret: BANK_KEY,
    retryMs: [6_000],
    settleMs: [300, 1_500],
    firstTryMs: [100, 600],
    webhookUrl: `http://127.0.0.1:${port}/api/webhooks`,
    payoutWebhookUrl: `http://127.0.0.1:${port}/api/webhooks/payouts`,
  });
  service = await LoggedService.start(database.url, {
    ...bankSettings(fake.url, port),
    PORT: String(port),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // As scripts/run.mjs has Node load it.
    NODE_OPTIONS: `--import=${pathToFileURL(join(ROOT, 'scripts/tracing.mjs')).href}`,
  });
}, 120_000);

afterAll(async () => {
  await service.stop();
  await fake.close();
  await receiver.close();
  await collector.close();
  await database.drop();
});

interface Payer {
  readonly token: string;
  readonly key: string;
  readonly walletId: string;
  readonly path: string;
}

async function call<Data>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly data: Data }> {
  const response = await fetch(service.url + path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { data } = (await response.json()) as { data: Data };
  return { status: response.status, data };
}

/** A wallet with money and an endpoint. */
async function payer(): Promise<Payer> {
  const email = `${randomUUID()}@example.com`;
  const { data } = await call<{ token: string; user: { id: string } }>('POST', '/v1/auth/signup', {
    email,
    password: PASSWORD,
    accountType: 'developer',
  });
  const session = { authorization: `Bearer ${data.token}` };
  const made = await call<{ wallet: { id: string }; apiKey: { fullKey: string } }>(
    'POST',
    '/api/wallets',
    walletBody(data.user.id, { spendLimitPerTx: 200_000, spendLimitPeriod: 5_000_000 }),
    session,
  );
  const { wallet, apiKey } = made.data;
  fake.books.collect({ accountReference: wallet.id, amount: '20000.00' });
  await until(async () => {
    const { data: read } = await call<{ wallet: { balance: number } }>(
      'GET',
      `/api/wallets/${wallet.id}`,
      undefined,
      session,
    );
    return read.wallet.balance > 0;
  });
  const path = `/${randomUUID()}`;
  const endpoint = await call<{ secret: string }>(
    'POST',
    '/v1/webhook-endpoints',
    { url: receiver.url(path), events: ['payment.approved', 'payment.settled'] },
    session,
  );
  secrets.push(email, data.token, apiKey.fullKey, endpoint.data.secret);
  return { token: data.token, key: apiKey.fullKey, walletId: wallet.id, path };
}

const traceparent = (flags = '01') => {
  const traceId = randomBytes(16).toString('hex');
  const parentId = randomBytes(8).toString('hex');
  return { traceId, parentId, header: `00-${traceId}-${parentId}-${flags}` };
};

const bodyOf = (amount = 100_000) => paymentBody({ amount, recipientAccountNo: ACCOUNT });
const pay = (key: string, headers: Record<string, string> = {}, body = bodyOf()) =>
  call<{ transaction: { id: string } }>('POST', '/api/payment-intent', body, {
    'x-api-key': key,
    ...headers,
  });

const named = (name: string) => (span: CollectedSpan) => span.name === name;
const child = (span: CollectedSpan) => `00-${span.traceId}-${span.id}-01`;

it('one trace leads from the caller over the request to the bank, and to the webhooks of payment and settlement', async () => {
  const { key, walletId, path } = await payer();
  const { traceId, parentId, header } = traceparent();
  const { status, data } = await pay(key, { traceparent: header, tracestate: 'vendor=private' });
  expect(status).toBe(201);
  const { id } = data.transaction;
  await collector.find((span) => span.traceId === traceId && span.name === 'webhook attempt', 2);
  const ofTrace = collector.spans.filter((span) => span.traceId === traceId);
  const [request] = ofTrace.filter(named('POST /api/payment-intent'));
  expect(request).toMatchObject({ parentId, kind: SERVER, isFailed: false });
  expect(request!.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/api/payment-intent',
    'http.response.status_code': 201,
    'wallet.id': walletId,
    'wallet.transaction_id': id,
    'wallet.decision': 'approved',
  });
  const [payout] = ofTrace.filter(named('bank startPayout'));
  expect(payout).toMatchObject({
    parentId: request!.id,
    kind: CLIENT,
    attributes: { 'wallet.reference': id, 'wallet.bank_call': 'startPayout' },
  });
  expect(fake.calls.find(({ reference, method }) => reference === id && method === 'POST')?.traceparent).toBe(
    child(payout!),
  );
  const attempts = ofTrace.filter(named('webhook attempt'));
  for (const attempt of attempts) {
    expect(attempt).toMatchObject({ parentId: request!.id, kind: CLIENT, isFailed: false });
    expect(attempt.attributes['http.response.status_code']).toBe(200);
  }
  const received = receiver.at(path);
  expect(received.map(({ headers }) => headers['traceparent']).sort()).toEqual(attempts.map(child).sort());
  expect(received.map(({ headers }) => headers['tracestate'])).toEqual([undefined, undefined]);
});

it("the bank's report makes a job in its own trace, which asks for the payout in that of the payment", async () => {
  const { key } = await payer();
  const { traceId, header } = traceparent();
  const { data } = await pay(key, { traceparent: header });
  const [job] = await collector.find(named('job settlement.poll'));
  expect(job!.kind).toBe(CONSUMER);
  const [report] = await collector.find(
    (span) => span.traceId === job!.traceId && span.name === 'POST /api/webhooks/payouts',
  );
  expect(job!.parentId).toBe(report!.id);
  const [asked] = await collector.find(
    (span) => span.name === 'bank getPayout' && span.attributes['wallet.reference'] === data.transaction.id,
  );
  expect(asked!.traceId).toBe(traceId);
});

it('the span of a batch links the requests of all its payments', async () => {
  const { key } = await payer();
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => pay(key, {}, bodyOf(100_000 + i))));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
  const ids = new Set<unknown>(answers.map(({ data }) => data.transaction.id));
  const requests = await collector.find(({ attributes }) => ids.has(attributes['wallet.transaction_id']), 8);
  const linked = () =>
    collector.spans.filter(named('payment batch')).flatMap(({ links }) => links.map((link) => link.id));
  await until(() => Promise.resolve(requests.every(({ id }) => linked().includes(id))));
  for (const { id } of requests) expect(linked().filter((each) => each === id)).toHaveLength(1);
  for (const { links, attributes, parentId } of collector.spans.filter(named('payment batch'))) {
    expect(links).toHaveLength(Number(attributes['wallet.batch_size']));
    expect(parentId).toBe('');
  }
});

it('a caller that does not record its trace has none recorded here, before the commit and after it', async () => {
  const { key, path } = await payer();
  const { traceId, header } = traceparent('00');
  await pay(key, { traceparent: header });
  await until(() => Promise.resolve(receiver.at(path).length === 2));
  for (const { headers } of receiver.at(path))
    expect(headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-\\w+-00$`));
  const { key: next } = await payer();
  const after = traceparent();
  await pay(next, { traceparent: after.header });
  await collector.find((span) => span.traceId === after.traceId && span.name === 'webhook attempt', 2);
  expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
});

it('what is no traceparent begins a trace, and a refused payment names its code', async () => {
  const { key } = await payer();
  const { data } = await pay(key, { traceparent: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` });
  const [begun] = await collector.find(
    ({ attributes }) => attributes['wallet.transaction_id'] === data.transaction.id,
  );
  expect(begun!.parentId).toBe('');
  const { traceId, header } = traceparent();
  await pay(key, { traceparent: header }, bodyOf(200_001));
  const [refused] = await collector.find((span) => span.traceId === traceId);
  expect(refused!.attributes).toMatchObject({
    'http.response.status_code': 403,
    'wallet.error_code': 'SPEND_LIMIT_PER_TX_EXCEEDED',
  });
});

it('no key, token, secret, password, e-mail or account number is sent, and the last spans come at the end', async () => {
  const { traceId, header } = traceparent();
  const secret = 'a-secret-in-the-address';
  await call(
    'POST',
    `/v1/auth/login?token=${secret}`,
    { email: secrets.at(-4), password: PASSWORD },
    { traceparent: header },
  );
  await call(
    'POST',
    '/api/webhooks',
    { event: 'charge.success' },
    {
      'x-korapay-signature': createHmac('sha256', BANK_KEY).update('{}').digest('hex'),
    },
  );
  await service.stop();
  expect(collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name)).toEqual([
    'POST /v1/auth/login',
  ]);
  const sent = Buffer.concat(collector.bodies).toString('latin1');
  expect(sent).toContain('agent-payment-wallet');
  expect(secrets.length).toBeGreaterThan(20);
  expect([...secrets, secret].filter((each) => sent.includes(each))).toEqual([]);
});
