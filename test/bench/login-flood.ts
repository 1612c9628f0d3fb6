/**
 * What 300 logins at once cost the payments beside them: node test/bench/login-flood.ts [rounds]. 300 people log in with
 * the right password. Bounds and verdict: flood.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { measureFlood } from './flood.ts';
import type { Lab, Side } from './lab.ts';

const LOGINS = 300;
/** As long as the payments that count for nothing. */
const WARM_UP_MS = 1_000;
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

async function prepare(_: Lab, side: Side) {
  const emails = Array.from({ length: LOGINS }, (__, i) => `person-${i}@example.com`);
  for (const email of emails) await account(side, 'signup', email);
  return async (): Promise<string> => {
    await sleep(WARM_UP_MS);
    const from = performance.now();
    const statuses = await Promise.all(emails.map((email) => account(side, 'login', email)));
    const took = (performance.now() - from) / 1_000;
    const counts = Object.entries(Object.groupBy(statuses, String)).map(
      ([code, all]) => `${all?.length} × ${code}`,
    );
    return `logins (${counts.join(', ')} in ${took.toFixed(1)} s)`;
  };
}

await measureFlood({ database: 'login_flood', says: `${LOGINS} logins at once make`, prepare });
await agent.close();
