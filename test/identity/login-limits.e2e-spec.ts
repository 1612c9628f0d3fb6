import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { LoginLimits } from '../../src/contexts/identity/login-limits.js';
import { AppError, type ErrorCode } from '../../src/kernel/errors.js';
import { startService, type TestService, until } from '../support/service.js';

/** The limits of guesses while a window ends between the counting of a guess and its giving back. */

let service: TestService;
let limits: LoginLimits;

beforeAll(async () => {
  service = await startService({ env: { LOGIN_FAILURES_MAX: '3', SIGNUPS_PER_MINUTE_MAX: '3' } });
  limits = service.app.get(LoginLimits, { strict: false });
});
beforeEach(() => service.query('DELETE FROM rate_limits'));
afterAll(() => service.close());

/** Fewer than the passwords that are hashed at once: others are evaluated beside them. */
const HELD = 2;

type Guess = (owner: string, attempt: () => Promise<unknown>) => Promise<unknown>;

/** As if the time of all windows had passed, save those of `others`: the next ones end later, by a millisecond at least. */
const endWindows = async (others: readonly string[] = []) => {
  await service.query('UPDATE rate_limits SET expire = $1 WHERE key <> ALL ($2)', [0, others]);
  await sleep(3);
};
const points = async () =>
  (await service.query<{ points: number }>('SELECT points FROM rate_limits')).map((row) => row.points);

describe.each<[string, number, number, ErrorCode, Guess]>([
  [
    'codes of a second factor',
    10,
    1,
    'INVALID_TWO_FACTOR_CODE',
    (owner, attempt) => limits.secondFactor(owner, attempt, () => Promise.resolve()),
  ],
  [
    'passwords',
    3,
    // By e-mail and address, by address, and by e-mail.
    3,
    'INVALID_CREDENTIALS',
    // Each owner's guesses come from an address of its own, so that no two share a counter.
    (owner, attempt) => limits.password(owner, `2001:db8:${owner.slice(0, 4)}::1`, attempt),
  ],
])('the limit of guesses at %s', (_, max, counters, code, guess) => {
  /** What guesses end with, one after another: each of them wrong, if it is evaluated at all. */
  const wrong = async (owner: string, count: number) => {
    const seen: unknown[] = [];
    for (let i = 0; i < count; i += 1) seen.push(await wrongGuess(owner));
    return seen;
  };
  const wrongGuess = (owner: string) =>
    guess(owner, () => Promise.reject(new AppError(code, 'wrong'))).catch(
      (error: unknown) => (error as AppError).code,
    );
  const times = (count: number, what: ErrorCode) => Array<ErrorCode>(count).fill(what);

  /** {@link HELD} right guesses: counted, and under way until `release` is called. */
  async function held(owner: string) {
    let release!: () => void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const all = Promise.all(Array.from({ length: HELD }, () => guess(owner, () => gate)));
    // In every counter: one that is counted after its window ended would count in the next.
    const counted = Array<number>(counters).fill(HELD);
    await until(async () => isDeepStrictEqual(await points(), counted));
    return { release, all };
  }

  it('gives right guesses back to the window that counted them', async () => {
    const owner = randomUUID();
    const { release, all } = await held(owner);
    expect(await wrong(owner, max - HELD + 1)).toEqual([...times(max - HELD, code), 'RATE_LIMITED']);
    release();
    await all;
    expect(await wrong(owner, HELD + 1)).toEqual([...times(HELD, code), 'RATE_LIMITED']);
  });

  it('is the same in the window after one that ended with right guesses under way', async () => {
    const owner = randomUUID();
    const { release, all } = await held(owner);
    await endWindows();
    release();
    await all;
    expect(Math.min(...(await points()))).toBeGreaterThanOrEqual(0);
    expect(await wrong(owner, max + 1)).toEqual([...times(max, code), 'RATE_LIMITED']);
  });

  it.each([1, max - 1, max])(
    'keeps the first %i failures of a window when older guesses end',
    async (first) => {
      const owner = randomUUID();
      const { release, all } = await held(owner);
      await endWindows();
      expect(await wrong(owner, first)).toEqual(times(first, code));
      release();
      await all;
      expect(await wrong(owner, max - first + 1)).toEqual([...times(max - first, code), 'RATE_LIMITED']);
    },
  );

  it('is the same in the window after one that ended while refused guesses were given back', async () => {
    const [owner, other] = [randomUUID(), randomUUID()];
    await wrong(other, 1);
    const locks = new pg.Client({ connectionString: service.databaseUrl });
    await locks.connect();
    await locks.query('BEGIN');
    const { rows } = await locks.query<{ key: string }>('SELECT key FROM rate_limits FOR UPDATE');

    expect(await wrong(owner, max)).toEqual(times(max, code));
    const refused = Array.from({ length: 12 }, () => wrongGuess(owner));
    // Counting goes three at a time, in order: these keep it busy before the first refused one is given back.
    const waiting = Array.from({ length: 3 }, () => wrongGuess(other));
    await until(async () => (await points()).includes(max + 12));
    await endWindows(rows.map(({ key }) => key));
    await locks.query('COMMIT');
    await locks.end();

    expect(await Promise.all(refused)).toEqual(times(12, 'RATE_LIMITED'));
    await Promise.all(waiting);
    expect(Math.min(...(await points()))).toBeGreaterThanOrEqual(0);
    expect(await wrong(owner, max + 1)).toEqual([...times(max, code), 'RATE_LIMITED']);
  });
});

describe('the addresses of one IPv6 network count as one', () => {
  it.each<[string, number, (address: string) => Promise<unknown>]>([
    ['for sign-ups', 3, (address) => limits.signUp(address)],
    [
      'for requests for resets',
      30,
      (address) => limits.passwordReset(`${randomUUID()}@example.com`, address),
    ],
  ])('%s', async (_, max, count) => {
    for (let i = 1; i <= max; i += 1) await count(`2001:db8:0:1::${i}`);
    await expect(count('2001:db8:0:1:ffff::1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await count('2001:db8:0:2::1');
  });
});
