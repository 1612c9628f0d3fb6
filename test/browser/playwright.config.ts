import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/**
 * Debian's Chromium without a window, else the one with: that draws its address bar too, though nobody sees it. Another
 * can be named by CHROMIUM. Whether it is there is asked where tests are about to run.
 */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
const executablePath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path)) ?? BROWSERS[0];

/** Minutes each, where the others take seconds. */
const LONG = /\b(screens|addresses|outage|layout|large)\.spec\.ts$/;

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
