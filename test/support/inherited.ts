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
