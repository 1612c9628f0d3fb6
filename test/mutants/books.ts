import type { Mutant } from './mutants.ts';

const CONTEXTS = 'src/contexts';
const COLLECTIONS = `${CONTEXTS}/funding/funding.reconcile.ts`;

/** Faults in the comparison with the bank, and in what is read of the books. */
export const BOOKS: readonly Mutant[] = (
  [
    {
      name: 'payouts behind a full page are not compared',
      file: `${CONTEXTS}/settlement/settlement.reconcile.ts`,
      in: 'run',
      find: '.length < PAGE',
      replace: '.length <= PAGE',
      tests: ['test/funding/reconcile-pages'],
      only: 'are all of a page of 200',
    },
    {
      name: 'credits behind a full page are not looked for',
      file: COLLECTIONS,
      in: 'findUnknownToBank',
      find: '.length < ROWS',
      replace: '.length <= ROWS',
      tests: ['test/funding/reconcile-pages'],
      only: 'all of a page of 500',
    },
    {
      name: 'what is held agrees with the bank',
      file: COLLECTIONS,
      in: 'compare',
      find: "row.status === 'held'",
      replace: 'row.amount < 0',
      tests: ['test/funding/reconcile-records'],
      only: 'lacks whole where it is held',
    },
    {
      name: 'a credit of another wallet agrees with the bank',
      file: COLLECTIONS,
      find: '(row.accountReference ?? row.walletId) === accountReference.toLowerCase() &&',
      replace: '',
      tests: ['test/funding/reconcile-records'],
      only: 'went to another wallet',
    },
    {
      name: 'deliveries that moved nothing stand for the credit',
      file: `${CONTEXTS}/funding/funding.store.ts`,
      in: 'findByReferences',
      find: " AND t.status IN ('credited', 'held')",
      replace: '',
      tests: ['test/funding/reconcile-records'],
      only: 'matched no wallet',
    },
    {
      name: 'a payment that is approved during a stop goes into the memory of the process',
      file: `${CONTEXTS}/settlement/settlement.service.ts`,
      in: 'open',
      find: '!this.isStopping && ',
      replace: '',
      tests: ['test/settlement/settlement-workers'],
      only: 'while its process stops',
    },
    {
      name: 'a success after a refund is told as another amount',
      file: `${CONTEXTS}/settlement/settlement-outcomes.service.ts`,
      find: "(before === undefined || before?.status === 'succeeded')",
      replace: 'before !== null',
      tests: ['test/settlement/settlement-record'],
      only: 'says another amount after a refund',
    },
    {
      name: 'the entries of a transaction are shown to the owner of another wallet',
      file: `${CONTEXTS}/ledger/ledger.store.ts`,
      in: 'ofTransaction',
      find: 'e.wallet_id = $1',
      replace: '$1::uuid IS NOT NULL',
      tests: ['test/ledger/ledger-reads'],
      only: 'of no other',
    },
    {
      name: 'the role of the service may rewrite withdrawals',
      file: 'src/platform/database/service-role.ts',
      in: 'RIGHTS',
      find: "withdrawals: 'SELECT, INSERT",
      replace: "withdrawals: 'SELECT, INSERT, UPDATE",
      tests: ['test/operations/service-role'],
      only: 'UPDATE withdrawals',
    },
    {
      name: 'a row of the list of Kora that can not be read is passed over',
      file: `${CONTEXTS}/bank/kora/kora-collections.ts`,
      find: "charge.kind === 'unreadable' || named === null",
      replace: 'named === null',
      tests: ['test/bank/kora.e2e'],
      only: 'is never passed over',
    },
  ] as const
).map((mutant) => ({ group: 'books', ...mutant }));
