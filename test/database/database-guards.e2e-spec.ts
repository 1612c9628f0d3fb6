import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AttemptsDecided } from '../../src/contexts/payments/payments.events.js';
import { SpendableWallets } from '../../src/contexts/wallet/wallet.port.js';
import { kobo } from '../../src/kernel/money.js';
import { Database } from '../../src/platform/database/database.js';
import { Events } from '../../src/platform/events/events.js';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { migrationSource } from '../../src/platform/database/migrate.js';
import { type CreatedWallet, startService, type TestService } from '../support/service.js';

const KOBO_MAX = '9007199254740991';
const PAST_KOBO_MAX = '9007199254740992';

let service: TestService;
let client: pg.Client;
let wallet: CreatedWallet;

beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(10_000);
  await service.pay(wallet.key);
  await service.settled();
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await service.close();
});

/** What PostgreSQL says of a statement that is undone again: the constraint that it breaks, or nothing. */
async function refusalOf(statement: string): Promise<string | undefined> {
  await client.query('BEGIN');
  try {
    // Which lets no entry of the ledger change, whatever it says.
    await client.query('ALTER TABLE ledger_entries DISABLE TRIGGER USER');
    await client.query('ALTER TABLE transactions DISABLE TRIGGER USER');
    const { rowCount } = await client.query(statement);
    return rowCount === 1 ? undefined : `${rowCount} rows`;
  } catch (error) {
    const { code, constraint, message } = error as pg.DatabaseError;
    return code === '23514' ? constraint : message;
  } finally {
    await client.query('ROLLBACK');
  }
}

const TABLES = {
  wallets: () => `wallets SET %s WHERE id = '${wallet.id}'`,
  transactions: () => `transactions SET %s WHERE wallet_id = '${wallet.id}'`,
  debits: () => `ledger_entries SET %s WHERE wallet_id = '${wallet.id}' AND type = 'debit'`,
  settlements: () => `settlements SET %s WHERE wallet_id = '${wallet.id}'`,
};
const updated = (table: keyof typeof TABLES, changes: string): Promise<string | undefined> =>
  refusalOf(`UPDATE ${TABLES[table]().replace('%s', () => changes)}`);

const FINAL = `status = 'failed', next_poll_at = NULL`;
const APPROVED = `approval = 'approved', approval_expires_at = now(), approval_decided_at = now() - interval '1 ms'`;

/** What is refused at its bound, by the name of the guard, beside what is taken just inside. */
const GUARDS: readonly (readonly [
  table: keyof typeof TABLES,
  bad: string,
  guard: string,
  ...good: string[],
])[] = [
  ['wallets', 'balance = -1', 'wallets_balance_range', 'balance = 0'],
  ['wallets', `balance = ${PAST_KOBO_MAX}`, 'wallets_balance_range', `balance = ${KOBO_MAX}`],
  ['wallets', 'held = -1, held_count = 1', 'wallets_check'],
  ['wallets', 'held = balance + 1, held_count = 1', 'wallets_check', 'held = balance, held_count = 1'],
  ['wallets', 'held = 1, held_count = 0', 'wallets_check', 'held = 1, held_count = 1'],
  ['wallets', 'held = 0, held_count = 1', 'wallets_check'],
  ['wallets', 'held = 1, held_count = 2', 'wallets_check', 'held = 2, held_count = 2'],
  ['wallets', 'held = 1, held_count = -1', 'wallets_check'],
  [
    'wallets',
    'attempt_count = 4, blocked_count = 5',
    'wallets_check',
    'attempt_count = 5, blocked_count = 5',
  ],
  ['wallets', 'blocked_count = -1', 'wallets_check', 'blocked_count = 0'],
  [
    'wallets',
    'held = 1, held_count = 1, attempt_count = 4, blocked_count = 5',
    'wallets_check',
    'held = 1, held_count = 1, attempt_count = 5, blocked_count = 5',
  ],
  ['wallets', 'held = 1, held_count = 1, blocked_count = -1', 'wallets_check'],
  ['wallets', 'entry_count = -1', 'running_count_check', 'entry_count = 0'],
  ['wallets', 'spent_total = -0.1', 'running_total_check', 'spent_total = 0'],
  ['wallets', 'window_spent = -1', 'kobo_check', 'window_spent = 0'],
  ['wallets', `window_spent = ${PAST_KOBO_MAX}`, 'kobo_check', `window_spent = ${KOBO_MAX}`],
  ['wallets', 'spend_limit_per_tx = 0', 'wallets_check', 'spend_limit_per_tx = 1'],
  ['wallets', 'spend_limit_per_tx = 0, held = 1, held_count = 1', 'wallets_check'],
  [
    'wallets',
    'spend_limit_period = spend_limit_per_tx - 1',
    'wallets_check',
    'spend_limit_period = spend_limit_per_tx',
  ],
  ['wallets', 'spend_limit_period = spend_limit_per_tx - 1, held = 1, held_count = 1', 'wallets_check'],
  ['wallets', 'period_window_days = 0', 'period_days_check', 'period_window_days = 1'],
  ['wallets', 'period_window_days = 3651', 'period_days_check', 'period_window_days = 3650'],
  ['wallets', 'version = 0', 'wallet_version_check', 'version = 1'],
  [
    'wallets',
    `status = 'active'`,
    'wallet_status_check',
    `status = 'ACTIVE'`,
    `status = 'SUSPENDED'`,
    `status = 'CLOSED'`,
  ],

  ['transactions', 'seq = 0', 'transactions_check', 'seq = 1'],
  ['transactions', `seq = 0, ${APPROVED}`, 'transactions_check', `seq = 1, ${APPROVED}`],
  ['transactions', 'amount = 0', 'positive_kobo_check', 'amount = 1'],
  ['transactions', `amount = ${PAST_KOBO_MAX}`, 'positive_kobo_check', `amount = ${KOBO_MAX}`],
  ['transactions', 'spent_total = -0.1', 'running_total_check', 'spent_total = 0'],
  ['transactions', 'blocked_total = -1', 'transactions_check', 'blocked_total = 0'],
  ['transactions', 'blocked_total = seq + 1', 'transactions_check', 'blocked_total = seq'],
  [
    'transactions',
    `blocked_total = seq + 1, ${APPROVED}`,
    'transactions_check',
    `blocked_total = seq, ${APPROVED}`,
  ],
  [
    'transactions',
    `fingerprint = '\\x01', idempotency_key = NULL`,
    'transactions_check',
    `fingerprint = '\\x01', idempotency_key = 'k'`,
  ],
  ['transactions', `fingerprint = NULL, idempotency_key = 'k'`, 'transactions_check'],
  ['transactions', `fingerprint = NULL, idempotency_key = 'k', ${APPROVED}`, 'transactions_check'],
  ['transactions', 'approval_expires_at = now()', 'transactions_check'],
  ['transactions', 'approval_decided_at = now()', 'transactions_check'],
  ['transactions', `approval = 'pending'`, 'transactions_check'],
  [
    'transactions',
    `approval = 'pending', approval_expires_at = now(), approval_decided_at = now()`,
    'transactions_check',
    `approval = 'pending', approval_expires_at = now()`,
  ],
  [
    'transactions',
    `approval = 'pending', approval_expires_at = now(), block_reason = 'APPROVAL_DENIED'`,
    'transactions_check',
  ],
  ['transactions', `${APPROVED}, block_reason = 'APPROVAL_DENIED'`, 'transactions_check', APPROVED],
  [
    'transactions',
    `approval = 'approved', approval_expires_at = now(), approval_decided_at = now()`,
    'transactions_check',
  ],
  ['transactions', `approval = 'approved', approval_expires_at = now()`, 'transactions_check'],
  ['transactions', `approval = 'approved', approval_decided_at = now()`, 'transactions_check'],
  [
    'transactions',
    `approval = 'denied', approval_expires_at = now(), approval_decided_at = now()`,
    'transactions_check',
    `approval = 'denied', approval_expires_at = now(), approval_decided_at = now(), block_reason = 'APPROVAL_DENIED'`,
  ],
  [
    'transactions',
    `approval = 'expired', approval_expires_at = now(), approval_decided_at = now(), block_reason = 'APPROVAL_DENIED'`,
    'transactions_check',
    `approval = 'expired', approval_expires_at = now(), approval_decided_at = now(), block_reason = 'APPROVAL_EXPIRED'`,
  ],
  [
    'transactions',
    `approval = 'maybe', approval_expires_at = now(), approval_decided_at = now()`,
    'transactions_check',
  ],

  ['debits', 'seq = 0', 'ledger_entries_check', 'seq = 9'],
  ['debits', `seq = 0, type = 'topup', transaction_id = NULL`, 'ledger_entries_check'],
  ['debits', 'amount = 0', 'positive_kobo_check', 'amount = 1'],
  ['debits', `amount = ${PAST_KOBO_MAX}`, 'positive_kobo_check', `amount = ${KOBO_MAX}`],
  ['debits', `type = 'gift'`, 'ledger_entries_check', `type = 'refund'`],
  ['debits', `type = 'gift', transaction_id = NULL`, 'ledger_entries_check'],
  ['debits', `type = 'topup'`, 'ledger_entries_check', `type = 'topup', transaction_id = NULL`],
  ['debits', 'transaction_id = NULL', 'ledger_entries_check'],
  [
    'debits',
    `source = 'gift'`,
    'ledger_source_check',
    `source = 'withdrawal'`,
    `source = 'transfer'`,
    'source = NULL',
  ],

  ['settlements', 'amount = 0', 'positive_kobo_check', 'amount = 1'],
  ['settlements', `amount = ${PAST_KOBO_MAX}`, 'positive_kobo_check', `amount = ${KOBO_MAX}`],
  ['settlements', `status = 'lost', next_poll_at = NULL`, 'settlements_check', FINAL],
  ['settlements', `status = 'lost', next_poll_at = now()`, 'settlements_check'],
  ...['pending', 'processing'].map(
    (status) =>
      [
        'settlements',
        `status = '${status}', next_poll_at = NULL`,
        'settlements_check',
        `status = '${status}', next_poll_at = now()`,
      ] as const,
  ),
  ...['succeeded', 'failed', 'reversed'].map(
    (status) =>
      [
        'settlements',
        `status = '${status}', next_poll_at = now()`,
        'settlements_check',
        `status = '${status}', next_poll_at = NULL`,
      ] as const,
  ),
];

describe('the database itself, in the tables that a payment writes', () => {
  it.each(GUARDS)('refuses of %s: %s', async (table, bad, guard, ...good) => {
    expect(await updated(table, bad)).toBe(guard);
    for (const changes of good)
      expect([changes, await updated(table, changes)]).toEqual([changes, undefined]);
  });

  it.each([
    ['transactions', 'amount', '0', 'positive_kobo_check'],
    ['transactions', 'spent_total', '-1', 'running_total_check'],
    ['ledger_entries', 'amount', '0', 'positive_kobo_check'],
    ['ledger_entries', 'source', '"gift"', 'ledger_source_check'],
    ['settlements', 'amount', '0', 'positive_kobo_check'],
    ['wallets', 'balance', '-1', 'wallets_balance_range'],
    ['wallets', 'status', '"active"', 'wallet_status_check'],
    ['transactions', 'blocked_total', '-1', 'transactions_check'],
    ['ledger_entries', 'seq', '0', 'ledger_entries_check'],
    ['settlements', 'status', '"lost"', 'settlements_check'],
    ['wallets', 'held', '1', 'wallets_check'],
  ])('refuses a row of %s that comes with %s = %s', async (table, column, value, guard) => {
    const inserted = `INSERT INTO ${table} SELECT (jsonb_populate_record(t, '{"${column}": ${value}}')).* FROM ${table} t
                       WHERE ${table === 'wallets' ? 'id' : 'wallet_id'} = '${wallet.id}' LIMIT 1`;
    expect(await refusalOf(inserted)).toBe(guard);
  });

  it.each<[string, string]>([
    [
      'is_wallet_state',
      '(balance, held, held_count, attempt_count, blocked_count, spend_limit_per_tx, spend_limit_period)',
    ],
    [
      'is_transaction_state',
      '(seq, blocked_total, idempotency_key, fingerprint, approval, block_reason, approval_expires_at, approval_decided_at)',
    ],
    ['is_ledger_entry_state', '(seq, type, transaction_id)'],
    ['is_settlement_state', '(status, next_poll_at)'],
  ])('never lets a row pass for what %s does not know', async (name, columns) => {
    const { length } = columns.split(',');
    const { rows } = await client.query<{ answer: boolean }>(
      `SELECT ${name}(${Array.from({ length }, () => 'NULL').join(', ')}) AS answer`,
    );
    expect(rows).toEqual([{ answer: false }]);
    const { rows: checks } = await client.query<{ definition: string }>(
      `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE contype = 'c'
        AND pg_get_constraintdef(oid) LIKE '%${name}(%'`,
    );
    expect(checks).toEqual([{ definition: `CHECK (${name}${columns})` }]);
  });

  it('computes the balance that a decision leaves once more, and takes no other', async () => {
    const { id } = await service.fundedWallet(10_000);
    const [database, events, wallets] = [Database, Events, SpendableWallets].map((each) =>
      service.app.get(each as typeof Database, { strict: false }),
    ) as unknown as [Database, Events, SpendableWallets];
    const leave = (spent: number, balanceAfter: number) =>
      database.transaction(async (tx) => {
        const { held, heldCount, totals, now: at } = await wallets.lockById(id, tx);
        const more = { ...totals, attemptCount: totals.attemptCount + 1 };
        const kept = { held, heldCount, totals: more, at };
        const left = { walletId: id, approved: 1, spent, balanceAfter: kobo(balanceAfter), ...kept };
        await events.publish([new AttemptsDecided(left)], tx);
        await tx.query('SELECT 1');
        throw new Error('taken, and undone');
      });
    for (const wrong of [8_999, 9_001]) await expect(leave(1_000, wrong)).rejects.toThrow('balance');
    await expect(leave(1_000, 9_000)).rejects.toThrow('taken, and undone');
  });

  it('takes the newest migration back and on again, with all that it knows', async () => {
    const books = async () => {
      const rows: unknown[] = [];
      for (const table of ['wallets', 'transactions', 'ledger_entries', 'settlements'])
        rows.push((await client.query<object>(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY 1`)).rows);
      return rows;
    };
    const schema = async () =>
      (
        await client.query<{ part: string }>(
          `SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) AS part FROM pg_constraint
            WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
            UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
                               attstorage, pg_get_expr(adbin, adrelid))
              FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
             WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r')
               AND attnum > 0 AND NOT attisdropped
            ORDER BY 1`,
        )
      ).rows.map(({ part }) => part);
    const [rows, parts] = [await books(), await schema()];
    const source = await migrationSource(service.databaseUrl).initialize();
    try {
      // One that changes rows alone is no proof: then the one before it goes, too.
      do await source.undoLastMigration();
      while (isDeepStrictEqual(await schema(), parts));
      await source.runMigrations();
    } finally {
      await source.destroy();
    }
    expect(await schema()).toEqual(parts);
    expect(await books()).toEqual(rows);
  });

  it('sends what the guarded columns hold as what they are made of', async () => {
    const source = await serviceDataSource(service.databaseUrl, 1, []).initialize();
    const [row] = await source
      .query<object[]>(
        `SELECT w.balance, w.window_spent, w.entry_count, w.period_window_days, w.version, w.status, t.amount, t.facts
           FROM wallets w JOIN transactions t ON t.wallet_id = w.id WHERE w.id = $1`,
        [wallet.id],
      )
      .finally(() => source.destroy());
    expect(row).toMatchObject({
      balance: 9_000,
      window_spent: 1_000,
      entry_count: 2,
      period_window_days: expect.any(Number) as unknown,
      version: 1,
      status: 'ACTIVE',
      amount: 1_000,
      facts: { status: 'ACTIVE', balance: 10_000 },
    });
  });
});
