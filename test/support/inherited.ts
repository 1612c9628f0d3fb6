/** What a process that a test starts is given of the test's own environment; the rest it is told. */
export const INHERITED = {
  PATH: process.env.PATH ?? '',
  // See global-setup.mjs.
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
};
