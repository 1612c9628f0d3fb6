/** These take longest, in files that are not the largest: begun last, one would leave the other workers without work. */
const LONGEST =
  /\/(mcp-stdio|start|settlement-freeze|model|crash|sdk-package|embedded-postgres|quote-fuzz|replay|settlement-random|concurrency|live-updates)\./;

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
