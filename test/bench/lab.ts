import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeAtExit } from '../support/end-on-signals.ts';
import { freePort } from '../support/ports.ts';
import { ROOT, ServerProcess, serviceOptions, shippedNodeOptions } from '../support/server-process.ts';
import { type FundedWallet, WalletOwner } from '../support/wallet-owner.ts';
import { type Group, type LoadRequest, LoadGenerator, type Measured, request } from './load.ts';
import { type BenchPostgres, openPostgres } from './postgres.ts';
import { hottestFunctions, statementsByTime, writeReport } from './profile.ts';

const DRAIN_MS_MAX = 180_000;

/** One side of a comparison: a server, its database and its wallets. */
export interface Side {
  readonly name: string;
  readonly database: string;
  readonly server: ServerProcess;
  /** SQL that counts the work that its payments left and that somebody does; null when nobody does it. */
  readonly backlog: string | null;
  /** Makes wallets with a balance and limits that no run can reach. */
  wallets(count: number): Promise<FundedWallet[]>;
}

/** How the lab is set up. */
export interface LabOptions {
  /** The PostgreSQL to use; the embedded one when it is undefined. */
  readonly databaseUrl: string | undefined;
  /** Where CPU profiles and statements go; nothing is profiled when it is undefined. */
  readonly profileFolder: string | undefined;
  report(line: string): void;
}

/** Everything the figures are measured with: one PostgreSQL, the service, the baseline and the load generator. */
export class Lab {
  readonly postgres: BenchPostgres;
  readonly load = new LoadGenerator();
  readonly report: (line: string) => void;
  private readonly folder: string;
  private readonly profileFolder: string | undefined;
  private readonly started: { server: ServerProcess; database: string; profiles: string | undefined }[] = [];
  private startedRivals: Promise<readonly [Side, Side]> | undefined;

  private constructor(postgres: BenchPostgres, folder: string, { report, profileFolder }: LabOptions) {
    this.postgres = postgres;
    this.folder = folder;
    this.report = report;
    this.profileFolder = profileFolder;
  }

  static async open(options: LabOptions): Promise<Lab> {
    const postgres = await openPostgres(options.databaseUrl, options.profileFolder !== undefined);
    const folder = mkdtempSync(join(tmpdir(), 'wallet-bench-'));
    removeAtExit(folder);
    return new Lab(postgres, folder, options);
  }

  /** The service and the baseline, which settles: the same two until `stopServers`, since it takes long to warm them up. */
  rivals(): Promise<readonly [Side, Side]> {
    this.startedRivals ??= (async () =>
      [await this.service('service'), await this.baseline('baseline', true)] as const)();
    return this.startedRivals;
  }

  /** Stops the servers of a figure, so that they take nothing from those of the next. */
  async stopServers(): Promise<void> {
    this.startedRivals = undefined;
    for (const { server, database, profiles } of this.started.splice(0)) {
      const statements = profiles ? await statementsByTime(this.postgres, database) : [];
      await server.stop();
      if (!profiles) continue;
      const lines = [...hottestFunctions(profiles), ...statements];
      writeReport(profiles, 'summary.txt', lines);
      this.report(`  profile of ${database} (${profiles}):\n    ${lines.join('\n    ')}`);
    }
  }

  async close(): Promise<void> {
    this.load.stop();
    await this.stopServers();
    await this.postgres.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The service on a new database; `checkout` is the folder of another, built version of it. */
  async service(
    database: string,
    nodeOptions: readonly string[] = [],
    checkout?: string,
  ): Promise<Side & { owner: WalletOwner }> {
    const server = await this.start(database, (options) =>
      serviceOptions({ ...options, nodeOptions }, checkout),
    );
    const owner = await WalletOwner.signUp(server.port);
    return {
      name: checkout === undefined ? 'service' : 'other',
      database,
      server,
      // Versions differ in how they tell what is due; all of them have these two states before a payout's end.
      backlog:
        checkout !== undefined
          ? `SELECT count(*) FROM settlements WHERE status IN ('pending', 'processing')`
          : `SELECT (SELECT count(*) FROM settlements WHERE next_poll_at IS NOT NULL)
        + (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending')`,
      owner,
      wallets: (count) => owner.fundedWallets(count),
    };
  }

  /** The baseline on a new database; `settles` says whether it works on its settlements. */
  async baseline(database: string, settles: boolean): Promise<Side> {
    const script = join(ROOT, 'test/bench/baseline.ts');
    const env = { SETTLE: settles ? 'on' : 'off', ...(process.env.POOL && { POOL: process.env.POOL }) };
    const nodeOptions = shippedNodeOptions(ROOT);
    const server = await this.start(database, (options) => ({ ...options, script, env, nodeOptions }));
    const wallets = async (count: number): Promise<FundedWallet[]> => {
      const keys = Array.from({ length: count }, () => randomBytes(24).toString('base64url'));
      const rows = await this.postgres.run<{ id: string }>(
        `INSERT INTO wallets (key_hash, balance, spend_limit_per_tx, spend_limit_period, period_window_days, expiry,
                              use_allowlist, allowed_merchants, status)
         SELECT k.hash, 100000000000000, 9007199254740991, 9007199254740991, 30, '2099-01-01', false, '{}', 'ACTIVE'
           FROM unnest($1::bytea[]) WITH ORDINALITY AS k (hash, nr) ORDER BY k.nr RETURNING id::text`,
        database,
        [keys.map((key) => hash('sha256', key, 'buffer'))],
      );
      return rows.map(({ id }, i) => ({ id, key: keys[i] as string }));
    };
    const backlog = settles ? `SELECT count(*) FROM settlements WHERE status <> 'succeeded'` : null;
    return { name: 'baseline', database, server, backlog, wallets };
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
    const options = optionsOf({ port: await freePort(), databaseUrl, logFile });
    const profiles = this.profileFolder && join(this.profileFolder, database);
    if (profiles) mkdirSync(profiles, { recursive: true });
    const nodeOptions = [
      ...(options.nodeOptions ?? []),
      ...(profiles ? ['--cpu-prof', '--cpu-prof-dir', profiles] : []),
    ];
    const server = new ServerProcess({ ...options, nodeOptions });
    await server.start();
    this.started.push({ server, database, profiles });
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

  /** Seconds of CPU that each process of a side has used: its server, and its sessions in PostgreSQL. */
  async cpuSeconds(side: Side): Promise<ReadonlyMap<number, number>> {
    const sessions = await this.postgres.run<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
      'postgres',
      [side.database],
    );
    const pids = [side.server.pid, ...sessions.map(({ pid }) => pid)];
    return new Map(pids.flatMap((pid) => cpuSecondsOf(pid).map((seconds) => [pid, seconds] as const)));
  }

  /**
   * Seconds of CPU that a side has used since `before`; what a session used that has ended meanwhile is not in it. NaN
   * where /proc is not, or is another machine's.
   */
  async cpuSecondsSince(side: Side, before: ReadonlyMap<number, number>): Promise<number> {
    const now = await this.cpuSeconds(side);
    if (!now.has(side.server.pid)) return NaN;
    return [...now].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
  }

  /** Waits until everything that a run left is settled, then has the dirty pages written. */
  async settled(side: Side): Promise<void> {
    const from = Date.now();
    while ((await this.backlog(side)) > 0) {
      if (Date.now() - from > DRAIN_MS_MAX) {
        this.report(`  ! ${side.name}: ${await this.backlog(side)} are left after ${DRAIN_MS_MAX / 1_000} s`);
        break;
      }
      await sleep(100);
    }
    const seconds = (Date.now() - from) / 1_000;
    if (seconds > 5)
      this.report(`  (${side.name}: settling went on for ${seconds.toFixed(0)} s after the run)`);
    await this.postgres.run('CHECKPOINT', side.database);
  }

  /** How much of what payments left behind is still to be done. */
  async backlog(side: Side): Promise<number> {
    if (side.backlog === null) return 0;
    const [row] = await this.postgres.run<{ count: number }>(
      `SELECT (${side.backlog})::int AS count`,
      side.database,
    );
    return row?.count ?? 0;
  }
}

/** Seconds of CPU that a process has used; none where it is not. */
function cpuSecondsOf(pid: number): [number] | [] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return [(Number(fields[11]) + Number(fields[12])) / 100];
  } catch {
    return [];
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
