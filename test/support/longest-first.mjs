/**
 * The suites that take longest, longest first: begun last, one of them would leave the other worker without work. The
 * rest goes by size, which costs no measuring and needs no cache, so that a clean checkout is as fast as a warm one. Among
 * the longest, those that start processes alternate with those that wait for a bank or a receiver.
 */
const LONGEST = [
  'crash',
  'mcp-conformance',
  'model',
  'start',
  'embedded-postgres',
  'quote-fuzz',
  'search',
  'settlement-kora',
  'approvals',
  'sdk-kill',
  'settlement-random',
  'replay',
  'mcp',
  'mcp-stdio',
  'any-request',
  'notifications-deliveries',
  'live-updates',
  'outage',
  'concurrency',
  'jwt-secret',
  'settlement-shut-out',
  'notifications-kill',
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
