import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { LoggedService } from '../support/logged-service.js';
import { Receiver } from '../support/receiver.js';
import { chargeBody, PASSWORD, paymentBody, UNKNOWN_KEY, walletBody } from '../support/service.js';

let database: TestDatabase;
let service: LoggedService;

beforeAll(async () => {
  database = await freshDatabase();
  service = await LoggedService.start(database.url, { LOG_LEVEL: 'debug', LOGIN_FAILURES_MAX: '2' });
}, 120_000);

afterAll(async () => {
  await service.stop();
  await database.drop();
});

interface Sent {
  readonly body?: unknown;
  readonly token?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

async function send(method: string, path: string, { body, token, key, headers }: Sent = {}) {
  const id = randomUUID();
  const response = await fetch(service.url + path, {
    method,
    headers: {
      'x-request-id': id,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { id, status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as never };
}

async function signedUp() {
  const email = `${randomUUID()}@example.com`;
  const { body } = await send('POST', '/v1/auth/signup', {
    body: { email, password: PASSWORD, accountType: 'developer' },
  });
  const { token, user } = (body as { data: { token: string; user: { id: string } } }).data;
  return { token, email, userId: user.id };
}

async function fundedWallet() {
  const { token, userId } = await signedUp();
  const { body } = await send('POST', '/api/wallets', { token, body: walletBody(userId) });
  const { wallet, apiKey } = (body as { data: { wallet: { id: string }; apiKey: { fullKey: string } } }).data;
  await send('POST', '/api/webhooks', { body: chargeBody(wallet.id) });
  return { token, walletId: wallet.id, key: apiKey.fullKey };
}

const lineOf = async (id: string) => (await service.find('request', { requestId: id }))[0]!;

describe('a request', () => {
  it('has one line with its route, never its address, and the wallet that it names', async () => {
    const { token, walletId } = await fundedWallet();
    const { id } = await send('GET', `/api/wallets/${walletId}/transactions?page=1`, { token });
    const [line, ...more] = await service.find('request', { requestId: id });
    expect(more).toEqual([]);
    expect(line).toEqual({
      level: 30,
      time: expect.any(String),
      requestId: id,
      method: 'GET',
      route: '/api/wallets/:walletId/transactions',
      status: 200,
      durationMs: expect.any(Number),
      walletId,
      msg: 'request',
    });
  });

  it('that nothing serves, or that can not be read, has a line without a route and with its code', async () => {
    const { id } = await send('GET', '/nowhere/secret-in-the-path?token=secret-in-the-query');
    expect(await lineOf(id)).toMatchObject({ route: null, status: 404, code: 'NOT_FOUND' });
    const bad = await send('GET', '/v1/banks/%zz');
    expect(await lineOf(bad.id)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    const before = service.lines.filter(({ code }) => code === 'BAD_REQUEST').length;
    const { hostname, port } = new URL(service.url);
    connect(Number(port), hostname).end('not http at all\r\n\r\n');
    await service.find('request', { code: 'BAD_REQUEST', route: null }, before + 1);
    expect(service.text).not.toMatch(/secret-in-the-/);
  });

  it('for health or a fixed file is told when debugging alone', async () => {
    const ids = [await send('GET', '/health/ready'), await send('GET', '/openapi.json')].map(({ id }) => id);
    for (const id of ids) expect(await lineOf(id)).toMatchObject({ level: 20, status: 200 });
  });
});

describe('a payment', () => {
  it('has its decision in the line of its request, and no other', async () => {
    const { walletId, key } = await fundedWallet();
    const paid = await send('POST', '/api/payment-intent', { key, body: paymentBody() });
    const { id: transactionId } = (paid.body as { data: { transaction: { id: string } } }).data.transaction;
    const decided = { level: 30, route: '/api/payment-intent', walletId };
    expect(await lineOf(paid.id)).toMatchObject({
      ...decided,
      status: 201,
      decision: 'approved',
      transactionId,
      amount: 1_000,
    });
    const blocked = await send('POST', '/api/payment-intent', {
      key,
      body: paymentBody({ amount: 100_001 }),
    });
    expect(await lineOf(blocked.id)).toMatchObject({
      ...decided,
      status: 403,
      decision: 'blocked',
      code: 'SPEND_LIMIT_PER_TX_EXCEEDED',
      amount: 100_001,
    });
    const unknown = await send('POST', '/api/payment-intent', { key: UNKNOWN_KEY, body: paymentBody() });
    expect(await lineOf(unknown.id)).toMatchObject({ status: 401, code: 'INVALID_API_KEY' });
    for (const { id } of [paid, blocked, unknown])
      expect(await service.find('request', { requestId: id })).toHaveLength(1);
  });

  it('that is repeated says so', async () => {
    const { key } = await fundedWallet();
    const again = { key, body: paymentBody(), headers: { 'idempotency-key': 'order-1' } };
    const [first, second] = [
      await send('POST', '/api/payment-intent', again),
      await send('POST', '/api/payment-intent', again),
    ];
    const [one, two] = [await lineOf(first.id), await lineOf(second.id)];
    expect([one.isReplayed, two.isReplayed]).toEqual([undefined, true]);
    expect(two.transactionId).toBe(one.transactionId);
  });

  it('is sent to the bank in a line of its own', async () => {
    const { key } = await fundedWallet();
    const { body } = await send('POST', '/api/payment-intent', { key, body: paymentBody() });
    const reference = (body as { data: { settlement: { reference: string } } }).data.settlement.reference;
    const [line] = await service.find('bank call', { reference });
    expect(line).toMatchObject({ context: 'bank', call: 'startPayout', durationMs: expect.any(Number) });
    expect(line!.outcome).toMatch(/^(accepted|succeeded)$/);
  });
});

describe('the id of a request', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  async function subscribed(events: readonly string[]) {
    const wallet = await fundedWallet();
    const path = `/${randomUUID()}`;
    const made = await send('POST', '/v1/webhook-endpoints', {
      token: wallet.token,
      body: { url: receiver.url(path), events },
    });
    expect(made.status).toBe(201);
    return { ...wallet, path };
  }

  it('leads from the request over the bank to the webhooks, and stands in the details of the payment', async () => {
    const { key, path } = await subscribed(['payment.approved', 'payment.settled']);
    const { id, body } = await send('POST', '/api/payment-intent', { key, body: paymentBody() });
    const { id: paid } = (body as { data: { transaction: { id: string } } }).data.transaction;
    await service.find('webhook attempt', { requestId: id, outcome: 'succeeded' }, 2);
    expect(
      receiver
        .at(path)
        .map((each) => (JSON.parse(each.body) as { event: string }).event)
        .sort(),
    ).toEqual(['payment.approved', 'payment.settled']);
    const told = service.lines.filter(({ requestId }) => requestId === id).map(({ msg }) => msg);
    expect([...new Set(told)].sort()).toEqual(['bank call', 'request', 'webhook attempt']);
    const details = await send('GET', `/api/payment-intent/${paid}`, { key });
    expect((details.body as { data: { requestId: string } }).data.requestId).toBe(id);
  });

  it('leads to the refund of a payment that the bank refuses', async () => {
    const { key } = await subscribed(['payment.refunded']);
    const refused = paymentBody({ recipientAccountNo: '9000000001' });
    const { id, status } = await send('POST', '/api/payment-intent', { key, body: refused });
    expect(status).toBe(201);
    await service.find('bank call', { requestId: id, outcome: 'rejected' });
    await service.find('webhook attempt', { requestId: id, outcome: 'succeeded' });
  });

  it('leads to the decision of the owner, which has an id of its own', async () => {
    const { key, token, walletId } = await subscribed(['approval.decided']);
    const controls = await send('PATCH', `/api/wallets/${walletId}`, {
      token,
      body: { approvalThreshold: 500 },
    });
    expect(controls.status).toBe(200);
    const asked = await send('POST', '/api/payment-intent', { key, body: paymentBody() });
    expect(await lineOf(asked.id)).toMatchObject({ status: 202, decision: 'pending' });
    const { id } = (asked.body as { data: { approval: { id: string } } }).data.approval;
    const decided = await send('POST', `/v1/approvals/${id}/approve`, { token });
    expect(await lineOf(decided.id)).toMatchObject({
      decision: 'approved',
      walletId,
      transactionId: id,
      amount: 1_000,
      paymentRequestId: asked.id,
    });
    await service.find('bank call', { requestId: asked.id, reference: id });
    await service.find('webhook attempt', { requestId: asked.id });
  });
});

describe('a login that fails', () => {
  it('has a line with the address and the id of the account, and never the e-mail', async () => {
    const { email, userId } = await signedUp();
    const log = (who: string) =>
      send('POST', '/v1/auth/login', { body: { email: who, password: 'a wrong password' } });
    const wrong = await log(email);
    expect(await service.find('login failed', { requestId: wrong.id })).toEqual([
      expect.objectContaining({ level: 40, address: '127.0.0.1', userId, code: 'INVALID_CREDENTIALS' }),
    ]);
    const unknown = await log(`${randomUUID()}@example.com`);
    expect(await service.find('login failed', { requestId: unknown.id })).toEqual([
      expect.objectContaining({ userId: null, code: 'INVALID_CREDENTIALS' }),
    ]);
    await log(email);
    const limited = await log(email);
    expect(await service.find('login failed', { requestId: limited.id })).toEqual([
      expect.objectContaining({ address: '127.0.0.1', code: 'RATE_LIMITED' }),
    ]);
    expect(service.text).not.toContain(email);
  });
});

it('a new schema has a line, and what is said last is written though the process ends', async () => {
  expect(service.lines.filter(({ msg }) => msg === 'schema made')).toEqual([
    expect.objectContaining({ migrations: expect.any(Number), durationMs: expect.any(Number) }),
  ]);
  const { id } = await send('GET', '/v1/banks');
  await service.stop();
  expect(service.lines.filter(({ requestId }) => requestId === id)).toHaveLength(1);
});
