/** A small fault, and the tests that must notice it. */
export interface Mutant {
  readonly group: string;
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Suites, as Jest takes them: any part of a path. */
  readonly tests: readonly string[];
  /** Only the tests whose names match, where a suite is long. */
  readonly only?: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    group: 'checks',
    name: 'an amount at the limit of one payment is refused',
    file: 'src/contexts/payments/payments.domain.ts',
    find: 'amount <= spendLimitPerTx',
    replace: 'amount < spendLimitPerTx',
    tests: ['src/contexts/payments'],
  },
  {
    group: 'outcome',
    name: 'a COMMIT answered ROLLBACK counts as success',
    file: 'src/platform/database/database.ts',
    find: 'if (command === how) return;',
    replace: 'if (command) return;',
    tests: ['test/database.e2e'],
  },
  {
    group: 'outcome',
    name: 'a connection lost at COMMIT is taken for a failure',
    file: 'src/platform/database/database.ts',
    find: 'if (progress.committing && !isRolledBack(error)) {',
    replace: 'if (progress.committing && !isRolledBack(error) && deadlineMs < 0) {',
    tests: ['test/database.e2e'],
  },
  {
    group: 'outcome',
    name: 'a connection lost in a statement that commits by itself is taken for a failure',
    file: 'src/platform/database/database.ts',
    find: 'if (!mayWrite(text)) throw error;',
    replace: 'if (mayWrite(text) || !mayWrite(text)) throw error;',
    tests: ['test/database.e2e'],
  },
  {
    group: 'outcome',
    name: 'the canceled wait for the synchronous standby counts as success',
    file: 'src/platform/database/failures.ts',
    find: "return notice.routine === 'SyncRepWaitForLSN';",
    replace: "return notice.routine === 'nothing';",
    tests: ['test/database.e2e'],
  },
  {
    group: 'outcome',
    name: 'a callback after the commit that throws undoes the answer',
    file: 'src/platform/database/database.ts',
    find: '        onError(error);',
    replace: '        throw error;',
    tests: ['test/database.e2e'],
  },
  {
    group: 'overload',
    name: 'reads may hold every connection',
    file: 'src/platform/database/database.ts',
    find: 'this.pool.options.max / 4',
    replace: 'this.pool.options.max',
    tests: ['test/database.e2e'],
  },
  {
    group: 'overload',
    name: 'a read has no time limit',
    file: 'src/platform/database/reads.ts',
    find: 'SET statement_timeout = ${READ_TIMEOUT_MS}',
    replace: 'SELECT ${READ_TIMEOUT_MS}',
    tests: ['test/database.e2e'],
  },
  {
    group: 'events',
    name: 'the error of a handler is swallowed',
    file: 'src/platform/events/events.ts',
    find: '{ suppressErrors: false }',
    replace: '{ suppressErrors: true }',
    tests: ['test/events.e2e'],
  },
];
