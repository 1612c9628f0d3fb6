import type { KnipConfig } from 'knip';

/**
 * What `npm run knip` holds against the code: files, exports and dependencies that nothing uses. Whatever is started
 * by a name that is put together at run time is an entry here.
 */
const config: KnipConfig = {
  entry: [
    // scripts/run.mjs, which most npm scripts go through, starts these.
    'src/main.ts',
    'scripts/build-dashboard.mjs',
    'scripts/tracing.mjs',
    'scripts/{archive,backup,db-psql,db-reset,demo,dev,migrate,migration-create,operator,receipt-keys,reconcile,replay,reseal,restore,steps}.ts',
    'test/{bench/bench,crash/main,failover/main,fake-bank/main,mutants/main,quote-fuzz/main,settlement-run/main,upgrade/main}.ts',
    'ops/cluster/main.ts',
    // `npm run build` runs what is compiled of it.
    'scripts/api-types.ts',
    // A thread starts with it.
    'src/contexts/statements/statement-pdf.worker.ts',
    // For whoever is shown a receipt or a statement.
    'scripts/build-sdk.mjs',
    'scripts/verify-{receipt,statement}.mjs',
    // The benchmark starts these as processes; the floods, the delivery benchmark and growth are run by hand.
    'test/bench/{baseline,*-flood}.ts',
    'test/bench/{collect-garbage,growth,paint,webhooks}.mjs',
    // A test starts the service with it.
    'test/support/shifted-clock.mjs',
    'jest.unit.config.mjs',
    // scripts/dev.ts and scripts/build-dashboard.mjs start Vite with it; index.html names the other.
    'dashboard/vite.config.mjs',
    'dashboard/src/main.ts',
    // The package that agents install.
    'sdk/src/{client,webhooks}.ts',
  ],
  project: [
    'src/**/*.ts',
    'migrations/**/*.ts',
    'scripts/**/*.{ts,mjs}',
    'test/**/*.{ts,mjs}',
    'ops/**/*.ts',
    'dashboard/**/*.{ts,tsx,mjs,css}',
    'sdk/src/**/*.ts',
    '*.mjs',
  ],
  // Written by openapi-typescript.
  ignoreIssues: {
    'dashboard/src/api/schema.d.ts': ['types', 'exports'],
    'sdk/src/schema.ts': ['types', 'exports'],
  },
  // The files of the first are served as they are: openapi.ts looks for their folder. Tests start the others' programs.
  ignoreDependencies: [
    'swagger-ui-dist',
    '@expo-google-fonts/noto-sans',
    '@modelcontextprotocol/conformance',
    'squawk-cli',
  ],
  // The operating system's; psql comes with PostgreSQL's client.
  ignoreBinaries: ['promtool', 'psql', 'useradd'],
  compilers: {
    /** A style's imports and files, as imports. */
    css: (text: string) =>
      [...text.matchAll(/(?:@import\s+|url\()['"]([^'"]+)['"]/g)]
        .map(([, path]) => `import ${JSON.stringify(path)};`)
        .join('\n'),
  },
};

export default config;
