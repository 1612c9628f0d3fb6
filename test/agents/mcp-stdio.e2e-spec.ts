import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { INHERITED } from '../support/inherited.js';
import { ServiceBuild } from '../support/process.js';
import { paymentBody, startService, type TestService, UNKNOWN_KEY } from '../support/service.js';

let build: ServiceBuild;
let program: string;
let service: TestService;
let url: string;

beforeAll(async () => {
  build = new ServiceBuild();
  program = join(build.main, '../wallet-mcp.js');
  service = await startService();
  await service.app.listen(0, '127.0.0.1');
  url = `http://127.0.0.1:${(service.app.getHttpServer().address() as AddressInfo).port}`;
});
afterAll(async () => {
  await service.close();
  build.remove();
});

const run = async (words: string[], env: Record<string, string> = {}) => {
  try {
    return {
      code: 0,
      ...(await promisify(execFile)(process.execPath, [program, ...words], {
        env: { ...INHERITED, ...env },
      })),
    };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
};

/** A client of the command at `revision`, which asks the service at `address` with `key`. */
async function clientOf(revision: string, address: string, key: string): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    { versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' } },
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program],
      env: { ...INHERITED, WALLET_URL: address, WALLET_KEY: key },
    }),
  );
  return client;
}

describe.each(['2026-07-28', '2025-11-25'])('wallet-mcp over stdio at %s', (revision) => {
  it('lists the tools that /mcp has, and pays once for one purchaseId', async () => {
    const wallet = await service.fundedWallet(50_000);
    const client = await clientOf(revision, url, wallet.key);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect((await client.listTools()).tools).toHaveLength(7);
    const args = { purchaseId: randomUUID(), ...paymentBody() };
    for (const replayed of [false, true]) {
      const paid = await client.callTool({ name: 'make_payment', arguments: args });
      expect(paid.structuredContent).toMatchObject({ replayed, payment: { decision: 'approved' } });
    }
    expect((await service.stats(wallet)).balance).toBe(49_000);
    await client.close();
  });

  it('says in a result what to do when the key is not good', async () => {
    const client = await clientOf(revision, url, UNKNOWN_KEY);
    const refused = await client.callTool({ name: 'get_wallet', arguments: {} });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'INVALID_API_KEY' } },
    });
    await client.close();
  });
});

describe('a service that can not be reached', () => {
  it('leaves a payment in doubt, and nothing else', async () => {
    const client = await clientOf('2026-07-28', 'http://127.0.0.1:1', UNKNOWN_KEY);
    const account = { accountNumber: '0123456789', bankCode: '058' };
    const again = /^Nothing was changed\. Wait, then call the same tool again/;
    const rows: [string, Record<string, unknown>, RegExp][] = [
      ['get_wallet', {}, again],
      ['resolve_account', account, again],
      ['quote_payment', paymentBody(), again],
      ['make_payment', { purchaseId: 'x', ...paymentBody() }, /^Whether it was paid .*make_payment again/],
    ];
    const answers = await Promise.all(rows.map(([name, args]) => client.callTool({ name, arguments: args })));
    for (const [i, [, , next]] of rows.entries()) {
      expect(answers[i]).toMatchObject({
        isError: true,
        structuredContent: {
          error: { code: 'OUTCOME_UNKNOWN', next: expect.stringMatching(next) as unknown },
        },
      });
    }
    await client.close();
  });
});

describe('something that answers in the place of the service', () => {
  type Answer = readonly [status: number, headers: Record<string, string>, body: string];
  const pay: [string, Record<string, unknown>] = ['make_payment', { purchaseId: 'x', ...paymentBody() }];
  let server: Server;
  let client: Client;
  /** The answer to the n-th request of a test; null breaks the connection. */
  let answerTo: (request: number) => Answer | null;
  let asked: string[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const answer = answerTo(asked.length);
      if (answer) response.writeHead(answer[0], answer[1]).end(answer[2]);
      else request.socket.destroy();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    client = await clientOf('2026-07-28', `http://127.0.0.1:${port}/wallets`, UNKNOWN_KEY);
  });
  afterAll(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });

  const call = ([name, args]: typeof pay, answers: typeof answerTo) => {
    asked = [];
    answerTo = answers;
    return client.callTool({ name, arguments: args });
  };

  it.each([408, 429, 500, 503])('is asked four times where it answers %i', async (status) => {
    await call(pay, () => [status, {}, '{"code":"X"}']);
    expect(asked).toEqual(Array(4).fill('/wallets/api/payment-intent'));
  });

  it('is asked four times where its answer can not be read', async () => {
    await call(pay, () => [200, {}, '<html></html>']);
    expect(asked).toHaveLength(4);
  });

  it.each([400, 402])('is asked once where it answers %i', async (status) => {
    await call(pay, () => [status, {}, '{"code":"X"}']);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['not answered', 'SHUTTING_DOWN', 503, true],
    ['not answered', 'RATE_LIMITED', 429, true],
    ['not answered', 'INVALID_API_KEY', 401, true],
    ['answered OUTCOME_UNKNOWN', 'INVALID_API_KEY', 401, true],
    ['answered INTERNAL_ERROR', 'INVALID_API_KEY', 401, true],
    ['answered OVERLOADED', 'INVALID_API_KEY', 401, false],
    ['not answered', 'VALIDATION_ERROR', 400, false],
    ['not answered', 'IDEMPOTENCY_KEY_REUSED', 422, false],
    ['not answered', 'INSUFFICIENT_FUNDS', 402, false],
  ])(
    'behind a try that was %s, %s leaves a payment in doubt or not',
    async (first, code, status, isInDoubt) => {
      const blocked: Record<string, object> = { INSUFFICIENT_FUNDS: { transactionId: randomUUID() } };
      const answers = (request: number): Answer | null => {
        if (request > 1) return [status, {}, JSON.stringify({ code, message: 'No.', ...blocked[code] })];
        if (first === 'not answered') return null;
        return [503, {}, JSON.stringify({ code: first.split(' ')[1], message: '' })];
      };
      const { structuredContent } = await call(pay, answers);
      const { error } = structuredContent as { error: { code: string; message: string; next: string } };
      expect(error.code).toBe(isInDoubt ? 'OUTCOME_UNKNOWN' : code);
      expect(error.message).toBe(
        isInDoubt
          ? 'It is not known whether an earlier try was carried out. The last one was refused: No.'
          : 'No.',
      );
      if (isInDoubt) expect(error.next).toMatch(/^Whether it was paid .*make_payment again/);
      const read = await call(['get_wallet', {}], answers);
      expect(read.structuredContent).toMatchObject({ error: { code } });
    },
  );

  it('gets no key by a redirect', async () => {
    const result = await call(pay, () => [301, { location: '/elsewhere' }, '']);
    expect(asked).toEqual(['/wallets/api/payment-intent']);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'BAD_REQUEST' } } });
    expect(JSON.stringify(result)).toContain('points to /elsewhere');
  });
});

describe('the command wallet-mcp', () => {
  it('explains itself with --help, and starts nothing', async () => {
    for (const flag of ['--help', '-h']) {
      const { code, stdout, stderr } = await run([flag]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('WALLET_KEY');
    }
  });

  it('refuses what it does not know, and settings that can not work, in one line', async () => {
    const rows: [string[], Record<string, string>, string][] = [
      [['--port'], { WALLET_KEY: UNKNOWN_KEY }, '--port'],
      [['pay'], { WALLET_KEY: UNKNOWN_KEY }, 'pay'],
      [[], {}, 'WALLET_KEY'],
      [[], { WALLET_KEY: 'apw_live_…' }, 'WALLET_KEY'],
      [[], { WALLET_KEY: UNKNOWN_KEY, WALLET_URL: 'pay.example.ng' }, 'WALLET_URL'],
    ];
    for (const [words, env, named] of rows) {
      const { code, stdout, stderr } = await run(words, env);
      expect([words, code, stdout]).toEqual([words, 2, '']);
      expect(stderr).toContain(named);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });
});
