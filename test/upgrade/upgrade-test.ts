import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, checkBooks } from '../crash/checks.ts';
import { INHERITED } from '../support/inherited.ts';
import { freePort } from '../support/ports.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { ServerProcess, serviceOptions } from '../support/server-process.ts';
import { type FundedWallet, WalletOwner } from '../support/wallet-owner.ts';
import { compareAll, readAll, repeatAll } from './answers.ts';
import { type BankedWallet, Client, collect, Load, paymentOf, type Sent } from './load.ts';
import { copyHistory } from './copies.ts';
import { Proxy, type ProxyName } from './proxy.ts';
import type { Build } from './releases.ts';

const DATABASE = 'upgrade';
const WALLETS = 40;
const WALLETS_AT_ONCE = 8;
/** One payment in this many is made by the old release, the others are copies of these with their wallets. */
const COPIES = 20;
/** No fewer payments are made, nor copied. */
const MADE_MIN = 2_000;
const SEED_CONNECTIONS = 64;
/** Kobo. */
const FUNDS = 100_000_000_000_000;
const SETTLED_MS_MAX = 900_000;
const SAY_MS = 10_000;
/** How long the load goes on before, between and after the replicas are replaced. */
const STEADY_MS = 3_000;
const PAYMENT_MS_MAX = 2_000;
const DRAIN_SECONDS = 5;

const ENVIRONMENT = {
  NODE_ENV: 'production',
  BANK_PROVIDER: 'sandbox',
  WEBHOOK_UNSIGNED: 'allow',
  JWT_SECRET: 'a secret that replicas share, of tests only',
  TRUST_PROXY: '1',
  DRAIN_SECONDS: String(DRAIN_SECONDS),
};

export interface UpgradeOptions {
  readonly from: Build;
  readonly to: Build;
  readonly payments: number;
  readonly proxy: ProxyName;
  readonly folder: string;
  report(line: string): void;
}

export async function upgradeTest(options: UpgradeOptions): Promise<Fault[]> {
  const { from, folder, proxy: name, report } = options;
  const postgres = await PostgresServer.start();
  const ports = [await freePort(), await freePort()];
  const running = new Map<number, ServerProcess>();
  let proxy: Proxy | undefined;
  try {
    const databaseUrl = await postgres.createDatabase(DATABASE);
    const start = async (build: Build, port: number): Promise<void> => {
      const logFile = join(folder, `replica-${port}.log`);
      const replica = new ServerProcess(
        serviceOptions({ port, databaseUrl, logFile, env: ENVIRONMENT }, build.checkout),
      );
      running.set(port, replica);
      await replica.start();
    };
    for (const port of ports) await start(from, port);
    const proxyPort = await freePort();
    proxy = await Proxy.start(name, proxyPort, ports, folder);
    report(`two replicas of ${from.name} behind ${name}`);
    const replace = async (port: number): Promise<void> => {
      const began = performance.now();
      const since = (): string => `${((performance.now() - began) / 1_000).toFixed(1)} s`;
      await running.get(port)?.stop();
      const stopped = since();
      await start(options.to, port);
      report(
        `replaced the replica on port ${port}: it ended after ${stopped}, the new one was ready after ${since()}`,
      );
    };
    return await run(options, { postgres, databaseUrl, proxyPort, ports, replace });
  } finally {
    for (const replica of running.values()) await replica.kill();
    await proxy?.stop();
    await postgres.remove();
  }
}

interface Stage {
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly proxyPort: number;
  readonly ports: readonly number[];
  replace(port: number): Promise<void>;
}

async function run({ payments, report, to }: UpgradeOptions, stage: Stage): Promise<Fault[]> {
  const { postgres, proxyPort, ports } = stage;
  const client = new Client(proxyPort, SEED_CONNECTIONS);
  const owner = await WalletOwner.signUp(proxyPort);
  const wallets = await banked(client, owner, WALLETS);
  const copies = payments < COPIES * MADE_MIN ? 0 : COPIES - 1;
  const made = Math.ceil(payments / (copies + 1));
  const sent = [...(await special(client, owner)), ...(await seed(client, wallets, made, report))];
  await settled(postgres, report);
  if (copies > 0) {
    const began = performance.now();
    const targets = await created(client, owner, copies * WALLETS);
    await copyHistory(stage.databaseUrl, wallets, targets, (done) =>
      report(
        `${(done * made).toLocaleString('en')} of ${(copies * made).toLocaleString('en')} payments are copied…`,
      ),
    );
    const seconds = (performance.now() - began) / 1_000;
    report(
      `${(copies * made).toLocaleString('en')} more payments by copies of ${WALLETS} wallets, in ${seconds.toFixed(0)} s`,
    );
  }
  const busyOwner = await WalletOwner.signUp(proxyPort);
  const busy = await banked(client, busyOwner, WALLETS);
  await settled(postgres, report);
  const before = await readAll(client, owner, wallets, sent);
  report(`read ${before.size} answers; now the replicas are replaced under load`);

  const load = new Load(client, busy, busyOwner);
  await sleep(STEADY_MS);
  for (const port of ports) {
    await stage.replace(port);
    await sleep(STEADY_MS);
  }
  await load.stop();
  const seconds = (load.longestPaymentMs / 1_000).toFixed(2);
  report(
    `${load.requests} requests, ${load.payments} of them payments; the longest payment took ${seconds} s`,
  );

  await settled(postgres, report);
  const after = await readAll(client, owner, wallets, sent);
  const repeats = await repeatAll(client, sent);
  report(`asked again for ${after.size} answers and ${repeats.asked} payments`);
  const asked = performance.now();
  const agrees = reconcile(to, stage.databaseUrl);
  const took = ((performance.now() - asked) / 1_000).toFixed(0);
  report(`reconcile: ${agrees ?? 'the books agree'}, in ${took} s`);
  await client.close();
  const changed = [...compareAll(before, after), ...repeats.other];
  return [
    fault('requests failed', load.failed),
    fault(
      `payments that waited longer than ${PAYMENT_MS_MAX / 1_000} s`,
      load.longestPaymentMs > PAYMENT_MS_MAX ? [`${seconds} s`] : [],
    ),
    fault('earlier answers that read otherwise', changed),
    fault('objections of reconcile', agrees === undefined ? [] : [agrees]),
    ...(await checkBooks(postgres, DATABASE)),
  ];
}

const fault = (name: string, examples: readonly string[]): Fault => ({
  name,
  count: examples.length,
  ...(examples[0] !== undefined && { example: examples.slice(0, 3).join('\n    ') }),
});

/** Wallets with more than a run can spend. */
async function banked(client: Client, owner: WalletOwner, count: number): Promise<BankedWallet[]> {
  const wallets = await created(client, owner, count);
  for (const wallet of wallets) {
    const { status, text } = await collect(client, owner, wallet, FUNDS);
    if (status !== 201) throw new Error(`a transfer was answered ${status} ${text}`);
  }
  return wallets;
}

async function created(client: Client, owner: WalletOwner, count: number): Promise<BankedWallet[]> {
  const wallets: BankedWallet[] = [];
  const authorization = `Bearer ${owner.token}`;
  const queue = Array.from({ length: count }).keys();
  await Promise.all(
    Array.from({ length: WALLETS_AT_ONCE }, async () => {
      for (const _ of queue) {
        const wallet = await owner.createWallet();
        const { text } = await client.get(`/api/wallets/${wallet.id}`, { authorization });
        const accountNumber = /"accountNumber":"(\d{10})"/.exec(text)?.[1];
        if (!accountNumber) throw new Error(`the wallet has no account: ${text}`);
        wallets.push({ ...wallet, accountNumber });
      }
    }),
  );
  return wallets;
}

/** Payments of every outcome: blocked, waiting for a person, by a key with limits. */
async function special(client: Client, owner: WalletOwner): Promise<Sent[]> {
  const [wallet] = (await banked(client, owner, 1)) as [BankedWallet];
  const asOwner = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
  const patch = await fetch(`http://127.0.0.1:${owner.port}/api/wallets/${wallet.id}`, {
    method: 'PATCH',
    headers: asOwner,
    body: JSON.stringify({ approvalThreshold: 1_000 }),
  });
  if (!patch.ok) throw new Error(`the wallet was not changed: ${await patch.text()}`);
  const limited = await client.post(
    `/api/wallets/${wallet.id}/keys`,
    JSON.stringify({ name: 'limited', limits: { spendLimitPerTx: 500 } }),
    asOwner,
  );
  const key = /"fullKey":"([^"]+)"/.exec(limited.text)?.[1];
  if (!key) throw new Error(`no key was made: ${limited.text}`);
  const sent: Sent[] = [];
  for (const [payer, amount] of [
    [wallet, 10],
    [wallet, 5_000],
    [{ ...wallet, key }, 400],
    [{ ...wallet, key }, 600],
  ] as const) {
    const [idempotencyKey, body] = [randomUUID(), paymentOf(amount)];
    sent.push({ wallet: payer, idempotencyKey, body, answer: await client.pay(payer, idempotencyKey, body) });
  }
  return sent;
}

async function seed(
  client: Client,
  wallets: readonly FundedWallet[],
  payments: number,
  report: (line: string) => void,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const step = Math.max(1, Math.floor(payments / 5_000));
  const began = performance.now();
  let [next, sayAt] = [0, began + SAY_MS];
  await Promise.all(
    Array.from({ length: SEED_CONNECTIONS }, async () => {
      while (next < payments) {
        const n = (next += 1);
        const wallet = wallets[n % wallets.length] as FundedWallet;
        const [idempotencyKey, body] = [randomUUID(), paymentOf(1 + (n % 900))];
        const answer = await client.pay(wallet, idempotencyKey, body);
        if (answer.status !== 201) throw new Error(`a payment was answered ${answer.status} ${answer.text}`);
        if (n % step === 0) sent.push({ wallet, idempotencyKey, body, answer });
        if (performance.now() < sayAt) continue;
        sayAt += SAY_MS;
        report(`${next.toLocaleString('en')} of ${payments.toLocaleString('en')} payments are made…`);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  report(`${payments.toLocaleString('en')} payments by the old release, in ${seconds.toFixed(0)} s`);
  return sent;
}

/** Waits until no job is left and every payment is settled. */
async function settled(postgres: PostgresServer, report: (line: string) => void): Promise<void> {
  const giveUp = performance.now() + SETTLED_MS_MAX;
  let sayAt = performance.now() + SAY_MS;
  for (;;) {
    const [row] = await postgres.run<{ count: number }>(
      `SELECT (SELECT count(*) FROM settlements WHERE status IN ('pending', 'processing'))::int AS count`,
      DATABASE,
    );
    const count = row?.count ?? NaN;
    if (count === 0) return;
    if (performance.now() > giveUp) throw new Error(`${count} settlements are still open`);
    if (performance.now() >= sayAt) {
      sayAt += SAY_MS;
      report(`${count.toLocaleString('en')} settlements are open…`);
    }
    await sleep(500);
  }
}

/** What `npm run reconcile` objects to. */
function reconcile({ checkout }: Build, databaseUrl: string): string | undefined {
  const today = new Date(Date.now() + 3_600_000).toISOString().slice(0, 10);
  try {
    const args = [join(checkout, 'dist/scripts/reconcile.js'), '--from', today, '--to', today];
    execFileSync(process.execPath, args, {
      env: { ...INHERITED, ...ENVIRONMENT, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    return undefined;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${stdout ?? ''}${stderr ?? ''}`.trim() || String(error);
  }
}
