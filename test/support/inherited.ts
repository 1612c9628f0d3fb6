/** A flag for the Node of a service that a test starts: else a tenth of a start is garbage collection. */
export const QUICK_START = '--min-semi-space-size=16';

/** What a process that a test starts is given of the test's own environment; the rest it is told. */
export const INHERITED = {
  PATH: process.env.PATH ?? '',
  /** Of the suite that runs. */
  get DATABASE_WIRE(): string {
    return process.env.DATABASE_WIRE ?? '';
  },
  // See global-setup.mjs.
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
};
