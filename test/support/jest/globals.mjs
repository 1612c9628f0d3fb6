/**
 * What `@jest/globals` means to a suite. Each suite is given its own; the bindings are live, so that a helper which was
 * loaded for an earlier suite finds those of the suite that runs.
 */
export let jest, expect, describe, it, test, beforeAll, beforeEach, afterAll, afterEach;

/** Called before a suite is loaded. */
export function setGlobals(globals) {
  ({ jest, expect, describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = globals);
}
