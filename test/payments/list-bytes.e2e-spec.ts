import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { LIST_BYTES_MAX } from '../../src/kernel/page.js';
import {
  type CreatedWallet,
  expectStatus,
  type PageOf,
  startService,
  type TestService,
} from '../support/service.js';

/** Lists hold so many rows at most; they hold so many bytes at most too, however long what users stored in a row is. */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => service.close());

interface Key {
  readonly name: string | null;
  readonly limits?: {
    readonly allowedMerchants?: readonly string[];
    readonly allowedMerchantsCount?: number;
  };
}
interface Change {
  readonly action: string;
  readonly before: object;
  readonly after: object;
  readonly omitted?: boolean;
}

const createKey = async ({ id, owner }: CreatedWallet, name: string): Promise<string> => {
  const body = { name, limits: { allowedMerchants: ['Shoprite', 'Jumia'] } };
  const created = await service.post<{ data: { apiKey: { id: string } } }>(`/api/wallets/${id}/keys`, {
    token: owner.token,
    body,
  });
  return expectStatus(201, created).body.data.apiKey.id;
};
const keysOf = async ({ id, owner }: CreatedWallet): Promise<readonly Key[]> =>
  expectStatus(200, await service.get<{ data: Key[] }>(`/api/wallets/${id}/keys`, { token: owner.token }))
    .body.data;

/** As JSON text a list of one name is four bytes longer than the name. */
const listOf = (bytes: number): string => JSON.stringify(['m'.repeat(bytes - 4)]);

describe('the keys in lists of wallets', () => {
  it('are read without their limits', async () => {
    const wallet = await service.createWallet();
    await createKey(wallet, 'Errands');
    const sent = jest.spyOn(pg.Client.prototype, 'query');
    const { token, id: userId } = wallet.owner;
    for (const path of ['/v1/wallets', `/api/wallets/user/${userId}`, `/api/wallets/${wallet.id}`]) {
      sent.mockClear();
      const { text } = expectStatus(200, await service.get(path, { token }));
      expect(text).toContain('"keyPrefix"');
      const ofKeys = sent.mock.calls
        .map(([statement]) => statement as unknown)
        .filter(
          (statement) => typeof statement === 'string' && /FROM "?api_keys"?.*wallet_id"? IN/.test(statement),
        );
      expect(ofKeys).toHaveLength(1);
      expect(ofKeys[0]).not.toMatch(/limits|merchants/);
    }
  });
});

describe('the list of keys', () => {
  it('holds so many bytes of merchants of dead keys at most, and the count of the others', async () => {
    const wallet = await service.createWallet();
    const ids: string[] = [];
    for (const name of ['old', 'older', 'oldest'].reverse()) ids.unshift(await createKey(wallet, name));
    const setBytes = (key: string | undefined, bytes: number) =>
      service.query(
        `UPDATE api_keys SET limits = jsonb_set(limits, '{allowedMerchants}', $2::jsonb),
                revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE id = $1`,
        [key, listOf(bytes)],
      );
    await createKey(wallet, 'live');
    const shown = async () =>
      (await keysOf(wallet)).map(({ name, limits }) => [
        name,
        limits?.allowedMerchantsCount ?? limits?.allowedMerchants?.join().length,
      ]);
    const half = LIST_BYTES_MAX / 2;
    await setBytes(ids[0], half);
    await setBytes(ids[1], half);
    await setBytes(ids[2], half);
    expect(await shown()).toEqual([
      ['live', 'Shoprite,Jumia'.length],
      ['old', half - 4],
      ['older', half - 4],
      ['oldest', 1],
      [null, undefined],
    ]);
    const [, , , oldest] = await keysOf(wallet);
    expect(oldest?.limits).toEqual({ allowedMerchantsCount: 1 });
    await setBytes(ids[1], half + 1);
    expect((await shown())[2]).toEqual(['older', 1]);
  });

  it('shows keys that pay with all their merchants, however many bytes these are', async () => {
    const wallet = await service.createWallet();
    for (const name of ['one', 'two']) {
      await service.query(
        `UPDATE api_keys SET limits = jsonb_set(limits, '{allowedMerchants}', $2::jsonb) WHERE id = $1`,
        [await createKey(wallet, name), listOf(LIST_BYTES_MAX)],
      );
    }
    const lengths = (await keysOf(wallet)).map(({ limits }) => limits?.allowedMerchants?.[0]?.length);
    expect(lengths).toEqual([LIST_BYTES_MAX - 4, LIST_BYTES_MAX - 4, undefined]);
  });
});

describe('the list of changes', () => {
  it('holds so many bytes of what changed at most, and shows the rest on smaller pages', async () => {
    const wallet = await service.createWallet();
    for (const name of ['oldest', 'older', 'old'])
      await service.call('PATCH', `/api/wallets/${wallet.id}`, { token: wallet.owner.token, body: { name } });
    const changes = async (query: string): Promise<readonly Change[]> =>
      expectStatus(
        200,
        await service.get<PageOf<Change>>(`/api/wallets/${wallet.id}/changes?${query}`, {
          token: wallet.owner.token,
        }),
      ).body.data;
    await service.query('ALTER TABLE wallet_changes DISABLE TRIGGER USER');
    /** `{}` and `{"list": ["m…"]}`. */
    const setBytes = (seq: number, bytes: number) =>
      service.query(
        `UPDATE wallet_changes SET before = '{}', after = $3::jsonb WHERE wallet_id = $1 AND seq = $2`,
        [wallet.id, seq, `{"list": ${listOf(bytes - '{}{"list": }'.length)}}`],
      );
    const half = LIST_BYTES_MAX / 2;
    for (const seq of [3, 2, 1]) await setBytes(seq, half);
    const omitted = async (query: string) =>
      (await changes(query)).map(({ after, omitted: isOmitted }) => [Object.keys(after).length, isOmitted]);
    expect(await omitted('pageSize=100')).toEqual([
      [1, undefined],
      [1, undefined],
      [0, true],
    ]);
    expect(await omitted('pageSize=1&page=3')).toEqual([[1, undefined]]);
    await setBytes(2, half + 1);
    expect((await omitted('pageSize=100'))[1]).toEqual([0, true]);
    await service.query('ALTER TABLE wallet_changes ENABLE TRIGGER USER');
  });
});
