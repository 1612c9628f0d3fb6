import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AskingReplicas,
  atOnce,
  FAILING_AMOUNT,
  outcome,
  type Paid,
  withOutcome,
} from '../support/asking-replicas.js';
import { approvalIn } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { type CreatedWallet, expectStatus } from '../support/service.js';

const HOUR_MS = 3_600_000;

let replicas: AskingReplicas;
beforeAll(async () => {
  replicas = await AskingReplicas.start();
});
afterEach(async () => {
  await replicas.one.settled();
  expect(await brokenInvariants(replicas.one)).toEqual({});
});
afterAll(() => replicas.end());

const duplicateOf = ({ status, body }: Paid): string =>
  status === 409 ? String(body.details?.['duplicateOf']) : `not refused: ${status}`;

describe('the duplicate guard, of payments that wait for a person', () => {
  it('counts one that waits as the first, by the time of its request, and still when it is approved', async () => {
    const wallet = await replicas.wallet({ duplicateGuardMinutes: 60 });
    const first = await replicas.waiting(wallet, 2_000);
    const requestedMs = replicas.nowMs;
    expect(duplicateOf(await replicas.pay(wallet, 2_000, {}, replicas.other))).toBe(first.id);
    await replicas.pass(30 * 60_000);
    await replicas.say(wallet, first, 'approve');
    await replicas.pass(requestedMs + HOUR_MS - 1 - replicas.nowMs);
    expect(duplicateOf(await replicas.pay(wallet, 2_000, {}, replicas.other))).toBe(first.id);
    await replicas.pass(1);
    expect(outcome(await replicas.pay(wallet, 2_000, {}, replicas.other))).toBe('waits');
  });

  it('counts none that was denied, lapsed, or refunded after its approval', async () => {
    const wallet = await replicas.wallet({ duplicateGuardMinutes: 1_440, approvalTtlMinutes: 1 });
    const denied = await replicas.waiting(wallet, FAILING_AMOUNT);
    expect(duplicateOf(await replicas.pay(wallet, FAILING_AMOUNT))).toBe(denied.id);
    await replicas.say(wallet, denied, 'deny', replicas.other);
    const lapsed = await replicas.waiting(wallet, FAILING_AMOUNT);
    await replicas.lapse(lapsed);
    const refunded = await replicas.waiting(wallet, FAILING_AMOUNT);
    await replicas.say(wallet, refunded, 'approve');
    await replicas.one.settled();
    expect(outcome(await replicas.pay(wallet, FAILING_AMOUNT, {}, replicas.other))).toBe('waits');
  });

  it('takes one that waits for the first that is confirmed; once the second is denied, the first counts again', async () => {
    const wallet = await replicas.wallet({ duplicateGuardMinutes: 60 });
    const first = await replicas.waiting(wallet, 2_000);
    const second = await replicas.waiting(wallet, 2_000, { confirmSecondPurchase: first.id });
    expect(
      duplicateOf(await replicas.pay(wallet, 2_000, { confirmSecondPurchase: first.id }, replicas.other)),
    ).toBe(second.id);
    await replicas.say(wallet, second, 'deny');
    expect(duplicateOf(await replicas.pay(wallet, 2_000, {}, replicas.other))).toBe(first.id);
  });

  it('switched on later knows what waits, and not what was denied', async () => {
    const wallet = await replicas.wallet();
    const [denied, pending] = [await replicas.waiting(wallet, 2_000), await replicas.waiting(wallet, 3_000)];
    await replicas.say(wallet, denied, 'deny');
    await replicas.set(wallet, { duplicateGuardMinutes: 60 });
    expect(duplicateOf(await replicas.pay(wallet, 3_000, {}, replicas.other))).toBe(pending.id);
    expect(outcome(await replicas.pay(wallet, 2_000, {}, replicas.other))).toBe('waits');
  });

  it('lets one of fifty wait, and with every denial one more, however they race on two replicas', async () => {
    const wallet = await replicas.wallet({ duplicateGuardMinutes: 60 });
    let denials = 0;
    const answers = await atOnce(50, async (i) => {
      const answer = await replicas.pay(wallet, 2_000, {}, replicas.either(i));
      if (answer.status === 202 && denials < 3) {
        denials += 1;
        await replicas.say(wallet, approvalIn(answer), 'deny', replicas.either(i + 1));
      }
      return answer;
    });
    const last = await replicas.pay(wallet, 2_000);
    const waited = withOutcome([...answers, last], 'waits');
    expect(waited.length).toBeGreaterThanOrEqual(1);
    expect(waited.length).toBeLessThanOrEqual(denials + 1);
    const [{ held }] = (await replicas.one.query<{ held: string }>(
      'SELECT held::text FROM wallets WHERE id = $1',
      [wallet.id],
    )) as [{ held: string }];
    expect(held).toBe(String(2_000 * (waited.length - denials)));
  });
});

describe('the period of a wallet, of payments that wait for a person', () => {
  it('is left by one that still waits with the window of its request', async () => {
    const wallet = await replicas.wallet({ periodWindowDays: 1, approvalTtlMinutes: 2 * 1_440 });
    const asked = await replicas.waiting(wallet, 2_000);
    const spending = async () => {
      const { spentThisPeriod, remainingAllowance } = await replicas.one.stats(wallet);
      return { spentThisPeriod, taken: wallet.spendLimitPeriod - remainingAllowance };
    };
    await replicas.pass(24 * HOUR_MS - 1);
    expect(await spending()).toEqual({ spentThisPeriod: 0, taken: 2_000 });
    await replicas.pass(1);
    expect(await spending()).toEqual({ spentThisPeriod: 0, taken: 0 });
    await replicas.say(wallet, asked, 'approve');
    expect(await spending()).toEqual({ spentThisPeriod: 0, taken: 0 });
  });
});

describe('the limits of a key, of payments that wait for a person', () => {
  interface Key {
    readonly id: string;
    readonly fullKey: string;
    readonly left: Record<string, number>;
  }
  const child = async ({ id, owner }: CreatedWallet, limits: object): Promise<Key> => {
    const body = { name: 'child', limits };
    const made = await replicas.one.post<{ data: { apiKey: Key } }>(`/api/wallets/${id}/keys`, {
      token: owner.token,
      body,
    });
    await replicas.pass(1_000);
    return expectStatus(201, made).body.data.apiKey;
  };
  const leftOf = async ({ id, owner }: CreatedWallet, key: Key): Promise<Record<string, number>> => {
    const { body } = await replicas.other.get<{ data: Key[] }>(`/api/wallets/${id}/keys`, {
      token: owner.token,
    });
    return body.data.find((each) => each.id === key.id)!.left;
  };

  it('come back once when what was approved is not paid by the bank', async () => {
    const wallet = await replicas.wallet();
    const key = await child(wallet, { totalCap: 10_000, maxPayments: 3, spendLimitPeriod: 8_000 });
    const paying = { ...wallet, key: key.fullKey };
    const asked = await replicas.waiting(paying, FAILING_AMOUNT);
    const held = {
      totalCap: 10_000 - FAILING_AMOUNT,
      maxPayments: 2,
      spendLimitPeriod: 8_000 - FAILING_AMOUNT,
    };
    expect(await leftOf(wallet, key)).toEqual(held);
    // What it holds becomes what it pays: nothing moves with the word of the owner.
    await atOnce(4, (i) => replicas.say(wallet, asked, 'approve', replicas.either(i)));
    await replicas.one.settled();
    expect(await leftOf(wallet, key)).toEqual({ totalCap: 10_000, maxPayments: 3, spendLimitPeriod: 8_000 });
    await replicas.say(wallet, await replicas.waiting(paying, 2_000), 'approve');
    expect(await leftOf(wallet, key)).toEqual({ totalCap: 8_000, maxPayments: 2, spendLimitPeriod: 6_000 });
  });

  it.each([
    ['totalCap', { totalCap: 20_500 }, 20_000],
    ['maxPayments', { maxPayments: 12 }, 12],
    ['spendLimitPeriod', { spendLimitPeriod: 20_500, periodWindowDays: 1 }, 20_000],
  ] as const)(
    'are never passed by fifty payers on two replicas while owners decide: %s',
    async (name, limits, most) => {
      const wallet = await replicas.wallet();
      const key = await child(wallet, limits);
      const paying = { ...wallet, key: key.fullKey };
      const amountOf = (i: number) => (i % 2 === 0 ? 2_000 : 1_000);
      const answers = await atOnce(50, async (i) => {
        const answer = await replicas.pay(paying, amountOf(i), {}, replicas.either(i));
        if (answer.status === 202) {
          await replicas.say(
            wallet,
            approvalIn(answer),
            i % 4 === 0 ? 'deny' : 'approve',
            replicas.either(i + 1),
          );
        }
        return answer;
      });
      const counted = answers.flatMap(({ status }, i) =>
        status === 201 || (status === 202 && i % 4 !== 0) ? [amountOf(i)] : [],
      );
      const used = () => (name === 'maxPayments' ? counted.length : counted.reduce((sum, of) => sum + of, 0));
      expect(used()).toBeLessThanOrEqual(most);
      expect(withOutcome(answers, '403 KEY_LIMIT_EXCEEDED').length).toBeGreaterThan(0);
      expect((await leftOf(wallet, key))[name]).toBe(Object.values(limits)[0]! - used());
      // What the denials gave back can be paid, to the last.
      const more = await atOnce(50, (i) => replicas.pay(paying, 1_000, {}, replicas.either(i)));
      counted.push(...more.filter(({ status }) => status === 201).map(() => 1_000));
      expect(used()).toBe(most);
      expect((await replicas.one.stats(wallet)).balance).toBe(
        1_000_000 - counted.reduce((sum, of) => sum + of, 0),
      );
    },
  );
});
