import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runSettlement } from '../settlement-run/run.ts';
import { ServiceBuild } from '../support/process.js';
import { plainDatabase } from '../support/service-database.js';

/** The short form of `npm run settlement-test`. */

const SEED = 20261121;
/** Two for each kind of payee. */
const PAYMENTS = 24;

let build: ServiceBuild;
let database: { url: string; drop(): Promise<void> };

beforeAll(async () => {
  build = new ServiceBuild();
  database = await plainDatabase();
});

afterAll(async () => {
  await database.drop();
  build.remove();
});

it('keeps every promise while the bank fails and the service is killed (23)', async () => {
  const { wrong, ...counts } = await runSettlement({
    seed: SEED,
    length: { payments: PAYMENTS, kills: 2 },
    databaseUrl: database.url,
    built: build.root,
    report: () => undefined,
  });
  expect(wrong).toEqual([]);
  expect(counts.approved).toBeGreaterThanOrEqual(PAYMENTS);
  // One payee's bank refuses, another one's fails later; each is paid at least once.
  expect(counts.refunded).toBeGreaterThanOrEqual(2);
  // Of what waited for a person and of what an owner took out, too.
  expect(counts.asked).toBeGreaterThan(0);
  expect(counts.approvedAndRefunded + counts.withdrawalsRefunded).toBeGreaterThan(0);
  expect(counts.withdrawals).toBeGreaterThan(0);
  expect(counts.kills).toBeGreaterThanOrEqual(2);
  expect(counts.faults).toBeGreaterThan(0);
  // Every wait of a run has a bound of its own, which says what did not come about: theirs are to be reached first.
}, 300_000);
