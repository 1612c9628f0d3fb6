/**
 * What large bodies without a login cost the payments beside them: node test/bench/body-flood.ts [rounds]. Two connections
 * send bodies of 62 KB, one of thousands of unknown members and one of as many as are allowed. Bounds and verdict:
 * flood.ts.
 */
import { Agent, request as send } from 'undici';
import { measureFlood } from './flood.ts';

const FLOODERS = 2;
const BODY_BYTES = 62_000;

function body(members: number): object {
  const value = 'x'.repeat(Math.max(1, Math.floor(BODY_BYTES / members) - 12));
  return Object.fromEntries(Array.from({ length: members }, (_, i) => [`m${i}`, value]));
}

const bodies = [5_000, 990].map((members) => JSON.stringify(body(members)));
/** In the form of a key, so that the database is asked. */
const UNKNOWN_KEY = `apw_live_${'A'.repeat(43)}`;
const PATHS = ['/v1/auth/signup', '/api/payment-intent'];
const agent = new Agent({ connections: FLOODERS, pipelining: 1 });

/** Sends large bodies, one after the other on each connection, until told to stop. */
async function flood(port: number, isOver: () => boolean): Promise<string> {
  let answered = 0;
  const sender = async (first: number): Promise<void> => {
    for (let turn = first; !isOver(); turn += 1) {
      const { statusCode, body: answer } = await send(`http://127.0.0.1:${port}${PATHS[turn % 2]}`, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json', 'x-api-key': UNKNOWN_KEY },
        body: bodies[(turn >> 1) % 2]!,
      });
      await answer.dump();
      if (statusCode < 400 || statusCode >= 500) throw new Error(`a large body was answered ${statusCode}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: FLOODERS }, (_, i) => sender(i)));
  return `${answered} large bodies`;
}

await measureFlood({
  database: 'body_flood',
  says: 'Large bodies make',
  prepare: (_, { server }) => Promise.resolve((isOver) => flood(server.port, isOver)),
});
await agent.close();
