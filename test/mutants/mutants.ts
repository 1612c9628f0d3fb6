import { CONTROLS } from './controls.ts';

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

const DATABASE = 'src/platform/database/database.ts';
const TRANSACTION = 'src/platform/database/tx.ts';
const CHECKS = 'src/contexts/payments/payments.domain.ts';
const WEBHOOKS = 'src/contexts/notifications';
const SETTLEMENTS = 'src/contexts/settlement/settlement.store.ts';

export const MUTANTS: readonly Mutant[] = [
  ...CONTROLS,
  // --- checks ----------------------------------------------------------------------------------------------
  ...(
    [
      [
        'an amount at the limit of one payment is refused',
        'amount <= spendLimitPerTx',
        'amount < spendLimitPerTx',
      ],
      [
        'an amount at the limit of the period is refused',
        'amount <= spendLimitPeriod - spent',
        'amount < spendLimitPeriod - spent',
      ],
      ['an amount that takes the whole balance is refused', 'amount <= balance', 'amount < balance'],
      ['the instant of expiry still pays', 'isBefore(now, expiry)', '!isBefore(expiry, now)'],
      ['a suspended wallet pays', "status === 'ACTIVE'", "status !== ''"],
      [
        'an allowlist blocks nobody',
        '!useAllowlist || onAllowlist',
        '!useAllowlist || !onAllowlist || onAllowlist',
      ],
    ] as const
  ).map(([name, find, replace]) => ({
    group: 'checks',
    name,
    file: CHECKS,
    find,
    replace,
    tests: ['src/contexts/payments', 'test/payment-intent'],
  })),

  // --- fate of a commit --------------------------------------------------------------------------------------
  {
    group: 'fate of a commit',
    name: 'COMMIT that is answered ROLLBACK counts as success',
    file: TRANSACTION,
    find: 'if (command === how) return;',
    replace: 'if (command) return;',
    tests: ['test/database'],
  },
  {
    group: 'fate of a commit',
    name: 'a connection lost at COMMIT is never an unknown outcome',
    file: DATABASE,
    find: 'if (progress.committing && !isRolledBack(error)) {',
    replace: 'if (progress.committing && !isRolledBack(error) && !isUnavailable(error)) {',
    tests: ['test/database'],
  },
  {
    group: 'fate of a commit',
    name: 'the wait for the standby that was canceled counts as success',
    file: DATABASE,
    find: "await tx.end('COMMIT');\n      if (client.takeStandbyWaitCanceled())",
    replace: "await tx.end('COMMIT');\n      if (client.takeStandbyWaitCanceled() && !client)",
    tests: ['test/database'],
  },
  {
    group: 'fate of a commit',
    name: 'an after-commit callback that throws fails what was committed',
    file: TRANSACTION,
    find: 'onError(error);',
    replace: 'throw error;',
    tests: ['test/database'],
  },

  // --- production as wired -----------------------------------------------------------------------------------
  {
    group: 'production as wired',
    name: 'outbound webhooks may reach private addresses',
    file: `${WEBHOOKS}/notifications.module.ts`,
    find: "NODE_ENV !== 'production';\n}",
    replace: "NODE_ENV !== 'nowhere';\n}",
    tests: ['test/webhook-endpoints'],
  },
  {
    group: 'production as wired',
    name: 'plain http is allowed',
    file: `${WEBHOOKS}/notifications.module.ts`,
    find: "const isProduction = config.NODE_ENV === 'production';",
    replace: "const isProduction = config.NODE_ENV === 'test';",
    tests: ['test/webhook-endpoints'],
  },
  {
    group: 'production as wired',
    name: 'the secret of the sessions can be read by everybody',
    file: 'src/bootstrap.ts',
    find: "{ flag: 'wx', mode: 0o600 }",
    replace: "{ flag: 'wx', mode: 0o644 }",
    tests: ['test/jwt-secret'],
  },
  {
    group: 'production as wired',
    name: 'the secret of the sessions is made anew at each start',
    file: 'src/bootstrap.ts',
    find: "return readFile(file, 'utf8');",
    replace: 'return secret;',
    tests: ['test/jwt-secret'],
  },
  {
    group: 'production as wired',
    name: 'logins are limited by e-mail alone, so that anybody locks anybody out',
    file: 'src/contexts/identity/login-limits.ts',
    find: 'const both = keyOf(network, email);',
    replace: 'const both = keyOf(email);',
    tests: ['test/auth'],
    only: 'limits of login',
  },
  {
    group: 'production as wired',
    name: 'the service works with the rights of the owner of the database',
    file: 'src/platform/database/service-role.ts',
    find: 'NOSUPERUSER',
    replace: 'SUPERUSER',
    tests: ['test/service-role'],
  },

  // --- time --------------------------------------------------------------------------------------------------
  {
    group: 'time',
    name: 'pending deliveries are deleted when they are old',
    file: `${WEBHOOKS}/deliveries/delivery-queue.store.ts`,
    find: "AND id < $1 AND status <> 'pending'",
    replace: 'AND id < $1',
    tests: ['test/webhook-endpoints'],
  },
  {
    group: 'time',
    name: 'a delivery that is sent again is deleted because it is old',
    file: `${WEBHOOKS}/deliveries/delivery-queue.store.ts`,
    find: 'ORDER BY id LIMIT $2\n              FOR UPDATE SKIP LOCKED',
    replace: 'ORDER BY id LIMIT $2',
    tests: ['test/webhook-endpoints'],
  },
  {
    group: 'time',
    name: 'deliveries take the time of payments that wait',
    file: `${WEBHOOKS}/deliveries/dispatcher.ts`,
    find: 'return this.payments.undecided > 0;',
    replace: 'return false;',
    tests: ['deliveries/dispatcher'],
  },
  {
    group: 'time',
    name: 'all open settlements are read to find those that are due',
    file: SETTLEMENTS,
    find: 'd.next_poll_at <= statement_timestamp()',
    replace: 'd.next_poll_at <= clock_timestamp()',
    tests: ['test/time-seeks'],
  },
  {
    group: 'time',
    name: 'a delivery that is being sent is claimed again at once',
    file: `${WEBHOOKS}/deliveries/delivery-queue.store.ts`,
    find: 'd.claimed_at <= now() -',
    replace: 'd.claimed_at <= now() +',
    tests: ['test/webhook-claims'],
  },
  {
    group: 'time',
    name: 'two quiet days do not reset a failing endpoint',
    file: `${WEBHOOKS}/deliveries/delivery-queue.store.ts`,
    find: 'const QUIET_MS_MAX = 2 *',
    replace: 'const QUIET_MS_MAX = 20 *',
    tests: ['test/webhook-endpoints'],
  },
  {
    group: 'time',
    name: 'the refusal of a second submission is believed after ten seconds',
    file: 'src/contexts/settlement/settlement.domain.ts',
    find: 'const REFUSAL_GRACE_MS = 10 * 60_000;',
    replace: 'const REFUSAL_GRACE_MS = 10_000;',
    tests: ['src/contexts/settlement', 'test/settlement.e2e', 'test/settlement-kora'],
  },

  // --- operator ----------------------------------------------------------------------------------------------
  {
    group: 'operator',
    name: 'nobody is told of a case',
    file: 'src/contexts/operations/operations.service.ts',
    find: "for (const each of cases) this.log.warn({ ...each }, 'a case for the operator');",
    replace: 'void cases;',
    tests: ['test/cases'],
  },
  {
    group: 'operator',
    name: 'jobs of a dead process stay locked at start',
    file: 'src/platform/jobs/jobs.ts',
    find: 'force_unlock_workers(array_agg(DISTINCT locked_by))',
    replace: 'force_unlock_workers(ARRAY[]::text[])',
    tests: ['test/cases', 'test/events', 'src/platform/jobs'],
  },
  {
    group: 'operator',
    name: 'reconciliation does not compare the amount',
    file: 'src/contexts/funding/funding.reconcile.ts',
    find: 'row.amount === amount &&',
    replace: 'row.amount > 0 &&',
    tests: ['test/reconcile'],
  },

  // --- small -------------------------------------------------------------------------------------------------
  {
    group: 'small',
    name: 'the dashboard shows a failed check as passed',
    file: 'dashboard/src/checks.ts',
    find: "event.type === 'check.failed' ? 'failed' : 'passed'",
    replace: "event.type === 'check.lost' ? 'failed' : 'passed'",
    tests: ['dashboard/src/checks'],
  },
  {
    group: 'small',
    name: 'tests of an endpoint are not limited',
    file: `${WEBHOOKS}/deliveries/deliveries.service.ts`,
    find: 'if (sent.toEndpoint >= TESTS_PER_MINUTE_MAX) {',
    replace: 'if (sent.toEndpoint > 1_000) {',
    tests: ['test/webhook-endpoints'],
  },
  {
    group: 'small',
    name: 'an unknown e-mail is answered without hashing',
    file: 'src/contexts/identity/passwords.ts',
    find: 'const isRight = await this.hashing.run(() => verify(stored ?? DUMMY_HASH, password));',
    replace:
      'const isRight = stored !== undefined && (await this.hashing.run(() => verify(stored, password)));',
    tests: ['src/contexts/identity'],
  },
  {
    group: 'outcome',
    name: 'a COMMIT behind a statement that failed is never answered',
    file: 'src/platform/database/packet.ts',
    find: '    this.failBehind(this.at, error, wire);',
    replace: '',
    tests: ['test/packet'],
  },
  {
    group: 'outcome',
    name: 'a connection lost at COMMIT counts as a COMMIT that was not reached',
    file: 'src/platform/database/packet.ts',
    find: 'if (!(error instanceof pg.DatabaseError)) {',
    replace: 'if (!(error instanceof Error)) {',
    tests: ['test/database.e2e'],
  },
  {
    group: 'outcome',
    name: 'a connection lost in a statement that commits by itself is taken for a failure',
    file: DATABASE,
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
    group: 'overload',
    name: 'reads may hold every connection',
    file: DATABASE,
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
  {
    group: 'tenants',
    name: "another wallet's key reads a payment",
    file: 'src/contexts/payments/history/history.store.ts',
    find: 'WHERE t.id = $1 AND t.wallet_id = ANY ($2::uuid[])`',
    replace: 'WHERE t.id = $1 AND ($2::uuid[] IS NOT NULL)`',
    tests: ['test/tenants'],
    only: "another wallet's key",
  },
  {
    group: 'tenants',
    name: 'a revoked key still reads',
    file: 'src/contexts/wallet/wallet.store.ts',
    find: 'where: { hash, ...LIVE }',
    replace: 'where: { hash }',
    tests: ['test/tenants'],
    only: 'takes no key that is unknown',
  },
  {
    group: 'production as wired',
    name: 'ready without a database',
    file: 'src/platform/observability/health.controller.ts',
    find: "throw databaseUnavailable('The database does not answer.');",
    replace: 'return undefined;',
    tests: ['test/outage'],
    only: 'ready again',
  },
  {
    group: 'production as wired',
    name: 'a missing database is called busy',
    file: 'src/platform/database/unavailable.ts',
    find: "'DATABASE_UNAVAILABLE', message",
    replace: "'OVERLOADED', message",
    tests: ['test/outage'],
    only: 'ready again',
  },
  {
    group: 'production as wired',
    name: 'a batch logs the id of the request that started it',
    file: 'src/platform/batching/group-commit.ts',
    find: 'void withoutRequestId(() => this.drain())',
    replace: 'void this.drain()',
    tests: ['src/platform/batching'],
  },
  {
    group: 'production as wired',
    name: 'a recurring task logs the id of the request that triggered it',
    file: 'src/platform/jobs/recurring-task.ts',
    find: 'withoutRequestId(this.work)',
    replace: 'this.work()',
    tests: ['src/platform/jobs'],
  },
  {
    group: 'production as wired',
    name: 'every request of an outage leaves a stack',
    file: 'src/platform/observability/limited-log.ts',
    find: 'at - last.at < QUIET_MS',
    replace: 'false',
    tests: ['test/outage'],
    only: 'fails every request',
  },
  {
    group: 'small',
    name: 'the newest attempts over all wallets have no limit',
    file: 'src/contexts/payments/history/search.controller.ts',
    find: "Math.min(positiveInteger(query, 'limit', LIMIT_DEFAULT), PAGE_SIZE_MAX)",
    replace: "positiveInteger(query, 'limit', LIMIT_DEFAULT)",
    tests: ['test/history'],
    only: 'with limit',
  },
  {
    group: 'small',
    name: 'the compact list has no limit',
    file: 'src/contexts/payments/history/history.controller.ts',
    find: "Math.min(positiveInteger(query, 'limit', COMPACT_LIMIT_DEFAULT), PAGE_SIZE_MAX)",
    replace: "positiveInteger(query, 'limit', COMPACT_LIMIT_DEFAULT)",
    tests: ['test/history'],
    only: 'with limit',
  },
  {
    group: 'small',
    name: 'a formula in full width is written as it is',
    file: 'src/platform/http/csv.ts',
    find: '\\uff0b\\uff0d\\uff1d\\uff20',
    replace: '',
    tests: ['src/platform/http/csv'],
  },
  {
    group: 'time',
    name: 'a payment at midnight counts for the day before',
    file: 'src/contexts/payments/history/history.store.ts',
    find: 't.created_at < e.at',
    replace: 't.created_at <= e.at',
    tests: ['test/spend-by-day'],
  },

  // --- settlement --------------------------------------------------------------------------------------------
  {
    group: 'settlement',
    name: 'two workers take the same payout',
    file: SETTLEMENTS,
    find: 'ORDER BY d.next_poll_at LIMIT $1 FOR UPDATE SKIP LOCKED',
    replace: 'ORDER BY d.next_poll_at LIMIT $1',
    tests: ['test/settlement-lease'],
  },
  {
    group: 'settlement',
    name: 'a payout that is taken has no lease',
    file: SETTLEMENTS,
    find: "next_poll_at = clock_timestamp() + $2 * interval '1 second'\n         FROM (",
    replace: "next_poll_at = clock_timestamp() + 0 * $2 * interval '1 second'\n         FROM (",
    tests: ['test/settlement-lease'],
    only: 'for as long as its lease lasts',
  },
  {
    group: 'settlement',
    name: 'a payout that was lost is handed over before the bank is asked',
    file: SETTLEMENTS,
    find: "d.status = 'pending' AS is_new",
    replace: 'true AS is_new',
    tests: ['test/settlement-lease'],
  },
  {
    group: 'settlement',
    name: 'a settlement of which the start is stored shows it twice',
    file: 'src/contexts/settlement/settlement.domain.ts',
    find: "if (stored[0]?.type === 'settlement.started') return stored;",
    replace: '',
    tests: ['test/settlement-record'],
  },
  {
    group: 'settlement',
    name: 'a settlement that another lane ended is ended again',
    file: 'src/contexts/settlement/settlement-ends.store.ts',
    find: ' AND ${OPEN} RETURNING reference',
    replace: ' RETURNING reference',
    tests: ['test/settlement-record'],
  },
  {
    group: 'settlement',
    name: 'a success after a refund is not noticed',
    file: 'src/contexts/settlement/settlement-ends.store.ts',
    find: 'if (left.length === 0) return new Map();',
    replace: 'return new Map();',
    tests: ['test/settlement-record'],
  },
  {
    group: 'settlement',
    name: 'the sandbox does not answer for a payout that it is handed twice',
    file: 'src/contexts/bank/sandbox/sandbox.store.ts',
    find: "if (!violates(error, 'sandbox_payouts_pkey')) throw error;",
    replace: 'throw error;',
    tests: ['test/sandbox'],
    only: 'is kept once',
  },
  {
    group: 'settlement',
    name: 'a process that stops keeps what it did not submit',
    file: 'src/contexts/settlement/settlement.service.ts',
    find: 'await this.store.release(unsent.map(({ reference }) => reference));',
    replace: '',
    tests: ['test/settlement-lease'],
  },

  // --- money and meaning -------------------------------------------------------------------------------------
  {
    group: 'money and meaning',
    name: 'wallets are locked in the order in which their requests come',
    file: 'src/contexts/wallet/lock-statements.ts',
    find: 'ORDER BY found.wallet_id) k',
    replace: ') k',
    tests: ['test/concurrency'],
    only: 'in one order',
  },
  {
    group: 'money and meaning',
    name: 'of several spellings of a merchant the last is kept',
    file: 'src/contexts/wallet/wallet-spending.store.ts',
    find: 'if (this.knownMerchants.has(key) || first.has(key)) continue;',
    replace: 'if (this.knownMerchants.has(key)) continue;',
    tests: ['test/wallet-totals'],
  },
  {
    group: 'money and meaning',
    name: 'a wallet that has paid more than 2^63 kobo is stuck',
    file: 'src/contexts/wallet/spending-statements.ts',
    find: "spentTotal: 'numeric',",
    replace: "spentTotal: 'bigint',",
    tests: ['test/wallet-totals'],
  },
];
