import { defineConfig } from '@playwright/test';

/** Debian's Chromium; another one can be named by CHROMIUM. Whether it is there is asked where tests are about to run. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Minutes each, where the others take seconds. */
const LONG = /\b(screens|addresses|outage|layout|large)\.spec\.ts$/;

/**
 * Features that are off. An address bar has two pages of its own in each window, drawn though nobody sees them: they took
 * 13 of the 66 s of `story.spec.ts`. The rest is what Playwright turns off itself, since the last list is the one that counts.
 */
const FEATURES_OFF = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

export default defineConfig({
  testDir: '.',
  outputDir: '../../dist/browser-tests',
  globalSetup: './service.ts',
  // Tests share nothing but the service. The longest begin first, so that none is left alone at the end.
  fullyParallel: true,
  projects: [
    { name: 'long', testMatch: LONG },
    { name: 'rest', testIgnore: LONG },
  ],
  workers: 2,
  // In CI what fails is tried once more, and named as flaky where it then passes: a bug of the day.
  retries: process.env.CI ? 1 : 0,
  timeout: 180_000,
  // A machine that is busy with something else is no failure.
  expect: { timeout: 30_000 },
  reporter: [['list'], ['json', { outputFile: '../../dist/browser-tests/results.json' }]],
  use: {
    actionTimeout: 30_000,
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Africa/Lagos',
    // Recording makes every test slower: `-- --trace on -g <name>` records the one that failed.
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        '--headless',
        `--disable-features=${FEATURES_OFF.join(',')}`,
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
