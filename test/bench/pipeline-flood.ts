/**
 * What clients that ask for much at once and read nothing cost the payments beside them: node
 * test/bench/pipeline-flood.ts [rounds]. Twenty-two connections send 1,000 requests for the largest file in one go and read
 * nothing, and again every second on new connections. Twenty-two more send one request, and read nothing either. Memory and open
 * files of the service are bounded too. Bounds and verdict: flood.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { measureFlood } from './flood.ts';
import { request } from './load.ts';

const CONNECTIONS = 22;
const REQUESTS = 1_000;
const AGAIN_MS = 1_000;
/** What the service may take in addition, in MB; and how many files and connections it may have open. */
const MEGABYTES_MAX = 300;
const HANDLES_MAX = 500;

const one = request('GET', '/docs/swagger-ui-bundle.js', {});
let before = 0;
let megabytes = 0;
let handles = 0;

const megabytesOf = (pid: number): number =>
  Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Sends `text` on a connection that reads nothing, and every `ms` on another; answers on how many. */
async function deaf(port: number, text: string, ms: number, isOver: () => boolean): Promise<number> {
  const sockets: Socket[] = [];
  while (!isOver()) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.pause().on('error', () => undefined);
    socket.write(text);
    for (let waited = 0; !isOver() && waited < ms; waited += 50) await sleep(50);
  }
  for (const socket of sockets) socket.destroy();
  return sockets.length;
}

await measureFlood({
  database: 'pipeline_flood',
  says: `${2 * CONNECTIONS} clients that read nothing make`,
  prepare: (_, { server: { port, pid } }) => {
    before = megabytesOf(pid);
    return Promise.resolve(async (isOver) => {
      const watching = (async () => {
        while (!isOver()) {
          megabytes = Math.max(megabytes, megabytesOf(pid) - before);
          handles = Math.max(handles, readdirSync(`/proc/${pid}/fd`).length);
          await sleep(100);
        }
      })();
      const opened = await Promise.all(
        Array.from({ length: CONNECTIONS }, async (_, i) => {
          const alone = deaf(port, one, Infinity, isOver);
          await sleep((i * AGAIN_MS) / CONNECTIONS);
          return (await deaf(port, one.repeat(REQUESTS), AGAIN_MS, isOver)) + (await alone);
        }),
      );
      await watching;
      return `${opened.reduce((sum, each) => sum + each)} deaf connections (${megabytes.toFixed(0)} MB more, ${handles} handles)`;
    });
  },
  complaint: () =>
    megabytes > MEGABYTES_MAX || handles > HANDLES_MAX
      ? `The service took ${megabytes.toFixed(0)} MB more and had ${handles} handles: more than ${MEGABYTES_MAX} MB or ${HANDLES_MAX}.`
      : undefined,
});
