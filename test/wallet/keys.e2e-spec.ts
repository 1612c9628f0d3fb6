import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { KeyUsageStore } from '../../src/contexts/wallet/keys/key-usage.store.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type Answer,
  type CreatedWallet,
  FAR_AHEAD,
  paymentBody,
  startService,
  type TestService,
} from '../support/service.js';

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService({ clock: true });
  other = await startService({ beside: one });
});
afterEach(async () => {
  await one.setClock(null);
  expect(await brokenInvariants(one)).toEqual({});
});
afterAll(async () => {
  await other.close();
  await one.close();
});

interface Key {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly keyPrefix: string;
  readonly fullKey: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly createdAt: string;
}
interface Body {
  readonly data: { readonly apiKey: Key };
  readonly error: { readonly code: string; readonly errors?: readonly { readonly field: string }[] };
}

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const call = (
  { id, owner }: CreatedWallet,
  method: string,
  path = '',
  body?: object,
  service = one,
): Promise<Answer<Body>> =>
  service.call<Body>(method, `/api/wallets/${id}/keys${path}`, { token: owner.token, ...(body && { body }) });
const create = async (wallet: CreatedWallet, fields: object = {}, service = one): Promise<Key> => {
  const { status, body } = await call(wallet, 'POST', '', { name: 'agent', ...fields }, service);
  expect(status).toBe(201);
  return body.data.apiKey;
};
const list = async ({ id, owner }: CreatedWallet): Promise<readonly Key[]> =>
  (await one.get<{ data: readonly Key[] }>(`/api/wallets/${id}/keys`, { token: owner.token })).body.data;
const insertKeys = ({ id }: CreatedWallet, count: number, revokedAt: Date | null = null) =>
  one.query(
    `INSERT INTO api_keys (id, wallet_id, hash, key_prefix, created_at, revoked_at)
     SELECT gen_random_uuid(), $1::uuid, sha256(($1::text || n)::bytea), 'apw_live_', now(), $3
       FROM generate_series(1, $2::integer) n`,
    [id, count, revokedAt],
  );
const outcome = ({ status, body }: Answer<Body>): string =>
  status < 300 ? 'done' : `${status} ${body.error.code}`;
const paid = async (key: string, service = one): Promise<unknown> => {
  const { status, body } = await service.pay(key, { amount: 1 });
  return status === 201 ? 'paid' : body.code;
};

describe('a key', () => {
  it('is shown in full once, pays from its wallet, and stands beside the first', async () => {
    const wallet = await one.fundedWallet(5_000);
    const key = await create(wallet, { name: ' Books ' });
    expect(key).toEqual({
      id: expect.any(String),
      walletId: wallet.id,
      createdBy: wallet.owner.id,
      name: 'Books',
      keyPrefix: key.fullKey.slice(0, 16),
      fullKey: expect.stringMatching(/^apw_live_[A-Za-z0-9_-]{43}$/),
      status: 'active',
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect([await paid(key.fullKey, other), await paid(wallet.key)]).toEqual(['paid', 'paid']);
    const keys = await list(wallet);
    expect(keys.map(({ name, status }) => [name, status])).toEqual([
      ['Books', 'active'],
      [null, 'active'],
    ]);
    expect(JSON.stringify(keys)).not.toContain(key.fullKey.slice(16));
    const { body } = await one.get<{ data: { apiKeys: object[] } }>(`/api/wallets/${wallet.id}`, {
      token: wallet.owner.token,
    });
    expect(body.data.apiKeys).toHaveLength(2);
    expect(Object.keys(body.data.apiKeys[1]!)).toEqual(['id', 'keyPrefix', 'createdAt']);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ graceSeconds: -1 }, 'graceSeconds'],
    [{ graceSeconds: 2_592_001 }, 'graceSeconds'],
    [{ graceSeconds: 1.5 }, 'graceSeconds'],
    [{ replaces: 'x' }, 'replaces'],
  ])('is refused for its fields: %j', async (fields, field) => {
    const wallet = await one.createWallet();
    const { status, body } = await call(wallet, 'POST', '', { name: 'x', ...fields });
    expect([status, body.error.errors?.map((each) => each.field)]).toEqual([400, [field]]);
    expect(await list(wallet)).toHaveLength(1);
  });

  it('gets another name, and is found in its own wallet alone', async () => {
    const wallet = await one.createWallet();
    const foreign = await one.createWallet();
    const key = await create(wallet);
    const { body } = await call(wallet, 'PATCH', `/${key.id}`, { name: 'other' });
    expect(body.data.apiKey).toMatchObject({ id: key.id, name: 'other', status: 'active' });
    for (const id of [randomUUID(), 'x']) {
      expect(outcome(await call(wallet, 'PATCH', `/${id}`, { name: 'x' }))).toBe('404 KEY_NOT_FOUND');
      expect(outcome(await call(wallet, 'DELETE', `/${id}`))).toBe('404 KEY_NOT_FOUND');
    }
    expect(outcome(await call(foreign, 'DELETE', `/${key.id}`))).toBe('404 KEY_NOT_FOUND');
    expect(await paid(key.fullKey)).toBe('INSUFFICIENT_FUNDS');
  });

  it('is made for no closed wallet, and there are fifty that pay at most, however many ask at once', async () => {
    const wallet = await one.createWallet();
    await insertKeys(wallet, 39);
    // Many more wait longer for their turn on a slow machine than a request may.
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => call(wallet, 'POST', '', { name: `k${i}` }, either(i))),
    );
    const outcomes = answers.map(outcome).sort();
    expect(outcomes).toEqual([
      ...Array<string>(6).fill('409 KEY_LIMIT_REACHED'),
      ...Array<string>(10).fill('done'),
    ]);
    await one.post(`/api/wallets/${wallet.id}/close`, { token: wallet.owner.token, body: {} });
    expect(outcome(await call(wallet, 'POST', '', { name: 'x' }))).toBe('409 WALLET_CLOSED');
  });

  it('is refused where fifty pay; one that has expired, or that it replaces at once, leaves its place', async () => {
    const wallet = await one.createWallet();
    await one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    await one.setClock(new Date('2085-01-01T00:00:00.000Z'));
    const [second] = [await create(wallet, { expiresAt: '2085-01-01T00:00:01Z' })];
    await insertKeys(wallet, 48);
    const next = async (fields: object = {}) =>
      outcome(await call(wallet, 'POST', '', { name: 'x', ...fields }));
    const grace = { replaces: second.id, graceSeconds: 60 };
    expect([await next(), await next(grace)]).toEqual(Array(2).fill('409 KEY_LIMIT_REACHED'));
    await one.setClock(new Date('2085-01-01T00:00:01.000Z'));
    expect([await next(), await next()]).toEqual(['done', '409 KEY_LIMIT_REACHED']);
    const [newest] = await list(wallet);
    expect(await next({ replaces: newest!.id, graceSeconds: 0 })).toBe('done');
  });

  it('is the last of ten thousand in the life of its wallet', async () => {
    const wallet = await one.createWallet();
    await insertKeys(wallet, 9_998, new Date());
    const next = async () => outcome(await call(wallet, 'POST', '', { name: 'x' }));
    expect([await next(), await next()]).toEqual(['done', '409 KEY_LIMIT_REACHED']);
  });

  it('is listed while it pays, however many newer ones are dead', async () => {
    const wallet = await one.createWallet();
    await one.query(
      `INSERT INTO api_keys (id, wallet_id, hash, key_prefix, created_at, revoked_at)
       SELECT gen_random_uuid(), $1::uuid, sha256(($1::text || n)::bytea), 'apw_dead_', now() + n * interval '1 ms', now()
         FROM generate_series(1, 501) n`,
      [wallet.id],
    );
    const listed = await list(wallet);
    expect(listed.map(({ status }) => status)).toEqual([...Array<string>(500).fill('revoked'), 'active']);
    const times = listed.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('is on record from its beginning to its end', async () => {
    const wallet = await one.createWallet();
    const key = await create(wallet);
    await call(wallet, 'PATCH', `/${key.id}`, { name: 'b' });
    await call(wallet, 'DELETE', `/${key.id}`);
    const { body } = await one.get<{ data: { action: string; after: object }[] }>(
      `/api/wallets/${wallet.id}/changes`,
      { token: wallet.owner.token },
    );
    expect(body.data.map(({ action, after }) => [action, after])).toEqual([
      ['key.revoked', { keyId: key.id, revokedAt: expect.any(String) }],
      ['key.renamed', { keyId: key.id, name: 'b' }],
      ['key.created', { keyId: key.id, name: 'agent', expiresAt: null }],
    ]);
    expect(JSON.stringify(body)).not.toContain(key.fullKey.slice(16));
  });
});

describe('a revoked key', () => {
  it('pays nothing and reads nothing from the answer on, on every replica; others go on', async () => {
    const wallet = await one.fundedWallet(5_000);
    const key = await create(wallet);
    const { body } = await other.pay(key.fullKey);
    const read = () => other.get(`/api/payment-intent/${body.data.transaction.id}`, { key: key.fullKey });
    expect((await read()).status).toBe(200);
    const revoked = await call(wallet, 'DELETE', `/${key.id}`);
    expect(revoked.body.data.apiKey).toMatchObject({ status: 'revoked', revokedAt: expect.any(String) });
    expect([await paid(key.fullKey), await paid(key.fullKey, other), (await read()).status]).toEqual([
      'INVALID_API_KEY',
      'INVALID_API_KEY',
      401,
    ]);
    expect(await paid(wallet.key)).toBe('paid');
    expect((await call(wallet, 'DELETE', `/${key.id}`)).body).toEqual(revoked.body);
  });

  it('is not among the keys that its wallet shows, nor is one that has expired', async () => {
    const wallet = await one.createWallet();
    const [revoked, expired] = [await create(wallet), await create(wallet, { expiresAt: FAR_AHEAD })];
    await call(wallet, 'DELETE', `/${revoked.id}`);
    await one.query('UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = $1', [expired.id]);
    const { token } = wallet.owner;
    const { body } = await one.get<{ data: { apiKeys: Key[] } }>(`/api/wallets/${wallet.id}`, { token });
    expect(body.data.apiKeys.map(({ keyPrefix }) => keyPrefix)).toEqual([wallet.key.slice(0, 16)]);
    expect((await list(wallet)).map(({ status }) => status).sort()).toEqual(['active', 'expired', 'revoked']);
  });

  it('among fifty payers on two replicas pays nothing that begins after the answer', async () => {
    const wallet = await one.fundedWallet(100_000);
    const key = await create(wallet);
    let revoked = false;
    const late: unknown[] = [];
    const before: unknown[] = [];
    await Promise.all([
      ...Array.from({ length: 50 }, async (_, i) => {
        for (let round = 0; round < 4; round += 1) {
          const to = revoked ? late : before;
          to.push(await paid(key.fullKey, either(i)));
        }
      }),
      call(wallet, 'DELETE', `/${key.id}`, undefined, other).then(() => {
        revoked = true;
      }),
    ]);
    late.push(await paid(key.fullKey), await paid(key.fullKey, other));
    expect(new Set(late)).toEqual(new Set(['INVALID_API_KEY']));
    expect(before).toContain('paid');
  });
});

interface PaidOrNot {
  readonly code?: string;
  readonly data?: { readonly transaction: { readonly walletId: string } };
}

describe('keys that come over one connection', () => {
  it('pay from the wallet of each, and one that is revoked or malformed from none', async () => {
    const [first, second] = [await one.fundedWallet(5_000), await one.fundedWallet(5_000)];
    const key = await create(first);
    await one.app.listen(0, '127.0.0.1');
    const server = one.app.getHttpServer();
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const pay = (sent: string): Promise<PaidOrNot> =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'x-api-key': sent };
        request({ port, agent, headers, method: 'POST', path: '/api/payment-intent' }, (answer) => {
          resolve(json(answer) as Promise<PaidOrNot>);
        })
          .on('error', reject)
          .end(JSON.stringify(paymentBody()));
      });
    const payers = async (...sent: string[]): Promise<(string | undefined)[]> => {
      const seen = [];
      for (const each of sent) {
        const { code, data } = await pay(each);
        seen.push(code ?? data?.transaction.walletId);
      }
      return seen;
    };

    const { fullKey } = key;
    expect(await payers(fullKey, fullKey, second.key, fullKey, `${fullKey}x`, fullKey)).toEqual([
      first.id,
      first.id,
      second.id,
      first.id,
      'INVALID_API_KEY',
      first.id,
    ]);
    await call(first, 'DELETE', `/${key.id}`);
    expect(await payers(fullKey, second.key, fullKey)).toEqual([
      'INVALID_API_KEY',
      second.id,
      'INVALID_API_KEY',
    ]);
    expect(connections).toBe(1);
    agent.destroy();
  });
});

describe('a key that expires', () => {
  it('pays up to its last millisecond, and nothing from its expiry on', async () => {
    const wallet = await one.fundedWallet(5_000);
    await one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    const key = await create(wallet, { expiresAt: '2090-01-01T00:00:00Z' });
    await one.setClock(new Date('2089-12-31T23:59:59.999Z'));
    expect(await paid(key.fullKey)).toBe('paid');
    await one.setClock(new Date('2090-01-01T00:00:00.000Z'));
    expect([await paid(key.fullKey), await paid(key.fullKey, other)]).toEqual([
      'INVALID_API_KEY',
      'INVALID_API_KEY',
    ]);
    const answers = await Promise.all([1, 2, 3].map(() => one.pay(key.fullKey)));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect((await list(wallet)).map(({ status }) => status)).toEqual(['expired', 'active']);
  });
});

describe('rotation', () => {
  it('without grace ends the old keys with the answer', async () => {
    const wallet = await one.fundedWallet(5_000);
    const second = await create(wallet);
    const next = await create(wallet, { graceSeconds: 0 }, other);
    expect([await paid(wallet.key), await paid(second.fullKey, other), await paid(next.fullKey)]).toEqual([
      'INVALID_API_KEY',
      'INVALID_API_KEY',
      'paid',
    ]);
  });

  it('with grace lets the old one pay on until it is over, and no longer than it would have', async () => {
    const wallet = await one.fundedWallet(5_000);
    const start = new Date('2080-01-01T00:00:00.000Z');
    await one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    await one.setClock(start);
    const short = await create(wallet, { expiresAt: '2080-01-01T00:00:10Z' });
    const next = await create(wallet, { graceSeconds: 60 });
    const at = async (ms: number): Promise<unknown[]> => {
      await one.setClock(new Date(start.getTime() + ms));
      return [await paid(wallet.key), await paid(short.fullKey), await paid(next.fullKey)];
    };
    expect(await at(9_000)).toEqual(['paid', 'paid', 'paid']);
    expect(await at(11_000)).toEqual(['paid', 'INVALID_API_KEY', 'paid']);
    expect(await at(59_999)).toEqual(['paid', 'INVALID_API_KEY', 'paid']);
    expect(await at(60_100)).toEqual(['INVALID_API_KEY', 'INVALID_API_KEY', 'paid']);
  });

  it('is on record for the keys whose end it changed, and for no other', async () => {
    const wallet = await one.createWallet();
    const [first] = await list(wallet);
    const short = await create(wallet, { expiresAt: new Date(Date.now() + 600_000).toISOString() });
    const next = await create(wallet, { graceSeconds: 3_600 });
    await create(wallet, { graceSeconds: 7_200 });
    const { body } = await one.get<{ data: { action: string; before: object; after: { keyId: string } }[] }>(
      `/api/wallets/${wallet.id}/changes`,
      { token: wallet.owner.token },
    );
    const replaced = body.data.filter(({ action }) => action === 'key.replaced');
    expect(replaced.map(({ after }) => after.keyId)).toEqual([next.id, first!.id]);
    expect(replaced.map(({ before }) => before)).toEqual([
      { keyId: next.id, expiresAt: null },
      { keyId: first!.id, expiresAt: null },
    ]);
    expect((await list(wallet)).find(({ id }) => id === short.id)?.expiresAt).toBe(short.expiresAt);
  });

  it('of one key leaves the others alone', async () => {
    const wallet = await one.fundedWallet(5_000);
    const second = await create(wallet);
    const next = await create(wallet, { graceSeconds: 0, replaces: second.id.toUpperCase() });
    expect([await paid(wallet.key), await paid(second.fullKey), await paid(next.fullKey)]).toEqual([
      'paid',
      'INVALID_API_KEY',
      'paid',
    ]);
    const foreign = await one.createWallet();
    const [key] = await list(foreign);
    expect(outcome(await call(wallet, 'POST', '', { name: 'x', graceSeconds: 0, replaces: key!.id }))).toBe(
      '404 KEY_NOT_FOUND',
    );
  });
});

describe('a rotation that names the key but not its end', () => {
  it('is refused, rather than leave that key alive without a word', async () => {
    const wallet = await one.createWallet();
    const [first] = await list(wallet);
    const answer = await call(wallet, 'POST', '', { name: 'x', replaces: first!.id });
    expect(outcome(answer)).toBe('400 VALIDATION_ERROR');
    expect(answer.body.error.errors?.map(({ field }) => field)).toEqual(['replaces']);
    expect(await list(wallet)).toHaveLength(1);
  });
});

describe('the last use of a key', () => {
  it('is known a little later, of payments that were blocked too, without a write by any payment', async () => {
    const wallet = await one.fundedWallet(5_000);
    const unused = await create(wallet);
    const usage = one.app.get(KeyUsageStore, { strict: false });
    const flush = jest.spyOn(usage, 'flush').mockResolvedValue();
    await paid(wallet.key);
    await one.pay(wallet.key, { amount: 900_000 });
    const lastUse = async () => (await list(wallet)).map(({ lastUsedAt }) => lastUsedAt);
    expect(await lastUse()).toEqual([null, null]);
    flush.mockRestore();
    await usage.flush();
    const [attempt] = (await one.history(wallet)).data;
    expect(await lastUse()).toEqual([null, attempt?.createdAt]);
    expect(unused.lastUsedAt).toBeNull();
  });

  it('is the last on whichever replica, also when that of another is written later', async () => {
    const wallet = await one.fundedWallet(5_000);
    await one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    const [first, second] = [one, other].map(({ app }) => app.get(KeyUsageStore, { strict: false }));
    const flush = jest.spyOn(KeyUsageStore.prototype, 'flush').mockResolvedValue();
    await one.setClock(new Date('2084-01-01T00:00:00.000Z'));
    await paid(wallet.key, other);
    await one.setClock(new Date('2084-01-01T00:00:01.000Z'));
    await paid(wallet.key, one);
    flush.mockRestore();
    for (const usage of [first, second]) await usage!.flush();
    expect((await list(wallet)).map(({ lastUsedAt }) => lastUsedAt)).toEqual(['2084-01-01T00:00:01.000Z']);
  });
});
