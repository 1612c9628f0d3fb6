/**
 * The opponent: the payment endpoint as a good engineer writes it by hand, without Nest and without group commit.
 * Bare Fastify and pg; the same body, the same validation, the same six checks in the same order, the same rows;
 * one transaction a payment under `SELECT … FOR UPDATE`, prepared statements, an index for every query, time
 * read after the lock. Approved payments are settled by graphile-worker after the commit, as in the service
 * (`SETTLE=off`: the jobs are written, and nobody works on them).
 */
import { createHash } from 'node:crypto';
import { fastify } from 'fastify';
import { Logger, run as runJobs, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { v7 as uuid } from 'uuid';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.POOL ?? 20),
  types: {
    getTypeParser: ((oid: number, format?: 'text') =>
      oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  },
});

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS wallets (
    id uuid PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0), spend_limit_per_tx bigint NOT NULL,
    spend_limit_period bigint NOT NULL, period_window_days integer NOT NULL, expiry timestamptz NOT NULL,
    use_allowlist boolean NOT NULL, allowed_merchants text[] NOT NULL, status text NOT NULL
  ) WITH (fillfactor = 70);
  CREATE TABLE IF NOT EXISTS api_keys (hash bytea PRIMARY KEY, wallet_id uuid NOT NULL REFERENCES wallets);
  CREATE TABLE IF NOT EXISTS wallet_merchants (
    wallet_id uuid NOT NULL, merchant text NOT NULL, name text NOT NULL, PRIMARY KEY (wallet_id, merchant));
  CREATE TABLE IF NOT EXISTS transactions (
    id uuid PRIMARY KEY, wallet_id uuid NOT NULL, amount bigint NOT NULL CHECK (amount > 0), merchant text NOT NULL,
    merchant_name text NOT NULL, recipient_account_no text NOT NULL, recipient_bank_code text NOT NULL, reason text,
    block_reason text, created_at timestamptz NOT NULL);
  CREATE INDEX IF NOT EXISTS transactions_spent ON transactions (wallet_id, created_at) INCLUDE (amount)
    WHERE block_reason IS NULL;
  CREATE TABLE IF NOT EXISTS ledger_entries (
    id uuid PRIMARY KEY, wallet_id uuid NOT NULL, type text NOT NULL, amount bigint NOT NULL,
    balance_after bigint NOT NULL CHECK (balance_after >= 0), transaction_id uuid NOT NULL,
    created_at timestamptz NOT NULL);
  CREATE INDEX IF NOT EXISTS ledger_by_wallet ON ledger_entries (wallet_id, created_at);
  CREATE TABLE IF NOT EXISTS settlements (
    reference uuid PRIMARY KEY, wallet_id uuid NOT NULL, amount bigint NOT NULL, account_no text NOT NULL,
    bank_code text NOT NULL, status text NOT NULL DEFAULT 'pending', created_at timestamptz NOT NULL
  ) WITH (fillfactor = 70);`;

const STATEMENTS = {
  lock: `SELECT w.* FROM api_keys k JOIN wallets w ON w.id = k.wallet_id WHERE k.hash = $1 FOR UPDATE OF w`,
  spent: `SELECT coalesce(sum(amount), 0)::bigint AS spent, clock_timestamp() AS now FROM transactions
    WHERE wallet_id = $1 AND block_reason IS NULL AND created_at > clock_timestamp() - $2 * interval '24 hours'`,
  addTransaction: `INSERT INTO transactions VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  debit: `UPDATE wallets SET balance = balance - $2 WHERE id = $1 RETURNING balance`,
  addEntry: `INSERT INTO ledger_entries VALUES ($1, $2, 'debit', $3, $4, $5, $6)`,
  remember: `INSERT INTO wallet_merchants VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
  openSettlement: `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)`,
  addJob: `SELECT FROM graphile_worker.add_job('settle', $1::json)`,
  settle: `UPDATE settlements SET status = 'succeeded' WHERE reference = $1 AND status = 'pending'`,
} as const;

interface Wallet {
  id: string;
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
function firstFailed(
  wallet: Wallet,
  body: Body,
  merchant: string,
  spent: number,
  now: Date,
): [string, number] | null {
  if (wallet.status !== 'ACTIVE') return ['WALLET_INACTIVE', 403];
  if (now >= wallet.expiry) return ['WALLET_EXPIRED', 403];
  if (body.amount > wallet.spend_limit_per_tx) return ['SPEND_LIMIT_PER_TX_EXCEEDED', 403];
  if (body.amount > wallet.spend_limit_period - spent) return ['SPEND_LIMIT_PER_PERIOD_EXCEEDED', 403];
  if (wallet.use_allowlist && !wallet.allowed_merchants.includes(merchant))
    return ['MERCHANT_NOT_ALLOWED', 403];
  if (body.amount > wallet.balance) return ['INSUFFICIENT_FUNDS', 402];
  return null;
}

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
  const merchant = body.merchantName.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
  const failed = firstFailed(wallet, body, merchant, spent, now);
  const id = uuid();
  const { amount, merchantName, recipientAccountNo, recipientBankCode, reason } = body;
  const recipient = [recipientAccountNo, recipientBankCode];
  await query(client, 'addTransaction', [
    ...[id, wallet.id, amount, merchant, merchantName, ...recipient, reason, failed?.[0] ?? null, now],
  ]);
  if (!failed) {
    const [after] = await query<{ balance: number }>(client, 'debit', [wallet.id, amount]);
    await query(client, 'addEntry', [uuid(), wallet.id, amount, after?.balance, id, now]);
    await query(client, 'remember', [wallet.id, merchant, merchantName]);
    await query(client, 'openSettlement', [id, wallet.id, amount, ...recipient, now]);
    await query(client, 'addJob', [JSON.stringify({ reference: id })]);
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
    paid = await pay(client, createHash('sha256').update(key).digest(), body);
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

await pool.query(SCHEMA);
await runMigrations({ pgPool: pool });
if (process.env.SETTLE !== 'off') {
  await runJobs({
    pgPool: pool,
    concurrency: 8,
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new Logger(() => () => undefined),
    taskList: {
      settle: async (payload) => {
        await query(pool, 'settle', [(payload as { reference: string }).reference]);
      },
    },
  });
}
await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
