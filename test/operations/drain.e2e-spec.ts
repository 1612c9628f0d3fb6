import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { HttpAdapter } from '../../src/platform/http/server/fastify.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { INHERITED } from '../support/inherited.js';
import { freePort } from '../support/ports.js';
import { ServiceBuild } from '../support/process.js';
import { exchange, hang, parseAnswer } from '../support/raw-http.js';
import { startService, type TestService, until } from '../support/service.js';

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const get = async (port: number, path: string) => parseAnswer(await exchange(port, request(path)));

describe('a service that drains', () => {
  let service: TestService;
  let port: number;
  beforeAll(async () => {
    service = await startService();
    await service.app.listen(0, '127.0.0.1');
    port = (service.app.getHttpServer().address() as AddressInfo).port;
  });
  afterAll(() => service.close());

  it('serves all but ready, and each answer ends its connection, also one that was open before', async () => {
    const kept = await hang(port);
    const adapter = service.app.getHttpAdapter() as unknown as HttpAdapter;
    Object.assign(adapter, { isDraining: true, keepsConnections: false });
    const answers: Record<string, unknown> = {};
    for (const path of ['/health/ready', '/health/ready/', '/health/live', '/openapi.json', '/v1/banks']) {
      const { status, headers } = await get(port, path);
      expect([path, headers.connection, headers['keep-alive']]).toEqual([path, 'close', undefined]);
      answers[path] = status;
    }
    expect(answers).toEqual({
      '/health/ready': 503,
      '/health/ready/': 503,
      '/health/live': 200,
      '/openapi.json': 200,
      '/v1/banks': 401,
    });
    expect((await get(port, '/health/ready')).headers['retry-after']).toBe('2');
    kept.socket.write(request('/health/live'));
    expect(parseAnswer(await kept.closed)).toMatchObject({ status: 200, headers: { connection: 'close' } });
  });
});

describe('a service that no longer listens', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('credits the simulated transfer that it was carrying out', async () => {
    await service.app.listen(0, '127.0.0.1');
    const { port: listening } = service.app.getHttpServer().address() as AddressInfo;
    const wallet = await service.createWallet();
    const other = new pg.Client({ connectionString: service.databaseUrl });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE sandbox_collections');
    const answer = fetch(`http://127.0.0.1:${listening}/v1/sandbox/transfers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${wallet.owner.token}` },
      body: JSON.stringify({ accountNumber: wallet.virtualAccount.accountNumber, amount: 700 }),
    });
    await until(async () => (await service.query('SELECT FROM pg_locks WHERE NOT granted')).length > 0);
    await (service.app.getHttpAdapter() as unknown as HttpAdapter).connections?.stopListening();
    await other.end();
    expect((await answer).status).toBe(201);
    expect((await service.query(`SELECT balance FROM wallets WHERE id = '${wallet.id}'`))[0]).toEqual({
      balance: '700',
    });
  });
});

describe('SIGTERM', () => {
  let build: ServiceBuild;
  let database: TestDatabase;
  beforeAll(async () => {
    build = new ServiceBuild();
    database = await freshDatabase();
  });
  afterAll(async () => {
    build.remove();
    await database.drop();
  });

  it('in production has ready say 503 while requests are served for 5 seconds more, and ends with 0', async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [build.main], {
      env: {
        ...INHERITED,
        NODE_ENV: 'production',
        BANK_PROVIDER: 'sandbox',
        WEBHOOK_UNSIGNED: 'allow',
        JWT_SECRET: 'a secret of thirty-two characters or more',
        LOG_LEVEL: 'silent',
        DATABASE_URL: database.url,
        PORT: String(port),
      },
      stdio: 'ignore',
    });
    const ended = once(child, 'close') as Promise<[number | null]>;
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}/health/${path}`).catch(() => null);
    try {
      await until(async () => (await ask('ready'))?.ok === true, 60_000);
      const from = performance.now();
      child.kill('SIGTERM');
      await until(async () => (await ask('ready'))?.status === 503);
      expect((await ask('live'))?.status).toBe(200);
      expect(await ended).toEqual([0, null]);
      expect(performance.now() - from).toBeGreaterThanOrEqual(5_000);
    } finally {
      child.kill('SIGKILL');
    }
  }, 90_000);
});
