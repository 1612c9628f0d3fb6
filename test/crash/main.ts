/**
 * npm run crash-test: kill -9 at everything, under load, and then read the books.
 *
 * A test that finds nothing proves something only if it finds what is there. Mutants that it must catch; each is
 * one change in a scratch copy of the repository, followed by `npm run crash-test -- --rounds 6` there:
 *
 *   the row lock removed
 *     sed -i 's/ORDER BY w.id FOR UPDATE ${waitOrSkip}/ORDER BY w.id/; s/ FOR UPDATE OF w SKIP LOCKED//' \
 *       src/contexts/wallet/wallet-spending.store.ts
 *   the answer sent before the commit
 *     sed -i 's/(requests, wait) => this.database.transaction((tx) => this.decide(requests, wait, tx)),/\
 *       (requests, wait) => new Promise((done, fail) => { this.database.transaction(async (tx) =>\
 *       done(await this.decide(requests, wait, tx))).catch(fail); }),/' src/contexts/payments/authorize/authorize.service.ts
 *   the unique key on idempotency dropped
 *     sed -i 's/CREATE UNIQUE INDEX transactions_idempotency/CREATE INDEX transactions_idempotency/' migrations/*.ts
 *
 * The row lock and the unique key each hide that the other is missing: a lookup under the lock finds the first use
 * of a key without the index, and the index refuses the second without the lock. So the guards of the database are
 * probed by themselves, and decisions are compared with the history they were made on.
 */
import { readFlags, wholeNumber } from '../../scripts/flags.ts';
import { endOnSignals } from '../support/end-on-signals.ts';
import { buildService } from '../support/server-process.ts';

const HELP = `Usage: npm run crash-test -- [--rounds N] [--seed N] [--fast-forward]

Two replicas of the service on one PostgreSQL under load; in each round a replica, both, PostgreSQL or everything
is killed with -9 and started again. At the end every payment is asked for again and the books are compared with
what the clients were told. Ends with status 1 when anything is wrong.

  --rounds N       kills (18: about two minutes, and up to two more until the last settlements are through)
  --seed N         who is killed when, and what is paid (the time of day, unless set)
  --fast-forward   the jobs of the dead are handed on at once, not when they are old enough
`;

const flags = readFlags(HELP, {
  rounds: { type: 'string', default: '18' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  'fast-forward': { type: 'boolean', default: false },
});
const report = (line: string): void => console.log(line);
const rounds = wholeNumber('rounds', flags.rounds, 1, 10_000);
const seed = wholeNumber('seed', flags.seed, 0, 999_999_999);
// Loaded only now: a wrong flag, and --help, need none of it.
const { crashTest, lines } = await import('./crash-test.ts');
endOnSignals();
buildService();
report(`${rounds} rounds, --seed ${seed}`);
const load = { payers: 24, wallets: 12, roundMs: [1_000, 2_500] } as const;
const result = await crashTest({ rounds, seed, ...load, fastForward: flags['fast-forward'], report });
report(lines(result).join('\n'));
const broken = result.faults.filter(({ count }) => count > 0);
report(
  broken.length === 0
    ? `\n✓ After ${rounds} rounds of kill -9 nothing is lost, doubled or invented: all ${result.faults.length} checks hold.`
    : `\n✗ ${broken.length} of ${result.faults.length} checks do not hold: ${broken.map(({ name }) => name).join('; ')}. ` +
        `The same choices again: npm run crash-test -- --rounds ${rounds} --seed ${seed}`,
);
process.exitCode = broken.length > 0 ? 1 : 0;
