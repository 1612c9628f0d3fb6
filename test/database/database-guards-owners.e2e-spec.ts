import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CreatedWallet, startService, type TestService } from '../support/service.js';

let service: TestService;
let client: pg.Client;
let wallet: CreatedWallet;

beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(10_000);
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await service.close();
});

type Row = Readonly<Record<string, string>>;

const ID = 'gen_random_uuid()';
/** Two ids that are the same in each statement. */
const [A, B] = [`'11111111-1111-4111-8111-111111111111'`, `'22222222-2222-4222-8222-222222222222'`] as const;
const USED = { idempotency_key: `'k'`, fingerprint: `'\\x01'` };

/** A row of each table that is taken, as SQL. */
const ROWS = {
  withdrawals: {
    ...{ wallet_id: A, seq: '1', id: ID, user_id: ID, amount: '1', account_number: `'1'`, bank_code: `'1'` },
    created_at: 'now()',
  },
  wallet_transfers: {
    ...{ from_wallet_id: A, to_wallet_id: B, id: ID, user_id: ID, amount: '1', created_at: 'now()' },
  },
  wallet_changes: {
    ...{ wallet_id: A, seq: '1', id: ID, user_id: ID, action: `'x'`, before: `'{}'`, after: `'{}'` },
    created_at: 'now()',
  },
  wallet_payees: {
    ...{
      wallet_id: A,
      merchant: `'m'`,
      account_number: `'1'`,
      bank_code: `'1'`,
      id: ID,
      merchant_name: `'M'`,
    },
    ...{ origin: `'registered'`, created_at: 'now()' },
  },
  wallet_merchants: { wallet_id: A, merchant: `'m'`, id: ID, name: `'M'` },
  cooling_off_payments: { wallet_id: A, transaction_id: B, key_id: ID, amount: '1' },
  api_key_usage: { wallet_id: A, key_id: B, spent_total: '2', payment_count: '2' },
  api_key_payments: {
    ...{ wallet_id: A, key_id: B, seq: '1', transaction_id: ID, amount: '2', spent_total: '2' },
    approved_at: 'now()',
  },
  refunded_payments: { wallet_id: A, transaction_id: B, amount: '1', approved_at: 'now()' },
  low_balance_thresholds: { wallet_id: A, threshold: '1' },
  receipt_keys: {
    ...{ kid: `'1'`, public_key: `'1'`, created_at: 'now()' },
    ...{ retired_at: 'now()', sealed_private_key: 'NULL' },
  },
  shadow_rules: { wallet_id: A, rules: `'{}'`, since: 'now()', judged_seq: '0' },
  inbound_transfers: {
    ...{ id: ID, status: `'credited'`, reference: `'r'`, wallet_id: A, amount: '1', currency: `'NGN'` },
    ...{ account_reference: `'a'`, body: `''`, body_hash: `'\\x01'`, received_at: 'now()' },
  },
  virtual_accounts: {
    ...{ id: ID, wallet_id: A, account_number: `'0123456789'`, account_name: `'N'`, bank_name: `'B'` },
    ...{ bank_code: `'1'`, provider_ref: `'p'`, created_at: 'now()' },
  },
  users: {
    id: ID,
    email: `'a@b.ng'`,
    password_hash: `'x'`,
    account_type: `'developer'`,
    created_at: 'now()',
  },
  webhook_deliveries: {
    ...{
      id: ID,
      endpoint_id: A,
      event_id: ID,
      event: `'wallet.funded'`,
      body: `''`,
      next_attempt_at: 'now()',
    },
    created_at: 'now()',
  },
  webhook_endpoints: {
    ...{ id: ID, user_id: A, url: `'https://a.ng'`, events: `'{wallet.funded}'`, secrets: `'[]'` },
    created_at: 'now()',
  },
} as const satisfies Record<string, Row>;
type Table = keyof typeof ROWS;

const inserted = (table: Table, changes: Row): string => {
  const row: Row = { ...ROWS[table], ...changes };
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')})`;
};

/** What PostgreSQL says of the last of these statements, which are all undone again; nothing: it is taken. */
async function refusalOf(...statements: readonly string[]): Promise<string | undefined> {
  await client.query('BEGIN');
  try {
    for (const before of statements.slice(0, -1)) await client.query(before);
    return await client.query(statements.at(-1)!).then(
      () => undefined,
      (error: unknown) => (error as pg.DatabaseError).constraint ?? (error as pg.DatabaseError).message,
    );
  } finally {
    await client.query('ROLLBACK');
  }
}

/** What a row may not be, by the name of the guard, beside what is just taken. */
const GUARDS: readonly (readonly [table: Table, bad: Row, guard: string, ...good: readonly Row[]])[] = [
  ['withdrawals', { amount: '0' }, 'withdrawals_amount_check', {}],
  ['withdrawals', { seq: '0' }, 'withdrawals_seq_check'],
  ['withdrawals', { ...USED, fingerprint: 'NULL' }, 'withdrawals_fingerprint_check', USED],
  ['wallet_transfers', { amount: '0' }, 'wallet_transfers_amount_check', {}],
  ['wallet_transfers', { to_wallet_id: A }, 'wallet_transfers_check'],
  ['wallet_transfers', { ...USED, idempotency_key: 'NULL' }, 'wallet_transfers_fingerprint_check', USED],
  ['wallet_changes', { seq: '0' }, 'wallet_changes_seq_check', {}],
  ['wallet_payees', { origin: `'guessed'` }, 'wallet_payees_origin_check', {}, { origin: `'first_use'` }],
  ['wallet_merchants', { account_number: `'1'` }, 'wallet_merchants_account_check', {}],
  ['cooling_off_payments', { amount: '0' }, 'cooling_off_payments_amount_check', {}],
  ['cooling_off_payments', { account_number: `'1'` }, 'cooling_off_payments_check'],
  ['cooling_off_payments', { key_id: 'NULL' }, 'cooling_off_payments_check'],
  ['api_key_usage', { refunded_total: '3' }, 'api_key_usage_check', { refunded_total: '2' }],
  ['api_key_usage', { refunded_total: '-1' }, 'api_key_usage_check', { refunded_total: '0' }],
  ['api_key_usage', { refunded_count: '3' }, 'api_key_usage_check', { refunded_count: '2' }],
  ['api_key_payments', { amount: '0' }, 'api_key_payments_amount_check', {}],
  ['api_key_payments', { spent_total: '1' }, 'api_key_payments_spent_total_check'],
  ['refunded_payments', { amount: '0' }, 'refunded_payments_amount_check', {}],
  ['low_balance_thresholds', { threshold: '0' }, 'low_balance_thresholds_threshold_check', {}],
  ['receipt_keys', { sealed_private_key: `'x'` }, 'receipt_keys_check', {}],
  ['receipt_keys', { retired_at: 'NULL' }, 'receipt_keys_check'],
  [
    'shadow_rules',
    { to_blocked_count: '1' },
    'shadow_rules_check',
    { judged_count: '1', to_blocked_count: '1' },
  ],
  ['inbound_transfers', { amount: '0' }, 'inbound_transfers_amount_check', {}],
  ['inbound_transfers', { status: `'lost'` }, 'inbound_transfers_status_check', { status: `'held'` }],
  ['inbound_transfers', { status: `'ignored'` }, 'inbound_transfers_slot'],
  ['inbound_transfers', { status: `'conflict'`, amount: 'NULL' }, 'inbound_transfers_conflict'],
  ['virtual_accounts', { account_number: `'012345678'` }, 'virtual_accounts_account_number_check', {}],
  ['virtual_accounts', { account_number: `'01234567890'` }, 'virtual_accounts_account_number_check'],
  ['users', { email: `'A@b.ng'` }, 'users_email_check', {}],
  ['users', { account_type: `'admin'` }, 'users_account_type_check', { account_type: `'business'` }],
  ['webhook_deliveries', { claim: ID }, 'webhook_deliveries_check', { claim: ID, claimed_at: 'now()' }],
  ['webhook_deliveries', { finished_at: 'now()' }, 'webhook_deliveries_check1', {}],
  ['webhook_deliveries', { status: `'failed'` }, 'webhook_deliveries_check1'],
  ['webhook_endpoints', { events: `'{}'` }, 'webhook_endpoints_events_check', {}],
  ['webhook_endpoints', { wallet_ids: `'{}'` }, 'webhook_endpoints_wallet_ids_check', { wallet_ids: 'NULL' }],
  ['webhook_endpoints', { status: `'disabled'` }, 'webhook_endpoints_check'],
];

/** What may not be there twice, by the name of the guard, beside what may. */
const ONCE: readonly (readonly [table: Table, first: Row, second: Row, guard: string, other: Row])[] = [
  [
    'withdrawals',
    USED,
    { ...USED, seq: '2' },
    'withdrawals_idempotency',
    { ...USED, seq: '2', wallet_id: B },
  ],
  ['withdrawals', {}, {}, 'withdrawals_pkey', { seq: '2' }],
  [
    ...(['wallet_transfers', USED, USED, 'wallet_transfers_idempotency'] as const),
    { ...USED, from_wallet_id: B, to_wallet_id: A },
  ],
  ['wallet_changes', {}, {}, 'wallet_changes_pkey', { seq: '2' }],
  ['wallet_payees', {}, {}, 'wallet_payees_pkey', { bank_code: `'2'` }],
  ['cooling_off_payments', {}, {}, 'cooling_off_payments_pkey', { wallet_id: B }],
  [
    'api_key_payments',
    { transaction_id: A },
    { transaction_id: A, seq: '2' },
    'api_key_payments_transaction_key',
    {
      seq: '2',
    },
  ],
  ['refunded_payments', {}, {}, 'refunded_payments_pkey', { transaction_id: A }],
  [
    ...(['receipt_keys', { retired_at: 'NULL', sealed_private_key: `'x'` }] as const),
    ...([{ kid: `'2'`, retired_at: 'NULL', sealed_private_key: `'x'` }, 'receipt_keys_active'] as const),
    { kid: `'2'` },
  ],
  ['inbound_transfers', {}, { status: `'held'` }, 'inbound_transfers_seen', { reference: `'s'` }],
  [
    ...(['inbound_transfers', { status: `'unmatched'` }, { status: `'unmatched'` }] as const),
    ...(['inbound_transfers_recorded', { status: `'unmatched'`, body_hash: `'\\x02'` }] as const),
  ],
  [
    'virtual_accounts',
    {},
    { account_number: `'9876543210'` },
    'virtual_accounts_wallet_id_key',
    {
      ...{ wallet_id: B, account_number: `'9876543210'` },
    },
  ],
  [
    'virtual_accounts',
    {},
    { wallet_id: B },
    'virtual_accounts_bank_code_account_number_key',
    {
      ...{ wallet_id: B, bank_code: `'2'` },
    },
  ],
  ['users', {}, {}, 'users_email_key', { email: `'b@b.ng'` }],
];

describe('the database itself, in the tables beside those that every payment writes', () => {
  it.each(GUARDS)('refuses of %s: %j', async (table, bad, guard, ...good) => {
    expect(await refusalOf(inserted(table, bad))).toBe(guard);
    for (const changes of good)
      expect([changes, await refusalOf(inserted(table, changes))]).toEqual([changes, undefined]);
  });

  it.each(ONCE)('has of %s %j once, and no %j beside it', async (table, first, second, guard, other) => {
    expect(await refusalOf(inserted(table, first), inserted(table, second))).toBe(guard);
    expect(await refusalOf(inserted(table, first), inserted(table, other))).toBeUndefined();
  });

  it.each([
    'UPDATE wallet_changes SET action = action',
    'DELETE FROM wallet_changes',
    'TRUNCATE wallet_changes',
  ])('keeps the record of changes as it is: %s', async (statement) => {
    expect(await refusalOf(inserted('wallet_changes', {}), statement)).toContain('append-only');
  });

  it('keeps of a key nothing but a hash of 32 bytes', async () => {
    const key = (length: number) =>
      `INSERT INTO api_keys (id, wallet_id, hash, key_prefix, created_at)
       VALUES (${ID}, '${wallet.id}', decode(repeat('07', ${length}), 'hex'), 'apw_live_', now())`;
    expect(await refusalOf(key(31))).toBe('api_keys_hash_check');
    expect(await refusalOf(key(33))).toBe('api_keys_hash_check');
    expect(await refusalOf(key(32))).toBeUndefined();
  });
});
