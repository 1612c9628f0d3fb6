import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askAbove } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { account, payeesOf, registerPayee, removePayee } from '../support/payees.js';
import { type CreatedWallet, expectStatus, startService, type TestService } from '../support/service.js';

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService();
  other = await startService({ beside: one });
});
afterAll(async () => {
  const broken = await brokenInvariants(one);
  await other.close();
  await one.close();
  expect(broken).toEqual({});
});

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
interface Key {
  readonly id: string;
  readonly fullKey: string;
}
const limitedKey = async ({ id, owner }: CreatedWallet, fields: object = {}): Promise<Key> =>
  expectStatus(
    201,
    await one.post<{ data: { apiKey: Key } }>(`/api/wallets/${id}/keys`, {
      token: owner.token,
      body: { name: 'child', limits: { totalCap: 500_000 }, ...fields },
    }),
  ).body.data.apiKey;

describe('the payees of a key with limits', () => {
  const firstUse = async (): Promise<CreatedWallet> => {
    const wallet = await one.fundedWallet(1_000_000);
    const body = { payeePolicy: 'first_use' };
    expectStatus(
      200,
      await one.call('PATCH', `/api/wallets/${wallet.id}`, { token: wallet.owner.token, body }),
    );
    return wallet;
  };
  const payAt = async (key: string, recipientAccountNo: string, merchantName = 'Acme', service = one) => {
    const { status, body } = await service.pay(key, { amount: 10, merchantName, recipientAccountNo });
    return status === 201 ? 'paid' : body.code;
  };
  const [REAL, FALSE, THIRD] = ['1000000001', '2000000002', '3000000003'];

  it('bind a merchant for that key and its successors alone', async () => {
    const wallet = await firstUse();
    const [child, sibling] = [await limitedKey(wallet), await limitedKey(wallet)];
    expect(await payAt(child.fullKey, FALSE)).toBe('paid');
    expect(await payAt(child.fullKey, REAL)).toBe('PAYEE_NOT_ALLOWED');
    expect(await payAt(sibling.fullKey, THIRD, 'Acme', other)).toBe('paid');
    expect(await payAt(wallet.key, REAL, 'Acme', other)).toBe('paid');
    expect(await payAt(wallet.key, FALSE)).toBe('PAYEE_NOT_ALLOWED');
    // What all keys may pay, the child may, beside its own.
    expect(await payAt(child.fullKey, REAL)).toBe('paid');
    expect(await payAt(child.fullKey, FALSE)).toBe('paid');
    expect(await payAt(child.fullKey, THIRD)).toBe('PAYEE_NOT_ALLOWED');
    const next = await limitedKey(wallet, { replaces: child.id, graceSeconds: 0 });
    expect(await payAt(next.fullKey, FALSE)).toBe('paid');
    expect(await payAt(next.fullKey, THIRD)).toBe('PAYEE_NOT_ALLOWED');
    const { data } = await payeesOf(one, wallet);
    expect(data.map(({ accountNumber, keyId }) => [accountNumber, keyId])).toEqual([
      [REAL, undefined],
      [THIRD, sibling.id],
      [FALSE, child.id],
    ]);
    const falseOne = data[2]!;
    expectStatus(200, await removePayee(one, wallet, falseOne.id));
    expect(await payAt(next.fullKey, FALSE)).toBe('PAYEE_NOT_ALLOWED');
    expect(await payAt(wallet.key, REAL)).toBe('paid');
  });

  it('are kept apart also where all are first paid at once', async () => {
    const wallet = await firstUse();
    const child = await limitedKey(wallet);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        i % 2 === 0
          ? payAt(child.fullKey, FALSE, `Shop ${i % 5}`, either(i >> 1))
          : payAt(wallet.key, REAL, `Shop ${i % 5}`, either(i >> 1)),
      ),
    );
    // The child was bound to the account of the parent where that one came first.
    expect(answers.filter((_, i) => i % 2 === 1)).toEqual(Array<string>(15).fill('paid'));
    const { data } = await payeesOf(one, wallet, '?pageSize=100');
    expect(data.filter(({ keyId }) => keyId === undefined).map(({ accountNumber }) => accountNumber)).toEqual(
      Array<string>(5).fill(REAL),
    );
    expect(
      data.filter(({ keyId }) => keyId !== undefined).every(({ accountNumber }) => accountNumber === FALSE),
    ).toBe(true);
  });

  it('are 100 at most, and leave the wallet its own', async () => {
    const wallet = await firstUse();
    const child = await limitedKey(wallet);
    const answers = await Promise.all(
      Array.from({ length: 103 }, (_, i) => payAt(child.fullKey, FALSE, `Shop ${i}`, either(i))),
    );
    expect(answers.filter((answer) => answer === 'paid')).toHaveLength(100);
    expect(answers.filter((answer) => answer === 'PAYEE_NOT_ALLOWED')).toHaveLength(3);
    expect(await payAt(wallet.key, REAL, 'Another')).toBe('paid');
    expect(await payAt(child.fullKey, REAL, 'Another')).toBe('paid');
    const registered = await registerPayee(one, wallet, { ...account(REAL), merchantName: 'Registered' });
    expectStatus(201, registered);
    expect(await payAt(child.fullKey, REAL, 'Registered')).toBe('paid');
    expect((await payeesOf(one, wallet)).pagination.totalCount).toBe(102);
  });

  it('leave the wallet its own also where they were paid before there was a policy', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    const child = await limitedKey(wallet);
    for (let i = 0; i < 101; i += 1) expect(await payAt(child.fullKey, FALSE, `Shop ${i}`)).toBe('paid');
    expect(await payAt(wallet.key, REAL, 'Own')).toBe('paid');
    const known = async () => (await payeesOf(one, wallet)).pagination.totalCount;
    for (const payeePolicy of ['first_use', 'off', 'first_use']) {
      const { token } = wallet.owner;
      expectStatus(
        200,
        await one.call('PATCH', `/api/wallets/${wallet.id}`, { token, body: { payeePolicy } }),
      );
      expect(await known()).toBe(101);
    }
    expect(await payAt(wallet.key, THIRD, 'Own')).toBe('PAYEE_NOT_ALLOWED');
    expect(await payAt(wallet.key, THIRD, 'Shop 99')).toBe('PAYEE_NOT_ALLOWED');
    expect(await payAt(wallet.key, THIRD, 'Shop 100')).toBe('paid');
  });

  it('bind nobody else where the owner approves the payment later', async () => {
    const wallet = await firstUse();
    await askAbove(one, wallet, 5);
    const child = await limitedKey(wallet);
    const pending = await one.pay(child.fullKey, {
      amount: 10,
      merchantName: 'Acme',
      recipientAccountNo: FALSE,
    });
    const { id } = (pending.body as unknown as { data: { approval: { id: string } } }).data.approval;
    expectStatus(200, await one.post(`/v1/approvals/${id}/approve`, { token: wallet.owner.token, body: {} }));
    const paid = async (key: string, recipientAccountNo: string) =>
      (await one.pay(key, { amount: 1, merchantName: 'Acme', recipientAccountNo })).status;
    expect(await paid(child.fullKey, REAL)).toBe(403);
    expect(await paid(wallet.key, REAL)).toBe(201);
  });
});
