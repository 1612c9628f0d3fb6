/**
 * The program of the MCP conformance suite, run again and again in one process: to load what it imports takes longer
 * than most scenarios. The program itself is evaluated anew for each run, so that none meets the state of another.
 * It ends by `process.exit`, which ends the run here and is answered with what was printed.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What a run was answered with. */
export interface ConformanceRun {
  readonly code: number;
  readonly output: string;
}

const PROGRAM = pathToFileURL(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js'),
).href;

class Ended extends Error {}

let runs = 0;
let output = '';
let end: ((code: number) => void) | undefined;

/** The first word counts: what the program does after it, it would not have lived to do. */
function finish(code: number): void {
  end?.(code);
  end = undefined;
}

process.exit = (code) => {
  finish(Number(code ?? 0));
  throw new Ended();
};
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    if (error instanceof Ended) return;
    output += error instanceof Error ? String(error.stack) : String(error);
    finish(1);
  });
}
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (text: string | Uint8Array): boolean => {
    output += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  };
}

process.on('message', (words: string[]) => {
  output = '';
  process.argv.splice(2, Infinity, ...words);
  end = (code) => process.send?.({ code, output } satisfies ConformanceRun);
  runs += 1;
  import(`${PROGRAM}?run=${runs}`).catch((error: unknown) => {
    output += String(error);
    finish(1);
  });
});
process.once('disconnect', () => process.kill(process.pid));
