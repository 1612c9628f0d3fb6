import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { AppError } from '../../kernel/errors.js';
import type { Bank } from './bank.port.js';
import type { ResolvedName } from './name-enquiry.port.js';
import { BankNameEnquiry } from './name-enquiry.service.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const codeOf = (error: unknown) => (error as AppError).code;
const accountOf = (accountNumber: string) => ({ accountNumber, bankCode: '058' });

/** A bank that answers with this of every account, at once or never. */
function bankThat(answers: ResolvedName | null): { names: BankNameEnquiry; asked: () => number } {
  const resolveAccount = jest.fn((): Promise<ResolvedName> =>
    answers ? Promise.resolve(answers) : new Promise(() => undefined),
  );
  return {
    names: new BankNameEnquiry({ resolveAccount } as unknown as Bank),
    asked: () => resolveAccount.mock.calls.length,
  };
}

describe('the bank’s word on a recipient', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it.each([
    ['known', { kind: 'resolved', accountName: 'Ada Obi' }, DAY_MS],
    ['unknown', { kind: 'not-resolved' }, MINUTE_MS],
  ] as const)('is remembered for its time where the account is %s', async (standing, name, ms) => {
    const { names } = bankThat(name);
    const account = accountOf('0000000011');
    // A whole number: a fraction would be rounded.
    const askedAt = Math.round(performance.now());
    const clock = jest.spyOn(performance, 'now').mockReturnValue(askedAt);
    const knownAfter = async (passed: number) => {
      clock.mockReturnValue(askedAt + passed);
      // The cache reads the clock once a millisecond.
      await sleep(5);
      return names.cached(account);
    };
    expect(await knownAfter(0)).toBeUndefined();
    expect(await names.verify(account)).toBe(standing);
    expect([await knownAfter(ms), await knownAfter(ms + 1_000)]).toEqual([standing, undefined]);
  });

  it('is waited for by a thousand at most beside those who ask', async () => {
    jest.useFakeTimers();
    const { names, asked } = bankThat(null);
    const ask = (i: number) => names.verify(accountOf(String(1e9 + i)));
    const waiting = Array.from({ length: 1_016 }, (_, i) => ask(i).catch(codeOf));
    await jest.advanceTimersByTimeAsync(0);
    expect(asked()).toBe(16);
    await expect(ask(1_016)).rejects.toMatchObject({ code: 'OVERLOADED' });
    const joined = ask(0).catch(codeOf);
    await jest.advanceTimersByTimeAsync(64 * 10_000);
    expect(new Set(await Promise.all([...waiting, joined]))).toEqual(new Set(['BANK_UNAVAILABLE']));
  });
});
