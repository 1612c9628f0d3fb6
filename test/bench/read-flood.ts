/**
 * What the lists of one API key can cost the lists of others: node test/bench/read-flood.ts [rounds].
 * The key's wallet has 100,000 attempts, and 120 connections that list them, narrowed in every way there is, one list after
 * the other; what is answered 429 is asked for again at once. Others list their attempts on four connections, first
 * alone, then beside the flood: the median of the p99s is to be at most three times what it was before, and none of
 * theirs may fail. Before each round the statistics of PostgreSQL are made anew, made of a hundredth, or taken away. Ends
 * with a sentence, and with status 1 when it is not so.
 */
import { Agent, request as send } from 'undici';
import { buildService } from '../support/server-process.ts';
import { WalletOwner } from '../support/wallet-owner.ts';
import { median } from './duel.ts';
import { Lab } from './lab.ts';
import { seedHistory } from './seed-history.ts';

const ATTEMPTS = 100_000;
const ATTACKERS = 120;
const OTHERS = 4;
const SECONDS = 4;
const RATIO_MAX = 3;
const QUERIES = ['?decision=approved&pageSize=100', '?decision=approved', '?decision=blocked', ''];
const STATISTICS = [
  'ANALYZE transactions',
  'SET default_statistics_target = 1; ANALYZE transactions',
  `DELETE FROM pg_statistic WHERE starelid = 'transactions'::regclass`,
];

const agent = new Agent({ connections: ATTACKERS + OTHERS, pipelining: 1 });
const lab = await Lab.open({ databaseUrl: undefined, profileFolder: undefined, report: () => undefined });
try {
  buildService();
  const side = await lab.service('read_flood');
  const attacker = await WalletOwner.signUp(side.server.port);
  const [flooded] = await attacker.fundedWallets(1);
  const others = await Promise.all(
    Array.from({ length: OTHERS }, async () => {
      const [wallet] = await (await WalletOwner.signUp(side.server.port)).fundedWallets(1);
      return wallet!;
    }),
  );
  const run = (statement: string, values: unknown[] = []) =>
    lab.postgres.run(statement, side.database, values);
  for (const { id } of others) await seedHistory(run, id, 1_000);
  await seedHistory(run, flooded!.id, ATTEMPTS);

  const list = async (key: string, query: string): Promise<number> => {
    const { statusCode, body } = await send(
      `http://127.0.0.1:${side.server.port}/api/payment-intent${query}`,
      {
        dispatcher: agent,
        headers: { 'x-api-key': key },
      },
    );
    await body.dump();
    return statusCode;
  };
  /** The p99 of the others' lists, in milliseconds. */
  const p99 = async (): Promise<number> => {
    const until = performance.now() + SECONDS * 1_000;
    const took: number[] = [];
    const reading = others.map(async ({ key }) => {
      for (let turn = 0; performance.now() < until; turn += 1) {
        const from = performance.now();
        const status = await list(key, QUERIES[turn % QUERIES.length]!);
        if (status !== 200) throw new Error(`a list of another user was answered ${status}`);
        took.push(performance.now() - from);
      }
    });
    await Promise.all(reading);
    return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)]!;
  };

  await p99();
  const ratios: number[] = [];
  for (let round = 0; round < Number(process.argv[2] ?? 6); round += 1) {
    await run(STATISTICS[round % STATISTICS.length]!);
    const alone = await p99();
    let isOver = false;
    const answers = new Map<number, number>();
    const flood = Array.from({ length: ATTACKERS }, async (_, i) => {
      for (let turn = i; !isOver; turn += 1) {
        const status = await list(flooded!.key, QUERIES[turn % QUERIES.length]!);
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    });
    const beside = await p99();
    isOver = true;
    await Promise.all(flood);
    ratios.push(beside / alone);
    const told = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ');
    console.log(
      `lists alone: p99 ${alone.toFixed(1)} ms; beside ${told}: p99 ${beside.toFixed(1)} ms (${(beside / alone).toFixed(2)} ×)`,
    );
  }
  const ratio = median(ratios);
  const isGood = ratio <= RATIO_MAX;
  console.log(
    `The lists of one key make the p99 of others' lists ${ratio.toFixed(2)} times as long: ` +
      (isGood ? `within ${RATIO_MAX}.` : `more than ${RATIO_MAX}.`),
  );
  process.exitCode = isGood ? 0 : 1;
} finally {
  await agent.close();
  await lab.close();
}
