import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../ops/cluster/cluster.ts';
import { WalletOwner } from '../support/wallet-owner.ts';
import { judge, type Verdict } from './books.ts';
import { type Fault, synchronous } from './faults.ts';
import { Payers } from './payers.ts';

const WALLETS = 12;
const PROGRESS_MS = 5_000;
/** Time in which service must be back after a fault. */
const BACK_MS_MAX = 90_000;

export interface FaultReport extends Verdict {
  readonly name: string;
  readonly title: string;
  readonly acknowledged: number;
  /** Longest time without an acknowledged payment; less than one second is none. */
  readonly secondsWithoutService: number;
  /** Why the fault was not survived; empty if it was. */
  readonly broken: readonly string[];
}

export interface Load {
  readonly clients: number;
  /** Of paying before the fault, and after it. */
  readonly seconds: number;
}

/** Pays through one fault and compares what the clients were told with the books. */
export async function payThrough(
  cluster: Cluster,
  fault: Fault,
  { clients, seconds }: Load,
  report: (line: string) => void,
): Promise<FaultReport> {
  report(`${fault.name}: ${fault.title}`);
  await cluster.waitHealthy();
  await fault.prepare?.(cluster);
  const owner = await WalletOwner.signUp(Number(new URL(cluster.url).port));
  const wallets = await owner.fundedWallets(WALLETS);
  const payers = new Payers(cluster.url, wallets);
  const broken: string[] = [];
  let silenceMs: number;
  payers.start(clients);
  const progress = setInterval(
    () => report(`  ${payers.acknowledged.size} acknowledged, refused: ${counted(payers.refusals)}`),
    PROGRESS_MS,
  );
  try {
    await sleep(seconds * 1_000);
    const leader = await cluster.leader();
    if (leader === null) throw new Error('There is no leader.');
    payers.measure();
    const said = await fault.strike(cluster, leader).catch((error: unknown) => {
      broken.push(error instanceof Error ? error.message : String(error));
    });
    if (said) report(`  ${said}`);
    await serviceBack(payers);
    await sleep(seconds * 1_000);
    await fault.mend(cluster);
    await cluster.waitHealthy(fault.mustLose ? 'replica' : undefined);
    silenceMs = payers.silenceMs;
  } finally {
    clearInterval(progress);
    await payers.finish();
  }
  if (fault.mustLose) await synchronous(cluster, true);
  const verdict = await judge(
    cluster,
    wallets.map(({ id }) => id),
    payers.acknowledged,
  );
  const silence = silenceMs / 1_000;
  const secondsWithoutService = silence < 1 ? 0 : Math.round(silence * 10) / 10;
  broken.push(...payers.unexpected.slice(0, 3));
  if (fault.mustLose) {
    if (verdict.lost === 0) broken.push('nothing was lost: the test has no power');
  } else {
    if (verdict.lost > 0) broken.push(`${verdict.lost} acknowledged payments are lost`);
    if (verdict.contradictions > 0) broken.push(`${verdict.contradictions} contradictions in the books`);
  }
  if (verdict.doubled > 0) broken.push(`${verdict.doubled} payments are doubled`);
  if (secondsWithoutService > fault.secondsMax)
    broken.push(`${secondsWithoutService} s without service, more than ${fault.secondsMax} s`);
  const { name, title } = fault;
  const result = {
    name,
    title,
    acknowledged: payers.acknowledged.size,
    secondsWithoutService,
    broken,
    ...verdict,
  };
  report(`  refused meanwhile: ${counted(payers.refusals)}`);
  report(`${broken.length === 0 ? '✓' : '✗'} ${line(result)}`);
  return result;
}

/** Waits for the first payment that is acknowledged after the fault. */
async function serviceBack(payers: Payers): Promise<void> {
  const before = payers.acknowledged.size;
  const giveUp = performance.now() + BACK_MS_MAX;
  // All of the clients may have been answered just before.
  while (payers.acknowledged.size < before + 100 && performance.now() < giveUp) await sleep(100);
}

export function line(result: FaultReport): string {
  const { name, acknowledged, lost, doubled, secondsWithoutService, broken } = result;
  const figures =
    `${name.padEnd(16)} acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}, ` +
    `${secondsWithoutService} s without service`;
  return broken.length === 0 ? figures : `${figures}; ${broken.join('; ')}`;
}

function counted(refusals: ReadonlyMap<string, number>): string {
  return [...refusals].map(([code, count]) => `${count} ${code}`).join(', ') || 'none';
}
