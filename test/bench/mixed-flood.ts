/**
 * What readers of all kinds at once cost the payments beside them: node test/bench/mixed-flood.ts [rounds]. Twenty
 * connections download the history of a wallet as CSV, 64 ask for the list of the MCP tools, and 30 for the largest file,
 * each one after the other; an argument `csv`, `tools` or `files` behind the rounds takes one kind alone. Bounds and
 * verdict: flood.ts.
 */
import { Agent, request as send } from 'undici';
import { WalletOwner } from '../support/wallet-owner.ts';
import { measureFlood } from './flood.ts';
import type { Lab, Side } from './lab.ts';
import { seedHistory } from './seed-history.ts';

const ROWS = 20_000;
const READERS = { csv: 20, tools: 64, files: 30 };

const agent = new Agent({ connections: 20 + 64 + 30, pipelining: 1 });

interface Asked {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function prepare(lab: Lab, side: Side) {
  const owner = await WalletOwner.signUp(side.server.port);
  const [wallet] = await owner.fundedWallets(1);
  const run = (statement: string, values: unknown[]) => lab.postgres.run(statement, side.database, values);
  await seedHistory(run, wallet!.id, ROWS);
  await run('VACUUM (ANALYZE)', []);
  const asked: Record<keyof typeof READERS, Asked> = {
    csv: {
      path: `/api/wallets/${wallet!.id}/transactions.csv`,
      headers: { authorization: `Bearer ${owner.token}` },
    },
    tools: {
      path: '/mcp',
      method: 'POST',
      headers: {
        authorization: `Bearer ${wallet!.key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    },
    files: { path: '/docs/swagger-ui-bundle.js' },
  };
  const read = async ({ path, method = 'GET', ...rest }: Asked): Promise<void> => {
    const url = `http://127.0.0.1:${side.server.port}${path}`;
    const { statusCode, body } = await send(url, { dispatcher: agent, method, ...rest });
    await body.dump({ limit: Infinity });
    if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
  };
  for (const each of Object.values(asked)) await read(each);

  const only = process.argv[3];
  return async (isOver: () => boolean): Promise<string> => {
    const counts: Record<string, number> = {};
    const kinds = Object.entries(READERS).filter(([kind]) => only === undefined || kind === only);
    await Promise.all(
      kinds.flatMap(([kind, readers]) =>
        Array.from({ length: readers }, async () => {
          while (!isOver()) {
            await read(asked[kind as keyof typeof READERS]);
            counts[kind] = (counts[kind] ?? 0) + 1;
          }
        }),
      ),
    );
    return Object.entries(counts)
      .map(([kind, count]) => `${count} × ${kind}`)
      .join(', ');
  };
}

await measureFlood({ database: 'mixed_flood', says: 'Readers of all kinds at once make', prepare });
await agent.close();
