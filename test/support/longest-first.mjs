/**
 * The suites that take longest, longest first: begun last, one of them would leave the other worker without work. The
 * rest goes by size, which costs no measuring and needs no cache, so that a clean checkout is as fast as a warm one. Those
 * that mostly wait, for a bank, a receiver or the time of a lease, are begun one after the other between those that keep a
 * core busy: two that wait at the same time leave a third of the machine idle.
 */
const LONGEST = [
  'crash',
  'settlement-freeze',
  'model',
  'start',
  'settlement-random',
  'outage',
  'mcp-stdio',
  'silent-connections',
  'notifications-deliveries',
  'sdk-package',
  'mcp',
  'clock-set-back',
  'embedded-postgres',
  'live-updates',
  'quote-fuzz',
  'search',
  'settlement-shut-out',
  'notifications-kill',
  'reconcile',
  'settlement-kora',
  'mcp-conformance',
  'sdk',
  'settlement-lease',
  'replay',
  'sdk-kill',
  'boundaries',
  'receipts',
  'controls',
  'inbound-webhook',
  'openapi',
  'concurrency',
  'webhook-endpoints',
  'settlement',
  'approvals-payees',
  'collections',
  'approvals-decisions',
  'approvals-requests',
  'approvals-limits',
  'errors',
  'withdrawals',
  'jwt-secret',
  'account',
  'kora',
  'sandbox',
  'any-request',
  'history',
  'webhook-lists',
  'duplicate-guard',
  'database',
  'payment-intent',
  'two-factor',
  'key-limits',
];

const rank = ({ path }) => {
  const at = LONGEST.findIndex((name) => path.includes(`/${name}.`));
  return at < 0 ? LONGEST.length : at;
};
const sizeOf = ({ context, path }) => context.hasteFS.getSize(path) ?? 0;

/** What Jest asks for the order of suites. */
export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((one, other) => rank(one) - rank(other) || sizeOf(other) - sizeOf(one));
  }

  /** The suites that failed last time are not kept: `jest --onlyFailures` runs all. */
  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}

  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_, i) => i % shardCount === shardIndex - 1);
  }
}
