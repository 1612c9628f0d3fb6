import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeAtExit } from '../support/end-on-signals.ts';
import { QUICK_START } from '../support/inherited.ts';
import { freePort } from '../support/ports.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { ServerProcess, serviceOptions } from '../support/server-process.ts';
import { type FundedWallet, WalletOwner } from '../support/wallet-owner.ts';
import { checkBooks, type Fault } from './checks.ts';
import { Clients, randomFrom } from './clients.ts';
import { Owners } from './owners.ts';

const DATABASE = 'crash';
/**
 * What a process wrote survives its kill -9 in the cache of the operating system, also without fsync. So a commit
 * stays in memory for 20 ms here before it is written at all: an answer that runs ahead of it is found out.
 */
const SLOW_DISK = { commit_delay: 20_000, commit_siblings: 0 };
const REPLAYERS = 32;
/** Wallets whose owners use every control. */
const CONTROLLED = 4;
/** Jobs of a killed replica are given to another after a minute, settlements after two. */
const DRAIN_MS_MAX = 200_000;

export interface CrashOptions {
  readonly rounds: number;
  /** Decides who is killed and when, and what the clients ask for; how it interleaves stays up to the machine. */
  readonly seed: number;
  readonly payers: number;
  /** How many wallets are new in each round. */
  readonly wallets: number;
  /** How long a round goes on before its kill, at the least and at the most. */
  readonly roundMs: readonly [min: number, max: number];
  /** Moves the locks of dead replicas into the past at the end, in place of waiting until they are that old. */
  readonly fastForward: boolean;
  /** The program of the service, unless it is that of dist/. */
  readonly main?: string | undefined;
  report(line: string): void;
}

export interface CrashReport {
  readonly facts: Readonly<Record<string, number>>;
  readonly faults: readonly Fault[];
}

interface World {
  readonly postgres: PostgresServer;
  readonly replicas: readonly ServerProcess[];
}

/** Who is killed, in turn. Each takes aim first, and answers with how to kill. */
const KILLS: readonly (readonly [
  name: string,
  aim: (world: World, random: () => number) => () => Promise<unknown>,
])[] = [
  ['a replica', ({ replicas }, random) => kill(replicas.slice(...(random() < 0.5 ? [0, 1] : [1, 2])))],
  ['PostgreSQL', ({ postgres }) => postgres.aim()],
  ['both replicas', ({ replicas }) => kill(replicas)],
  ['PostgreSQL and a replica', ({ postgres, replicas }) => both(postgres.aim(), kill(replicas.slice(1)))],
  ['PostgreSQL', ({ postgres }) => postgres.aim()],
  ['everything', ({ postgres, replicas }) => both(postgres.aim(), kill(replicas))],
];

function kill(replicas: readonly ServerProcess[]): () => Promise<unknown> {
  return () => Promise.all(replicas.map((replica) => replica.kill()));
}

function both(one: () => Promise<unknown>, other: () => Promise<unknown>): () => Promise<unknown> {
  return () => Promise.all([one(), other()]);
}

/**
 * Two replicas of the service on one PostgreSQL; clients that pay, and a bank that reports transfers, until they
 * are answered; and in each round somebody is killed with -9 and started again. Then the books are compared with
 * what the clients were told.
 */
export async function crashTest(options: CrashOptions): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-crash-'));
  const keep = removeAtExit(folder);
  const postgres = await PostgresServer.start(SLOW_DISK);
  const replicas: ServerProcess[] = [];
  let isClean = false;
  try {
    const databaseUrl = await postgres.createDatabase(DATABASE);
    for (const name of ['one', 'two']) {
      const logFile = join(folder, `${name}.log`);
      const nodeOptions = [QUICK_START];
      const shipped = serviceOptions({ port: await freePort(), databaseUrl, logFile, nodeOptions });
      const replica = new ServerProcess({ ...shipped, script: options.main ?? shipped.script });
      replicas.push(replica);
      await replica.start();
    }
    const result = await run({ postgres, replicas }, options);
    isClean = result.faults.every(({ count }) => count === 0);
    return result;
  } finally {
    for (const replica of replicas) await replica.kill();
    await postgres.remove();
    keep();
    if (isClean) rmSync(folder, { recursive: true, force: true });
    else options.report(`the logs of the replicas are kept in ${folder}`);
  }
}

async function run(
  world: World,
  { rounds, seed, payers, wallets: newOnes, roundMs: [min, max], fastForward, report }: CrashOptions,
): Promise<CrashReport> {
  const { postgres, replicas } = world;
  const random = randomFrom(seed);
  const ports = replicas.map(({ port }) => port);
  const clients = new Clients(ports, random);
  const owner = await WalletOwner.signUp(ports[0] as number);
  const owners = new Owners(clients, random, owner);
  let ended = 0;
  let longestSilence = 0;
  let wallets: FundedWallet[] = [];
  for (let round = 1; round <= rounds; round++) {
    // New wallets in every round, so that caps and balances run out around each kill; a few old ones stay.
    wallets = [...wallets.slice(0, 4), ...(await newWallets(newOnes, owner, clients))].reverse();
    clients.spendFrom(wallets);
    if (round === 1) {
      clients.start(payers, 3);
      await owners.start(CONTROLLED);
    }
    await sleep(min + random() * (max - min));
    ended += replicas.filter(({ isRunning }) => !isRunning).length;
    const [name, aim] = KILLS[(round - 1) % KILLS.length] as (typeof KILLS)[number];
    const shoot = aim(world, random);
    // Right when somebody was told that the money has moved: what is not on disk by then is lost.
    await clients.nextPaid();
    await shoot();
    const killedAt = Date.now();
    await sleep(random() * 600);
    if (!postgres.isRunning) await postgres.start();
    await Promise.all(replicas.filter(({ isRunning }) => !isRunning).map((replica) => replica.start()));
    const upAgain = Date.now();
    while (clients.lastAnswerAt < upAgain && Date.now() < upAgain + 30_000) await sleep(10);
    const silence = Date.now() - upAgain;
    longestSilence = Math.max(longestSilence, silence);
    report(
      `round ${round} of ${rounds}: killed ${name}; up after ${upAgain - killedAt} ms, answering ${silence} ms later; ` +
        `${clients.payments.length} payments, ${clients.repeats} sent again`,
    );
  }
  await sleep(500);
  await Promise.all([clients.finish(), owners.finish()]);

  report(`asking for all ${clients.payments.length} payments again…`);
  const queue = clients.payments.values();
  const firstAnswers = new Map(clients.payments.map((payment) => [payment, payment.answers.length]));
  await Promise.all(
    Array.from({ length: REPLAYERS }, async () => {
      for (const payment of queue) await clients.pay(payment);
    }),
  );
  report('waiting for the settlements…');
  const left = await drained(postgres, fastForward);
  report('reading the books…');
  const faults: Fault[] = [
    ...(await compare(postgres, clients, firstAnswers, owners.asked)),
    ...(await owners.compare(postgres, DATABASE)),
    ...(await checkBooks(postgres, DATABASE)),
    { name: 'jobs and settlements that are left', count: left },
    { name: 'replicas that ended by themselves', count: ended },
    { name: 'answers that are none', count: clients.unexpected.length, ...first(clients.unexpected) },
  ];
  const answered = clients.payments.filter(({ answers }) => answers.length > 0);
  const facts = {
    'payments acknowledged': answered.length,
    'of them approved': answered.filter(({ answers }) => answers[0]?.status === 201).length,
    'requests sent again': clients.repeats,
    'transfers acknowledged': clients.topUps.filter(({ acknowledged }) => acknowledged > 0).length,
    ...owners.facts,
    'longest silence once all was up, ms': longestSilence,
  };
  return { facts, faults };
}

/** A third with a tight cap, a third with little money, a third with plenty of both. */
async function newWallets(count: number, owner: WalletOwner, clients: Clients): Promise<FundedWallet[]> {
  const wallets: FundedWallet[] = [];
  // One after the other: wallets of one owner wait for each other's lock, and on a slow machine for too long.
  for (let i = 0; i < count; i += 1) {
    const wallet = await owner.createWallet(
      i % 3 === 0 ? { spendLimitPeriod: 1_500, spendLimitPerTx: 150 } : {},
    );
    await clients.topUp(wallet.id, i % 3 === 1 ? 500 : 100_000_000, 2);
    wallets.push(wallet);
  }
  return wallets;
}

function first(examples: readonly string[]): { example?: string } {
  return examples[0] === undefined ? {} : { example: examples[0] };
}

/** Waits until every settlement is settled, nothing waits for a person and no job is left; answers how many are. */
async function drained(postgres: PostgresServer, fastForward: boolean): Promise<number> {
  if (fastForward) {
    await postgres.run(
      `WITH jobs AS (UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL, run_at = now()
                      WHERE locked_at < now() - interval '2 seconds')
       , lapsing AS (UPDATE transactions SET approval_expires_at = now() WHERE approval = 'pending')
       UPDATE settlements SET next_poll_at = now() WHERE status IN ('pending', 'processing')
          AND next_poll_at < now() + interval '119 seconds'`,
      DATABASE,
    );
  }
  const giveUp = Date.now() + DRAIN_MS_MAX;
  for (;;) {
    const [row] = await postgres.run<{ count: number }>(
      // Reminders of approvals wait for days; what failed is tried again later.
      `SELECT ((SELECT count(*) FROM graphile_worker._private_jobs WHERE run_at <= now() OR attempts > 0) +
               (SELECT count(*) FROM settlements WHERE status IN ('pending', 'processing')) +
               (SELECT count(*) FROM transactions WHERE approval = 'pending'))::int AS count`,
      DATABASE,
    );
    const count = row?.count ?? NaN;
    if (count === 0 || Date.now() > giveUp) return count;
    await sleep(250);
  }
}

/** Compares what the clients and the bank were told with what is in the books. */
async function compare(
  postgres: PostgresServer,
  { payments, topUps }: Clients,
  firstAnswers: ReadonlyMap<Clients['payments'][number], number>,
  askedByOwners: ReadonlySet<string>,
): Promise<Fault[]> {
  type Stored = { id: string; key: string; walletId: string; amount: string; approved: boolean };
  const stored = await postgres.run<Stored>(
    `SELECT id, idempotency_key AS key, wallet_id AS "walletId", amount::text, block_reason IS NULL AS approved
       FROM transactions`,
    DATABASE,
  );
  const byId = new Map(stored.map((row) => [row.id, row]));
  const lost: string[] = [];
  const changed: string[] = [];
  for (const { key, wallet, amount, answers } of payments) {
    for (const { status, transactionId } of answers) {
      const row = byId.get(transactionId);
      const same = row?.key === key && row.walletId === wallet.id && row.amount === String(amount);
      if (!same || row.approved !== (status === 201)) lost.push(`${key}: ${status} ${transactionId}`);
    }
    const distinct = new Set(answers.map(({ status, transactionId }) => `${status} ${transactionId}`));
    if (distinct.size > 1) changed.push(`${key}: ${[...distinct].join(', ')}`);
  }
  const replays = payments.flatMap((payment) => payment.answers.slice(firstAnswers.get(payment)));
  const sent = new Set(payments.map(({ key }) => key));
  const unasked = stored.filter(({ key }) => !sent.has(key) && !askedByOwners.has(key)).map(({ id }) => id);

  type Entry = { reference: string; walletId: string; amount: string };
  const entries = await postgres.run<Entry>(
    `SELECT reference, wallet_id AS "walletId", amount::text FROM ledger_entries WHERE type = 'topup' AND source IS NULL`,
    DATABASE,
  );
  const credited = Map.groupBy(entries, ({ reference }) => reference);
  const wrong = topUps.filter(({ reference, walletId, kobo }) => {
    const own = credited.get(reference) ?? [];
    return own.length !== 1 || own[0]?.walletId !== walletId || own[0].amount !== String(kobo);
  });
  const fault = (name: string, examples: readonly string[]): Fault => ({
    name,
    count: examples.length,
    ...first(examples),
  });
  return [
    fault('payments acknowledged and lost', lost),
    fault('payments that were answered differently when asked again', changed),
    fault(
      'repeats that are not marked as replayed',
      replays.filter(({ replayed }) => !replayed).map(({ transactionId }) => transactionId),
    ),
    fault('payments that nobody asked for', unasked),
    fault(
      'transfers not credited exactly once',
      wrong.map(({ reference }) => reference),
    ),
    fault(
      'credits that no transfer stands for',
      entries
        .filter(({ reference }) => !topUps.some((each) => each.reference === reference))
        .map((e) => e.reference),
    ),
  ];
}

/** The report as lines to print: facts, then everything that must be 0. */
export function lines({ facts, faults }: CrashReport): string[] {
  return [
    ...Object.entries(facts).map(([name, value]) => `  ${name} ${value}`),
    ...faults.map(({ name, count, example }) =>
      count === 0
        ? `  ${name} 0`
        : `! ${name} ${count}${example ? `, such as ${example.slice(0, 300)}` : ''}`,
    ),
  ];
}
