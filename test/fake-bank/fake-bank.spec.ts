import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isNuban } from '../../src/contexts/bank/nuban.ts';
import { Clock } from './clock.ts';
import { toKobo, toNaira } from './json.ts';
import { Random } from './random.ts';

const SECRET = 'sk_test_of_this_file';
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly reference: string;
  readonly state: string;
  readonly attempts: { readonly at: string; readonly status: number | null }[];
}

let process_: ChildProcess;
let origin: string;
let receiver: Server;
let webhookUrl: string;
let reply = 200;
let received: { body: string; signature: unknown }[] = [];

/** The real thing: its own process, started as the npm script does, spoken to over HTTP alone. */
beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ body, signature: request.headers['x-korapay-signature'] });
      response.writeHead(reply).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const flags = ['--port', '0', '--speed', '0', '--secret', SECRET, '--webhook-url', webhookUrl];
  process_ = spawn(process.execPath, [MAIN, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  origin = await new Promise((resolve, reject) => {
    process_.once('exit', (code) => reject(new Error(`the fake bank ended with ${code}`)));
    process_.stdout!.once('data', (line: Buffer) => resolve(/http:\/\/[^/]+/.exec(line.toString())![0]));
  });
});

beforeEach(async () => {
  reply = 200;
  received = [];
  await control('POST', 'reset', { seed: 7 });
});

afterAll(async () => {
  const ended = new Promise((resolve) => process_.once('exit', resolve));
  process_.kill('SIGTERM');
  expect(await ended).toBe(0);
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

async function control<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${origin}/__fake/${path}`, { method, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

async function api(method: string, path: string, body?: object, key = 'sk_test_x') {
  const response = await fetch(`${origin}/merchant/api/v1${path}`, {
    method,
    headers: key ? { authorization: `Bearer ${key}` } : {},
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(1_000),
  });
  const text = await response.text();
  const json = text.startsWith('{')
    ? (JSON.parse(text) as { message: string; data: Record<string, unknown> })
    : null;
  return { ...json, status: response.status };
}

const pay = (bank: string, account: string, reference = 'payout-1', amount = 1000) =>
  api('POST', '/transactions/disburse', {
    reference,
    destination: {
      type: 'bank_account',
      amount,
      currency: 'NGN',
      bank_account: { bank, account },
      customer: { email: 'a@example.com' },
    },
  });
const open = (reference: string) =>
  api('POST', '/virtual-bank-account', {
    account_name: 'Agent',
    account_reference: reference,
    permanent: true,
    bank_code: '000',
    customer: { name: 'Ada Obi' },
    kyc: { bvn: '22222222222' },
  });
const statusOf = async (reference = 'payout-1') =>
  (await api('GET', `/transactions/${reference}`)).data?.status;
const deliveries = () => control<Delivery[]>('GET', 'deliveries');
const advance = (ms: number) => control('POST', 'clock/advance', { ms });
const balance = async () => (await control<{ balance: string }>('GET', 'state')).balance;

describe('the fake bank', () => {
  it('refuses every request without a key', async () => {
    expect(await api('GET', '/balances', undefined, '')).toMatchObject({ status: 401 });
    expect(await api('GET', '/balances', undefined, 'pk_test_x')).toMatchObject({ status: 401 });
    expect(await api('GET', '/nothing')).toMatchObject({ status: 404 });
  });

  it('makes the same bank from the same seed', async () => {
    const first = await open('wallet-1');
    await control('POST', 'reset', { seed: 7 });
    const again = await open('wallet-1');
    await control('POST', 'reset', { seed: 8 });
    const other = await open('wallet-1');
    expect(again.data!.account_number).toBe(first.data!.account_number);
    expect(other.data!.account_number).not.toBe(first.data!.account_number);
    expect(isNuban('000', String(first.data!.account_number))).toBe(true);
  });

  it.each([
    ['033', '0000000000', 200, 'success', '99998967.75'],
    ['035', '0000000000', 200, 'failed', '100000000.00'],
    ['011', '9999999999', 400, undefined, '100000000.00'],
    ['999', '0000000003', 502, 'success', '99998967.75'],
    ['999', '0000000005', 200, 'success', '99998967.75'],
    ['999', '0000000008', 200, 'processing', '99998967.75'],
    ['999', '0000000009', 409, 'success', '99998967.75'],
  ])('pays to %s/%s as its test account says', async (bank, account, status, end, left) => {
    expect(await pay(bank, account)).toMatchObject({ status });
    await advance(60_000);
    expect(await statusOf()).toBe(end);
    expect(await balance()).toBe(left);
  });

  it.each([
    ['0000000001', 'success'],
    ['0000000002', undefined],
  ])('leaves 999/%s without an answer, and then it is %s', async (account, end) => {
    await expect(pay('999', account)).rejects.toThrow();
    await advance(60_000);
    expect(await statusOf()).toBe(end);
  });

  it('turns a success around an hour later where the account says so, and gives the money back', async () => {
    await pay('999', '0000000004');
    await advance(60_000);
    expect(await statusOf()).toBe('success');
    await advance(3_600_000);
    expect(await statusOf()).toBe('reversed');
    expect(await balance()).toBe('100000000.00');
    await advance(60_000);
    expect((await deliveries()).map(({ event }) => event)).toEqual(['transfer.success', 'transfer.reversed']);
  });

  it.each([
    ['0000000000', 1],
    ['0000000005', 0],
    ['0000000006', 2],
    ['0000000007', 1],
  ])('reports a payout to 999/%s %i times', async (account, times) => {
    await pay('999', account);
    await advance(120_000);
    expect(received).toHaveLength(times);
  });

  it('signs the data of what it sends', async () => {
    await open('wallet-1');
    await control('POST', 'collections', { accountReference: 'wallet-1', amount: '150.00' });
    await advance(10_000);
    const [{ body, signature }] = received as [{ body: string; signature: string }];
    const { data } = JSON.parse(body) as { data: object };
    expect(signature).toBe(createHmac('sha256', SECRET).update(JSON.stringify(data)).digest('hex'));
    expect(body).toContain('"amount":150.00,');
  });

  it('sends a webhook again until it is taken, in growing steps', async () => {
    await open('wallet-1');
    await control('POST', 'collections', { accountReference: 'wallet-1', amount: '200' });
    reply = 500;
    await advance(10 * 60_000);
    reply = 200;
    await advance(24 * 60 * 60_000);
    const [delivery] = (await deliveries()) as [Delivery];
    expect(delivery.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 200]);
    const times = delivery.attempts.map(({ at }) => Date.parse(at));
    const minutes = times.slice(1).map((time, n) => Math.round((time - times[n]!) / 60_000));
    expect(minutes).toEqual([1, 5, 15]);
  });

  it('gives a webhook up after three days', async () => {
    await open('wallet-1');
    await control('POST', 'collections', { accountReference: 'wallet-1', amount: '200' });
    reply = 400;
    await advance(80 * 60 * 60_000);
    const [delivery] = (await deliveries()) as [Delivery];
    expect(delivery.state).toBe('given-up');
    expect(delivery.attempts.length).toBeGreaterThan(70);
  });

  it('holds, releases, drops and repeats webhooks on command', async () => {
    await open('wallet-1');
    await control('POST', 'webhooks', { mode: 'hold' });
    await control('POST', 'collections', { accountReference: 'wallet-1', amount: '200' });
    await advance(60_000);
    expect(received).toHaveLength(0);
    const [{ id }] = (await deliveries()) as [Delivery];
    await control('POST', `webhooks/${id}/release`);
    await advance(1);
    expect(received).toHaveLength(1);
    expect(await control('POST', `webhooks/${id}/redeliver`, { times: 3 })).toEqual({
      statuses: [200, 200, 200],
    });
    await control('POST', `webhooks/${id}/drop`);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect((await deliveries())[0]!.state).toBe('dropped');
  });

  it('answers after the rules it is given, as often as they say', async () => {
    const rules = [{ method: 'GET', path: '/transactions/', nth: 2, answer: { status: 418, body: 'no' } }];
    await control('POST', 'script', { rules });
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await api('GET', '/transactions/none')).status);
    expect(statuses).toEqual([404, 418, 404, 404]);
    expect((await control<object[]>('GET', 'calls')).length).toBe(4);
  });

  it('settles a payout on command, either way and back, and keeps its balance right', async () => {
    await pay('999', '0000000008');
    await control('POST', 'payouts/payout-1/settle', { status: 'failed', reason: 'Dormant account' });
    expect((await api('GET', '/transactions/payout-1')).data).toMatchObject({ message: 'Dormant account' });
    expect(await balance()).toBe('100000000.00');
    await control('POST', 'payouts/payout-1/settle', { status: 'success' });
    expect(await balance()).toBe('99998967.75');
  });

  it('credits an account as the sandbox does, and lists what came in', async () => {
    const account = await open('wallet-1');
    const number = account.data!.account_number;
    const credit = (amount: number) =>
      api('POST', '/virtual-bank-account/sandbox/credit', {
        account_number: number,
        currency: 'NGN',
        amount,
      });
    expect((await credit(1000)).status).toBe(200);
    expect((await credit(99)).status).toBe(400);
    const list = await api('GET', `/virtual-bank-account/transactions?account_number=${String(number)}`);
    expect(list.data!.transactions).toMatchObject([{ status: 'success', amount: '1000.00' }]);
    expect(await balance()).toBe('100000985.00');
  });

  it('refuses what the bank would refuse', async () => {
    await open('wallet-1');
    expect((await open('wallet-1')).message).toBe('Account reference already exists');
    expect((await pay('033', '0000000000', 'abc')).message).toBe('Invalid request data');
    expect((await pay('033', '0000000000', 'payout-2', 2.675)).message).toBe('Invalid request data');
    await pay('033', '0000000000');
    expect((await pay('033', '0000000000')).message).toMatch(/^Duplicate Transaction Reference/);
    await control('POST', 'balance', { naira: '1032.24' });
    expect((await pay('033', '0000000000', 'payout-3')).status).toBe(409);
  });

  it('says what is wrong with a command', async () => {
    await expect(control('POST', 'nothing')).rejects.toThrow('no such command');
    await expect(control('POST', 'payouts/none/settle', { status: 'success' })).rejects.toThrow(
      'no such payout',
    );
    await expect(control('POST', 'clock/advance', { ms: -1 })).rejects.toThrow('whole number');
  });
});

describe('its parts', () => {
  it('run what is due in the order of its time, also when time runs by itself', async () => {
    const order: number[] = [];
    const standing = new Clock(0);
    for (const ms of [30, 10, 20, 10]) standing.after(ms, () => order.push(ms));
    await standing.advance(25);
    expect(order).toEqual([10, 10, 20]);
    const running = new Clock(1_000);
    const start = running.now();
    await running.sleep(20_000);
    expect(running.now() - start).toBeGreaterThanOrEqual(20_000);
    running.clear();
  });

  it('draw latencies with the given median and tail', () => {
    const random = new Random(3);
    const drawn = Array.from({ length: 20_000 }, () => random.latency(150, 2_000)).sort((a, b) => a - b);
    expect(drawn[10_000]! / 150).toBeCloseTo(1, 1);
    expect(drawn[19_800]! / 2_000).toBeCloseTo(1, 0);
  });

  it('keep naira exact', () => {
    expect(toKobo('70368744177664.01')).toBe(7_036_874_417_766_401n);
    expect(toKobo('10.505')).toBeNull();
    expect([0n, 5n, -105n, 100_000n].map(toNaira)).toEqual(['0.00', '0.05', '-1.05', '1000.00']);
  });
});
