import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { ActivityStore } from '../../src/contexts/activity/activity.store.js';
import { IdentityStore } from '../../src/contexts/identity/identity.store.js';
import { ApprovalsStore } from '../../src/contexts/payments/approvals/approvals.store.js';
import { RecentPurchasesStore } from '../../src/contexts/payments/rules/duplicate-guard/recent-purchases.store.js';
import { RecordedAttemptsStore } from '../../src/contexts/payments/transactions/recorded-attempts.store.js';
import { SettlementStore } from '../../src/contexts/settlement/settlement.store.js';
import { newId } from '../../src/kernel/ids.ts';
import type { Database } from '../../src/platform/database/database.js';
import type { Jobs } from '../../src/platform/jobs/jobs.js';
import type { Tx } from '../../src/platform/database/tx.js';
import { expectStatus, startService, type TestService } from '../support/service.js';

/**
 * What is sought by time is sought in an index, however much there is of another time. `clock_timestamp()` changes while a
 * statement runs, so that no index can be searched by it: PostgreSQL then reads all rows and compares each.
 */

let service: TestService;
beforeAll(async () => {
  service = await startService();
  const { id, key } = await service.fundedWallet(10_000);
  expectStatus(201, await service.pay(key));
  // A wallet with a history: of one without, every index is as good.
  await service.query(
    `INSERT INTO transactions
     SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'seq', t.seq + n,
               'created_at', t.created_at - n * interval '1 hour'))).*
       FROM transactions t, generate_series(1, 5000) n WHERE t.wallet_id = $1`,
    [id],
  );
  await service.query('ANALYZE transactions');
});
afterAll(() => service.close());

/** The statement that `ask` hands to the database. */
async function statementOf(ask: (database: Database & Tx) => Promise<unknown>): Promise<string> {
  const statements: string[] = [];
  const query = (text: string) => {
    statements.push(text);
    return Promise.resolve([]);
  };
  await ask({ query, reads: { query } } as unknown as Database & Tx).catch(() => undefined);
  expect(statements).toHaveLength(1);
  return statements[0]!;
}

/** The statement about `table` that the driver sends while `work` is done. */
async function statementSent(table: string, work: () => Promise<unknown>): Promise<string> {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  await work();
  const texts = query.mock.calls.map(([text]) => text as unknown).filter((text) => typeof text === 'string');
  query.mockRestore();
  const found = texts.filter((text) => text.includes(`FROM ${table} WHERE`));
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** The plan for any values, as it is where reading and sorting the whole table is out of the question. */
async function planOf(statement: string): Promise<string> {
  const options = '-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off';
  const client = new pg.Client({ connectionString: service.databaseUrl, options });
  await client.connect();
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${statement}`);
  await client.end();
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const purchases = (database: Database): RecentPurchasesStore =>
  new RecentPurchasesStore(database, { every: () => undefined } as unknown as Jobs);

describe('the index is searched by time', () => {
  it.each<[what: string, index: string, column: string, statement: () => Promise<string>]>([
    [
      'for settlements that are due',
      'settlements_due',
      'next_poll_at',
      () => statementOf((database) => new SettlementStore(database).claimDue(100, 60)),
    ],
    [
      'for approvals that have lapsed',
      'transactions_approvals_due',
      'approval_expires_at',
      () => statementOf((database) => new ApprovalsStore(database).walletsDue(100)),
    ],
    [
      'for purchases that no guard looks back to',
      'recent_purchases_by_time',
      'approved_at',
      () => statementOf((database) => purchases(database).forget()),
    ],
    [
      'for the payments that a guard looks back to when it is switched on',
      'transactions_by_time',
      'created_at',
      () =>
        statementOf((tx) =>
          purchases(tx).changeControls(
            { walletId: newId(), before: null, after: { duplicateGuardMinutes: 10 } },
            tx,
          ),
        ),
    ],
    [
      'for where the last days of a wallet begin',
      'transactions_by_time',
      'created_at',
      () => statementOf((database) => new RecordedAttemptsStore(database).edges(newId(), 30)),
    ],
    [
      'for lines of the activity log that are old enough to go',
      'account_activity_by_age',
      'at',
      () => statementOf((database) => new ActivityStore(database).deleteOlder(730, 100)),
    ],
    [
      'for sessions that have expired',
      'sessions_expiry',
      'expires_at',
      () => statementSent('sessions', () => service.signUp()),
    ],
    [
      'for links to a new password that have expired',
      'password_resets_expiry',
      'expires_at',
      async () => {
        const { id: userId } = await service.signUp();
        const store = service.app.get(IdentityStore);
        return statementSent('password_resets', () => store.addReset(newId(), userId, 60));
      },
    ],
  ])('%s', async (_, index, column, statement) => {
    const plan = await planOf(await statement());
    expect(plan).toMatch(
      new RegExp(`Scan (Backward )?using ${index} on [^\\n]*\\n\\s*Index Cond: [^\\n]*${column}`),
    );
  });
});
