import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Answer,
  type CreatedWallet,
  type PageOf,
  startService,
  type TestService,
  type TestUser,
  type TestWallet,
  walletBody,
} from '../support/service.js';

const MAX = Number.MAX_SAFE_INTEGER;
const DAY = { newKeyHours: 24, newKeyCap: 2_000 };
const EVERY_SETTING = {
  duplicateGuardMinutes: 10,
  payeePolicy: 'first_use',
  verifyRecipient: true,
  coolingOff: { ...DAY, newPayeeHours: 48, newPayeeCap: 1_500 },
  approvalThreshold: 1_200,
  approvalTtlMinutes: 60,
};

interface Answered {
  readonly data: { readonly wallet: TestWallet; readonly apiKey: { readonly fullKey: string } };
  readonly error: { readonly code: string; readonly errors?: readonly { readonly field: string }[] };
}
interface Change {
  readonly action: string;
  readonly userId: string;
  readonly before: object;
  readonly after: object;
  readonly createdAt: string;
}

let service: TestService;
let user: TestUser;
let changed: CreatedWallet;
beforeAll(async () => {
  service = await startService();
  user = await service.signUp();
  changed = await service.createWallet(user);
});
afterAll(() => service.close());

const create = (fields: object) =>
  service.post<Answered>('/api/wallets', { token: user.token, body: walletBody(user.id, { ...fields }) });
const change = (fields: object) =>
  service.call<Answered>('PATCH', `/api/wallets/${changed.id}`, { token: user.token, body: fields });
const outcome = ({ status, body }: Answer<Answered>): unknown =>
  status < 300 ? 'taken' : [body.error.code, ...(body.error.errors ?? []).map(({ field }) => field)];
const changesOf = async (id: string) =>
  (await service.get<PageOf<Change>>(`/api/wallets/${id}/changes`, { token: user.token })).body;
const thresholdOf = async (id: string) =>
  (
    await service.get<{ data: { threshold: number | null } }>(`/v1/wallets/${id}/low-balance-threshold`, {
      token: user.token,
    })
  ).body.data.threshold;

describe('a setting is taken and refused alike by the creation and by a change of a wallet', () => {
  it.each<[string, string, unknown[], unknown[]]>([
    ['lowBalanceThreshold', '', [null, 1, 2, MAX - 1, MAX], [0, -1, 1.5, MAX + 1, '1', true, {}]],
    ['duplicateGuardMinutes', '', [null, 0, 1, 1_439, 1_440], [-1, 0.5, 1_441, '5', [5]]],
    ['payeePolicy', '', [null, 'off', 'warn', 'first_use', 'strict'], ['', 'STRICT', 'firstUse', 1, ['off']]],
    ['verifyRecipient', '', [null, true, false], ['true', 1, 0, {}]],
    ['approvalThreshold', '', [null, 1, 2, MAX - 1, MAX], [0, -1, 1.5, MAX + 1, '1']],
    ['secondApprovalAbove', '', [null, 1, 2, MAX - 1, MAX], [0, -1, 1.5, MAX + 1, '1']],
    ['approvalTtlMinutes', '', [null, 1, 2, 10_079, 10_080], [0, -1, 1.5, 10_081, '1']],
    [
      'coolingOff',
      'newKeyHours',
      [1, 2, 8_759, 8_760].map((newKeyHours) => ({ ...DAY, newKeyHours })),
      [0, -1, 1.5, 8_761, '24'].map((newKeyHours) => ({ ...DAY, newKeyHours })),
    ],
    [
      'coolingOff',
      'newKeyCap',
      [{ ...DAY, newPayeeHours: null }, ...[1, 2, MAX - 1, MAX].map((newKeyCap) => ({ ...DAY, newKeyCap }))],
      [{ newKeyHours: 24 }, ...[0, -1, 1.5, MAX + 1].map((newKeyCap) => ({ ...DAY, newKeyCap }))],
    ],
    ['coolingOff', 'newPayeeCap', [null], [{ ...DAY, newPayeeHours: 1 }]],
    ['coolingOff', '', [null], [{}, { newKeyHours: null }, [], 'on', 1]],
  ])('%s %s', async (field, member, right, wrong) => {
    const refused = ['VALIDATION_ERROR', member === '' ? field : `${field}.${member}`];
    for (const ask of [create, change]) {
      for (const value of right) {
        expect([value, outcome(await ask({ [field]: value }))]).toEqual([value, 'taken']);
      }
      for (const value of wrong) {
        expect([value, outcome(await ask({ [field]: value }))]).toEqual([value, refused]);
      }
    }
  });

  it('before the owner and the rules of spending are looked at', async () => {
    const broken = { expiry: '2001-01-01T00:00:00Z', userId: changed.id };
    expect(outcome(await create({ ...broken, coolingOff: { newKeyHours: 24 } }))).toEqual([
      'VALIDATION_ERROR',
      'coolingOff.newKeyCap',
    ]);
    expect(outcome(await create({ ...broken, approvalThreshold: 5 }))).toEqual(['FORBIDDEN']);
  });
});

describe('a wallet that is created with settings', () => {
  it('shows them in the answer, beside all that a wallet without any shows', async () => {
    const { body } = await create({ ...EVERY_SETTING, lowBalanceThreshold: 700 });
    const { wallet } = body.data;
    const plain = (await create({})).body.data.wallet;
    expect(wallet).toEqual({
      ...plain,
      ...EVERY_SETTING,
      held: 0,
      available: 0,
      id: wallet.id,
      createdAt: wallet.createdAt,
      updatedAt: wallet.createdAt,
    });
    const read = await service.get<Answered>(`/api/wallets/${wallet.id}`, { token: user.token });
    expect(read.body.data.wallet).toEqual(wallet);
    expect(await thresholdOf(wallet.id)).toBe(700);
  });

  it('has them as the first change on record', async () => {
    const { wallet } = (await create({ ...EVERY_SETTING, lowBalanceThreshold: 700 })).body.data;
    const after = { ...EVERY_SETTING, lowBalanceThreshold: 700 };
    expect((await changesOf(wallet.id)).data).toEqual([
      expect.objectContaining({
        action: 'created',
        userId: user.id,
        before: Object.fromEntries(Object.keys(after).map((field) => [field, null])),
        after,
        createdAt: wallet.createdAt,
      }),
    ]);
    const body = { approvalThreshold: null, version: 1 };
    await service.call('PATCH', `/api/wallets/${wallet.id}`, { token: user.token, body });
    expect((await changesOf(wallet.id)).data.map(({ action }) => action)).toEqual(['updated', 'created']);
  });

  it('is bound by them from its first payment on', async () => {
    const wallet = async (fields: Record<string, unknown>): Promise<string> => {
      const { id, key } = await service.createWallet(user, fields);
      await service.topUp(id, 100_000);
      return key;
    };
    const outcomeOf = async (key: string, amount: number): Promise<string> => {
      const { status, body } = await service.pay(key, { amount });
      return status < 300 ? String(status) : `${status} ${body.code}`;
    };
    const guarded = await wallet({ duplicateGuardMinutes: 5 });
    expect(await outcomeOf(guarded, 100)).toBe('201');
    expect(await outcomeOf(guarded, 100)).toBe('409 POSSIBLE_DUPLICATE');
    expect(await outcomeOf(await wallet({ payeePolicy: 'strict' }), 100)).toBe('403 PAYEE_NOT_ALLOWED');
    const cooling = await wallet({ coolingOff: DAY });
    expect(await outcomeOf(cooling, 2_001)).toBe('403 COOLING_OFF');
    expect(await outcomeOf(cooling, 2_000)).toBe('201');
    const asking = await wallet({ approvalThreshold: 500 });
    expect(await outcomeOf(asking, 500)).toBe('201');
    expect(await outcomeOf(asking, 501)).toBe('202');
  });

  it('is a plain one, with no change on record, where all of them are null', async () => {
    const none = Object.fromEntries(
      [...Object.keys(EVERY_SETTING), 'lowBalanceThreshold'].map((f) => [f, null]),
    );
    const { wallet } = (await create(none)).body.data;
    const plain = (await create({})).body.data.wallet;
    expect(Object.keys(wallet)).toEqual(Object.keys(plain));
    expect((await changesOf(wallet.id)).pagination.totalCount).toBe(0);
    expect(await thresholdOf(wallet.id)).toBeNull();
  });
});

it('thresholds that are chosen at once are on record each with the one before it', async () => {
  const { id } = await service.createWallet(user);
  const chosen = Array.from({ length: 8 }, (_, i) => 100 + i);
  await Promise.all(
    chosen.map((threshold) =>
      service.call('PUT', `/v1/wallets/${id}/low-balance-threshold`, {
        token: user.token,
        body: { threshold },
      }),
    ),
  );
  const changes = (await changesOf(id)).data.toReversed();
  const after = changes.map((each) => each.after);
  expect(new Set(after)).toEqual(new Set(chosen.map((lowBalanceThreshold) => ({ lowBalanceThreshold }))));
  expect(changes.map((each) => each.before)).toEqual([{ lowBalanceThreshold: null }, ...after.slice(0, -1)]);
  expect({ lowBalanceThreshold: await thresholdOf(id) }).toEqual(after.at(-1));
});
