import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Processes } from './processes.ts';
import { databaseUser, findPrograms } from './programs.ts';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');
export const NODES = [1, 2, 3] as const;
const REPLICAS = [1, 2] as const;
/** Ports in a row that a cluster takes. */
export const PORTS = 17;
const START_MS_MAX = 120_000;
const POLL_MS = 250;
const ANSWER_MS_MAX = 3_000;

export type NodeNumber = (typeof NODES)[number];
export type ReplicaNumber = (typeof REPLICAS)[number];

/** As Patroni's REST API lists it. */
export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** What `up` decided, for the commands after it. */
interface State {
  readonly firstPort: number;
  readonly secret: string;
}

/** Three synchronous PostgreSQL, etcd, HAProxy and two replicas of the service, all on loopback, below one folder. */
export class Cluster {
  readonly processes: Processes;
  private readonly state: State;
  private readonly programs = findPrograms();
  private readonly user = databaseUser();

  private constructor(folder: string, state: State) {
    this.processes = new Processes(folder);
    this.state = state;
  }

  /** A new one, nothing of which runs yet. */
  static async create(folder: string, firstPort: number): Promise<Cluster> {
    findPrograms();
    if (existsSync(stateFile(folder)))
      throw new Error(`There is a cluster in ${folder} already: end it first, by down.`);
    const taken: number[] = [];
    for (let port = firstPort; port < firstPort + PORTS; port += 1)
      if (!(await isFree(port))) taken.push(port);
    if (taken.length > 0)
      throw new Error(`Taken: port ${taken.join(', ')} of 127.0.0.1. Choose others with --port.`);
    const cluster = new Cluster(folder, { firstPort, secret: randomBytes(16).toString('hex') });
    cluster.processes.makeFolders(cluster.user);
    writeFileSync(stateFile(folder), JSON.stringify(cluster.state), { mode: 0o600 });
    return cluster;
  }

  /** One that was created; null if there is none in `folder`. */
  static at(folder: string): Cluster | null {
    if (!existsSync(stateFile(folder))) return null;
    return new Cluster(folder, JSON.parse(readFileSync(stateFile(folder), 'utf8')) as State);
  }

  get folder(): string {
    return this.processes.folder;
  }

  private port(offset: number): number {
    return this.state.firstPort + offset;
  }

  /** Where clients reach the service, by HAProxy. */
  get url(): string {
    return `http://127.0.0.1:${this.port(0)}`;
  }

  replicaUrl(replica: ReplicaNumber): string {
    return `http://127.0.0.1:${this.port(replica)}`;
  }

  private databasePort = (): number => this.port(3);
  private postgresPort = (node: NodeNumber): number => this.port(3 + node);
  private patroniPort = (node: NodeNumber): number => this.port(6 + node);
  private etcdPort = (node: NodeNumber): number => this.port(9 + node);
  private etcdPeerPort = (node: NodeNumber): number => this.port(12 + node);

  private urlOf(user: string, database: string, port = this.databasePort()): string {
    return `postgres://${user}:${this.state.secret}@127.0.0.1:${port}/${database}`;
  }

  /** The service's, at the primary. */
  get databaseUrl(): string {
    return this.urlOf('wallet', 'wallet');
  }

  /** Starts all of it, bounded in time; `report` gets a line for each step. */
  async up(report: (line: string) => void): Promise<void> {
    report('etcd, three members…');
    for (const node of NODES) this.startEtcd(node, 'new');
    await this.until('etcd', () => this.isEtcdUp());
    report('PostgreSQL, three nodes under Patroni…');
    for (const node of NODES) this.startPatroni(node);
    this.startHaproxy();
    await this.until('patroni', () => this.isHealthy());
    await this.createDatabase();
    report('the service, two replicas…');
    // One after the other: the first migrates.
    for (const replica of REPLICAS) await this.startReplica(replica);
    await this.until('haproxy', () => isOk(`${this.url}/health/ready`));
  }

  startEtcd(node: NodeNumber, state: 'new' | 'existing'): void {
    const [client, peer] = [this.etcdPort(node), this.etcdPeerPort(node)].map(
      (port) => `http://127.0.0.1:${port}`,
    );
    const members = NODES.map((each) => `e${each}=http://127.0.0.1:${this.etcdPeerPort(each)}`).join();
    const flags = {
      name: `e${node}`,
      'data-dir': join(this.folder, `etcd${node}`),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': members,
      'initial-cluster-state': state,
      'heartbeat-interval': 100,
      'election-timeout': 1_000,
      // See patroni.yml.
      'enable-v2': true,
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${String(value)}`);
    this.processes.start(`etcd${node}`, { program: this.programs.etcd, args, env: {}, as: this.user });
  }

  startPatroni(node: NodeNumber): void {
    const config = join(this.folder, 'patroni.yml');
    if (!existsSync(config)) {
      const text = readFileSync(join(HERE, 'patroni.yml'), 'utf8');
      writeFileSync(config, text.replace(/(unix_socket_directories:) .*/, `$1 ${this.folder}`));
    }
    const { secret } = this.state;
    const rest = `127.0.0.1:${this.patroniPort(node)}`;
    const address = `127.0.0.1:${this.postgresPort(node)}`;
    const roles = { SUPERUSER: 'postgres', REPLICATION: 'replicator', REWIND: 'rewind_user' };
    const env = {
      PATRONI_NAME: `pg${node}`,
      PATRONI_RESTAPI_LISTEN: rest,
      PATRONI_RESTAPI_CONNECT_ADDRESS: rest,
      PATRONI_ETCD_HOSTS: NODES.map((each) => `'127.0.0.1:${this.etcdPort(each)}'`).join(),
      PATRONI_POSTGRESQL_LISTEN: address,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: address,
      PATRONI_POSTGRESQL_DATA_DIR: join(this.folder, `pg${node}`),
      PATRONI_POSTGRESQL_BIN_DIR: this.programs.postgres,
      PATRONI_POSTGRESQL_PGPASS: join(this.folder, `pgpass${node}`),
      ...Object.fromEntries(
        Object.entries(roles).flatMap(([role, name]) => [
          [`PATRONI_${role}_USERNAME`, name],
          [`PATRONI_${role}_PASSWORD`, secret],
        ]),
      ),
    };
    this.processes.start(`patroni${node}`, {
      program: this.programs.patroni,
      args: [config],
      env,
      as: this.user,
    });
  }

  private startHaproxy(): void {
    const ports: Record<string, number> = {
      CLUSTER_PORT: this.port(0),
      CLUSTER_DATABASE_PORT: this.databasePort(),
    };
    for (const node of NODES) {
      ports[`CLUSTER_POSTGRES_${node}`] = this.postgresPort(node);
      ports[`CLUSTER_PATRONI_${node}`] = this.patroniPort(node);
    }
    for (const replica of REPLICAS) ports[`CLUSTER_REPLICA_${replica}`] = this.port(replica);
    const env = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
    const config = join(this.folder, 'haproxy.cfg');
    copyFileSync(join(HERE, 'haproxy.cfg'), config);
    this.processes.start('haproxy', { program: this.programs.haproxy, args: ['-db', '-f', config], env });
  }

  /** Starts it and waits until it is ready. */
  async startReplica(replica: ReplicaNumber): Promise<void> {
    const data = join(this.folder, `replica${replica}`);
    mkdirSync(data, { recursive: true });
    const args = [join(ROOT, 'scripts/run.mjs'), 'start:prod'];
    const env = {
      DATABASE_URL: this.databaseUrl,
      PORT: String(this.port(replica)),
      JWT_SECRET: `${this.state.secret}${this.state.secret}`,
      DATA_DIR: data,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'warn',
    };
    this.processes.start(`replica${replica}`, { program: process.execPath, args, env });
    await this.until(`replica${replica}`, () => isOk(`${this.replicaUrl(replica)}/health/ready`));
  }

  private async createDatabase(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.urlOf('postgres', 'postgres'),
      connectionTimeoutMillis: START_MS_MAX,
    });
    await client.connect();
    try {
      await client.query(`CREATE ROLE wallet LOGIN PASSWORD '${this.state.secret}'`);
      await client.query('CREATE DATABASE wallet OWNER wallet');
    } finally {
      await client.end();
    }
  }

  /** Rows of the service's database at the primary. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl, connectionTimeoutMillis: 10_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** As any node that answers knows them; none if no node does. */
  async members(): Promise<readonly Member[]> {
    for (const node of NODES) {
      const answer = await fetched(`http://127.0.0.1:${this.patroniPort(node)}/cluster`);
      if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members;
    }
    return [];
  }

  /** Of the node that itself says so, as HAProxy asks. */
  async leader(): Promise<NodeNumber | null> {
    for (const node of NODES)
      if (await isOk(`http://127.0.0.1:${this.patroniPort(node)}/primary`)) return node;
    return null;
  }

  /** One leader, and two standbys of this kind. */
  async isHealthy(standby = 'sync_standby'): Promise<boolean> {
    const members = await this.members();
    return (
      members.length === NODES.length &&
      members.every(({ state }) => state === 'running' || state === 'streaming') &&
      members.some(({ role }) => role === 'leader') &&
      members.filter(({ role }) => role === standby).length === NODES.length - 1 &&
      (await this.leader()) !== null
    );
  }

  async waitHealthy(standby?: string): Promise<void> {
    await this.until('patroni', () => this.isHealthy(standby));
  }

  /** Sends `body` to Patroni's REST API, at the leader. */
  async tellPatroni(method: 'POST' | 'PATCH', path: string, body: object): Promise<void> {
    const leader = await this.leader();
    if (leader === null) throw new Error('There is no leader.');
    const answer = await fetch(`http://127.0.0.1:${this.patroniPort(leader)}${path}`, {
      method,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Patroni answered ${path} with ${answer.status}: ${await answer.text()}`);
  }

  postgresPids(node: NodeNumber): number[] {
    return this.processes.postgresPids(`pg${node}`);
  }

  private async isEtcdUp(): Promise<boolean> {
    const healthy = await Promise.all(
      NODES.map((node) => isOk(`http://127.0.0.1:${this.etcdPort(node)}/health`)),
    );
    return healthy.every(Boolean);
  }

  private async until(name: string, isDone: () => Promise<boolean>): Promise<void> {
    const giveUp = performance.now() + START_MS_MAX;
    while (!(await isDone())) {
      if (performance.now() > giveUp)
        throw new Error(
          `The cluster did not get there within ${START_MS_MAX / 1_000} s: ${name}. See ${this.folder}/log.`,
        );
      await sleep(POLL_MS);
    }
  }

  /** Ends every process and removes the folder. */
  async down(): Promise<void> {
    await this.processes.killAll();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The same for a process that is about to end itself. */
  downAtOnce(): void {
    this.processes.killAllAtOnce();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function stateFile(folder: string): string {
  return join(folder, 'cluster.json');
}

async function fetched(url: string): Promise<Response | null> {
  return fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).catch(() => null);
}

async function isOk(url: string): Promise<boolean> {
  const answer = await fetched(url);
  await answer?.arrayBuffer().catch(() => undefined);
  return answer?.ok === true;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
