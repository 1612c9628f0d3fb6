/** What Node runs the service with; each was measured (test/bench/NOTEBOOK.md). */
export const V8_FLAGS = [
  '--max-semi-space-size=64',
  '--no-allocation-site-pretenuring',
  '--no-memory-reducer',
  '--max-valid-polymorphic-map-count=8',
];
