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
];
