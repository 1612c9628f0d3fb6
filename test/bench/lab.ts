import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, PostgresServer } from '../support/postgres-server.ts';
import { ROOT, ServerProcess, serviceOptions } from '../support/server-process.ts';
import { type FundedWallet, WalletOwner } from '../support/wallet-owner.ts';
import { type Group, type LoadRequest, LoadGenerator, type Measured, request } from './load.ts';

const DRAIN_MS_MAX = 180_000;

/** One side of a comparison: a server, its database and its wallets. */
export interface Side {
  readonly name: string;
  readonly database: string;
  readonly server: ServerProcess;
  /** Whether it works on the jobs that its payments leave. */
  readonly settles: boolean;
  /** Makes wallets with a balance and limits that no run can reach. */
  wallets(count: number): Promise<FundedWallet[]>;
}

/** Everything the figures are measured with: one PostgreSQL, the service, the baseline and the load generator. */
export class Lab {
  readonly postgres: PostgresServer;
  readonly load = new LoadGenerator();
  readonly report: (line: string) => void;
  private readonly folder: string;
  private readonly started: ServerProcess[] = [];

  private constructor(postgres: PostgresServer, folder: string, report: (line: string) => void) {
    this.postgres = postgres;
    this.folder = folder;
    this.report = report;
  }

  static async open(report: (line: string) => void): Promise<Lab> {
    return new Lab(await PostgresServer.start(), mkdtempSync(join(tmpdir(), 'wallet-bench-')), report);
  }

  async close(): Promise<void> {
    this.load.stop();
    for (const server of this.started) await server.stop();
    await this.postgres.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The service on a new database. */
  async service(
    database: string,
    nodeOptions: readonly string[] = [],
  ): Promise<Side & { owner: WalletOwner }> {
    const server = await this.start(database, (options) => serviceOptions({ ...options, nodeOptions }));
    const owner = await WalletOwner.signUp(server.port);
    return {
      name: 'service',
      database,
      server,
      settles: true,
      owner,
      wallets: (count) => owner.fundedWallets(count),
    };
  }

  /** The baseline on a new database; `settles` says whether it works on its settlement jobs. */
  async baseline(database: string, settles: boolean): Promise<Side> {
    const script = join(ROOT, 'test/bench/baseline.ts');
    const env = { SETTLE: settles ? 'on' : 'off', ...(process.env.POOL && { POOL: process.env.POOL }) };
    const server = await this.start(database, (options) => ({ ...options, script, env }));
    const wallets = async (count: number): Promise<FundedWallet[]> => {
      const keys = Array.from({ length: count }, () => randomBytes(24).toString('base64url'));
      const rows = await this.postgres.run<{ id: string }>(
        `WITH made AS (
           INSERT INTO wallets SELECT gen_random_uuid(), 100000000000000, 9007199254740991, 9007199254740991, 30,
                                      '2099-01-01', false, '{}', 'ACTIVE' FROM unnest($1::bytea[]) RETURNING id
         ), numbered AS (SELECT id, row_number() OVER () AS nr FROM made)
         INSERT INTO api_keys SELECT k.hash, n.id FROM unnest($1::bytea[]) WITH ORDINALITY AS k (hash, nr)
           JOIN numbered n USING (nr) ORDER BY k.nr RETURNING wallet_id AS id`,
        database,
        [keys.map((key) => createHash('sha256').update(key).digest())],
      );
      return rows.map(({ id }, i) => ({ id, key: keys[i] as string }));
    };
    return { name: 'baseline', database, server, settles, wallets };
  }

  private async start(
    database: string,
    optionsOf: (options: {
      port: number;
      databaseUrl: string;
      logFile: string;
    }) => ConstructorParameters<typeof ServerProcess>[0],
  ): Promise<ServerProcess> {
    const databaseUrl = await this.postgres.createDatabase(database);
    const logFile = join(this.folder, `${database}.log`);
    const server = new ServerProcess(optionsOf({ port: await freePort(), databaseUrl, logFile }));
    await server.start();
    this.started.push(server);
    return server;
  }

  /**
   * Runs `groups` against one side, and answers once what they left behind is done, so that one side's
   * settlements never run on the other's time.
   */
  async measure(
    side: Side,
    groups: readonly Group[],
    seconds: number,
    warmUpSeconds = 1,
  ): Promise<Record<string, Measured>> {
    const measured = await this.load.run({ port: side.server.port, groups, seconds, warmUpSeconds });
    await this.settled(side);
    for (const [label, { others }] of Object.entries(measured)) {
      const bad = Object.entries(others).map(([status, count]) => `${count} × ${status}`);
      if (bad.length > 0)
        this.report(`  ! ${side.name}: answers to ${label} that are not approvals: ${bad.join(', ')}`);
    }
    return measured;
  }

  /** Waits until no settlement job is left, then has the dirty pages written. */
  async settled(side: Side): Promise<void> {
    if (!side.settles) await this.postgres.run('TRUNCATE graphile_worker._private_jobs', side.database);
    const giveUp = Date.now() + DRAIN_MS_MAX;
    const from = Date.now();
    while ((await this.jobs(side)) > 0) {
      if (Date.now() > giveUp) {
        this.report(
          `  ! ${side.name}: ${await this.jobs(side)} jobs are left after ${DRAIN_MS_MAX / 1_000} s`,
        );
        await this.postgres.run(`TRUNCATE graphile_worker._private_jobs`, side.database);
        break;
      }
      await sleep(200);
    }
    const seconds = (Date.now() - from) / 1_000;
    if (seconds > 5)
      this.report(`  (${side.name}: settling went on for ${seconds.toFixed(0)} s after the run)`);
    await this.postgres.run('CHECKPOINT', side.database);
  }

  async jobs(side: Side): Promise<number> {
    const [row] = await this.postgres.run<{ count: number }>(
      'SELECT count(*)::int FROM graphile_worker._private_jobs',
      side.database,
    );
    return row?.count ?? 0;
  }
}

const MERCHANTS = ['Amazon Web Services', 'Google Cloud', 'Jumia Nigeria', 'Paystack Subscriptions'];

/** One payment from each wallet, to one of a few merchants. */
export function payments(wallets: readonly FundedWallet[], label = 'payment'): LoadRequest[] {
  return wallets.map(({ key }, i) => ({
    label,
    text: request(
      'POST',
      '/api/payment-intent',
      { 'x-api-key': key },
      {
        amount: 100 + i,
        merchantName: MERCHANTS[i % MERCHANTS.length],
        recipientAccountNo: '0123456789',
        recipientBankCode: '058',
        reason: 'benchmark',
      },
    ),
  }));
}
