/**
 * A quote is held against the payment that follows it, from wallets with every rule that an owner can ask for.
 * `npm run quote-fuzz -- --cases 10000` runs more of it than a test run can wait for.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { brokenInvariants } from './support/invariants.js';
import { startService, type TestService } from './support/service.js';
import { QuoteFuzz } from './quote-fuzz/fuzz.js';

const CASES = Number(process.env.QUOTE_FUZZ_CASES ?? 700);
const SEED = Number(process.env.QUOTE_FUZZ_SEED ?? 1);
const IS_ASKED_FOR = process.env.QUOTE_FUZZ_CASES !== undefined;

let one: TestService;
let other: TestService;
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

function verdict(disagreements: number, idle: readonly string[]): string {
  if (disagreements > 0) return `✗ ${disagreements} disagreements: a quote said what did not come true.`;
  if (idle.length > 0)
    return `✗ No disagreements, but these never occurred, so nothing is known of them: ${idle.join(', ')}.`;
  return '✓ No disagreements: every quote was what the payment after it was, and every rule had its say.';
}
