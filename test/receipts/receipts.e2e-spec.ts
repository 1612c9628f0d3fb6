import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Jobs } from '../../src/platform/jobs/jobs.js';
import { ReceiptKeys } from '../../src/contexts/receipts/receipt-keys.service.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';

interface Receipt {
  readonly receipt: string;
  readonly salt: string;
  readonly payee: Record<string, unknown>;
  readonly facts: Record<string, unknown>;
}
interface KeySet {
  readonly keys: readonly Record<string, unknown>[];
}

/** The sandbox bank refuses transfers to it. */
const REFUSED_ACCOUNT = '9000000001';
const ROOT = join(import.meta.dirname, '../..');
const SCRIPT = join(ROOT, 'scripts/verify-receipt.mjs');

let service: TestService;
let second: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService();
  second = await startService({ beside: service });
  folder = await mkdtemp(join(tmpdir(), 'receipts-'));
});
afterAll(async () => {
  await second.close();
  await service.close();
  await rm(folder, { recursive: true });
});

/** Asked for again while a replica that has just started makes its keys. */
const receiptOf = async ({ key }: CreatedWallet, id: string, from = service): Promise<Receipt> => {
  const ask = () => from.get<{ data: Receipt }>(`/api/payment-intent/${id}/receipt`, { key });
  let answer = await ask();
  if (answer.status === 503) await until(async () => (answer = await ask()).status !== 503);
  return expectStatus(200, answer).body.data;
};
const keySet = async (from = service): Promise<KeySet> =>
  expectStatus(200, await from.get<KeySet>('/.well-known/jwks.json')).body;
const parts = (receipt: string) =>
  receipt
    .split('.')
    .map((part, i) => (i < 2 ? (JSON.parse(String(Buffer.from(part, 'base64url'))) as Claims) : part)) as [
    Claims,
    Claims,
    string,
  ];
/** The words and numbers that claims say, ids and hashes left out. */
const wordsOf = (claims: unknown): string[] =>
  typeof claims === 'object' && claims !== null
    ? Object.values(claims).flatMap(wordsOf)
    : String(claims)
        .replace(/[\w-]{32,}/g, '')
        .split(/\W+/);
type Claims = Record<string, unknown>;
const encoded = (claims: Claims) => Buffer.from(JSON.stringify(claims)).toString('base64url');

const keyNamed = ({ keys }: KeySet, kid: unknown) =>
  keys.find((key) => key.kid === kid) as { iat?: number; exp?: number };

/** The arguments of the script for a receipt, or for the answer that brought it. */
async function filesOf(of: object | string, keys: object): Promise<string[]> {
  const files = [join(folder, 'receipt'), join(folder, 'jwks.json')];
  await writeFile(
    files[0]!,
    typeof of === 'string' ? `${of}\n` : JSON.stringify({ success: true, data: of }),
  );
  await writeFile(files[1]!, JSON.stringify(keys));
  return files;
}

/**
 * What the script says of a receipt: its line, or null when it refuses it. It runs anew each time, but in this process: of
 * its own, each of fifty forgeries would cost as much as all the rest of a test.
 */
async function verified(of: object | string, keys: object): Promise<string | null> {
  const { argv } = process;
  process.argv = [argv[0]!, SCRIPT, ...(await filesOf(of, keys))];
  const said = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  // What ends a process of its own with a sentence would stay behind in this one.
  const listening = jest.spyOn(process, 'once').mockReturnThis();
  try {
    await import(`${pathToFileURL(SCRIPT).href}?run=${randomUUID()}`);
    return String(said.mock.calls[0]![0]);
  } catch {
    return null;
  } finally {
    said.mockRestore();
    listening.mockRestore();
    process.argv = argv;
  }
}

/** The same in a process of its own: its status and all that it printed. */
async function verifiedApart(of: object | string, keys: object): Promise<[number, string]> {
  return promisify(execFile)(process.execPath, [SCRIPT, ...(await filesOf(of, keys))]).then(
    ({ stdout, stderr }) => [0, `${stdout}${stderr}`.trim()],
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return [code, `${stdout}${stderr}`.trim()];
    },
  );
}

async function approvedAndBlocked(): Promise<{ wallet: CreatedWallet; approved: string; blocked: string }> {
  const wallet = await service.fundedWallet(5_000);
  const paid = expectStatus(
    201,
    await service.pay(wallet.key, { merchantName: 'Ada Obi & Sons', amount: 1_500 }),
  );
  const refused = expectStatus(
    402,
    await service.pay(wallet.key, { merchantName: 'Ada Obi & Sons', amount: 4_000 }),
  );
  await service.settled();
  return { wallet, approved: paid.body.data.transaction.id, blocked: refused.body.transactionId };
}

/** A payment that every rule was asked about, and that waits for a person. */
async function decidedOnAllRules(): Promise<{ wallet: CreatedWallet; transactionId: string }> {
  const wallet = await service.fundedWallet(50_000, {
    useAllowlist: true,
    merchantAllowlist: ['Acme Stores'],
  });
  const { token } = wallet.owner;
  const limits = {
    ...{ spendLimitPerTx: 9_000, spendLimitPeriod: 90_000, totalCap: 80_000, maxPayments: 9 },
    ...{ allowedMerchants: ['Acme Stores'], payee: { accountNumber: '0123456789', bankCode: '058' } },
    expiry: '2098-01-01T00:00:00.000Z',
  };
  const rules = {
    ...{ approvalThreshold: 500, payeePolicy: 'first_use', verifyRecipient: true, duplicateGuardMinutes: 10 },
    coolingOff: { newKeyHours: 24, newKeyCap: 20_000, newPayeeHours: 24, newPayeeCap: 20_000 },
  };
  expectStatus(200, await service.call('PATCH', `/api/wallets/${wallet.id}`, { token, body: rules }));
  const { body } = expectStatus(
    201,
    await service.post<{ data: { apiKey: { fullKey: string } } }>(`/api/wallets/${wallet.id}/keys`, {
      token,
      body: { name: 'narrow', limits, purpose: 'Groceries' },
    }),
  );
  const key = body.data.apiKey.fullKey;
  expectStatus(201, await service.pay(key, { amount: 400 }));
  expectStatus(202, await service.pay(key, { amount: 600 }));
  await service.settled();
  const paid = expectStatus(202, await service.pay(key, { amount: 700 }));
  return { wallet, transactionId: paid.body.data.transaction.id };
}

type Leaf = readonly [path: readonly string[], value: unknown];
/** Every value in `facts`, and the way to it. */
const leavesOf = (value: unknown, path: readonly string[] = []): Leaf[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, each]) => leavesOf(each, [...path, name]))
    : [[path, value]];
/** Something else of the same kind. */
const other = (value: unknown): unknown =>
  typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${String(value)}x`;

describe('a receipt', () => {
  it('says what was decided of an approval and of a refusal, and is verified without the service', async () => {
    const { wallet, approved, blocked } = await approvedAndBlocked();
    const keys = await keySet();
    const [ofApproved, ofBlocked] = [await receiptOf(wallet, approved), await receiptOf(wallet, blocked)];
    expect(await verified(ofApproved, keys)).toMatch(
      new RegExp(`^valid: approved and paid\\n.* transaction ${approved}: 1500 kobo, decided at .*Z\\n`, 's'),
    );
    const refusal = new RegExp(
      `^valid: blocked \\(INSUFFICIENT_FUNDS\\): nothing was paid\\n.* transaction ${blocked}: 4000 kobo`,
      's',
    );
    expect(await verified(ofBlocked, keys)).toMatch(refusal);
    expect(await verified(ofBlocked.receipt, keys)).toMatch(refusal);
    expect(await verified(ofBlocked.receipt.slice(0, -4), keys)).toBeNull();
    expect(parts(ofBlocked.receipt).slice(0, 2)).toEqual([
      { alg: 'EdDSA', typ: 'payment-receipt+jwt', kid: keys.keys[0]?.kid },
      {
        iss: 'agent-payment-wallet',
        iat: expect.any(Number),
        jti: blocked,
        sub: wallet.id,
        outcome: 'blocked',
        blockReason: 'INSUFFICIENT_FUNDS',
        amount: 4_000,
        currency: 'NGN',
        purpose: null,
        decidedAt: expect.stringMatching(/Z$/),
        settlement: null,
        payeeHash: expect.stringMatching(/^[\w-]{43}$/),
        factsHash: expect.stringMatching(/^[\w-]{43}$/),
      },
    ]);
    expect(parts(ofApproved.receipt)[1].settlement).toBe('succeeded');
  });

  it('is refused when any claim, its header or what it discloses is altered', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    const keys = await keySet();
    const receipt = await receiptOf(wallet, approved);
    const [header, claims, signature] = parts(receipt.receipt);
    const forged = (changed: Claims, kept: Claims = header) =>
      verified({ ...receipt, receipt: [encoded(kept), encoded(changed), signature].join('.') }, keys);
    expect(await forged(claims)).not.toBeNull();
    for (const name of Object.keys(claims)) {
      const value = claims[name];
      const other = typeof value === 'number' ? value + 1 : `${String(value)}x`;
      expect([name, await forged({ ...claims, [name]: other })]).toEqual([name, null]);
    }
    expect(await forged({ ...claims, extra: 1 })).toBeNull();
    for (const alg of ['none', 'HS256']) expect(await forged(claims, { ...header, alg })).toBeNull();
    for (const change of [
      { payee: { ...receipt.payee, accountNumber: '0123456780' } },
      { facts: { ...receipt.facts, balance: 1 } },
      { facts: { ...receipt.facts, more: 1 } },
      { salt: `${receipt.salt}x` },
    ]) {
      expect([change, await verified({ ...receipt, ...change }, keys)]).toEqual([change, null]);
    }
    expect(await verified(receipt, { keys: [] })).toBeNull();
  });

  it('tells neither account nor name nor limit, and its payee is not found by trying all accounts', async () => {
    const { wallet, approved, blocked } = await approvedAndBlocked();
    const [one, other] = [await receiptOf(wallet, approved), await receiptOf(wallet, blocked)];
    const text = JSON.stringify(parts(one.receipt));
    for (const secret of ['0123456789', one.salt, wallet.key, wallet.key.slice(9, 16)]) {
      expect(text).not.toContain(secret);
    }
    // As words: an id, a hash or a time may hold any three or four characters in a row.
    const words = wordsOf(parts(one.receipt)[1]);
    expect(words).toContain('approved');
    for (const secret of ['Ada', 'ada', '058', '5000']) expect(words).not.toContain(secret);
    // The same payee, and yet another hash: the salt belongs to the transaction, and only its holder knows it.
    expect(one.payee).toEqual(other.payee);
    expect(parts(one.receipt)[1].payeeHash).not.toBe(parts(other.receipt)[1].payeeHash);
    expect(one.salt).toMatch(/^[\w-]{43}$/);
    expect((await receiptOf(wallet, approved)).salt).toBe(one.salt);
  });

  it('shows that anything stored that it speaks of was altered afterwards', async () => {
    const { wallet, transactionId } = await decidedOnAllRules();
    const before = await receiptOf(wallet, transactionId);
    const keys = await keySet();
    expect(await verified(before, keys)).toMatch(/^valid: waiting for approval: nothing was paid yet\n/);
    const alterations = [
      ...['amount = amount + 1', `merchant_name = 'Other'`, `recipient_account_no = '0123456780'`],
      ...[
        `recipient_bank_code = '044'`,
        `purpose = 'Other'`,
        `created_at = created_at + interval '1 second'`,
      ],
      `block_reason = 'APPROVAL_DENIED', approval = 'denied', approval_decided_at = clock_timestamp()`,
      ...leavesOf(before.facts).map(
        ([path, value]) =>
          `facts = jsonb_set(facts::jsonb, '{${path.join(',')}}', '${JSON.stringify(other(value))}')`,
      ),
      `facts = facts::jsonb || '{"more": 1}'`,
    ];
    // One member of every rule that there is.
    for (const name of [
      'now',
      'held',
      'approval,pending',
      'key,limits,totalCap',
      'key,spentInPeriod',
      'payee,standing',
    ])
      expect(alterations.join()).toContain(`'{${name}}'`);
    for (const name of [
      'recipient',
      'coolingOff,key,spent',
      'coolingOff,payee,cap',
      'duplicateGuard,minutes',
    ])
      expect(alterations.join()).toContain(`'{${name}}'`);
    const columns =
      'amount, merchant_name, recipient_account_no, recipient_bank_code, purpose, created_at, facts';
    const rest = 'block_reason, approval, approval_decided_at';
    await service.query(`CREATE TABLE kept AS SELECT ${columns}, ${rest} FROM transactions WHERE id = $1`, [
      transactionId,
    ]);
    // What the database refuses to do, whoever owns it can have it do all the same.
    await service.query('ALTER TABLE transactions DISABLE TRIGGER USER');
    const claimsOf = ({ receipt }: Receipt) => ({ ...parts(receipt)[1], iat: 0 });
    for (const [i, change] of alterations.entries()) {
      await service.query(`UPDATE transactions SET ${change} WHERE id = $1`, [transactionId]);
      const after = await receiptOf(wallet, transactionId);
      expect([change, claimsOf(after)]).not.toEqual([change, claimsOf(before)]);
      // Who kept the receipt of then is not taken in by what is stored now.
      if (/merchant_name|recipient_/.test(change) || (change.startsWith('facts') && i % 8 === 0)) {
        expect([change, await verified({ ...after, receipt: before.receipt }, keys)]).toEqual([change, null]);
      }
      await service.query(
        `UPDATE transactions SET (${columns}, ${rest}) = (SELECT ${columns}, ${rest} FROM kept) WHERE id = $1`,
        [transactionId],
      );
      expect(claimsOf(await receiptOf(wallet, transactionId))).toEqual(claimsOf(before));
    }
    await service.query('ALTER TABLE transactions ENABLE TRIGGER USER');
  }, 60_000);

  it('is verified by a script that takes a minute to read', async () => {
    const lines = (await readFile(SCRIPT, 'utf8')).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(55);
    const { wallet, approved } = await approvedAndBlocked();
    const [receipt, keys] = [await receiptOf(wallet, approved), await keySet()];
    const valid = expect.stringMatching(
      `^valid: approved and paid\n[^]* transaction ${approved}: `,
    ) as unknown;
    expect(await verifiedApart(receipt, keys)).toEqual([0, valid]);
    expect(await verified(receipt, keys)).toEqual(valid);
    const refusal = expect.stringMatching(/^not verified: the \w+Hash is of something else$/) as unknown;
    expect(await verifiedApart({ ...receipt, salt: `${receipt.salt}x` }, keys)).toEqual([1, refusal]);
    for (const other of ['{}', '{"data":{}}', '{"error":{"code":"TRANSACTION_NOT_FOUND"}}']) {
      expect(await verifiedApart(other, keys)).toEqual([
        1,
        'not verified: there is no receipt in the first file',
      ]);
    }
  });

  it('says when it is verified what became of the payment, which parts were shown, and whom that trusts', async () => {
    const wallet = await service.fundedWallet(50_000);
    const paidTo = async (recipientAccountNo: string, settles = true) => {
      const { body } = expectStatus(201, await service.pay(wallet.key, { recipientAccountNo }));
      if (settles) await service.settled();
      return body.data.transaction.id;
    };
    const said = async (of: Receipt | string) => (await verified(of, await keySet()))!.split('\n');
    const failed = await receiptOf(wallet, await paidTo(REFUSED_ACCOUNT));
    const lines = await said(failed);
    expect(lines[0]).toBe(
      'valid: approved but not paid: the bank refused the transfer, and the wallet was refunded',
    );
    expect(lines[1]).toMatch(/^ {2}as of \d{4}-.*Z, when it was signed/);
    expect(lines[3]).toBe(
      `  payee: shown, and what was signed: ${JSON.stringify({
        accountNumber: REFUSED_ACCOUNT,
        bankCode: '058',
        merchantName: 'Acme Stores',
      })}`,
    );
    expect(lines[4]).toMatch(/^ {2}facts: shown, and what was signed: \{"balance":50000,/);
    const { kid } = parts(failed.receipt)[0];
    expect(lines[5]).toBe(
      `  signed with the key ${String(kid)}: trusted because ${join(folder, 'jwks.json')} names it, and only as far as its source`,
    );
    expect((await said(failed.receipt)).slice(3, 5)).toEqual(['  payee: not shown', '  facts: not shown']);
    const sentBack = await paidTo('0123456789');
    await service.query(
      `UPDATE settlements SET status = 'reversed',
              steps = steps || '[{"type":"settlement.failed","at":"2026-11-28T08:00:00.000Z","detail":{}}]'
        WHERE reference = $1`,
      [sentBack],
    );
    expect((await said(await receiptOf(wallet, sentBack)))[0]).toBe(
      'valid: approved but the bank sent the money back, and the wallet is not refunded yet',
    );
    await service.query(
      `UPDATE settlements SET steps = steps || '[{"type":"refund.posted","at":"2026-11-28T09:00:00.000Z","detail":{}}]'
        WHERE reference = $1`,
      [sentBack],
    );
    expect((await said(await receiptOf(wallet, sentBack)))[0]).toMatch(
      /and the wallet was refunded at 2026-11-28T09:00:00\.000Z$/,
    );
    const under = await receiptOf(wallet, await paidTo('0123456789', false));
    expect((await said(under))[0]).toMatch(/^valid: approved and (paid$|not paid yet: the transfer is )/);
  });

  it('is given to a key of the wallet and to its owner, and to no other client', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    const stranger = await service.createWallet();
    const path = `/api/payment-intent/${approved}/receipt`;
    const status = async (by: { key?: string; token?: string }) => (await service.get(path, by)).status;
    expect(await status({ token: wallet.owner.token })).toBe(200);
    expect(await status({ key: wallet.key })).toBe(200);
    expect(await status({ key: stranger.key })).toBe(404);
    expect(await status({ token: stranger.owner.token })).toBe(404);
    expect(await status({})).toBe(401);
    expect((await service.get('/api/payment-intent/x/receipt', { key: wallet.key })).status).toBe(404);
  });
});

/** Runs the daily job, which makes the key that is missing. */
async function keysRenewed(): Promise<void> {
  await service.query(`SELECT graphile_worker.add_job('payments.rotate-receipt-key-daily', '{}')`);
  await until(
    async () =>
      (
        await service.query(
          "SELECT 1 FROM receipt_keys WHERE retired_at IS NULL AND created_at > clock_timestamp() - interval '89 days'",
        )
      ).length > 0,
  );
}

describe('the keys of receipts', () => {
  it('are one, and one salts, however many replicas start at once and sign at once', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    await service.query('TRUNCATE receipt_keys, receipt_salt_keys');
    const replicas = await Promise.all(Array.from({ length: 3 }, () => startService({ beside: service })));
    const receipts = await Promise.all(
      Array.from({ length: 9 }, (_, i) => receiptOf(wallet, approved, replicas[i % 3])),
    );
    expect(new Set(receipts.map(({ receipt }) => parts(receipt)[0].kid)).size).toBe(1);
    expect(new Set(receipts.map(({ salt }) => salt)).size).toBe(1);
    expect((await keySet()).keys).toHaveLength(1);
    for (const replica of replicas) await replica.close();
  });

  it('are one, and one salts, when replicas that found none make them at the same moment', async () => {
    const made = [service, second].map((replica) => replica.app.get(ReceiptKeys, { strict: false }));
    await service.query('TRUNCATE receipt_keys, receipt_salt_keys');
    const makers = Array.from({ length: 8 }, (_, i) => made[i % 2] as unknown as { make(): Promise<void> });
    await Promise.all(makers.map((keys) => keys.make()));
    const [count] = await service.query(
      'SELECT (SELECT count(*)::int FROM receipt_keys) AS keys, (SELECT count(*)::int FROM receipt_salt_keys) AS salts',
    );
    expect(count).toEqual({ keys: 1, salts: 1 });
  });

  it('are made by no request: a receipt that comes before its key is asked for again', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    await service.query('TRUNCATE receipt_keys');
    const path = `/api/payment-intent/${approved}/receipt`;
    const { status, body, headers } = await service.get<{ code: string }>(path, { key: wallet.key });
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'OVERLOADED', '5']);
    expect(await keySet()).toEqual({ keys: [] });
    await keysRenewed();
    expect((await service.get(path, { key: wallet.key })).status).toBe(200);
  });

  it('change after 90 days: the old one is forgotten, and its receipts stay valid', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    const old = await receiptOf(wallet, approved);
    const age = (interval: string) =>
      service.query(
        `UPDATE receipt_keys SET created_at = clock_timestamp() - $1::interval WHERE retired_at IS NULL`,
        [interval],
      );
    await age('89 days 23 hours');
    expect(parts((await receiptOf(wallet, approved)).receipt)[0].kid).toBe(parts(old.receipt)[0].kid);
    await age('90 days');
    await keysRenewed();
    const fresh = await receiptOf(wallet, approved, second);
    expect(parts(fresh.receipt)[0].kid).not.toBe(parts(old.receipt)[0].kid);
    const keys = await keySet();
    expect(keys.keys.map(({ kid }) => kid).slice(0, 2)).toEqual(
      [fresh, old].map(({ receipt }) => parts(receipt)[0].kid),
    );
    expect([await verified(old, keys), await verified(fresh, keys)]).not.toContain(null);
    expect(
      await service.query('SELECT 1 FROM receipt_keys WHERE kid = $1 AND sealed_private_key IS NULL', [
        parts(old.receipt)[0].kid,
      ]),
    ).toHaveLength(1);
  });

  it('are sealed in the database, and never shown but for their public half', async () => {
    await keySet();
    const [{ sealed }] = (await service.query(
      'SELECT sealed_private_key AS sealed FROM receipt_keys WHERE retired_at IS NULL',
    )) as [{ sealed: string }];
    expect(String(Buffer.from(sealed, 'base64'))).not.toContain('PRIVATE KEY');
    for (const key of (await keySet()).keys)
      expect(
        Object.keys(key)
          .filter((name) => name !== 'exp')
          .sort(),
      ).toEqual(['alg', 'crv', 'iat', 'kid', 'kty', 'use', 'x']);
  });

  it('are made by no request for them, under whatever secret', async () => {
    const stored = () => service.query('SELECT kid, retired_at FROM receipt_keys ORDER BY kid');
    const moved = await startService({
      beside: service,
      jwtSecret: 'a secret of a replica that signs nothing',
    });
    // It makes its own once it has started.
    await moved.app.get<Jobs, { startRun: Promise<void> }>(Jobs).startRun;
    const before = await stored();
    for (const from of [service, moved, service, moved]) await keySet(from);
    expect(await stored()).toEqual(before);
    await service.query('TRUNCATE receipt_keys');
    expect([await keySet(), await keySet(moved)]).toEqual([{ keys: [] }, { keys: [] }]);
    expect(await stored()).toEqual([]);
    await moved.close();
  });

  it('are one a secret while replicas run under two, however often they sign in turn', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    await service.query('DELETE FROM receipt_keys');
    await keysRenewed();
    const moved = await startService({
      beside: service,
      jwtSecret: 'the secret that comes next in a rotation',
    });
    const turns = Array.from({ length: 12 }, (_, i) => [service, moved, second][i % 3]!);
    const receipts = await Promise.all(turns.map((from) => receiptOf(wallet, approved, from)));
    for (const from of turns) receipts.push(await receiptOf(wallet, approved, from));
    const kids = receipts.map(({ receipt }) => parts(receipt)[0].kid);
    expect(new Set(kids).size).toBe(2);
    expect(kids.map((kid) => kid === kids[1])).toEqual([...turns, ...turns].map((from) => from === moved));
    const keys = await keySet(moved);
    expect(keys.keys).toHaveLength(2);
    for (const receipt of receipts) expect(await verified(receipt, keys)).not.toBeNull();
    await moved.close();
  });

  it('all stay in the set, however many there are', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    const old = await receiptOf(wallet, approved);
    await service.query(
      `INSERT INTO receipt_keys (kid, public_key, created_at, retired_at)
       SELECT 'kid-' || n, 'x', now() + n * interval '1 second', now() FROM generate_series(1, 1100) n`,
    );
    const keys = await keySet();
    expect(keys.keys.length).toBeGreaterThan(1_100);
    expect(await verified(old, keys)).not.toBeNull();
    await service.query(`DELETE FROM receipt_keys WHERE kid LIKE 'kid-%'`);
  });

  it('change when the secret that sealed them is gone, and old receipts stay valid', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    const old = await receiptOf(wallet, approved);
    const moved = await startService({
      beside: service,
      jwtSecret: 'another secret for the session tokens of tests',
    });
    const fresh = await receiptOf(wallet, approved, moved);
    expect(parts(fresh.receipt)[0].kid).not.toBe(parts(old.receipt)[0].kid);
    const keys = await keySet(moved);
    expect([await verified(old, keys), await verified(fresh, keys)]).not.toContain(null);
    await moved.close();
  });

  it('stay in the set with begin and end, and what was signed outside of them is refused', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    const old = await receiptOf(wallet, approved);
    const { kid } = parts(old.receipt)[0];
    await service.app.get(ReceiptKeys, { strict: false }).rotate();
    const fresh = await receiptOf(wallet, approved);
    const keys = await keySet();
    const [oldKey, freshKey] = [old, fresh].map(({ receipt }) => keyNamed(keys, parts(receipt)[0].kid));
    const { iat } = parts(old.receipt)[1] as { iat: number };
    expect(freshKey).not.toHaveProperty('exp');
    expect([oldKey!.iat! - 300 <= iat, iat <= oldKey!.exp! + 300]).toEqual([true, true]);
    const having = (change: object) => ({
      keys: keys.keys.map((key) => (key.kid === kid ? { ...key, ...change } : key)),
    });
    expect(await verified(old, keys)).not.toBeNull();
    expect(await verified(old, having({ iat: iat + 300, exp: iat - 300 }))).not.toBeNull();
    expect(await verified(old, having({ iat: iat + 301 }))).toBeNull();
    expect(await verified(old, having({ exp: iat - 301 }))).toBeNull();
  });

  it('prove nothing any more once they are revoked, and another key signs', async () => {
    const { wallet, approved } = await approvedAndBlocked();
    const old = await receiptOf(wallet, approved);
    const kid = String(parts(old.receipt)[0].kid);
    const own = second.app.get(ReceiptKeys, { strict: false });
    expect(await own.revoke('kid-of-no-key', 'a test')).toBe(false);
    expect(await own.revoke(kid, 'the database was copied')).toBe(true);
    expect(await own.revoke(kid, 'once more')).toBe(false);
    const fresh = await receiptOf(wallet, approved);
    const keys = await keySet();
    expect(keyNamed(keys, kid)).toMatchObject({
      exp: expect.any(Number),
      revoked: { revoked_at: expect.any(Number), reason: 'the database was copied' },
    });
    expect(await verifiedApart(old, keys)).toEqual([
      1,
      `not verified: the key ${kid} was revoked: the database was copied`,
    ]);
    expect(await verified(fresh, keys)).not.toBeNull();
    expect(fresh.salt).toBe(old.salt);
  });
});
