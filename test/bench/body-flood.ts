/**
 * What large bodies without a login cost the payments beside them: node test/bench/body-flood.ts [rounds]. Payments run
 * on four connections, first alone, then while two more send bodies of 62 KB, one of thousands of unknown members and
 * one of as many as are allowed; the p99 of the payments is to be at most three times what it was before. Ends with a
 * sentence, and with status 1 when it is not.
 */
import { Agent, request as send } from 'undici';
import { buildService } from '../support/server-process.ts';
import { median } from './duel.ts';
import { Lab, payments } from './lab.ts';

const CONNECTIONS = 4;
const FLOODERS = 2;
const SECONDS = 4;
const RATIO_MAX = 3;
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

/** Sends large bodies, one after the other on each connection, until told to stop; answers how many were answered. */
async function flood(port: number, isOver: () => boolean): Promise<number> {
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
  return answered;
}

const lab = await Lab.open({ databaseUrl: undefined, profileFolder: undefined, report: () => undefined });
try {
  buildService();
  const side = await lab.service('body_flood');
  const paying = { connections: CONNECTIONS, requests: payments(await side.wallets(50)) };
  await lab.measure(side, [paying], 2);
  const ratios: number[] = [];
  for (let round = 0; round < Number(process.argv[2] ?? 5); round += 1) {
    const { payment: alone } = await lab.measure(side, [paying], SECONDS);
    let isOver = false;
    const flooding = flood(side.server.port, () => isOver);
    const { payment: beside } = await lab.measure(side, [paying], SECONDS);
    isOver = true;
    const answered = await flooding;
    ratios.push(beside!.p99 / alone!.p99);
    console.log(
      `payments alone: p50 ${alone!.p50.toFixed(2)} p99 ${alone!.p99.toFixed(2)} ms; beside ` +
        `${answered} large bodies: p50 ${beside!.p50.toFixed(2)} p99 ${beside!.p99.toFixed(2)} ms ` +
        `(${ratios.at(-1)!.toFixed(2)} ×)`,
    );
  }
  const ratio = median(ratios);
  const isGood = ratio <= RATIO_MAX;
  console.log(
    `Large bodies make the p99 of payments ${ratio.toFixed(2)} times as long: ` +
      (isGood ? `within ${RATIO_MAX}.` : `more than ${RATIO_MAX}.`),
  );
  process.exitCode = isGood ? 0 : 1;
} finally {
  await agent.close();
  await lab.close();
}
