/**
 * The opponent: the payment endpoint as a good engineer writes it by hand when it must be lean. Bare Fastify and pg; the
 * same body, the same validation, the same six checks in the same order. The key's hash stands in the wallet's row, ids
 * are integers, there are no merchants, no idempotency keys and no jobs.
 *
 * A payment is one transaction of eight prepared statements: BEGIN, lock the wallet, sum its window (from a covering
 * index, with the time read after the lock), insert the transaction, the ledger entry and the settlement, update the
 * balance, COMMIT. A loop claims 100 due settlements at a time with SKIP LOCKED and marks them paid; `SETTLE=off` leaves
 * it out. `POOL` is the number of connections: of 8, 12, 16, 20, 32 and 64, see NOTEBOOK.md for the best.
 */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import pg from 'pg';

const INT8_OID: number = pg.types.builtins.INT8;
const parserOf = pg.types.getTypeParser as (
  oid: number,
  format?: 'text' | 'binary',
) => (value: string) => unknown;

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.POOL ?? 16),
  // The window's sum is to be an index scan, also when its plan is made while the table is still empty.
  options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off',
  types: {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === INT8_OID ? Number : parserOf(oid, format),
  },
});

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS wallets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key_hash bytea NOT NULL UNIQUE,
    balance bigint NOT NULL CHECK (balance >= 0), spend_limit_per_tx bigint NOT NULL,
    spend_limit_period bigint NOT NULL, period_window_days integer NOT NULL, expiry timestamptz NOT NULL,
    use_allowlist boolean NOT NULL, allowed_merchants text[] NOT NULL, status text NOT NULL
  ) WITH (fillfactor = 70);
  CREATE TABLE IF NOT EXISTS transactions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, wallet_id bigint NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0), merchant_name text NOT NULL, recipient_account_no text NOT NULL,
    recipient_bank_code text NOT NULL, reason text, block_reason text, created_at timestamptz NOT NULL);
  CREATE INDEX IF NOT EXISTS transactions_spent ON transactions (wallet_id, created_at) INCLUDE (amount)
    WHERE block_reason IS NULL;
  CREATE TABLE IF NOT EXISTS ledger_entries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, wallet_id bigint NOT NULL, type text NOT NULL,
    amount bigint NOT NULL, balance_after bigint NOT NULL CHECK (balance_after >= 0),
    transaction_id bigint NOT NULL, created_at timestamptz NOT NULL);
  CREATE INDEX IF NOT EXISTS ledger_by_wallet ON ledger_entries (wallet_id, id);
  CREATE TABLE IF NOT EXISTS settlements (
    transaction_id bigint PRIMARY KEY, amount bigint NOT NULL, account_no text NOT NULL, bank_code text NOT NULL,
    status text NOT NULL DEFAULT 'pending'
  ) WITH (fillfactor = 70);
  CREATE INDEX IF NOT EXISTS settlements_due ON settlements (transaction_id) WHERE status = 'pending';`;

const STATEMENTS = {
  lock: `SELECT id, balance, spend_limit_per_tx, spend_limit_period, period_window_days, expiry, use_allowlist,
      allowed_merchants, status FROM wallets WHERE key_hash = $1 FOR UPDATE`,
  spent: `SELECT coalesce(sum(amount), 0)::bigint AS spent, clock_timestamp() AS now FROM transactions
    WHERE wallet_id = $1 AND block_reason IS NULL AND created_at > clock_timestamp() - $2 * interval '24 hours'`,
  addTransaction: `INSERT INTO transactions (wallet_id, amount, merchant_name, recipient_account_no,
      recipient_bank_code, reason, block_reason, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
  addEntry: `INSERT INTO ledger_entries (wallet_id, type, amount, balance_after, transaction_id, created_at)
    VALUES ($1, 'debit', $2, $3, $4, $5)`,
  openSettlement: `INSERT INTO settlements (transaction_id, amount, account_no, bank_code) VALUES ($1, $2, $3, $4)`,
  debit: `UPDATE wallets SET balance = $2 WHERE id = $1`,
  claim: `UPDATE settlements SET status = 'processing' WHERE transaction_id IN (
      SELECT transaction_id FROM settlements WHERE status = 'pending'
       ORDER BY transaction_id LIMIT 100 FOR UPDATE SKIP LOCKED) RETURNING transaction_id AS id`,
  settle: `UPDATE settlements SET status = 'succeeded' WHERE transaction_id = ANY ($1::bigint[])`,
} as const;

interface Wallet {
  id: number;
  balance: number;
  spend_limit_per_tx: number;
  spend_limit_period: number;
  period_window_days: number;
  expiry: Date;
  use_allowlist: boolean;
  allowed_merchants: string[];
  status: string;
}

interface Body {
  amount: number;
  merchantName: string;
  recipientAccountNo: string;
  recipientBankCode: string;
  reason: string | null;
}

async function query<Row>(client: pg.PoolClient | pg.Pool, name: keyof typeof STATEMENTS, values: unknown[]) {
  return (await client.query({ name, text: STATEMENTS[name], values })).rows as Row[];
}

const length = (text: string): number => [...text].length;

/** The body when it is sound, else the fields that are not. */
function validated(body: unknown): Body | string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ['body'];
  const { amount, merchantName, recipientAccountNo, recipientBankCode, reason } = body as Record<
    string,
    unknown
  >;
  const name = typeof merchantName === 'string' ? merchantName.trim() : '';
  const wrong: string[] = [];
  if (!Number.isSafeInteger(amount) || (amount as number) < 1) wrong.push('amount');
  if (length(name) < 3 || length(name) > 200 || name.includes('\0') || !name.isWellFormed())
    wrong.push('merchantName');
  if (typeof recipientAccountNo !== 'string' || !/^[0-9]{10}$/.test(recipientAccountNo))
    wrong.push('recipientAccountNo');
  if (typeof recipientBankCode !== 'string' || !/^[0-9]{3}$/.test(recipientBankCode))
    wrong.push('recipientBankCode');
  if (reason != null && (typeof reason !== 'string' || length(reason) > 200 || reason.includes('\0')))
    wrong.push('reason');
  return wrong.length > 0 ? wrong : ({ ...body, merchantName: name, reason: reason ?? null } as Body);
}

/** The code of the first check that fails, and its HTTP status. */
function firstFailed(wallet: Wallet, body: Body, spent: number, now: Date): [string, number] | null {
  if (wallet.status !== 'ACTIVE') return ['WALLET_INACTIVE', 403];
  if (now >= wallet.expiry) return ['WALLET_EXPIRED', 403];
  if (body.amount > wallet.spend_limit_per_tx) return ['SPEND_LIMIT_PER_TX_EXCEEDED', 403];
  if (body.amount > wallet.spend_limit_period - spent) return ['SPEND_LIMIT_PER_PERIOD_EXCEEDED', 403];
  if (wallet.use_allowlist && !wallet.allowed_merchants.includes(merchantOf(body)))
    return ['MERCHANT_NOT_ALLOWED', 403];
  if (body.amount > wallet.balance) return ['INSUFFICIENT_FUNDS', 402];
  return null;
}

const merchantOf = ({ merchantName }: Body): string =>
  merchantName.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();

async function pay(client: pg.PoolClient, keyHash: Buffer, body: Body) {
  await client.query('BEGIN');
  const [wallet] = await query<Wallet>(client, 'lock', [keyHash]);
  if (!wallet) {
    await client.query('ROLLBACK');
    return null;
  }
  const [{ spent, now }] = (await query(client, 'spent', [wallet.id, wallet.period_window_days])) as [
    { spent: number; now: Date },
  ];
  const failed = firstFailed(wallet, body, spent, now);
  const { amount, merchantName, recipientAccountNo, recipientBankCode, reason } = body;
  const [added] = await query<{ id: number }>(client, 'addTransaction', [
    ...[wallet.id, amount, merchantName, recipientAccountNo, recipientBankCode],
    ...[reason, failed?.[0] ?? null, now],
  ]);
  const { id } = added as { id: number };
  if (!failed) {
    const balance = wallet.balance - amount;
    await query(client, 'addEntry', [wallet.id, amount, balance, id, now]);
    await query(client, 'openSettlement', [id, amount, recipientAccountNo, recipientBankCode]);
    await query(client, 'debit', [wallet.id, balance]);
  }
  await client.query('COMMIT');
  return { id, failed, walletId: wallet.id, createdAt: now };
}

const server = fastify({ bodyLimit: 64 * 1024 });

server.get('/health/ready', async () => {
  await pool.query('SELECT 1');
  return { status: 'ok' };
});

server.post('/api/payment-intent', async (request, reply) => {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string') return reply.status(401).send({ success: false, code: 'MISSING_API_KEY' });
  const body = validated(request.body);
  if (Array.isArray(body))
    return reply.status(400).send({ success: false, code: 'VALIDATION_ERROR', errors: body });
  const client = await pool.connect();
  let paid: Awaited<ReturnType<typeof pay>>;
  try {
    paid = await pay(client, hash('sha256', key, 'buffer'), body);
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
  if (!paid) return reply.status(401).send({ success: false, code: 'INVALID_API_KEY' });
  const { id, failed, walletId, createdAt } = paid;
  if (failed) return reply.status(failed[1]).send({ success: false, code: failed[0], transactionId: id });
  const transaction = { id, walletId, ...body, decision: 'approved', blockReason: null, createdAt };
  return reply.status(201).send({ success: true, data: { transaction, settlement: { reference: id } } });
});

/** How long the loop waits when it has found fewer settlements than it takes at once, in milliseconds. */
const SETTLE_EVERY_MS = 100;

async function settleForEver(): Promise<never> {
  for (;;) {
    const claimed = await query<{ id: number }>(pool, 'claim', []);
    if (claimed.length > 0) await query(pool, 'settle', [claimed.map(({ id }) => id)]);
    if (claimed.length < 100) await sleep(SETTLE_EVERY_MS);
  }
}

await pool.query(SCHEMA);
if (process.env.SETTLE !== 'off') {
  void settleForEver().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
