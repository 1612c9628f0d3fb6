/** Every suite makes its own data, so suites run side by side; those of one worker share its modules (docs/adr/0010). */
export default {
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/dashboard/src/**/*.spec.ts',
    '<rootDir>/sdk/src/**/*.spec.ts',
    '<rootDir>/test/**/*spec.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/test/bench/', '/test/browser/'],
  runtime: '<rootDir>/test/support/jest/runtime.mjs',
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  injectGlobals: false,
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  // For `--watch` alone, which asks Jest what a suite imports.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // More than half of the time of a suite is spent waiting, for PostgreSQL and for processes: three leave a tenth of two
  // cores idle, four a fortieth.
  maxWorkers: 4,
  // What a suite leaves in memory goes with its worker.
  workerIdleMemoryLimit: '1.5GB',
  testTimeout: 30_000,
};
