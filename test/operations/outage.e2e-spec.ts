import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { currentRequestId } from '../../src/platform/observability/request-id.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { type CreatedWallet, PASSWORD, startService, type TestService, until } from '../support/service.js';

interface Line {
  readonly level: string;
  readonly text: string;
  /** The line has an error with its stack. */
  readonly hasStack: boolean;
  readonly requestId: string | undefined;
}

const lines: Line[] = [];
const write = (level: string) => (message: unknown, rest?: unknown) =>
  void lines.push({
    level,
    text: typeof message === 'string' ? message : String(rest),
    hasStack: typeof message === 'object' && message !== null && 'err' in message,
    requestId: currentRequestId(),
  });
const logger: LoggerService = {
  log: () => undefined,
  warn: write('warn'),
  error: write('error'),
  fatal: write('fatal'),
};
/** What is logged while `work` runs. */
async function logged(work: () => Promise<unknown>): Promise<readonly Line[]> {
  const from = lines.length;
  await work();
  return lines.slice(from);
}

let proxy: DatabaseProxy;
let service: TestService;
let wallet: CreatedWallet;
beforeAll(async () => {
  proxy = await DatabaseProxy.start();
  service = await startService({ proxy, logger });
  wallet = await service.fundedWallet(100_000);
});
afterAll(async () => {
  await service.close();
  await proxy.cut();
});

const ready = () => service.get<{ error: { code: string } }>('/health/ready');
const isReady = async () => (await ready()).status === 200;
const isNotReady = async () => !(await isReady());
const UNAVAILABLE = { error: { code: 'DATABASE_UNAVAILABLE', message: expect.any(String) } };

it('a service without its database is alive and not ready, and ready again once it is back', async () => {
  expect((await ready()).status).toBe(200);
  await proxy.cut();
  await until(isNotReady);
  const answer = await ready();
  expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([503, UNAVAILABLE, '1']);
  expect((await service.get('/health/live')).status).toBe(200);
  await proxy.restore();
  await until(isReady);
  expect((await service.pay(wallet.key, { amount: 1 })).status).toBe(201);
});

it('an outage fails every request as DATABASE_UNAVAILABLE, with one stack for all of them', async () => {
  await Promise.all(Array.from({ length: 30 }, () => service.stats(wallet)));
  const ids: unknown[] = [];
  const said = await logged(async () => {
    await proxy.cut();
    await until(isNotReady);
    for (let i = 0; i < 100; i += 1) {
      const paid = await service.pay(wallet.key, { amount: 1 });
      const read = await service.get('/api/ledger', { token: wallet.owner.token });
      expect([paid.status, paid.body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
      expect([read.status, read.body]).toEqual([503, UNAVAILABLE]);
      ids.push(paid.headers['x-request-id'], read.headers['x-request-id']);
    }
  });
  expect(new Set(ids).size).toBe(200);
  const ofRequests = said.filter(({ text }) => text === 'the database is unavailable');
  expect(ofRequests.length).toBeGreaterThan(0);
  for (const { requestId } of ofRequests) expect(ids).toContain(requestId);
  // One of each kind in ten seconds; a slow machine may need longer than that for 200 requests.
  expect(said.filter(({ hasStack }) => hasStack).length).toBeLessThan(10);
  expect(said.filter(({ text }) => text.startsWith('connection lost')).length).toBeLessThan(5);
  // Loops, batches and connections outlive the request that started them.
  for (const { text, requestId } of said)
    if (text !== 'the database is unavailable') expect([text, requestId]).toEqual([text, undefined]);
  await proxy.restore();
  await until(isReady);
});

it('a job that ends while the database is away ends no process, and is done once it is back', async () => {
  const { id, key, owner } = await service.fundedWallet(100_000, { payeePolicy: 'first_use' });
  let answer: (() => void) | undefined;
  const asked = jest.spyOn(service.app.get(Bank, { strict: false }), 'resolveAccount').mockImplementation(
    () =>
      new Promise((resolve) => {
        answer = () => resolve({ kind: 'resolved', accountName: 'Ada Foods' });
      }),
  );
  expect((await service.pay(key)).status).toBe(201);
  await until(() => Promise.resolve(answer !== undefined));
  // Other jobs of the payment would fail, too.
  const DUE = 'SELECT FROM graphile_worker._private_jobs WHERE run_at <= now()';
  await until(async () => (await service.query(DUE)).length === 1);
  await proxy.cut();
  await until(isNotReady);
  asked.mockResolvedValue({ kind: 'resolved', accountName: 'Ada Foods' });
  // What the bank says can't be stored now, nor that the job failed. A failure that is not handled would end the process,
  // and here the test.
  const said = await logged(async () => {
    const from = lines.length;
    answer?.();
    await until(() => Promise.resolve(lines.slice(from).some(({ text }) => text === 'job failed')));
    expect((await service.pay(key)).status).toBe(503);
  });
  expect(said.filter(({ text }) => text === 'job failed')).toHaveLength(1);
  await proxy.restore();
  await until(isReady);
  await until(async () => {
    const { body } = await service.get<{ data: { accountName: string | null }[] }>(
      `/api/wallets/${id}/payees`,
      { token: owner.token },
    );
    return body.data[0]?.accountName === 'Ada Foods';
  }, 20_000);
  asked.mockRestore();
});

it('a service whose database takes what is sent and answers nothing is not ready', async () => {
  proxy.silence();
  await until(isNotReady, 20_000);
  expect((await ready()).body).toEqual(UNAVAILABLE);
  await proxy.restore();
  await until(isReady);
});

it('a service whose database takes no changes is not ready, says so to writers, and recovers by itself', async () => {
  const { pathname } = new URL(service.databaseUrl);
  const database = pathname.slice(1);
  const setReadOnly = (mode: 'on' | 'off') =>
    service.query(`ALTER DATABASE "${database}" SET default_transaction_read_only = ${mode}`);
  // As after a failover: the connections are gone, and the next ones lead to the standby.
  await setReadOnly('on');
  await proxy.cut();
  await proxy.restore();
  await until(async () => (await ready()).status === 503 && (await service.stats(wallet)).balance >= 0);
  const paid = await service.pay(wallet.key, { amount: 1 });
  const login = await service.post('/v1/auth/login', {
    body: { email: wallet.owner.email, password: PASSWORD },
  });
  expect([paid.status, paid.body.code, login.status]).toEqual([503, 'DATABASE_UNAVAILABLE', 503]);
  await setReadOnly('off');
  await until(isReady);
  await until(async () => (await service.pay(wallet.key, { amount: 1 })).status === 201);
});

it('a stop without an outage warns of nothing', async () => {
  const another = await startService({ logger });
  await another.fundedWallet(100_000);
  expect(await logged(() => another.close())).toEqual([]);
});
