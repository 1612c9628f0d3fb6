/**
 * Measures what payments leave in the database and in its log, on a running service that nobody else uses. By hand:
 *
 *   node test/bench/growth.mjs http://127.0.0.1:3000 "$(npm run --silent db:psql -- --url)" 50000 [--webhooks]
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import pg from 'pg';

const WALLETS = 100;
const AT_ONCE = 64;
const WARM_UP = 5_000;
/** Longest wait for settlements and deliveries to end. */
const REST_SECONDS_MAX = 600;

const [service, database, countText, webhooks] = process.argv.slice(2);
const count = Number(countText);
if (!service || !database || !(count > 0)) {
  process.stderr.write('node test/bench/growth.mjs <service> <database> <payments> [--webhooks]\n');
  process.exit(2);
}

const client = new pg.Client({ connectionString: database });
await client.connect();
const one = async (text) => (await client.query(text)).rows[0];

async function call(method, path, body, headers = {}) {
  const response = await fetch(service + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text).data;
}

async function setUp() {
  const user = await call('POST', '/v1/auth/signup', {
    email: `${randomUUID()}@example.com`,
    password: 'correct horse',
    accountType: 'developer',
  });
  const authorization = `Bearer ${user.token}`;
  if (webhooks) {
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
    await once(receiver.listen(0, '127.0.0.1').unref(), 'listening');
    const url = `http://127.0.0.1:${receiver.address().port}/`;
    const events = ['payment.approved', 'payment.settled'];
    await call('POST', '/v1/webhook-endpoints', { url, events }, { authorization });
  }
  const keys = [];
  for (let i = 0; i < WALLETS; i += 1) {
    const { wallet, apiKey } = await call(
      'POST',
      '/api/wallets',
      {
        name: 'Research agent',
        userId: user.user.id,
        spendLimitPerTx: 1_000_000,
        spendLimitPeriod: 1_000_000_000_000,
        expiry: '2099-01-01T00:00:00.000Z',
      },
      { authorization },
    );
    const data = { reference: randomUUID(), amount: 100_000_000, currency: 'NGN', status: 'success' };
    const virtual_bank_account = { account_reference: wallet.id };
    await call('POST', '/api/webhooks', { event: 'charge.success', data: { ...data, virtual_bank_account } });
    keys.push(apiKey.fullKey);
  }
  return keys;
}

async function pay(keys, payments) {
  let begun = 0;
  const payer = async () => {
    while (begun < payments) {
      begun += 1;
      const body = {
        amount: 150_000,
        merchantName: `Merchant ${begun % 20} Limited`,
        recipientAccountNo: '0123456789',
        recipientBankCode: '058',
        reason: 'Monthly plan',
      };
      const headers = { 'x-api-key': keys[begun % keys.length], 'idempotency-key': randomUUID() };
      await call('POST', '/api/payment-intent', body, headers);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, payer));
  const open = `SELECT (SELECT count(*) FROM settlements WHERE status IN ('pending', 'processing'))
    + (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending') AS count`;
  for (let seconds = 0; (await one(open)).count !== '0'; seconds += 1) {
    if (seconds === REST_SECONDS_MAX) throw new Error('settlements or deliveries do not end');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** Vacuums first: dead rows are room for the next ones, and the log of vacuum belongs to the payments. */
async function measure() {
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  const { rows } = await client.query(
    `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const { wal } = await one(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`);
  return { tables: new Map(rows.map(({ name, bytes }) => [name, bytes])), wal };
}

const keys = await setUp();
await pay(keys, WARM_UP);
const before = await measure();
await pay(keys, count);
const after = await measure();
const grown = [...after.tables]
  .map(([name, bytes]) => [name, (bytes - (before.tables.get(name) ?? 0)) / count])
  .filter(([, bytes]) => bytes >= 1)
  .sort(([, one], [, other]) => other - one);
const total = grown.reduce((sum, [, bytes]) => sum + bytes, 0);
for (const [name, bytes] of grown) process.stdout.write(`${bytes.toFixed(0).padStart(6)}  ${name}\n`);
process.stdout.write(
  `${total.toFixed(0).padStart(6)}  bytes of the database for each of ${count} payments\n` +
    `${((after.wal - before.wal) / count).toFixed(0).padStart(6)}  bytes of its log\n`,
);
await client.end();
