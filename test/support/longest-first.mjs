/**
 * These take longest, or wait most, in files that are not the largest: begun last, they would leave workers without work.
 * Besides, `retry` collects all memory of its worker again and again, which is least at the start.
 */
const LONGEST = new RegExp(
  '/(retry|mcp-stdio|start|settlement-freeze|model|crash|sdk-package|embedded-postgres|quote-fuzz|replay|settlement-random|' +
    'concurrency|live-updates|backup|traces|logs|statement-kill|rotated-secrets|settlement-shut-out|silent-connections|' +
    'clock-set-back|clocks-apart|daily-jobs-clocks|drain|standby|replica|frozen-replica|jwt-secret|welcome|long-commands|sdk-kill|notifications-kill)\\.',
);

/** The order of suites: those first, then the largest. It needs no cache, so that a clean checkout is as fast as a warm one. */
export default class LongestFirst {
  sort(tests) {
    const weight = ({ context, path }) =>
      (LONGEST.test(path) ? 1e9 : 0) + (context.hasteFS.getSize(path) ?? 0);
    return [...tests].sort((one, other) => weight(other) - weight(one));
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
