import all from './jest.config.mjs';

/** The rules alone: no database, no service, done in seconds. */
export default {
  ...all,
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/dashboard/src/**/*.spec.ts',
    '<rootDir>/sdk/src/**/*.spec.ts',
  ],
  globalSetup: undefined,
  globalTeardown: undefined,
};
