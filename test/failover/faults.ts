import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, NODES, type NodeNumber } from '../../ops/cluster/cluster.ts';
import { signalAll } from '../../ops/cluster/processes.ts';

/** Longest take-over of what a killed replica had begun, in seconds. */
const TAKE_OVER_SECONDS_MAX = 45;

const LEADER_MS_MAX = 60_000;

export interface Fault {
  readonly name: string;
  readonly title: string;
  /** Longest time without service, in seconds; less than one counts as none. */
  readonly secondsMax: number;
  /** The control: a set-up in which payments must get lost. */
  readonly mustLose?: boolean;
  /** Before the clients pay. */
  prepare?(cluster: Cluster): Promise<void>;
  /** Does the harm, and waits while it is to last; the answer is what else must be said of it. */
  strike(cluster: Cluster, leader: NodeNumber): Promise<string | undefined>;
  /** Starts again what does not run. */
  mend(cluster: Cluster): Promise<void>;
}

function kill(pids: readonly number[]): void {
  signalAll(pids, 'SIGKILL');
}

const patroniOf = (cluster: Cluster, node: NodeNumber): number => cluster.processes.pidOf(`patroni${node}`);
const nodePids = (cluster: Cluster, node: NodeNumber): number[] =>
  [patroniOf(cluster, node), ...cluster.postgresPids(node)].filter(Boolean);

function startPatronis(cluster: Cluster): Promise<void> {
  for (const node of NODES) if (!patroniOf(cluster, node)) cluster.startPatroni(node);
  return Promise.resolve();
}

const nothing = (): Promise<void> => Promise.resolve();

async function standbyOf(cluster: Cluster): Promise<NodeNumber> {
  const standby = (await cluster.members()).find(({ role }) => role === 'sync_standby');
  if (!standby) throw new Error('There is no synchronous standby.');
  return Number(standby.name.at(-1)) as NodeNumber;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'postgres-killed',
    title: 'leader: postgres killed',
    secondsMax: 7,
    strike: (cluster, leader) => {
      kill(cluster.postgresPids(leader));
      return Promise.resolve(undefined);
    },
    mend: startPatronis,
  },
  {
    name: 'node-killed',
    title: 'leader: postgres and patroni killed',
    secondsMax: 25,
    strike: async (cluster, leader) => {
      kill(nodePids(cluster, leader));
      await otherLeader(cluster, leader);
      return undefined;
    },
    mend: startPatronis,
  },
  {
    name: 'patroni-killed',
    title: 'leader: patroni killed',
    secondsMax: 25,
    strike: async (cluster, leader) => {
      // Payments go on until HAProxy misses the answers of Patroni, and PostgreSQL for longer than its lock.
      kill([patroniOf(cluster, leader)]);
      await otherLeader(cluster, leader);
      return undefined;
    },
    mend: startPatronis,
  },
  {
    name: 'leader-frozen',
    title: 'leader frozen for 40 s and thawed',
    secondsMax: 25,
    strike: async (cluster, leader) => {
      const frozen = nodePids(cluster, leader);
      signalAll(frozen, 'SIGSTOP');
      try {
        await sleep(40_000);
      } finally {
        signalAll(frozen, 'SIGCONT');
      }
      return undefined;
    },
    mend: startPatronis,
  },
  {
    name: 'etcd-down',
    title: 'all etcd down for 30 s',
    secondsMax: 0,
    strike: async (cluster) => {
      kill(NODES.map((node) => cluster.processes.pidOf(`etcd${node}`)).filter(Boolean));
      await sleep(30_000);
      for (const node of NODES) cluster.startEtcd(node, 'existing');
      return undefined;
    },
    mend: nothing,
  },
  {
    name: 'standby-killed',
    title: 'synchronous standby: postgres and patroni killed',
    secondsMax: 25,
    strike: async (cluster) => {
      kill(nodePids(cluster, await standbyOf(cluster)));
      return undefined;
    },
    mend: startPatronis,
  },
  {
    name: 'switchover',
    title: 'switchover',
    secondsMax: 25,
    strike: async (cluster, leader) => {
      const candidate = `pg${await standbyOf(cluster)}`;
      await cluster.tellPatroni('POST', '/switchover', { leader: `pg${leader}`, candidate });
      return undefined;
    },
    mend: nothing,
  },
  {
    name: 'all-killed',
    title: 'all postgres and patroni killed, back after 2 s',
    secondsMax: 25,
    strike: async (cluster) => {
      kill(NODES.flatMap((node) => nodePids(cluster, node)));
      await sleep(2_000);
      await startPatronis(cluster);
      return undefined;
    },
    mend: startPatronis,
  },
  {
    name: 'replica-killed',
    title: 'a replica of the service killed',
    secondsMax: 0,
    strike: async (cluster) => {
      kill([cluster.processes.pidOf('replica1')].filter(Boolean));
      const killedAt = performance.now();
      const [moment] = await cluster.query<{ at: Date }>('SELECT clock_timestamp() AS at');
      return takeOver(cluster, moment?.at as Date, killedAt);
    },
    mend: (cluster) => cluster.startReplica(1),
  },
  {
    name: 'control',
    title: 'control: asynchronous, standbys frozen for 3 s, leader killed',
    secondsMax: 60,
    mustLose: true,
    prepare: async (cluster) => {
      await synchronous(cluster, false);
    },
    strike: async (cluster, leader) => {
      const receivers = NODES.filter((node) => node !== leader).flatMap((node) =>
        cluster.postgresPids(node).filter(isWalReceiver),
      );
      signalAll(receivers, 'SIGSTOP');
      await sleep(3_000);
      kill(nodePids(cluster, leader));
      // Ended before they read what still lies in their sockets.
      signalAll(receivers, 'SIGTERM');
      signalAll(receivers, 'SIGCONT');
      return undefined;
    },
    mend: startPatronis,
  },
];

async function otherLeader(cluster: Cluster, former: NodeNumber): Promise<void> {
  const giveUp = performance.now() + LEADER_MS_MAX;
  for (
    let leader = await cluster.leader();
    leader === null || leader === former;
    leader = await cluster.leader()
  ) {
    if (performance.now() > giveUp) throw new Error(`No other node leads after ${LEADER_MS_MAX / 1_000} s.`);
    await sleep(200);
  }
}

/** Waits until what was open when a replica was killed is settled by the other. */
async function takeOver(cluster: Cluster, approvedBefore: Date, killedAt: number): Promise<string> {
  const seconds = (): number => (performance.now() - killedAt) / 1_000;
  await sleep(2_000);
  let first: number | undefined;
  for (;;) {
    const [row] = await cluster.query<{ open: number }>(
      'SELECT count(*)::int AS open FROM settlements WHERE next_poll_at IS NOT NULL AND approved_at < $1',
      [approvedBefore],
    );
    first ??= row?.open ?? 0;
    if (row?.open === 0) break;
    if (seconds() > TAKE_OVER_SECONDS_MAX)
      throw new Error(`${row?.open} of its settlements are still open after ${TAKE_OVER_SECONDS_MAX} s`);
    await sleep(500);
  }
  return `its ${first} open settlements were taken over within ${seconds().toFixed(0)} s`;
}

export async function synchronous(cluster: Cluster, isOn: boolean): Promise<void> {
  await cluster.tellPatroni('PATCH', '/config', {
    synchronous_mode: isOn,
    synchronous_mode_strict: isOn,
    maximum_lag_on_failover: isOn ? 1_048_576 : 1_073_741_824,
  });
  const giveUp = performance.now() + 60_000;
  for (;;) {
    const [row] = await cluster.query<{ names: string }>(
      `SELECT current_setting('synchronous_standby_names') AS names`,
    );
    if ((row?.names !== '') === isOn) return;
    if (performance.now() > giveUp) throw new Error('Patroni does not change synchronous_standby_names.');
    await sleep(500);
  }
}

function isWalReceiver(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walreceiver');
  } catch {
    return false;
  }
}
