/**
 * The official conformance suite against /mcp, at both revisions. What it asks of every server is asked of ours as it is.
 * What it asks by tools of its own is asked of a server that has them beside ours: the routes, the guards, the handler
 * and the answers are the same. What is left out needs prompts, resources or questions to the client, which there are
 * none of, and is listed here with the reason.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { McpController } from '../../src/contexts/agents/mcp.controller.js';
import { walletServer } from '../../src/contexts/agents/tools/tools.js';
import type { WalletApi } from '../../src/contexts/agents/tools/wallet-api.js';
import type { ConformanceRun } from '../support/conformance-runs.js';
import { addSuiteTools } from '../support/mcp-suite-tools.js';
import { startService, type TestService } from '../support/service.js';

const SUITE = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');

/** The scenarios that are run, each with the checks in it that need a tool of the suite's own. */
const RUN: Record<string, readonly string[]> = {
  'server-stateless': [
    // They need test_missing_capability, test_streaming_elicitation and test_logging_tool.
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
  'tools-list': [],
  'dns-rebinding-protection': [],
  'http-header-validation': [],
  'server-sse-multiple-streams': [],
  'server-initialize': [],
  'server-session-lifecycle': [],
  ping: [],
  // There are no prompts and no resources.
  caching: [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
};

/** Asked of the server that has the suite's tools too. */
const WITH_SUITE_TOOLS = [
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-logging',
  'tools-call-with-progress',
];

/** What is not run, by scenario and revision, and why. */
const NOT_RUN: readonly (readonly [RegExp, why: string])[] = [
  [/^tools-call-(sampling|elicitation)@/, 'no tool asks the client for anything'],
  [
    /^json-schema-2020-12@/,
    'asks for a tool with a schema that no tool of ours has: a test of the SDK alone',
  ],
  [/^http-custom-header-server-validation@/, 'needs a tool whose arguments travel in headers'],
  [/^(resources-|sep-2164-)/, 'there are no resources'],
  [/^prompts-/, 'there are no prompts'],
  [/^completion-/, 'there is nothing to complete: no prompts, no resource templates'],
  [/^(elicitation-|input-required-result-)/, 'no tool asks the client for anything'],
  [/^logging-set-level@/, 'a stateless server keeps no level'],
  [
    /^(server-sse-polling|server-sse-multiple-streams)@2025-11-25$/,
    'they follow sessions, and there are none',
  ],
];

const isRun = (scenario: string): boolean => scenario in RUN || WITH_SUITE_TOOLS.includes(scenario);
const isLeftOut = (scenario: string, revision: string): boolean =>
  NOT_RUN.some(([names]) => names.test(`${scenario}@${revision}`));

let services: TestService[];
let doors: Server[];
let addresses: { readonly own: string; readonly withSuiteTools: string };
let folder: string;
let runs: ChildProcess;

/** A service, and a door to it that adds the key: the suite can send none of its own. */
async function open(prepare: (service: TestService) => void = () => undefined) {
  const opened = await startService();
  prepare(opened);
  await opened.app.listen(0, '127.0.0.1');
  const { port } = opened.app.getHttpServer().address() as AddressInfo;
  const { key } = await opened.createWallet();
  const door = createServer((asked, answer) => {
    const { url: path, method, headers } = asked;
    const passed = request(
      { port, path, method, headers: { ...headers, authorization: `Bearer ${key}` } },
      (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(answer);
      },
    );
    asked.pipe(passed).on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
  }).listen(0, '127.0.0.1');
  // It passes on that the service keeps a connection for 65 s, so it must not close one that is idle for 5.
  door.keepAliveTimeout = 70_000;
  await new Promise((done) => door.once('listening', done));
  return { opened, door, address: `http://localhost:${(door.address() as AddressInfo).port}/mcp` };
}

/** Has the controller serve the suite's tools beside ours, under a handler like its own. */
function addTools({ app }: TestService): void {
  const handler = createMcpHandler(({ authInfo }) =>
    addSuiteTools(walletServer((authInfo?.extra as { api: WalletApi }).api)),
  );
  Object.assign(app.get(McpController), { handler });
}

beforeAll(async () => {
  const [own, prepared] = [await open(), await open(addTools)];
  services = [own.opened, prepared.opened];
  doors = [own.door, prepared.door];
  addresses = { own: own.address, withSuiteTools: prepared.address };
  folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  runs = fork(join(import.meta.dirname, '../support/conformance-runs.ts'), { cwd: folder });
});
afterAll(async () => {
  runs.kill();
  for (const door of doors) {
    door.closeAllConnections();
    door.close();
  }
  for (const service of services) await service.close();
  await rm(folder, { recursive: true });
});

const failed = (words: readonly string[], said: string, cause?: unknown): Error =>
  new Error(`conformance ${words.join(' ')} failed:\n${said}`, { cause });

const listServerScenarios = async (): Promise<string> => {
  const words = ['list', '--server'];
  try {
    return (await promisify(execFile)(process.execPath, [SUITE, ...words], { cwd: folder })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw failed(words, `${stdout ?? ''}${stderr ?? String(error)}`, error);
  }
};

/** One run of the suite's program; answers what it printed, fails where it ended with another status than 0. */
const suite = (...words: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const onEnd = (): void => reject(failed(words, 'its process ended'));
    runs.once('exit', onEnd);
    runs.once('message', ({ code, output }: ConformanceRun) => {
      runs.off('exit', onEnd);
      if (code === 0) resolve(output);
      else reject(failed(words, output));
    });
    runs.send(words);
  });

/** Asked for once: the list is of all revisions. */
let listed: Promise<string> | undefined;

async function scenariosOf(revision: string): Promise<string[]> {
  const lines = (await (listed ??= listServerScenarios())).split('\n');
  return lines.flatMap((line) => {
    const [, name, revisions] = /^ {2}- (\S+) \[(.*)\]$/.exec(line) ?? [];
    return name && revisions?.split(',').includes(revision) ? [name] : [];
  });
}

describe.each(['2026-07-28', '2025-11-25'])('the conformance suite at %s', (revision) => {
  it('has no scenario that is neither run nor left out for a reason', async () => {
    const scenarios = await scenariosOf(revision);
    expect(scenarios.length).toBeGreaterThan(20);
    const unknown = scenarios.filter((name) => !isRun(name) && !isLeftOut(name, revision));
    expect(unknown).toEqual([]);
  });

  it('passes', async () => {
    const scenarios = (await scenariosOf(revision)).filter(
      (name) => isRun(name) && !isLeftOut(name, revision),
    );
    expect(scenarios.length).toBeGreaterThan(4);
    for (const name of scenarios) {
      const excused = join(folder, `${name}.yml`);
      // A check that is listed and passes fails the run, so the list can't grow stale.
      await writeFile(
        excused,
        JSON.stringify({ server: (RUN[name] ?? []).map((check) => `${name}:${check}`) }),
      );
      const report = await suite(
        ...[
          'server',
          '--url',
          WITH_SUITE_TOOLS.includes(name) ? addresses.withSuiteTools : addresses.own,
          '--scenario',
          name,
          '--spec-version',
          revision,
        ],
        ...['--expected-failures', excused],
      );
      expect(report).toMatch(/Passed: \d+\/\d+/);
    }
  }, 120_000);
});
