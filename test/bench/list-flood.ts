/**
 * What the longest lists that one user can have cost the payments beside them: node test/bench/list-flood.ts [rounds].
 * The user has as many wallets as are allowed, with as many and as long entries in their allowlists as are allowed, and
 * two connections that list them all, in every way there is, one list after the other. Bounds and verdict: flood.ts.
 */
import { Agent, request as send } from 'undici';
import { WalletOwner } from '../support/wallet-owner.ts';
import { measureFlood } from './flood.ts';
import type { Lab, Side } from './lab.ts';

const READERS = 2;
/** The limits of a user, and of one entry. */
const WALLETS = 1_000;
const ENTRIES_OF_A_WALLET = 20;
const ENTRY_CHARACTERS = 200;

const agent = new Agent({ connections: READERS, pipelining: 1 });

async function prepare(lab: Lab, side: Side) {
  const attacker = await WalletOwner.signUp(side.server.port);
  const { id } = await attacker.createWallet();
  // As the service would have left them: one by one they take half a minute.
  await lab.postgres.run(
    `WITH one AS (SELECT user_id FROM wallets WHERE id = $1), made AS (
       INSERT INTO wallets (id, user_id, name, spend_limit_per_tx, spend_limit_period, period_window_days, expiry,
         use_allowlist, merchant_allowlist, allowed_merchants, created_at, updated_at)
       SELECT gen_random_uuid(), one.user_id, 'Agent ' || n, 1, 1, 30, '2099-01-01', true, list, list, at, at
         FROM one, generate_series(2, $2::integer) n,
              LATERAL (SELECT array_agg(rpad(n || ' ' || e || ' ', $4::integer, 'x')) AS list
                         FROM generate_series(1, $3::integer) e) lists,
              LATERAL (SELECT date_trunc('milliseconds', now()) AS at) t
       RETURNING id)
     INSERT INTO virtual_accounts (id, wallet_id, account_number, account_name, bank_name, bank_code, provider_ref,
       created_at)
     SELECT gen_random_uuid(), id, lpad((1e9 + row_number() OVER ())::bigint::text, 10, '0'), 'Agent', 'Bank', '999',
            'ref', now() FROM made`,
    side.database,
    [id, WALLETS, ENTRIES_OF_A_WALLET, ENTRY_CHARACTERS],
  );

  const base = `http://127.0.0.1:${side.server.port}`;
  const headers = { authorization: `Bearer ${attacker.token}` };
  const read = async (path: string): Promise<number> => {
    const { statusCode, body } = await send(base + path, { dispatcher: agent, headers });
    const { byteLength } = await body.arrayBuffer();
    if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
    return byteLength;
  };
  const paths = [`/api/wallets/user/${attacker.userId}`, '/v1/stats', '/api/ledger?pageSize=100'];
  for (const path of paths)
    console.log(`one GET ${path.replace(/[0-9a-f-]{36}/, 'ID')} is ${await read(path)} bytes`);

  return async (isOver: () => boolean): Promise<string> => {
    let lists = 0;
    const reader = async (first: number): Promise<void> => {
      for (let turn = first; !isOver(); turn += 1) {
        await read(paths[turn % paths.length]!);
        lists += 1;
      }
    };
    await Promise.all(Array.from({ length: READERS }, (_, i) => reader(i)));
    return `${lists} lists`;
  };
}

await measureFlood({ database: 'list_flood', says: 'The longest lists make', prepare });
await agent.close();
