import type { Mutant } from './mutants.ts';

const PAYMENTS = 'src/contexts/payments';
const WALLET = 'src/contexts/wallet';

/** Faults in what owners control: one for each rule that money depends on. */
export const CONTROLS: readonly Mutant[] = (
  [
    {
      name: 'the period of a key is not enforced',
      file: `${PAYMENTS}/key-limits.domain.ts`,
      find: 'passes: amount <= limit - spentInPeriod,',
      replace: 'passes: amount <= limit,',
      tests: ['test/key-limits'],
      only: 'counts its period in days',
    },
    {
      name: 'a refund does not give the totalCap of the key back',
      file: `${WALLET}/keys/limited-keys.store.ts`,
      find: 'SET refunded_total = u.refunded_total + g.amount,',
      replace: 'SET refunded_total = u.refunded_total + 0 * g.amount,',
      tests: ['test/key-limits'],
      only: 'gives the limits back what it took',
    },
    {
      name: 'the duplicate guard does not look at the account',
      file: `${PAYMENTS}/recent-purchases.store.ts`,
      find: 'r.recipient_account_no = q.account',
      replace: "r.recipient_account_no <> ''",
      tests: ['test/duplicate-guard'],
      only: 'lets another amount, another account',
    },
    {
      name: 'a new payee does not cool off',
      file: `${PAYMENTS}/cooling-off.domain.ts`,
      find: 'newPayeeHours, newPayeeCap, now)',
      replace: 'undefined, newPayeeCap, now)',
      tests: ['test/cooling-off'],
      only: 'is paid its cap in the hours',
    },
    {
      name: 'the strict policy takes every payee for a registered one',
      file: `${PAYMENTS}/payees.domain.ts`,
      find: "policy !== 'strict' || isRegistered,",
      replace: "policy !== 'strict' || isRegistered !== undefined,",
      tests: ['test/payee-policies'],
      only: 'strict pays registered payees alone',
    },
    {
      name: 'what is held can be spent',
      file: `${PAYMENTS}/payments.domain.ts`,
      find: 'amount <= balance - held,',
      replace: 'amount <= balance,',
      tests: ['test/approvals.e2e'],
      only: 'holds its amount',
    },
    {
      name: 'a hold that lapses or is denied is released twice',
      file: `${WALLET}/wallet-holds.store.ts`,
      find: 'SELECT id, sum(amount)::bigint AS amount,',
      replace: 'SELECT id, sum(CASE WHEN is_spent THEN amount ELSE 2 * amount END)::bigint AS amount,',
      tests: ['test/approvals.e2e'],
      only: 'come to one outcome a hundred times|lapses by itself',
    },
    {
      name: 'the reconciliation compares holds of one moment with payments of another',
      file: `${PAYMENTS}/approvals/holds.reconcile.ts`,
      find: "tx.write('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');",
      replace: '',
      tests: ['test/reconcile-holds'],
      only: 'in the middle of it',
    },
    {
      name: 'a revoked key still pays',
      file: `${WALLET}/lock-statements.ts`,
      find: 'k.revoked_at IS NULL AND ',
      replace: '',
      tests: ['test/keys.e2e'],
      only: 'pays nothing and reads nothing',
    },
    {
      name: 'a withdrawal takes what is held',
      file: `${WALLET}/withdrawals/withdrawals.domain.ts`,
      find: 'return kobo(balance - held);',
      replace: 'return kobo(balance - 0 * held);',
      tests: ['test/approvals.e2e'],
      only: 'holds its amount',
    },
    {
      name: 'an editor overwrites what another one changed meanwhile',
      file: `${WALLET}/controls/controls.service.ts`,
      find: 'version !== before.version) throw',
      replace: 'version === 0) throw',
      tests: ['test/controls'],
      only: 'keeps the second of two editors',
    },
  ] as const
).map((mutant) => ({ group: 'controls', ...mutant }));
