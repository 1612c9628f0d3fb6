import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  AskingReplicas,
  atOnce,
  FAILING_AMOUNT,
  outcome,
  withOutcome,
} from '../support/asking-replicas.js';
import { approvalIn } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { account, payeesOf, recipient, registerPayee, removePayee } from '../support/payees.js';
import { expectStatus } from '../support/service.js';

const HOUR_MS = 3_600_000;
const OTHER_ACCOUNT = '0000000022';

let replicas: AskingReplicas;
beforeAll(async () => {
  replicas = await AskingReplicas.start();
});
afterEach(async () => {
  await replicas.one.settled();
  expect(await brokenInvariants(replicas.one)).toEqual({});
});
afterAll(() => replicas.end());

describe('a payee policy, of payments that wait for a person', () => {
  it('first_use remembers an account when it is approved, not when it is asked for', async () => {
    const wallet = await replicas.wallet({ payeePolicy: 'first_use' });
    const asked = await replicas.waiting(wallet, 2_000);
    expect((await payeesOf(replicas.one, wallet)).data).toEqual([]);
    await replicas.pass(HOUR_MS);
    await replicas.say(wallet, asked, 'approve', replicas.other);
    expect((await payeesOf(replicas.one, wallet)).data).toMatchObject([
      {
        ...account(ACCOUNT),
        origin: 'first_use',
        firstTransactionId: asked.id,
        createdAt: new Date(replicas.nowMs).toISOString(),
      },
    ]);
    expect(outcome(await replicas.pay(wallet, 10, recipient(OTHER_ACCOUNT), replicas.other))).toBe(
      '403 PAYEE_NOT_ALLOWED',
    );
    expect(outcome(await replicas.pay(wallet, 10, {}, replicas.other))).toBe('approved');
  });

  it('first_use is bound by no request that was denied or has lapsed', async () => {
    const wallet = await replicas.wallet({ payeePolicy: 'first_use', approvalTtlMinutes: 1 });
    await replicas.say(wallet, await replicas.waiting(wallet, 2_000), 'deny');
    await replicas.lapse(await replicas.waiting(wallet, 2_000));
    expect((await payeesOf(replicas.one, wallet)).data).toEqual([]);
    expect(outcome(await replicas.pay(wallet, 10, recipient(OTHER_ACCOUNT), replicas.other))).toBe(
      'approved',
    );
    expect((await payeesOf(replicas.one, wallet)).data).toMatchObject([account(OTHER_ACCOUNT)]);
  });

  it('first_use stays bound to the first approved account; what waited is paid where its owner wants it', async () => {
    const wallet = await replicas.wallet({ payeePolicy: 'first_use' });
    const asked = await replicas.waiting(wallet, 2_000);
    expect(outcome(await replicas.pay(wallet, 10, recipient(OTHER_ACCOUNT)))).toBe('approved');
    await replicas.say(wallet, asked, 'approve');
    expect((await payeesOf(replicas.one, wallet)).data).toMatchObject([account(OTHER_ACCOUNT)]);
    expect((await replicas.one.stats(wallet)).balance).toBe(1_000_000 - 2_010);
    expect(outcome(await replicas.pay(wallet, 10))).toBe('403 PAYEE_NOT_ALLOWED');
  });

  it('first_use binds once when twenty that wait for other accounts are approved at once on two replicas', async () => {
    const wallet = await replicas.wallet({ payeePolicy: 'first_use' });
    const asked = await atOnce(20, async (i) =>
      approvalIn(
        expectStatus(202, await replicas.pay(wallet, 2_000, recipient(String(7e9 + i)), replicas.either(i))),
      ),
    );
    await Promise.all(asked.map((each, i) => replicas.say(wallet, each, 'approve', replicas.either(i + 1))));
    const { data } = await payeesOf(replicas.one, wallet);
    expect(data).toHaveLength(1);
    const answers = await atOnce(20, (i) =>
      replicas.pay(wallet, 10, recipient(String(7e9 + i)), replicas.either(i)),
    );
    expect(answers.findIndex(({ status }) => status === 201)).toBe(Number(data[0]?.accountNumber) - 7e9);
    expect(withOutcome(answers, '403 PAYEE_NOT_ALLOWED')).toHaveLength(19);
  });

  it('first_use that was turned on while a payment waited is bound by its approval', async () => {
    const wallet = await replicas.wallet();
    const asked = await replicas.waiting(wallet, 2_000);
    await replicas.set(wallet, { payeePolicy: 'first_use' });
    await replicas.say(wallet, asked, 'approve', replicas.other);
    expect((await payeesOf(replicas.one, wallet)).data).toMatchObject([
      { ...account(ACCOUNT), origin: 'first_use', firstTransactionId: asked.id },
    ]);
    expect(outcome(await replicas.pay(wallet, 10, recipient(OTHER_ACCOUNT)))).toBe('403 PAYEE_NOT_ALLOWED');
    expect(outcome(await replicas.pay(wallet, 10))).toBe('approved');
  });

  it('a payee that was registered while a payment to it waited knows that one as its first', async () => {
    const wallet = await replicas.wallet({ payeePolicy: 'first_use' });
    const asked = await replicas.waiting(wallet, 2_000);
    await registerPayee(replicas.one, wallet, { merchantName: 'Acme', ...account(ACCOUNT) });
    await replicas.pass(1_000);
    await replicas.say(wallet, asked, 'approve');
    expect(outcome(await replicas.pay(wallet, 10))).toBe('approved');
    expect((await payeesOf(replicas.one, wallet)).data).toMatchObject([
      { ...account(ACCOUNT), origin: 'registered', firstTransactionId: asked.id },
    ]);
  });

  it('a payee that was registered while a payment waited of which its policy warned knows it as its first', async () => {
    const wallet = await replicas.wallet({ payeePolicy: 'warn' });
    expect(outcome(await replicas.pay(wallet, 10, recipient(OTHER_ACCOUNT)))).toBe('approved');
    const asked = await replicas.waiting(wallet, 2_000);
    await registerPayee(replicas.one, wallet, { merchantName: 'Acme', ...account(ACCOUNT) });
    await replicas.pass(1_000);
    await replicas.say(wallet, asked, 'approve');
    expect(outcome(await replicas.pay(wallet, 10))).toBe('approved');
    expect((await payeesOf(replicas.one, wallet)).data[0]).toMatchObject({
      ...account(ACCOUNT),
      origin: 'registered',
      firstTransactionId: asked.id,
    });
  });

  it('notes the first payment to a registered payee when it is approved', async () => {
    const wallet = await replicas.wallet();
    await registerPayee(replicas.one, wallet, { merchantName: 'Acme', ...account(ACCOUNT) });
    await replicas.set(wallet, { payeePolicy: 'strict' });
    const noted = async () => (await payeesOf(replicas.one, wallet)).data[0]?.firstTransactionId;
    const denied = await replicas.waiting(wallet, 2_000);
    await replicas.say(wallet, denied, 'deny');
    expect(await noted()).toBeNull();
    const approved = await replicas.waiting(wallet, 2_000);
    expect(await noted()).toBeNull();
    await replicas.say(wallet, approved, 'approve', replicas.other);
    expect(await noted()).toBe(approved.id);
    expect(outcome(await replicas.pay(wallet, 10))).toBe('approved');
    await replicas.say(wallet, await replicas.waiting(wallet, 2_000), 'approve');
    expect(await noted()).toBe(approved.id);
  });

  it('strict needs no approval to block an account that is not registered, and pays what the owner approved', async () => {
    const wallet = await replicas.wallet({ payeePolicy: 'strict' });
    expect(outcome(await replicas.pay(wallet, 2_000))).toBe('403 PAYEE_NOT_ALLOWED');
    const { payee } = (
      await registerPayee(replicas.one, wallet, { merchantName: 'Acme', ...account(ACCOUNT) })
    ).body.data;
    await replicas.pass(1_000);
    const asked = await replicas.waiting(wallet, 2_000);
    await removePayee(replicas.one, wallet, payee.id);
    await replicas.pass(1_000);
    await replicas.say(wallet, asked, 'approve');
    expect((await payeesOf(replicas.one, wallet)).data).toEqual([]);
    expect(outcome(await replicas.pay(wallet, 2_000, {}, replicas.other))).toBe('403 PAYEE_NOT_ALLOWED');
  });
});

describe('cooling off, of payments that wait for a person', () => {
  it('counts what is held, and gives it back when it is denied, lapses, or comes back from the bank', async () => {
    const wallet = await replicas.wallet({
      approvalTtlMinutes: 1,
      coolingOff: { newKeyHours: 24, newKeyCap: 5_000, newPayeeHours: 24, newPayeeCap: 4_000 },
    });
    const leaves = async (left: number): Promise<void> => {
      expect(outcome(await replicas.pay(wallet, left + 1, {}, replicas.other))).toBe('403 COOLING_OFF');
    };
    const denied = await replicas.waiting(wallet, FAILING_AMOUNT);
    await leaves(4_000 - FAILING_AMOUNT);
    await replicas.say(wallet, denied, 'deny');
    const lapsed = await replicas.waiting(wallet, 4_000);
    await leaves(0);
    await replicas.lapse(lapsed);
    const refunded = await replicas.waiting(wallet, FAILING_AMOUNT);
    await replicas.say(wallet, refunded, 'approve', replicas.other);
    await replicas.one.settled();
    const kept = await replicas.waiting(wallet, 3_500);
    await leaves(500);
    await replicas.say(wallet, kept, 'approve');
    await leaves(500);
    // The key has 1,500 left, of which the other account may have all.
    expect(outcome(await replicas.pay(wallet, 1_501, recipient(OTHER_ACCOUNT), replicas.other))).toBe(
      '403 COOLING_OFF',
    );
    expect(outcome(await replicas.pay(wallet, 1_500, recipient(OTHER_ACCOUNT), replicas.other))).toBe(
      'waits',
    );
  });

  it('of a payee runs from the approval', async () => {
    const wallet = await replicas.wallet({ coolingOff: { newPayeeHours: 12, newPayeeCap: 2_000 } });
    const asked = await replicas.waiting(wallet, 2_000);
    await replicas.pass(6 * HOUR_MS);
    await replicas.say(wallet, asked, 'approve');
    const approvedMs = replicas.nowMs;
    await replicas.pass(approvedMs + 12 * HOUR_MS - 1 - replicas.nowMs);
    expect(outcome(await replicas.pay(wallet, 1, {}, replicas.other))).toBe('403 COOLING_OFF');
    await replicas.pass(1);
    expect(outcome(await replicas.pay(wallet, 1_000, {}, replicas.other))).toBe('approved');
  });

  it('of a payee runs from the approval, also where the rule came while the payment waited', async () => {
    const wallet = await replicas.wallet();
    const asked = await replicas.waiting(wallet, 2_000);
    await replicas.set(wallet, { coolingOff: { newPayeeHours: 12, newPayeeCap: 500 } });
    await replicas.say(wallet, asked, 'approve');
    expect(outcome(await replicas.pay(wallet, 501, {}, replicas.other))).toBe('403 COOLING_OFF');
    await replicas.pass(12 * HOUR_MS - 1);
    expect(outcome(await replicas.pay(wallet, 501, {}, replicas.other))).toBe('403 COOLING_OFF');
    await replicas.pass(1);
    expect(outcome(await replicas.pay(wallet, 501, {}, replicas.other))).toBe('approved');
  });

  it('counts what is approved though the rule came while it waited, once, and gives it back', async () => {
    const wallet = await replicas.wallet();
    const [failing, asked] = [
      await replicas.waiting(wallet, FAILING_AMOUNT),
      await replicas.waiting(wallet, 2_000),
    ];
    const left = async (limit: number, to = ACCOUNT): Promise<void> => {
      const answers = [limit + 1, limit].map(async (amount) => {
        const { body } = await replicas.one.post<{ data: { blockReason: string | null } }>(
          '/api/payment-intent/quote',
          { key: wallet.key, body: { amount, merchantName: 'Acme', ...recipient(to) } },
        );
        return body.data.blockReason;
      });
      expect(await Promise.all(answers)).toEqual(['COOLING_OFF', null]);
    };
    const newPayee = { newPayeeHours: 12, newPayeeCap: 5_000 };
    await replicas.set(wallet, { coolingOff: newPayee });
    await replicas.say(wallet, asked, 'approve');
    await left(3_000);
    const both = await replicas.waiting(wallet, 1_500);
    await replicas.set(wallet, { coolingOff: { ...newPayee, newKeyHours: 12, newKeyCap: 4_000 } });
    await left(1_500);
    await left(4_000, OTHER_ACCOUNT);
    await replicas.say(wallet, both, 'approve', replicas.other);
    await left(1_500);
    await left(2_500, OTHER_ACCOUNT);
    await replicas.say(wallet, failing, 'approve');
    await replicas.one.settled();
    await left(1_500);
    await left(2_500, OTHER_ACCOUNT);
    await replicas.pass(12 * HOUR_MS);
    const late = await replicas.waiting(wallet, 8_000);
    await replicas.say(wallet, late, 'approve');
    expect(outcome(await replicas.pay(wallet, 90_000))).toBe('waits');
  });

  it('of a payee runs from the first approval, not from a later one', async () => {
    const wallet = await replicas.wallet({ coolingOff: { newPayeeHours: 12, newPayeeCap: 3_000 } });
    const [first, second] = [await replicas.waiting(wallet, 1_100), await replicas.waiting(wallet, 1_200)];
    await replicas.say(wallet, first, 'approve');
    const approvedMs = replicas.nowMs;
    await replicas.pass(6 * HOUR_MS);
    await replicas.say(wallet, second, 'approve', replicas.other);
    await replicas.pass(approvedMs + 12 * HOUR_MS - 1 - replicas.nowMs);
    expect(outcome(await replicas.pay(wallet, 701, {}, replicas.other))).toBe('403 COOLING_OFF');
    await replicas.pass(1);
    expect(outcome(await replicas.pay(wallet, 701, {}, replicas.other))).toBe('approved');
  });

  it('of a payee runs from the approval, also where the rule that was asked of it was off by then', async () => {
    const coolingOff = { newPayeeHours: 12, newPayeeCap: 2_000 };
    const wallet = await replicas.wallet({ coolingOff });
    // The merchant was first paid elsewhere: of this account the rule alone knows.
    expect(outcome(await replicas.pay(wallet, 10, recipient(OTHER_ACCOUNT)))).toBe('approved');
    const asked = await replicas.waiting(wallet, 2_000);
    await replicas.set(wallet, { coolingOff: null });
    await replicas.say(wallet, asked, 'approve');
    const approvedMs = replicas.nowMs;
    await replicas.set(wallet, { coolingOff });
    await replicas.pass(approvedMs + 12 * HOUR_MS - 1 - replicas.nowMs);
    expect(outcome(await replicas.pay(wallet, 1, {}, replicas.other))).toBe('403 COOLING_OFF');
    await replicas.pass(1);
    expect(outcome(await replicas.pay(wallet, 900, {}, replicas.other))).toBe('approved');
  });

  it('of a payee runs from a payment that was decided together with one that waits', async () => {
    const wallet = await replicas.wallet({ coolingOff: { newPayeeHours: 12, newPayeeCap: 2_000 } });
    // What comes while the first is decided is decided together.
    const answers = await Promise.all([
      replicas.pay(wallet, 10, recipient(OTHER_ACCOUNT)),
      replicas.pay(wallet, 100),
      replicas.pay(wallet, 1_900),
    ]);
    expect(answers.map(outcome)).toEqual(['approved', 'approved', 'waits']);
    await replicas.pass(12 * HOUR_MS);
    expect(outcome(await replicas.pay(wallet, 900))).toBe('approved');
  });

  it('gives back to a payee what was approved after its rule had joined that of keys', async () => {
    const newKey = { newKeyHours: 12, newKeyCap: 5_000 };
    const wallet = await replicas.wallet({ coolingOff: newKey });
    const failing = await replicas.waiting(wallet, FAILING_AMOUNT);
    const coolingOff = { ...newKey, newPayeeHours: 12, newPayeeCap: 5_000 };
    await replicas.set(wallet, { coolingOff });
    await replicas.say(wallet, failing, 'approve');
    await replicas.one.settled();
    expect(outcome(await replicas.pay(wallet, 5_001))).toBe('403 COOLING_OFF');
    expect(outcome(await replicas.pay(wallet, 5_000))).toBe('waits');
  });

  it('lets fifty payers on two replicas hold and pay the cap of a payee and no kobo more', async () => {
    const wallet = await replicas.wallet({ coolingOff: { newPayeeHours: 12, newPayeeCap: 20_000 } });
    const answers = await atOnce(50, (i) =>
      replicas.pay(wallet, i % 3 === 0 ? 2_000 : 500, {}, replicas.either(i)),
    );
    const taken = answers.reduce(
      (sum, { status }, i) => (status < 300 ? sum + (i % 3 === 0 ? 2_000 : 500) : sum),
      0,
    );
    expect(taken).toBe(20_000);
    expect(new Set(answers.map(outcome))).toEqual(new Set(['approved', 'waits', '403 COOLING_OFF']));
  });
});
