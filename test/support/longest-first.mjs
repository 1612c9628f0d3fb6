/**
 * The suites that take longest, longest first: begun last, one of them would leave the other worker without work. The
 * rest goes by size, which costs no measuring and needs no cache, so that a clean checkout is as fast as a warm one. Among
 * the longest, those that keep a core busy alternate with those that wait for a bank, a receiver or the time of a lease:
 * three that wait at the same time leave a third of the machine idle.
 */
const LONGEST = [
  'crash',
  'model',
  'start',
  'embedded-postgres',
  'mcp',
  'settlement-random',
  'quote-fuzz',
  'notifications-deliveries',
  'search',
  'live-updates',
  'approvals',
  'settlement-shut-out',
  'openapi',
  'settlement-kora',
  'reconcile',
  'concurrency',
  'controls',
  'mcp-conformance',
  'any-request',
  'replay',
  'sdk',
  'key-limits',
  'outage',
  'withdrawals',
  'sandbox',
  'payee-policies',
  'sdk-kill',
  'inbound-webhook',
  'notifications-kill',
  'two-factor',
  'settlement-lease',
  'account',
  'mcp-stdio',
  'history',
  'receipts',
  'jwt-secret',
  'payment-intent',
];

const rank = ({ path }) => {
  const at = LONGEST.findIndex((name) => path.includes(`/test/${name}.`));
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
