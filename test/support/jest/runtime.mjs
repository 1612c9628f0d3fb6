import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setGlobals } from './globals.mjs';

const require = createRequire(import.meta.url);
const GLOBALS = new URL('globals.mjs', import.meta.url).href;
const CIRCUS_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TRANSFORM = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};

/** Where Jest finds what maps the code that runs to its source, for stacks. Shared: a module is compiled once a worker. */
const sourceMaps = new Map();
let transformer;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    // As TypeScript resolves it: `x.js` is what `x.ts` will be when it is built.
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
      const url = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
      if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    // It keeps each runner of the process, and so each service with all that it holds.
    if (url.endsWith('/graphile-worker/dist/taskIdentifiers.js')) {
      const loaded = next(url, context);
      return { ...loaded, source: String(loaded.source).replace('new Map()', 'new WeakMap()') };
    }
    if (!transformer || !url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const path = fileURLToPath(url);
    const { code, sourceMapPath } = transformer.transform(path, TRANSFORM, readFileSync(path, 'utf8'));
    if (sourceMapPath) for (const name of [path, url]) sourceMaps.set(name, sourceMapPath);
    return { format: 'module', source: code, shortCircuit: true };
  },
});

/**
 * Loads suites as Node loads any program, in place of `jest-runtime`, which loads every module anew for every suite into
 * a context of its own. Modules are loaded once a worker; there are no module mocks.
 */
export default class NativeRuntime {
  #environment;

  constructor(_config, environment, _resolver, scriptTransformer) {
    this.#environment = environment;
    transformer = scriptTransformer;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  /** Jest's own code that keeps the state of a suite: each gets a fresh one. */
  requireInternalModule(path) {
    forgetSuite();
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    setGlobals({ ...globals, jest: this.#jest() });
  }

  #jest() {
    const { moduleMocker: mocks, fakeTimersModern: timers } = this.#environment;
    const jest = {
      fn: (implementation) => mocks.fn(implementation),
      spyOn: (...of) => mocks.spyOn(...of),
      mocked: (source) => source,
      clearAllMocks: () => (mocks.clearAllMocks(), jest),
      resetAllMocks: () => (mocks.resetAllMocks(), jest),
      restoreAllMocks: () => (mocks.restoreAllMocks(), jest),
      useFakeTimers: (options) => (timers.useFakeTimers(options), jest),
      useRealTimers: () => (timers.useRealTimers(), jest),
      setSystemTime: (now) => timers.setSystemTime(now),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    };
    return jest;
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {
    forgetSuite();
  }
}

/** jest-circus keeps the tests of a suite, with everything that they hold, and its listeners at the global object. */
function forgetSuite() {
  delete globalThis[CIRCUS_HANDLERS];
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (symbol.description === 'JEST_STATE_SYMBOL') delete globalThis[symbol];
}
