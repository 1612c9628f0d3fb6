/**
 * A quote is held against the payment that follows it, from wallets with every rule that an owner can ask for.
 * `npm run quote-fuzz -- --cases 10000` runs more of it than a test run can wait for.
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Check } from '../../src/contexts/payments/checks/check.domain.js';
import type { Facts, Intent } from '../../src/contexts/payments/checks/facts.port.js';
import { checksOf, firstFailed } from '../../src/contexts/payments/checks/decide.domain.js';
import { blockedByCheck, differenceOf } from '../../src/contexts/simulation/replay.domain.js';
import { ReplayService } from '../../src/contexts/simulation/replay.service.js';
import type { PlacedAttempt } from '../../src/contexts/payments/payments.port.js';
import { RecordedAttempts } from '../../src/contexts/payments/payments.port.js';
import { brokenInvariants } from '../support/invariants.js';
import { expectStatus, startService, type TestService } from '../support/service.js';
import { QuoteFuzz } from '../quote-fuzz/fuzz.js';
import type { FuzzedWallet } from '../quote-fuzz/wallets.js';

const CASES = Number(process.env.QUOTE_FUZZ_CASES ?? 700);
const SEED = Number(process.env.QUOTE_FUZZ_SEED ?? 1);
const IS_ASKED_FOR = process.env.QUOTE_FUZZ_CASES !== undefined;

let one: TestService;
let other: TestService;
let wallets: readonly FuzzedWallet[] = [];
beforeAll(async () => {
  one = await startService({ clock: true });
  other = await startService({ beside: one });
});
afterAll(async () => {
  await one.setClock(null);
  await other.close();
  await one.close();
});

it(
  'a quote never disagrees with the payment that follows it, and its advice is exact',
  async () => {
    const say = (line: string): void => {
      if (IS_ASKED_FOR) process.stdout.write(`${line}\n`);
    };
    const fuzz = new QuoteFuzz([one, other], SEED, say);
    const { cases, tally, disagreements } = await fuzz.run(CASES);
    wallets = fuzz.wallets;
    say(
      `${cases} cases of seed ${SEED}. How often each rule decided, and each promise was tried:\n${tally.toString()}`,
    );
    const idle = tally.missing();
    for (const each of disagreements) process.stdout.write(`✗ ${each}\n`);
    say(verdict(disagreements.length, idle));
    expect([disagreements.length, idle]).toEqual([0, []]);
    expect(cases).toBeGreaterThanOrEqual(CASES);
    expect(await brokenInvariants(one)).toEqual({});
  },
  60_000 + CASES * 100,
);

/** Random histories under every rule, as the run above left them. */
describe('what the run left on record', () => {
  interface CountAndSum {
    readonly count: number;
    readonly kobo: number;
  }
  const all = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100_000, days: null };
  const recorded: PlacedAttempt[] = [];
  beforeAll(async () => {
    for (const { wallet } of wallets)
      recorded.push(...(await one.app.get(RecordedAttempts).page(wallet.id, all)));
  });

  it('is decided again by the present rules as it was', async () => {
    expect(recorded.length).toBeGreaterThan(CASES);
    for (const { wallet } of wallets) {
      expect(await one.app.get(ReplayService).replay(wallet.id)).toMatchObject({
        differences: 0,
        listed: [],
      });
    }
  });

  describe.each<[string, (passes: Check['passes']) => Check['passes'], (rules: number) => number]>([
    ['is never asked', () => () => true, (rules) => rules],
    ['blocks all', () => () => false, (rules) => rules],
    // Of the rules that compare an amount: those that were met to the kobo.
    [
      'counts a kobo too much',
      (passes) => (facts: Facts, intent: Intent) => passes(facts, { ...intent, amount: intent.amount + 1 }),
      () => 5,
    ],
  ])('a replay by rules of which one %s', (_, planted, least) => {
    it('finds it, whichever it is', () => {
      const rules = [...new Set(recorded.flatMap(({ facts }) => checksOf(facts)))];
      // The six checks, seven limits of keys, two rules on payees, cooling off, the guard, and what waits.
      expect(rules).toHaveLength(18);
      const found = rules.filter((rule) => {
        const passes = rule.passes.bind(rule);
        const spy = jest.spyOn(rule, 'passes').mockImplementation(planted(passes));
        const differences = recorded.flatMap((attempt) => differenceOf(attempt, { firstFailed }) ?? []);
        spy.mockRestore();
        return differences.length > 0;
      });
      expect(found.length).toBeGreaterThanOrEqual(least(rules.length));
    });
  });

  it("flips nothing under the wallet's own rules", async () => {
    let tried = 0;
    for (const { wallet, scenario } of wallets) {
      const { token } = wallet.owner;
      const path = `/api/wallets/${wallet.id}`;
      const { body } = expectStatus(
        200,
        await one.get<{ data: { wallet: Record<string, unknown> } }>(path, { token }),
      );
      const { spendLimitPerTx, spendLimitPeriod, periodWindowDays, expiry } = body.data.wallet;
      const { useAllowlist, merchantAllowlist } = body.data.wallet;
      const own = { spendLimitPerTx, spendLimitPeriod, periodWindowDays, expiry, useAllowlist };
      const isAsItWas = !scenario.isCrowded && !scenario.steps.some((step) => step.do === 'change');
      for (const rules of isAsItWas
        ? [{}, { ...own, ...(useAllowlist ? { merchantAllowlist } : {}) }]
        : [{}]) {
        const answer = await one.post<{ data: Record<string, unknown> }>(`${path}/backtest`, {
          token,
          body: { days: 366, ...rules },
        });
        const { flips, recorded: was, underRules } = expectStatus(200, answer).body.data;
        expect([wallet.id, rules, flips, underRules]).toEqual([wallet.id, rules, [], was]);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(wallets.length);
  }, 120_000);

  it('is summed up by the rules on trial, which were never applied', async () => {
    const sum = (of: readonly PlacedAttempt[]): CountAndSum => ({
      count: of.length,
      kobo: of.reduce((total, { amount }) => total + amount, 0),
    });
    let flipped = 0;
    for (const { wallet, scenario } of wallets) {
      const path = `/api/wallets/${wallet.id}/shadow-rules`;
      const { body } = expectStatus(
        200,
        await one.get<{ data: { shadow: Record<string, unknown> | null } }>(path, {
          token: wallet.owner.token,
        }),
      );
      const { shadow } = body.data;
      const { trial } = scenario;
      if (!trial || !shadow) {
        expect([shadow, trial]).toEqual([null, null]);
        continue;
      }
      // What came before the trial is not judged: the payments that crowd a wallet from the start.
      const judged = recorded.filter(({ walletId, seq }) => walletId === wallet.id && seq > before(scenario));
      const passes = (attempt: PlacedAttempt) =>
        firstFailed({ ...attempt.facts, ...trial }, attempt) === null;
      const was = ({ blockReason }: PlacedAttempt) => blockedByCheck(blockReason) === null;
      expect(shadow).toMatchObject({
        judged: judged.length,
        toApproved: sum(judged.filter((each) => passes(each) && !was(each))),
        toBlocked: sum(judged.filter((each) => !passes(each) && was(each))),
      });
      flipped += judged.filter((each) => passes(each) !== was(each)).length;
    }
    expect(flipped).toBeGreaterThan(20);
  }, 120_000);

  const before = ({ isCrowded }: FuzzedWallet['scenario']): number => (isCrowded ? 100 : 0);
});

function verdict(disagreements: number, idle: readonly string[]): string {
  if (disagreements > 0) return `✗ ${disagreements} disagreements: a quote said what did not come true.`;
  if (idle.length > 0)
    return `✗ No disagreements, but these never occurred, so nothing is known of them: ${idle.join(', ')}.`;
  return '✓ No disagreements: every quote was what the payment after it was, and every rule had its say.';
}
