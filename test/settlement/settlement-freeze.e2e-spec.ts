import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import { bankSettings } from '../support/bank-books.ts';
import { freePort } from '../support/ports.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { until } from '../support/service.js';
import { JWT_SECRET } from '../support/service-database.js';
import { type ServiceWithBank, startWithFakeBank } from '../support/with-fake-bank.js';

/** A replica that the machine stops for longer than its leases last, while another one does its work. */

/** Leases are of 33 seconds then: three calls and half a minute. */
const SHORT_CALLS = { BANK_TIMEOUT_MS: '1000', SETTLEMENT_POLL_SECONDS: '1' };

const build = new ServiceBuild();
let banked: ServiceWithBank;
let frozen: ServiceProcess;
let other: SettlementService;
beforeAll(async () => {
  banked = await startWithFakeBank({}, SHORT_CALLS);
  other = banked.service.app.get(SettlementService, { strict: false });
  // It works when this test says so.
  const { workers } = other as unknown as { workers: readonly { task: { stop(): Promise<void> } }[] };
  await Promise.all(workers.map(({ task }) => task.stop()));
  frozen = await build.start(await freePort(), {
    ...bankSettings(banked.fake.url, banked.port),
    ...SHORT_CALLS,
    DATABASE_URL: banked.service.databaseUrl,
    JWT_SECRET,
  });
});
afterAll(async () => {
  await frozen.kill('SIGKILL');
  await banked.close();
  build.remove();
});

/** Frees the payouts, and freezes the replica while each of its workers waits for the database to claim one. */
async function freezeWhileItClaims(references: readonly string[]): Promise<void> {
  const holder = new pg.Client({ connectionString: banked.service.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE settlements IN EXCLUSIVE MODE');
  await holder.query(
    `UPDATE settlements SET status = 'pending', submitted_at = NULL, next_poll_at = clock_timestamp()
      WHERE reference = ANY ($1)`,
    [references],
  );
  await until(async () => {
    const claims = await banked.service.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND query LIKE 'UPDATE settlements s SET status%'`,
    );
    return claims.length >= references.length;
  });
  frozen.freeze();
  await holder.query('COMMIT');
  await holder.end();
}

const claimed = async (references: readonly string[], isOver: boolean): Promise<boolean> => {
  const rows = await banked.service.query(
    `SELECT FROM settlements WHERE reference = ANY ($1) AND status = 'processing'
        AND next_poll_at ${isOver ? '<' : '>'} clock_timestamp()`,
    [references],
  );
  return rows.length === references.length;
};

it('sends nothing and records nothing when it goes on, though it had claimed the payouts before', async () => {
  const wallet = await banked.funded('50000.00');
  const references = await Promise.all(Array.from({ length: 4 }, () => banked.pay(wallet)));
  await freezeWhileItClaims(references);
  await until(() => claimed(references, false));
  expect(references.map((reference) => banked.handedOver(reference))).toEqual([0, 0, 0, 0]);

  await until(() => claimed(references, true), 60_000);
  await other.processDue();
  await banked.settled();
  frozen.thaw();
  await until(async () => (await fetch(`${frozen.url}/health/ready`)).ok);
  await sleep(2_000);
  const calls = references.map((reference) => banked.callsFor(reference).map(({ method }) => method));
  expect(calls.map((methods) => methods.filter((method) => method === 'POST'))).toEqual(
    references.map(() => ['POST']),
  );
  for (const reference of references) expect(await banked.casesOf(reference)).toEqual([]);
  expect(await banked.disagreements()).toEqual([]);
}, 120_000);
