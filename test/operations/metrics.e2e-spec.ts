import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DatabaseGauges } from '../../src/platform/observability/database-gauges.js';
import { Metrics } from '../../src/platform/observability/metrics.js';
import { brokenInvariants } from '../support/invariants.js';
import { Receiver } from '../support/receiver.js';
import { type Scrape, Scraper } from '../support/scraper.js';
import { chargeBody, expectStatus, startService, type TestService, until } from '../support/service.js';

describe('metrics', () => {
  let scraper: Scraper;
  let service: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    scraper = await Scraper.make();
    receiver = await Receiver.start();
    service = await startService({ env: { ...scraper.env, WEBHOOK_RETRY_SECONDS: '3600' } });
    Object.assign(service.app.get(DatabaseGauges, { strict: false }), { keptMs: 0 });
    await service.app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });

  /** Waits for a scrape that this holds of. */
  const shows = async (isSo: (scrape: Scrape) => boolean): Promise<void> => {
    let last: Scrape | undefined;
    await until(async () => isSo((last = await scraper.scrape()))).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${[...(last?.figures ?? [])].join('\n')}`);
    });
  };
  const grownBy =
    (before: Scrape, name: string, labels: Record<string, string> = {}) =>
    (scrape: Scrape): number =>
      (scrape.figure(name, labels) ?? 0) - (before.figure(name, labels) ?? 0);

  it('show payments by decision, requests by route, batches and settlements', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    const before = await scraper.scrape();
    for (let i = 0; i < 3; i += 1) expectStatus(201, await service.pay(wallet.key, { amount: 1_000 + i }));
    const tooMuch = await service.pay(wallet.key, { amount: 999_999 });
    expect(tooMuch.status).toBe(403);
    await service.settled();
    const after = await scraper.scrape();
    const grown = (name: string, labels?: Record<string, string>) => grownBy(before, name, labels)(after);
    expect(grown('apw_payment_decisions_total', { code: 'approved' })).toBe(3);
    expect(grown('apw_payment_decisions_total', { code: tooMuch.body.code })).toBe(1);
    const pays = { method: 'POST', route: '/api/payment-intent' };
    expect(grown('apw_http_requests_total', { ...pays, status: '201' })).toBe(3);
    expect(grown('apw_http_requests_total', { ...pays, status: '403' })).toBe(1);
    expect(grown('apw_http_request_seconds_total', pays)).toBeGreaterThan(0);
    expect(grown('apw_payment_batch_size_sum')).toBe(4);
    expect(grown('apw_payment_batch_seconds_count')).toBe(grown('apw_payment_batch_size_count'));
    expect(grown('apw_settlements_ended_total', { state: 'succeeded' })).toBe(3);
    expect(grown('apw_bank_payout_batch_seconds_count')).toBeGreaterThan(0);
    expect(after.figure('apw_payment_queue_depth')).toBe(0);
    expect(await brokenInvariants(service)).toEqual({});
  });

  it('know a route by its pattern, and no address that a client made up', async () => {
    const { id, owner } = await service.createWallet();
    expectStatus(200, await service.get(`/api/wallets/${id}`, { token: owner.token }));
    expectStatus(404, await service.get('/api/made-up'));
    const scrape = await scraper.scrape();
    expect(scrape.figure('apw_http_requests_total', { route: '/api/wallets/:walletId', status: '200' })).toBe(
      1,
    );
    expect(scrape.figure('apw_http_requests_total', { route: 'none', status: '404' })).toBe(1);
    expect([...scrape.figures.keys()].join('\n')).not.toMatch(/made-up|[0-9a-f]{8}-[0-9a-f]{4}/);
  });

  it('show the payment that waits for a wallet locked elsewhere', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    const before = await scraper.scrape();
    const elsewhere = new pg.Client({ connectionString: service.databaseUrl });
    await elsewhere.connect();
    try {
      await elsewhere.query('BEGIN');
      await elsewhere.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [wallet.id]);
      const waiting = service.pay(wallet.key);
      await until(
        async () => (await elsewhere.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount === 1,
      );
      expect((await scraper.scrape()).figure('apw_payment_queue_depth')).toBe(1);
      await elsewhere.query('COMMIT');
      expectStatus(201, await waiting);
    } finally {
      await elsewhere.end();
    }
    const after = await scraper.scrape();
    expect(grownBy(before, 'apw_payment_lock_waits_total')(after)).toBe(1);
    expect(grownBy(before, 'apw_payment_batch_seconds_count', { lock_wait: 'true' })(after)).toBe(1);
  });

  it('show the age of a payout that the bank leaves open', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    expectStatus(201, await service.pay(wallet.key, { recipientAccountNo: '9000000003' }));
    await shows(
      (scrape) =>
        scrape.figure('apw_settlements_open') === 1 &&
        (scrape.figure('apw_settlement_oldest_open_seconds') ?? 0) > 0,
    );
    await service.query(
      `UPDATE settlements SET approved_at = approved_at - interval '1 hour' WHERE status = 'processing'`,
    );
    await shows((scrape) => (scrape.figure('apw_settlement_oldest_open_seconds') ?? 0) > 3_600);
  });

  it('show a delivery that fails, and an endpoint that fails with it', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    const before = await scraper.scrape();
    const path = `/${randomUUID()}`;
    receiver.behave(path, (answer) => answer.writeHead(500).end());
    expectStatus(
      201,
      await service.post('/v1/webhook-endpoints', {
        token: wallet.owner.token,
        body: { url: receiver.url(path), events: ['payment.approved'] },
      }),
    );
    expectStatus(201, await service.pay(wallet.key));
    await shows(
      (scrape) => grownBy(before, 'apw_webhook_attempts_total', { outcome: 'failed' })(scrape) === 1,
    );
    await shows(
      (scrape) =>
        scrape.figure('apw_webhook_endpoints', { state: 'failing' }) === 1 &&
        scrape.figure('apw_webhook_deliveries_pending') === 1,
    );
    receiver.behave(path, (answer) => answer.writeHead(200).end());
    expectStatus(201, await service.pay(wallet.key));
    await shows(
      (scrape) =>
        grownBy(before, 'apw_webhook_attempts_total', { outcome: 'delivered' })(scrape) === 1 &&
        scrape.figure('apw_webhook_endpoints', { state: 'failing' }) === 0,
    );
  });

  it('show transfers by result, and the case that an unmatched one opens until it is closed', async () => {
    const before = await scraper.scrape();
    await service.webhook(chargeBody(randomUUID()));
    expect(
      grownBy(before, 'apw_inbound_transfers_total', { result: 'unmatched' })(await scraper.scrape()),
    ).toBe(1);
    const kind = 'transfer-unmatched';
    await shows((scrape) => scrape.figure('apw_operator_cases_open', { kind }) === 1);
    await service.query('UPDATE operator_cases SET closed_at = clock_timestamp()');
    await shows((scrape) => scrape.figure('apw_operator_cases_open', { kind }) === 0);
  });

  it('show an open stream of events until it ends', async () => {
    const { token } = await service.signUp();
    const { port } = service.app.getHttpServer().address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}` };
    const stream = await new Promise<IncomingMessage>((resolve) =>
      get({ port, path: '/v1/events', headers, agent: false }, resolve),
    );
    await shows((scrape) => scrape.figure('apw_event_streams') === 1);
    stream.destroy();
    await shows((scrape) => scrape.figure('apw_event_streams') === 0);
  });

  it('show jobs that wait, those that are given up, and how long the oldest is due', async () => {
    await service.query(
      `SELECT graphile_worker.add_job('nothing.does.this', run_at => now() - interval '1 hour', max_attempts => 1)`,
    );
    await shows((scrape) => (scrape.figure('apw_jobs_oldest_due_seconds') ?? 0) >= 3_600);
    await service.query(
      `UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE run_at < now() - interval '30 minutes'`,
    );
    await shows(
      (scrape) =>
        scrape.figure('apw_jobs', { state: 'failed' }) === 1 &&
        scrape.figure('apw_jobs_oldest_due_seconds') === 0,
    );
  });

  it('show the process and its connections', async () => {
    const scrape = await scraper.scrape();
    expect(scrape.figure('apw_event_loop_delay_seconds', { quantile: '0.99' })).toBeGreaterThanOrEqual(0);
    expect(scrape.figure('apw_process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(scrape.figure('apw_process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(scrape.figure('apw_database_connections_max')).toBe(20);
    expect(scrape.figure('apw_database_connections')).toBeGreaterThan(0);
    expect(scrape.figure('apw_bank_circuit_open')).toBe(0);
  });

  it('survive a query that fails: the scrape goes on and says which group is down', async () => {
    const isUp = (group: string) => (scrape: Scrape) => scrape.figure('apw_gauges_up', { group }) === 1;
    await shows(isUp('cases'));
    await service.query('ALTER TABLE operator_cases RENAME TO cases_gone');
    await shows((scrape) => !isUp('cases')(scrape) && isUp('settlements')(scrape));
    expect((await scraper.scrape()).figure('apw_operator_cases_open')).toBeNaN();
    await service.query('ALTER TABLE cases_gone RENAME TO operator_cases');
    await shows(isUp('cases'));
  });

  it('wait for no table that somebody keeps locked', async () => {
    const elsewhere = new pg.Client({ connectionString: service.databaseUrl });
    await elsewhere.connect();
    try {
      await elsewhere.query('BEGIN');
      await elsewhere.query('LOCK TABLE webhook_endpoints IN ACCESS EXCLUSIVE MODE');
      await shows((scrape) => scrape.figure('apw_gauges_up', { group: 'webhooks' }) === 0);
    } finally {
      await elsewhere.end();
    }
    await shows((scrape) => scrape.figure('apw_gauges_up', { group: 'webhooks' }) === 1);
  });

  it('are named as Prometheus wants it: units last, counters with _total', async () => {
    const types = [...(await scraper.text()).matchAll(/^# TYPE (\S+) (\w+)$/gm)];
    expect(types.length).toBeGreaterThan(20);
    for (const [, name, type] of types) {
      expect(name).toMatch(/^apw_[a-z0-9_]+$/);
      expect([name, name!.endsWith('_total')]).toEqual([name, type === 'counter']);
    }
  });

  it('are served on METRICS_PORT alone', async () => {
    const { port } = service.app.getHttpServer().address() as AddressInfo;
    const here = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(await here.text()).not.toContain('apw_');
  });
});

it('without METRICS_PORT nothing is measured, and a taken port ends the start in one line', async () => {
  const off = await startService();
  const scraper = await Scraper.make();
  const on = await startService({ beside: off, env: scraper.env });
  try {
    expect(off.app.get(Metrics, { strict: false }).isOn).toBe(false);
    expect(on.app.get(Metrics, { strict: false }).isOn).toBe(true);
    await expect(startService({ beside: off, env: scraper.env })).rejects.toThrow(
      `METRICS_PORT: can't listen on port ${scraper.port} of 127.0.0.1: another process listens there`,
    );
  } finally {
    await on.close();
    await off.close();
  }
});
