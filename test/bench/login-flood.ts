/**
 * What 300 logins at once cost the payments beside them: node test/bench/login-flood.ts [rounds]. Payments run on four
 * connections, first alone, then while 300 people log in with the right password; the p99 of the payments during the
 * logins is to be at most three times what it was before. Ends with a sentence, and with status 1 when it is not.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { buildService } from '../support/server-process.ts';
import { median } from './duel.ts';
import { Lab, payments, type Side } from './lab.ts';

const LOGINS = 300;
const CONNECTIONS = 4;
const SECONDS = 4;
const RATIO_MAX = 3;
const PASSWORD = 'correct horse';

const agent = new Agent({ connections: LOGINS, pipelining: 1 });

async function account(side: Side, path: string, email: string): Promise<number> {
  const { statusCode, body } = await send(`http://127.0.0.1:${side.server.port}/v1/auth/${path}`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD, accountType: 'developer' }),
  });
  await body.dump();
  return statusCode;
}

const lab = await Lab.open({ databaseUrl: undefined, profileFolder: undefined, report: console.log });
try {
  buildService();
  const side = await lab.service('login_flood');
  const groups = [{ connections: CONNECTIONS, requests: payments(await side.wallets(50)) }];
  const emails = Array.from({ length: LOGINS }, (_, i) => `person-${i}@example.com`);
  for (const email of emails) await account(side, 'signup', email);

  await lab.measure(side, groups, 2);
  const ratios: number[] = [];
  for (let round = 0; round < Number(process.argv[2] ?? 5); round += 1) {
    const idle = await lab.measure(side, groups, SECONDS);
    const measuring = lab.measure(side, groups, SECONDS, 0.2);
    await sleep(200);
    const from = performance.now();
    const statuses = await Promise.all(emails.map((email) => account(side, 'login', email)));
    const took = (performance.now() - from) / 1_000;
    const flooded = await measuring;
    const [alone, beside] = [Object.values(idle)[0]!, Object.values(flooded)[0]!];
    ratios.push(beside.p99 / alone.p99);
    const counts = Object.entries(Object.groupBy(statuses, String)).map(
      ([code, all]) => `${all?.length} × ${code}`,
    );
    console.log(
      `payments alone: p50 ${alone.p50.toFixed(2)} p99 ${alone.p99.toFixed(2)} ms; beside the logins: ` +
        `p50 ${beside.p50.toFixed(2)} p99 ${beside.p99.toFixed(2)} ms (${ratios.at(-1)?.toFixed(2)} ×); ` +
        `logins: ${counts.join(', ')} in ${took.toFixed(1)} s`,
    );
  }
  const ratio = median(ratios);
  const isGood = ratio <= RATIO_MAX;
  console.log(
    `${LOGINS} logins at once make the p99 of payments ${ratio.toFixed(2)} times as long: ` +
      (isGood ? `within ${RATIO_MAX}.` : `more than ${RATIO_MAX}.`),
  );
  process.exitCode = isGood ? 0 : 1;
} finally {
  await agent.close();
  await lab.close();
}
