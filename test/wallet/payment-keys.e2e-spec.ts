import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CreatedWallet, expectStatus, startService, type TestService } from '../support/service.js';

interface NamedKey {
  readonly id: string;
  readonly keyPrefix: string;
  readonly fullKey: string;
}
interface Paid {
  readonly id: string;
  readonly key?: { readonly id: string; readonly prefix: string; readonly name: string | null };
}

let service: TestService;
let wallet: CreatedWallet;
let named: NamedKey;
/** One payment of the wallet's first key, one of the named one, and an attempt of that one that was blocked. */
let [first, paid, blocked] = ['', '', ''];

beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(10_000);
  named = await makeKey('Scraper');
  first = expectStatus(201, await service.pay(wallet.key)).body.data.transaction.id;
  paid = expectStatus(201, await service.pay(named.fullKey)).body.data.transaction.id;
  blocked = (await service.pay(named.fullKey, { amount: 9_000_000 })).body.transactionId;
});
afterAll(() => service.close());

const send = <Body>(method: string, path: string, body?: object) =>
  service.call<Body>(method, path, { token: wallet.owner.token, ...(body && { body }) });
async function makeKey(name: string): Promise<NamedKey> {
  const path = `/api/wallets/${wallet.id}/keys`;
  const answer = await send<{ data: { apiKey: NamedKey } }>('POST', path, { name });
  return expectStatus(201, answer).body.data.apiKey;
}
const listed = async (query = ''): Promise<readonly Paid[]> =>
  expectStatus(200, await send<{ data: Paid[] }>('GET', `/v1/transactions?${query}`)).body.data;
const labelOf = ({ id, keyPrefix }: NamedKey, name: string | null) => ({ id, prefix: keyPrefix, name });

describe('the key of a payment', () => {
  it('is named in the list over all wallets, also for an attempt that was blocked', async () => {
    const keys = new Map((await listed()).map(({ id, key }) => [id, key]));
    expect(keys.get(paid)).toEqual(labelOf(named, 'Scraper'));
    expect(keys.get(blocked)).toEqual(labelOf(named, 'Scraper'));
    expect(keys.get(first)).toEqual({ id: expect.any(String), prefix: wallet.key.slice(0, 16), name: null });
  });

  it('is named by what its owner calls it now, and still when it is dead', async () => {
    const path = `/api/wallets/${wallet.id}/keys`;
    const old = await makeKey('Old name');
    const { id } = expectStatus(201, await service.pay(old.fullKey)).body.data.transaction;
    expectStatus(200, await send('PATCH', `${path}/${old.id}`, { name: 'New name' }));
    expectStatus(200, await send('DELETE', `${path}/${old.id}`));
    expect((await listed(`key=${old.id}`)).map((each) => [each.id, each.key])).toEqual([
      [id, labelOf(old, 'New name')],
    ]);
  });

  it('is shown with the one payment to its owner, not to an agent', async () => {
    const details = await send<{ data: Paid }>('GET', `/v1/wallets/${wallet.id}/transactions/${paid}`);
    expect(details.body.data.key).toEqual(labelOf(named, 'Scraper'));
    for (const path of [`/api/payment-intent/${paid}`, '/api/payment-intent']) {
      const { text } = expectStatus(200, await service.get(path, { key: wallet.key }));
      expect(text).not.toContain(named.id);
    }
  });

  it('is absent of an attempt from before keys were noted', async () => {
    const old = await service.fundedWallet(10_000);
    expectStatus(201, await service.pay(old.key));
    await service.query('UPDATE transactions SET key_id = NULL WHERE wallet_id = $1', [old.id]);
    const { body } = await service.get<{ data: Paid[] }>('/v1/transactions', { token: old.owner.token });
    expect(body.data.map((each) => 'key' in each)).toEqual([false]);
  });

  it('stands in both downloads', async () => {
    const cells = `${named.id},${named.keyPrefix},Scraper`;
    for (const path of [
      `/v1/transactions.csv?key=${named.id}`,
      `/api/wallets/${wallet.id}/transactions.csv`,
    ]) {
      const [names, ...lines] = (await send('GET', path)).text.trimEnd().split('\r\n');
      expect(names).toMatch(
        /,key_id,key_prefix,key_name,purpose,run_id,rationale,memo,category,cost_centre$/,
      );
      const own = lines.filter((line) => line.endsWith(`${cells},,,,,,`));
      expect(own.map((line) => line.split(',')[0])).toEqual([blocked, paid]);
    }
  });
});

describe('the payments of a key', () => {
  it('are found by it, with other filters and without', async () => {
    const ids = async (query: string) => (await listed(query)).map(({ id }) => id);
    expect(await ids(`key=${named.id}`)).toEqual([blocked, paid]);
    expect(await ids(`key=${named.id}&status=blocked`)).toEqual([blocked]);
    expect(await ids(`key=${named.id}&walletId=${wallet.id}`)).toEqual([blocked, paid]);
    const another = await service.createWallet(wallet.owner);
    expect(await ids(`key=${named.id}&walletId=${another.id}`)).toEqual([]);
    expect(await ids(`key=${named.id}&to=2026-01-01T00:00:00Z`)).toEqual([]);
  });

  it('are found at once behind more attempts than a page looks at, made before it', async () => {
    const old = await service.fundedWallet(10_000);
    const { id } = expectStatus(201, await service.pay(old.key)).body.data.transaction;
    // Of the hour before the key was made, by no key.
    await service.query('UPDATE transactions SET seq = 41000 WHERE wallet_id = $1', [old.id]);
    await service.query(
      `INSERT INTO transactions (wallet_id, seq, id, amount, merchant, merchant_name, recipient_account_no,
         recipient_bank_code, block_reason, blocked_total, facts, spent_total, created_at)
       SELECT wallet_id, n, gen_random_uuid(), 1, 'x', 'X', '0123456789', '058', 'INSUFFICIENT_FUNDS', n, '{}', 0,
              created_at - interval '1 hour' + n * interval '1 ms'
         FROM transactions, generate_series(1, 40999) n WHERE wallet_id = $1`,
      [old.id],
    );
    const [key] = await service.query<{ id: string }>('SELECT id FROM api_keys WHERE wallet_id = $1', [
      old.id,
    ]);
    const path = `/v1/transactions?key=${key!.id}`;
    const { body } = await service.get<{ data: Paid[]; nextCursor: string | null }>(path, {
      token: old.owner.token,
    });
    expect([body.data.map((each) => each.id), body.nextCursor]).toEqual([[id], null]);
  });
});
