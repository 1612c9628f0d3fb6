import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { WalletBalanceService } from '../../src/contexts/wallet/wallet-balance.service.js';
import { WalletSpendingStore } from '../../src/contexts/wallet/wallet-spending.store.js';
import { LOCK_OR_SKIP, LOCK_OR_WAIT } from '../../src/contexts/wallet/lock-statements.js';
import { hashApiKey } from '../../src/contexts/wallet/wallet.port.js';
import { kobo } from '../../src/kernel/money.js';
import { Database } from '../../src/platform/database/database.js';
import { brokenInvariants } from '../support/invariants.js';
import { startService, type TestService, until } from '../support/service.js';

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService();
  other = await startService({ beside: one });
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const codes = (answers: readonly { status: number }[]): Record<number, number> => {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};

describe('two hundred payments at once from one wallet, through two replicas', () => {
  it('spend exactly the balance and no kobo more', async () => {
    const wallet = await one.fundedWallet(100_000);
    const answers = await times(200, (i) => either(i).pay(wallet.key, { amount: 1_000 }));
    expect(codes(answers)).toEqual({ 201: 100, 402: 100 });
    expect((await one.stats(wallet)).balance).toBe(0);
    expect(await brokenInvariants(one)).toEqual({});
  });

  it('spend exactly the limit of the period and no kobo more', async () => {
    const wallet = await one.fundedWallet(1_000_000, { spendLimitPeriod: 100_000 });
    const answers = await times(200, (i) => either(i).pay(wallet.key, { amount: 900 + (i % 3) * 100 }));
    const { spentThisPeriod, balance } = await one.stats(wallet);
    expect(spentThisPeriod).toBeLessThanOrEqual(100_000);
    expect(spentThisPeriod).toBeGreaterThan(99_000);
    expect(balance).toBe(1_000_000 - spentThisPeriod);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 403]));
    expect(await brokenInvariants(one)).toEqual({});
  });

  it('leave a history without gaps in which order, time and balance agree', async () => {
    const wallet = await one.fundedWallet(150_000);
    await times(200, (i) => either(i).pay(wallet.key, { amount: 1_000 + i }));
    const entries = [1, 2].map((page) => one.ledger(wallet, `?pageSize=100&page=${page}`));
    const rows = (await Promise.all(entries)).flatMap(({ data }) => data).reverse();
    let balance = 0;
    for (const { type, amount, balanceAfter } of rows) {
      balance += type === 'debit' ? -amount : amount;
      expect(balanceAfter).toBe(balance);
    }
    const stamps = rows.map(({ createdAt }) => createdAt);
    expect([...stamps].sort()).toEqual(stamps);
    expect(balance).toBe((await one.stats(wallet)).balance);
    expect(await brokenInvariants(one)).toEqual({});
  });
});

describe('two payments at once', () => {
  it('never pass a limit of the period that has room for one of them', async () => {
    const wallets = await times(20, () =>
      one.fundedWallet(10_000, { spendLimitPerTx: 600, spendLimitPeriod: 1_000 }),
    );
    for (const wallet of wallets) {
      const answers = await times(2, (i) => either(i).pay(wallet.key, { amount: 600 }));
      expect(codes(answers)).toEqual({ 201: 1, 403: 1 });
    }
  });

  it('never take a balance below zero that has room for one of them', async () => {
    const wallets = await times(20, () => one.fundedWallet(1_000));
    for (const wallet of wallets) {
      const answers = await times(2, (i) => either(i).pay(wallet.key, { amount: 600 }));
      expect(codes(answers)).toEqual({ 201: 1, 402: 1 });
    }
  });
});

describe('top-ups, payments and readers at once', () => {
  it('on ten wallets lose nothing, make nothing, and no reader sees a balance that never was', async () => {
    const wallets = await times(10, () =>
      one.fundedWallet(20_000, { spendLimitPerTx: 50_000, spendLimitPeriod: 50_000 }),
    );
    await times(400, async (i) => {
      const wallet = wallets[i % 10]!;
      const service = either(Math.trunc(i / 10));
      if (i % 4 === 0) await service.topUp(wallet.id, 500 + i, `mixed-${i}`);
      else if (i % 4 === 1) expect((await service.stats(wallet)).balance).toBeGreaterThanOrEqual(0);
      else await service.pay(wallet.key, { amount: 700 + i });
    });
    expect(await brokenInvariants(one)).toEqual({});
    for (const wallet of wallets) {
      const { balance, spentThisPeriod } = await one.stats(wallet);
      const credited = await one.query<{ sum: string }>(
        `SELECT sum(amount) FROM inbound_transfers WHERE status = 'credited' AND wallet_id = $1`,
        [wallet.id],
      );
      expect(balance).toBe(Number(credited[0]?.sum) - spentThisPeriod);
    }
  });
});

describe('a wallet whose row another transaction holds', () => {
  it('holds up no other wallet, and pays in turn once it is let go', async () => {
    const held = await one.fundedWallet(10_000);
    const free = await one.fundedWallet(10_000);
    const client = new pg.Client({ connectionString: one.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [held.id]);
    let letGo = false;
    const waiting = times(5, async () => {
      const answer = await one.pay(held.key);
      expect(letGo).toBe(true);
      return answer;
    });
    // These end although the row is still held: had they waited for it, they would have ended in 503.
    expect(codes(await times(20, () => one.pay(free.key, { amount: 100 })))).toEqual({ 201: 20 });
    letGo = true;
    await client.query('COMMIT');
    await client.end();
    expect(codes(await waiting)).toEqual({ 201: 5 });
    expect((await one.stats(held)).balance).toBe(5_000);
  });

  it('is given up after the lock timeout with 503 and Retry-After, and nothing was carried out', async () => {
    const held = await one.fundedWallet(10_000);
    const client = new pg.Client({ connectionString: one.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [held.id]);
    const { status, body, headers } = await one.pay(held.key);
    await client.query('ROLLBACK');
    await client.end();
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'OVERLOADED', '1']);
    expect((await one.stats(held)).balance).toBe(10_000);
    expect((await one.pay(held.key)).status).toBe(201);
  });

  it('is given up in the same way when an operator, or a timeout of the database, cancels the wait', async () => {
    const held = await one.fundedWallet(10_000);
    const client = new pg.Client({ connectionString: one.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [held.id]);
    const path = `/api/wallets/${held.id}/suspend`;
    const answers = [
      one.pay(held.key),
      one.post<{ error: { code: string } }>(path, { token: held.owner.token }),
    ] as const;
    let canceled = 0;
    await until(async () => {
      const rows = await one.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      canceled += rows.length;
      return canceled >= 2;
    });
    const [paid, suspended] = await Promise.all(answers);
    await client.query('ROLLBACK');
    await client.end();
    expect([paid.status, paid.body.code]).toEqual([503, 'OVERLOADED']);
    expect([suspended.status, suspended.body.error.code]).toEqual([503, 'OVERLOADED']);
    expect((await one.pay(held.key)).status).toBe(201);
  });

  it('is given up in the same way where its key has limits, whose use is read behind the lock', async () => {
    const held = await one.fundedWallet(10_000);
    const { body } = await one.post<{ data: { apiKey: { fullKey: string } } }>(
      `/api/wallets/${held.id}/keys`,
      { token: held.owner.token, body: { name: 'Child', limits: { totalCap: 5_000 } } },
    );
    const key = body.data.apiKey.fullKey;
    // From here on it is known that the key has limits.
    expect((await one.pay(key)).status).toBe(201);
    const client = new pg.Client({ connectionString: one.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [held.id]);
    // A failure that is not handled would end the process, and here the test.
    const answer = await one.pay(key);
    await client.query('ROLLBACK');
    await client.end();
    expect([answer.status, answer.body.code]).toEqual([503, 'OVERLOADED']);
    expect((await one.pay(key)).status).toBe(201);
  });
});

describe('requests that are locked together', () => {
  const listed = { useAllowlist: true, merchantAllowlist: ['Acme', 'Zeta'] };
  const keyOf = async (wallet: { id: string; owner: { token: string } }) => {
    const path = `/api/wallets/${wallet.id}/keys`;
    const { body } = await one.call<{ data: { apiKey: { id: string; fullKey: string } } }>('POST', path, {
      token: wallet.owner.token,
      body: { name: 'Second' },
    });
    return body.data.apiKey;
  };
  const lock = (requests: readonly { key: string; merchant: string }[], wait: boolean) =>
    one.app.get(Database).transaction(async (tx) => {
      const store = one.app.get(WalletSpendingStore);
      const asked = requests.map(({ key, merchant }) => ({ keyHash: hashApiKey(key), merchant }));
      const access = await store.lockForSpending(asked, wait, tx);
      return access.map((each) =>
        each.kind === 'locked'
          ? `${each.wallet.id} ${each.key.id} ${each.onAllowlist ? 'listed' : 'unlisted'}`
          : each.kind,
      );
    });

  it.each([false, true])(
    'each get their own wallet, key and place on the list, also where keys and wallets come several times (waiting: %s)',
    async (wait) => {
      const wallet = await one.fundedWallet(10_000, listed);
      const second = await keyOf(wallet);
      const other = await one.fundedWallet(10_000);
      const firstOf = async ({ id, owner }: typeof wallet) => {
        const path = `/api/wallets/${id}`;
        const { body } = await one.get<{ data: { apiKeys: { id: string }[] } }>(path, { token: owner.token });
        return body.data.apiKeys.map((key) => key.id).filter((keyId) => keyId !== second.id)[0];
      };
      const [firstId, otherId] = [await firstOf(wallet), await firstOf(other)];
      const unknown = `apw_live_${'x'.repeat(43)}`;
      const requests = [
        { key: second.fullKey, merchant: 'zeta' },
        { key: unknown, merchant: 'acme' },
        { key: wallet.key, merchant: 'nobody' },
        { key: other.key, merchant: 'acme' },
        { key: second.fullKey, merchant: 'nobody' },
        { key: wallet.key, merchant: 'acme' },
        { key: other.key, merchant: 'zeta' },
      ];
      expect(await lock(requests, wait)).toEqual([
        `${wallet.id} ${second.id} listed`,
        'no-such-key',
        `${wallet.id} ${firstId} unlisted`,
        `${other.id} ${otherId} unlisted`,
        `${wallet.id} ${second.id} unlisted`,
        `${wallet.id} ${firstId} listed`,
        `${other.id} ${otherId} unlisted`,
      ]);
      const ofOneKey = ['nobody', 'zeta', 'acme', 'nobody'].map((merchant) => ({
        key: wallet.key,
        merchant,
      }));
      expect(await lock(ofOneKey, wait)).toEqual(
        ['unlisted', 'listed', 'listed', 'unlisted'].map((place) => `${wallet.id} ${firstId} ${place}`),
      );
      expect(await lock([requests[1]!, requests[1]!], wait)).toEqual(['no-such-key', 'no-such-key']);
    },
  );

  it('of several keys, those alone are told of a row that is held elsewhere whose it is', async () => {
    const [held, free] = [await one.fundedWallet(10_000), await one.fundedWallet(10_000)];
    const second = await keyOf(held);
    const client = new pg.Client({ connectionString: one.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [held.id]);
    const requests = [held.key, free.key, second.fullKey].map((key) => ({ key, merchant: 'acme' }));
    const [first, locked, last] = await lock(requests, false);
    expect([first, last]).toEqual(['locked-elsewhere', 'locked-elsewhere']);
    expect(locked).toContain(free.id);
    await client.query('COMMIT');
    await client.end();
  });

  it('lock their wallets in one order, in whatever order they come, so that none waits for ever', async () => {
    const wallets = await times(8, () => one.fundedWallet(10_000));
    const requests = wallets.map(({ key }) => ({ key, merchant: 'acme' }));
    const shuffled = (i: number) => [...requests.slice(i % 8), ...requests.slice(0, i % 8)];
    const found = await times(40, (i) => lock(i % 2 === 0 ? shuffled(i) : shuffled(i).reverse(), true));
    expect(found.flat().filter((each) => !each.endsWith(' unlisted'))).toEqual([]);
  });

  it.each([
    ['skip', LOCK_OR_SKIP],
    ['wait for', LOCK_OR_WAIT],
  ])(
    'seek keys and wallets by their indexes, also where nothing is known of the tables (%s)',
    async (_, statement) => {
      const fresh = await startService();
      const { id } = await fresh.fundedWallet(10_000);
      const options = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off';
      const client = new pg.Client({ connectionString: fresh.databaseUrl, options });
      await client.connect();
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO api_keys SELECT (jsonb_populate_record(k, jsonb_build_object('id', gen_random_uuid(),
         'name', 'Key ' || n, 'hash', '\\x' || encode(sha256(n::text::bytea), 'hex')))).*
         FROM api_keys k, generate_series(1, 300) n WHERE k.wallet_id = $1`,
        [id],
      );
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${statement}`);
      await client.query('ROLLBACK');
      await client.end();
      await fresh.close();
      const plan = rows.map((row) => row['QUERY PLAN'].trim()).join('\n');
      const conditions = [...plan.matchAll(/Scan using (\w+) on (\w+) .*\n\s*Index Cond: (.*)/g)].map(
        ([, ...at]) => at,
      );
      expect(conditions).toEqual([
        ['api_keys_hash_key', 'api_keys', '(hash = i.hash)'],
        ['wallets_pkey', 'wallets', expect.stringMatching(/^\(id = .*wallet_id\)$/)],
      ]);
      expect(plan.match(/Scan/g)?.length).toBe(plan.match(/Function Scan|Subquery Scan|Index Scan/g)?.length);
    },
  );

  it('of one key are all told of a row that is held elsewhere', async () => {
    const wallet = await one.fundedWallet(10_000);
    const client = new pg.Client({ connectionString: one.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [wallet.id]);
    const requests = ['acme', 'zeta'].map((merchant) => ({ key: wallet.key, merchant }));
    expect(await lock(requests, false)).toEqual(['locked-elsewhere', 'locked-elsewhere']);
    await client.query('COMMIT');
    await client.end();
  });
});

describe('credits of several wallets', () => {
  it('lock them in the order in which payments do, so that none waits for ever', async () => {
    const [low, high] = (await times(2, () => one.createWallet())).map(({ id }) => id).sort() as [
      string,
      string,
    ];
    const holder = new pg.Client({ connectionString: one.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [low]);
    const movement = { amount: kobo(100), cause: 'bank-transfer', narration: null } as const;
    const credits = [high, low].map((walletId) => ({ ...movement, walletId, reference: randomUUID() }));
    const credited = one.app.get(Database, { strict: false }).transaction(async (tx) => {
      await one.app.get(WalletBalanceService, { strict: false }).credit(credits, tx);
      throw new Error('for its locks alone');
    });
    credited.catch(() => undefined);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await until(async () => (await one.query(waiting)).length > 0);
    const { rows } = await holder.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE SKIP LOCKED', [high]);
    await holder.query('COMMIT');
    await holder.end();
    await expect(credited).rejects.toThrow('for its locks alone');
    expect(rows).toHaveLength(1);
  });
});

describe('a lone request', () => {
  it('takes no lock behind what was read ahead: a wallet that is let go between two looks is waited for', async () => {
    const wallet = await one.fundedWallet(10_000);
    const client = new pg.Client({ connectionString: one.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [wallet.id]);
    const request = { keyHash: hashApiKey(wallet.key), merchant: 'acme stores' };
    const [access] = await one.app.get(Database).transaction(async (tx) => {
      const query = tx.query.bind(tx);
      let looks = 0;
      tx.query = async (text, values) => {
        looks += 1;
        if (looks === 2) await client.query('COMMIT');
        return query(text, values);
      };
      return one.app.get(WalletSpendingStore).lockForSpending([request], false, tx);
    });
    await client.end();
    expect(access).toEqual({ kind: 'locked-elsewhere', walletId: wallet.id });
  });
});

describe('the database itself', () => {
  /** Every row of `table` with some columns changed, as an INSERT that stays right when columns come or go. */
  const copyWith = (table: string, changes: Record<string, string>, where: string): string => {
    const changed = Object.entries(changes).map(([column, value]) => `'${column}', ${value}`);
    return `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object(${changed.join(', ')}))).*
              FROM ${table} t WHERE ${where}`;
  };

  it.each<[string, (walletId: string) => string, string]>([
    [
      'a balance below zero',
      (id) => `UPDATE wallets SET balance = -1 WHERE id = '${id}'`,
      'wallets_balance_range',
    ],
    [
      'a balance that a number can not hold',
      (id) => `UPDATE wallets SET balance = 9007199254740992 WHERE id = '${id}'`,
      'wallets_balance_range',
    ],
    [
      'a limit of the period below that of one payment',
      (id) => `UPDATE wallets SET spend_limit_period = spend_limit_per_tx - 1 WHERE id = '${id}'`,
      'wallets_check',
    ],
    ['a ledger entry that changes', () => `UPDATE ledger_entries SET amount = 1`, 'append-only'],
    ['a ledger entry that goes', () => `DELETE FROM ledger_entries`, 'append-only'],
    ['a ledger that is emptied', () => `TRUNCATE ledger_entries`, 'append-only'],
    [
      'a second debit of one payment',
      (id) => copyWith('ledger_entries', { seq: 't.seq + 1' }, `wallet_id = '${id}' AND seq = 2`),
      'ledger_entries_once',
    ],
    [
      'a second credit of one transfer',
      (id) => copyWith('ledger_entries', { seq: 't.seq + 9' }, `wallet_id = '${id}' AND seq = 1`),
      'ledger_topups_once',
    ],
    [
      'two ledger entries in one place',
      (id) => copyWith('ledger_entries', { id: 'gen_random_uuid()' }, `wallet_id = '${id}' AND seq = 1`),
      'ledger_entries_pkey',
    ],
    [
      'a second payment under one idempotency key',
      (id) => copyWith('transactions', { seq: 't.seq + 1', id: 'gen_random_uuid()' }, `wallet_id = '${id}'`),
      'transactions_idempotency',
    ],
    [
      'a payment that was approved and is blocked afterwards',
      (id) => `UPDATE transactions SET block_reason = 'INSUFFICIENT_FUNDS' WHERE wallet_id = '${id}'`,
      'is final',
    ],
    [
      'a payment that was decided and is to wait for a person afterwards',
      (id) =>
        `UPDATE transactions SET approval = 'pending', approval_expires_at = now() WHERE wallet_id = '${id}'`,
      'is final',
    ],
    [
      'a payment of nothing',
      (id) => `UPDATE transactions SET amount = 0 WHERE wallet_id = '${id}'`,
      'positive_kobo_check',
    ],
  ])('refuses %s', async (_, statement, guard) => {
    const wallet = await one.fundedWallet(10_000);
    await one.pay(wallet.key, {}, { 'idempotency-key': 'once' });
    const refused = one.query(statement(wallet.id)).then(
      () => 'nothing',
      (error: unknown) => (error as pg.DatabaseError).constraint ?? String(error),
    );
    expect(await refused).toContain(guard);
    expect(await brokenInvariants(one)).toEqual({});
  });
});
