import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { newSecret } from '../endpoints/endpoints.domain.js';
import { AddressGuard, addressProblem, resolveByDns } from '../../../platform/security/safe-address.js';
import { Sender, signedHeaders } from './sender.js';

const PROBES = [
  'http://127.0.0.1',
  'http://localhost',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://2130706433',
  'http://0x7f.1',
  'http://0177.0.0.1',
  'http://127.1',
  'http://0.0.0.0',
  'http://0',
  'http://[::]',
  'http://①②⑦.⓪.⓪.①',
  'http://localhost.',
  'http://127.0.0.1.',
  'http://[::127.0.0.1]',
  'http://[64:ff9b::7f00:1]',
  'http://[2002:7f00:1::]',
  'http://[fe80::1]',
  'http://[fc00::1]',
  'http://169.254.169.254',
  'http://100.64.0.1',
  'http://198.18.0.1',
  'http://192.0.2.1',
  'http://224.0.0.1',
  'http://240.0.0.1',
];
const PUBLIC = { address: '93.184.215.14', family: 4 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

const message = (url: string, more: object = {}) => ({
  id: 'msg_1',
  url,
  body: '{"event":"wallet.funded","data":{}}',
  secrets: [newSecret()],
  at: new Date(),
  ...more,
});

let canary: Server;
let port: number;
let reached: IncomingMessage[] = [];
let connections = 0;
let behave: (response: ServerResponse) => void;

beforeAll(async () => {
  canary = createServer((request, response) => {
    reached.push(request);
    behave(response);
  });
  canary.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => canary.listen(0, '::', resolve));
  port = (canary.address() as AddressInfo).port;
});
beforeEach(() => {
  reached = [];
  connections = 0;
  behave = (response) => response.end('SECRET');
});
afterAll(() => {
  canary.closeAllConnections();
  canary.close();
});

function resolving(...answers: LookupAddress[][]) {
  let i = 0;
  return () => Promise.resolve(answers[Math.min(i++, answers.length - 1)] ?? []);
}

describe('a guarded sender', () => {
  const sender = new Sender(new AddressGuard(false), false, 2_000);
  afterAll(() => sender.close());

  it.each(PROBES)('does not connect to %s', async (probe) => {
    const url = `${probe}:${port}/`;
    const attempt = await sender.send(message(url));
    expect(attempt).toMatchObject({ statusCode: null, error: expect.stringMatching(/^refused: /) });
    expect(connections).toBe(0);
    expect(await new AddressGuard(false).problem(new URL(url).hostname)).toMatch(
      /not on the public internet/,
    );
  });

  it('is looked at later where its name is not resolved in time', async () => {
    const silent = new AddressGuard(false, () => new Promise(() => undefined));
    expect(await silent.problem('shop.example.ng')).toBeNull();
  });

  it('connects to none of the addresses of a name when one of them is refused', async () => {
    const guard = new AddressGuard(false, resolving([PUBLIC, LOOPBACK]));
    const mixed = new Sender(guard, false, 2_000);
    expect(await mixed.send(message(`http://mixed.example:${port}/`))).toMatchObject({
      error: 'refused: 127.0.0.1 is not on the public internet (loopback)',
    });
    expect(await guard.problem('mixed.example')).toContain('127.0.0.1');
    expect(connections).toBe(0);
    await mixed.close();
  });

  it('looks at the address again on every attempt, so that a name which moves gains nothing', async () => {
    const guard = new AddressGuard(false, resolving([PUBLIC], [LOOPBACK]));
    expect(await guard.problem('rebinding.example')).toBeNull();
    const rebound = new Sender(guard, false, 2_000);
    expect(await rebound.send(message(`http://rebinding.example:${port}/`))).toMatchObject({
      error: expect.stringMatching(/^refused: 127\.0\.0\.1/),
    });
    expect(connections).toBe(0);
    await rebound.close();
  });

  it('refuses a URL that was stored before the rules were', async () => {
    for (const url of ['http://a@127.0.0.1/', 'http://example.com:22/', 'file:///etc/passwd']) {
      expect((await sender.send(message(url))).error).toMatch(/^the URL must/);
    }
    const production = new Sender(new AddressGuard(false), true);
    expect((await production.send(message('http://example.com'))).error).toMatch(/https/);
    await production.close();
  });
});

describe('an address', () => {
  it.each(['8.8.8.8', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001:831::200e'])(
    '%s is public',
    (address) => expect(addressProblem(address)).toBeNull(),
  );

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '255.255.255.255',
    '100.127.255.255',
    '::ffff:10.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b:1::7f00:1',
    '100::1',
    '2001:db8::1',
    '2001::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'fd00:ec2::254',
    'nonsense',
  ])('%s is not', (address) => expect(addressProblem(address)).not.toBeNull());

  it('of localhost is loopback, without asking a name server', async () => {
    expect((await resolveByDns('LOCALHOST.')).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    expect((await resolveByDns('x.localhost'))[0]?.address).toBe('127.0.0.1');
  });
});

describe('a sender that may go anywhere', () => {
  /** Generous, for busy machines. */
  const sender = new Sender(new AddressGuard(true), false, 10_000);
  const hasty = new Sender(new AddressGuard(true), false, 500);
  afterAll(async () => {
    await sender.close();
    await hasty.close();
  });
  const url = () => `http://localhost:${port}/hook?a=1`;

  it('is not sent once its claim has run out, also while it connects', async () => {
    const lost = { unsent: true, interrupted: true, statusCode: null };
    expect(await sender.send(message(url(), { sendBefore: performance.now() - 1 }))).toMatchObject(lost);
    expect(reached).toHaveLength(0);
    const sent = message(url(), { sendBefore: performance.now() + 60_000 });
    expect(await sender.send(sent)).toMatchObject({ statusCode: 200, at: sent.at });
    const connecting = sender.send(message(url(), { sendBefore: performance.now() + 2_000 }));
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    expect(await connecting).toMatchObject(lost);
    jest.restoreAllMocks();
    expect(reached).toHaveLength(1);
  });

  it('sends what a stock library verifies, signed with every secret', async () => {
    const sent = message(url(), { secrets: [newSecret(), newSecret()], body: '{"naira":"₦"}' });
    const headers = signedHeaders(sent);
    for (const secret of sent.secrets) {
      expect(new Webhook(secret).verify(sent.body, headers)).toEqual({ naira: '₦' });
      expect(() => new Webhook(secret).verify('{"naira":"N"}', headers)).toThrow();
    }
    expect(() => new Webhook(newSecret()).verify(sent.body, headers)).toThrow();
    const attempt = await sender.send(sent);
    expect(attempt).toMatchObject({ statusCode: 200, response: 'SECRET', error: null });
    expect(reached[0]!.method).toBe('POST');
    expect(reached[0]!.url).toBe('/hook?a=1');
    expect(reached[0]!.headers).toMatchObject({ 'webhook-id': 'msg_1', 'content-type': 'application/json' });
    expect(reached[0]!.headers).not.toHaveProperty('cookie');
    expect(reached[0]!.headers).not.toHaveProperty('accept-encoding');
  });

  it('connects to the very address that was looked up, and looks it up once', async () => {
    let asked = 0;
    const moving = new AddressGuard(true, () => {
      asked += 1;
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    });
    const once = new Sender(moving, false, 10_000);
    expect(await once.send(message(`http://moving.example:${port}/`))).toMatchObject({ statusCode: 200 });
    expect([asked, reached[0]!.socket.localAddress]).toEqual([1, '::ffff:127.0.0.1']);
    expect(reached[0]!.headers.host).toBe(`moving.example:${port}`);
    await once.close();
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => undefined],
    ['answers, but never to the end', (response) => response.writeHead(200).write('x')],
    [
      'answers a byte at a time',
      (response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ])('gives up on a receiver that %s, and its connection', async (_, behaviour) => {
    const closed = new Promise<void>((resolve) => {
      behave = (response) => behaviour(response.on('close', resolve));
    });
    const attempt = await hasty.send(message(url()));
    expect(attempt.error).toBe('no complete answer within 0.5 seconds');
    expect(attempt.durationMs).toBeGreaterThanOrEqual(490);
    await closed;
  });

  it('gives up on one that takes the connection and nothing else', async () => {
    const taken: Socket[] = [];
    const mute = createTcpServer((socket) => taken.push(socket));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const attempt = await hasty.send(message(`http://127.0.0.1:${(mute.address() as AddressInfo).port}/`));
    expect(attempt.error).toMatch(/no complete answer/);
    mute.close();
    for (const socket of taken) socket.destroy();
  });

  it('tells the status of an answer that did not end', async () => {
    behave = (response) => response.writeHead(202).write('x');
    const patient = new Sender(new AddressGuard(true), false, 2_000);
    expect(await patient.send(message(url()))).toMatchObject({ statusCode: 202, response: null });
    await patient.close();
  });

  it('keeps the first KiB of an endless answer, and gives the connection up after 64', async () => {
    const closed = new Promise((resolve) => {
      behave = (response) => {
        response.writeHead(200).write('y'.repeat(1_000));
        const flood = setInterval(() => response.write('z'.repeat(8_192)), 1);
        response.on('close', () => {
          clearInterval(flood);
          resolve(undefined);
        });
      };
    });
    const attempt = await sender.send(message(url()));
    expect(attempt).toMatchObject({ statusCode: 200, error: null });
    expect(attempt.response).toBe('y'.repeat(1_000) + 'z'.repeat(24));
    await closed;
  });

  it('sends nothing once the time is up that a name took to resolve', async () => {
    const found: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];
    let answer: (() => void) | undefined;
    const slow = new AddressGuard(true, () =>
      answer ? Promise.resolve(found) : new Promise((resolve) => (answer = () => resolve(found))),
    );
    const patient = new Sender(slow, false, 1_000);
    const late = await patient.send(message(`http://slow.example:${port}/late`));
    expect(late.error).toBe('no complete answer within 1 seconds');
    answer?.();
    await patient.send(message(`http://slow.example:${port}/next`));
    await patient.send(message(`http://slow.example:${port}/next`));
    expect(reached.map(({ url: path }) => path)).toEqual(['/next', '/next']);
    await patient.close();
  });

  it('does not follow a redirect, nor unpack an answer', async () => {
    behave = (response) => response.writeHead(302, { location: '/elsewhere' }).end();
    expect(await sender.send(message(url()))).toMatchObject({ statusCode: 302 });
    behave = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
    expect(await sender.send(message(url()))).toMatchObject({ statusCode: 200, response: 'not gzip' });
    expect(reached).toHaveLength(2);
  });

  it('says that the service stopped, not that the receiver failed', async () => {
    behave = () => undefined;
    const attempt = sender.send(message(url()));
    while (reached.length === 0) await new Promise((resolve) => setImmediate(resolve));
    sender.abort();
    expect(await attempt).toMatchObject({ statusCode: null, interrupted: true });
  });

  it('sends nothing without a secret to sign with', async () => {
    expect((await sender.send(message(url(), { secrets: [] }))).error).toMatch(/rotate/);
    expect(reached).toEqual([]);
  });
});
