import { createHash } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { relative, sep } from 'node:path';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const { console: realConsole } = globalThis;
const { exit } = process;

// A worker that has nothing left to do ends: Jest waits for half a second, which taking down its heap alone can last.
// What a suite left open still keeps it from getting here.
if (process.send) process.once('beforeExit', () => exit());

/** Suites that money passes through: half of them run on plain queries, the other half on packets, day by day in turn. */
const MONEY = /^test\/(database|payments|wallet|settlement|funding)\//;
const DAY_MS = 24 * 60 * 60_000;

function wireOf(suite) {
  if (process.env.DATABASE_WIRE || !MONEY.test(suite)) return process.env.DATABASE_WIRE ?? '';
  const number = createHash('sha256').update(suite).digest()[0] + Math.floor(Date.now() / DAY_MS);
  return number % 2 === 0 ? 'packets' : 'plain';
}

/**
 * Suites run in the worker process as it is, one after the other. Whatever a suite may have changed of it is put back
 * when the suite is done: mocks, timers, the environment, the folder.
 */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #folder = process.cwd();
  #variables = { ...process.env };

  constructor({ projectConfig }, { testPath }) {
    const suite = relative(projectConfig.rootDir, testPath).replaceAll(sep, '/');
    process.env.DATABASE_WIRE = wireOf(suite);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    process.chdir(this.#folder);
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
    // Jest replaces both for each suite.
    process.exit = exit;
    globalThis.console = realConsole;
    // At the end of the process it could take longer than Jest waits for that.
    flushCompileCache();
  }

  exportConditions() {
    return [];
  }

  getVmContext() {
    return null;
  }
}
