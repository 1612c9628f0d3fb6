import { type Lab, payments, type Side } from './lab.ts';
import type { LoadRequest } from './load.ts';

/** How long and how much; `--short` makes all of it smaller. */
export interface Scale {
  readonly pairs: number;
  readonly seconds: number;
  readonly historyRows: number;
  readonly memoryPayments: readonly [small: number, large: number];
  readonly drainSeconds: number;
}

/** One line of the table. */
export interface Result {
  readonly figure: string;
  readonly goal: string;
  /** The median of the ratios, or what else the goal is about. */
  readonly value: number;
  readonly unit: '×' | 'payments';
  readonly reached: boolean | null;
  /** What the value was made of. */
  readonly detail: string;
}

export interface Figure {
  readonly name: string;
  readonly about: string;
  /** Whether it compares the lab's rivals, which stay up where the next one does too. */
  readonly ofRivals?: true;
  run(lab: Lab, scale: Scale): Promise<Result[]>;
}

export const CONNECTIONS = 64;
/** V8 takes some 25,000 payments until the service's path is compiled for good. */
export const WARM_UP_SECONDS = 9;
/** What runs for a crowd on one wallet is not all that runs for one on many. */
const WARM_UP_HOT_SECONDS = 5;
/** Nor what runs for a client alone, who pays a few hundred times a second: V8 counts to some three thousand. */
const WARM_UP_ALONE_SECONDS = 6;

export function median(values: readonly number[]): number {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

export const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
export const list = (values: readonly number[]): string => values.map(round).join(' ');

interface Duel {
  readonly perSecond: { a: number[]; b: number[] };
  readonly p50: { a: number[]; b: number[] };
  readonly p99: { a: number[]; b: number[] };
  /** Milliseconds of CPU a payment, settling it included, in the server and in PostgreSQL. */
  readonly cpu: { a: number[]; b: number[] };
}

/** Which loads a side was warmed up by, and with which wallets, by their number: no run that counts pays from these. */
const warm = new WeakMap<Side, { loads: Set<string>; requests: Map<number, LoadRequest[]> }>();

/**
 * Has V8 compile what a side runs, as it has in a process that has served for a few minutes. First always a crowd: a
 * client alone would take minutes to get it there.
 */
async function warmUp(lab: Lab, side: Side, load: { wallets: number; connections: number }): Promise<void> {
  const done = warm.get(side) ?? { loads: new Set<string>(), requests: new Map<number, LoadRequest[]>() };
  warm.set(side, done);
  const run = async (wallets: number, connections: number, seconds: number): Promise<void> => {
    const what = `${connections === 1 ? 'one client' : `${connections} clients`}, ${wallets === 1 ? 'one wallet' : `${wallets} wallets`}`;
    if (done.loads.has(what)) return;
    lab.report(`  warming up ${side.name}: ${what}, ${seconds} s…`);
    const requests = done.requests.get(wallets) ?? payments(await side.wallets(wallets));
    done.requests.set(wallets, requests);
    await lab.measure(side, [{ connections, requests }], seconds, 0);
    done.loads.add(what);
  };
  await run(200, CONNECTIONS, WARM_UP_SECONDS);
  if (load.connections === 1) await run(200, 1, WARM_UP_ALONE_SECONDS);
  else if (load.wallets === 1) await run(1, CONNECTIONS, WARM_UP_HOT_SECONDS);
}

/** Runs the same load against both sides, warmed up, in turn; `fresh` gives each run new wallets. */
export async function duel(
  lab: Lab,
  [a, b]: readonly [Side, Side],
  { fresh = false, ...load }: { wallets: number; connections: number; fresh?: boolean },
  { pairs, seconds }: Pick<Scale, 'pairs' | 'seconds'>,
): Promise<Duel> {
  const result: Duel = {
    perSecond: { a: [], b: [] },
    p50: { a: [], b: [] },
    p99: { a: [], b: [] },
    cpu: { a: [], b: [] },
  };
  const kept = new Map<Side, LoadRequest[]>();
  for (const side of [a, b]) await warmUp(lab, side, load);
  for (let pair = 1; pair <= pairs; pair++) {
    for (const [letter, side] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const requests = (fresh ? undefined : kept.get(side)) ?? payments(await side.wallets(load.wallets));
      kept.set(side, requests);
      const cpuBefore = await lab.cpuSeconds(side);
      const { payment } = await lab.measure(
        side,
        [{ connections: load.connections, requests }],
        seconds,
        0.5,
      );
      if (!payment) throw new Error(`${side.name} answered nothing`);
      for (const key of ['perSecond', 'p50', 'p99'] as const) result[key][letter].push(payment[key]);
      result.cpu[letter].push(((await lab.cpuSecondsSince(side, cpuBefore)) * 1_000) / payment.all);
      lab.report(
        `  pair ${pair}, ${side.name.padEnd(12)} ${round(payment.perSecond)}/s, p50 ${round(payment.p50)} ms, ` +
          `p99 ${round(payment.p99)} ms, CPU ${round(result.cpu[letter].at(-1) ?? NaN)} ms a payment`,
      );
    }
  }
  return result;
}

export function ratio(
  figure: string,
  [goal, reaches]: readonly [string, (value: number) => boolean] | readonly [string, null],
  { a, b }: { a: readonly number[]; b: readonly number[] },
  unit: string,
): Result {
  const value = median(a.map((each, i) => each / (b[i] ?? NaN)));
  const detail = `${list(a)} ${unit} against ${list(b)}`;
  return { figure, goal, value, unit: '×', reached: reaches && reaches(value), detail };
}

export const atLeast = (goal: number) => [`≥ ${goal}×`, (value: number) => value >= goal] as const;
export const atMost = (goal: number) => [`≤ ${goal}×`, (value: number) => value <= goal] as const;
export const FOR_INFORMATION = ['–', null] as const;
