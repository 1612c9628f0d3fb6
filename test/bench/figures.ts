import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  atLeast,
  atMost,
  CONNECTIONS,
  duel,
  type Figure,
  FOR_INFORMATION,
  list,
  median,
  ratio,
  type Result,
  round,
} from './duel.ts';
import { payments } from './lab.ts';
import { type LoadRequest, request } from './load.ts';
import { Receiver } from './receiver.ts';
import { seedHistory } from './seed-history.ts';

const throughput: Figure = {
  name: 'throughput',
  about: 'approved payments/s over 200 wallets and 64 connections, and the p99 of the same runs',
  ofRivals: true,
  async run(lab, scale) {
    const both = await duel(lab, await lab.rivals(), { wallets: 200, connections: CONNECTIONS }, scale);
    return [
      ratio('approved payments/s, 200 wallets, 64 connections', atLeast(4), both.perSecond, '/s'),
      ratio('p99 at 64 connections', atMost(0.5), both.p99, 'ms'),
      ratio('CPU time of a payment, 200 wallets', FOR_INFORMATION, both.cpu, 'ms'),
    ];
  },
};

const neverSettling: Figure = {
  name: 'never-settling',
  about: 'throughput against a baseline that never settles a payment, for information',
  async run(lab, scale) {
    const service = await lab.service('never');
    const idle = { ...(await lab.baseline('never_baseline', false)), name: 'no settling' };
    const { perSecond } = await duel(
      lab,
      [service, idle],
      { wallets: 200, connections: CONNECTIONS },
      { ...scale, pairs: Math.min(5, scale.pairs) },
    );
    return [ratio('payments/s against a baseline that never settles', FOR_INFORMATION, perSecond, '/s')];
  },
};

const subscribers: Figure = {
  name: 'subscribers',
  about: 'payments/s while every wallet has two webhook subscribers to payment.approved, against none',
  async run(lab, scale) {
    const quiet = { ...(await lab.service('quiet')), name: 'none' };
    const heard = { ...(await lab.service('heard')), name: 'two' };
    const receiver = await Receiver.start();
    for (const path of ['/a', '/b']) {
      await heard.owner.subscribe(`${receiver.url}${path}`, ['payment.approved']);
    }
    const load = { wallets: 200, connections: CONNECTIONS };
    const { perSecond, p99 } = await duel(lab, [heard, quiet], load, scale);
    receiver.stop();
    return [
      ratio('payments/s with two subscribers a wallet against none', atLeast(0.6), perSecond, '/s'),
      ratio('p99 with two subscribers a wallet against none', FOR_INFORMATION, p99, 'ms'),
    ];
  },
};

const hotWallet: Figure = {
  name: 'hot-wallet',
  about: 'the same with one wallet, a new one for each run',
  ofRivals: true,
  async run(lab, scale) {
    const load = { wallets: 1, connections: CONNECTIONS, fresh: true };
    const { perSecond, p99, cpu } = await duel(lab, await lab.rivals(), load, scale);
    return [
      ratio('approved payments/s, one hot wallet', atLeast(18), perSecond, '/s'),
      ratio('p99, one hot wallet', FOR_INFORMATION, p99, 'ms'),
      ratio('CPU time of a payment, one hot wallet', FOR_INFORMATION, cpu, 'ms'),
    ];
  },
};

const singleClient: Figure = {
  name: 'single-client',
  about: 'p50 of a client that is alone; many short runs, since so little is easily disturbed',
  ofRivals: true,
  async run(lab, scale) {
    const short = { pairs: 2 * scale.pairs, seconds: 1 };
    const { p50, cpu } = await duel(lab, await lab.rivals(), { wallets: 200, connections: 1 }, short);
    return [
      ratio('p50 with a single client', atMost(1), p50, 'ms'),
      ratio('CPU time of such a payment', atMost(1.2), cpu, 'ms'),
    ];
  },
};

const history: Figure = {
  name: 'history',
  about: 'a wallet with 1,000,000 transactions against one with 100, request by request',
  async run(lab, scale) {
    const service = await lab.service('history');
    const [long, short] = (await service.wallets(2)) as [
      { id: string; key: string },
      { id: string; key: string },
    ];
    const rows = { long: scale.historyRows, short: 100 };
    lab.report(`  seeding ${rows.long} payments…`);
    const run = (statement: string, values: unknown[]) =>
      lab.postgres.run(statement, service.database, values);
    await seedHistory(run, long.id, rows.long);
    await seedHistory(run, short.id, rows.short);
    await lab.postgres.run('VACUUM (ANALYZE)', service.database);
    await lab.postgres.run('CHECKPOINT', service.database);
    const headers = { authorization: `Bearer ${service.owner.token}` };
    const page = (list: string, of: 'first' | 'middle' | 'last') => (id: string, count: number) => {
      const pages = Math.floor(count / 10);
      const number = { first: 1, middle: Math.floor(pages / 2), last: pages }[of];
      return request('GET', `/api/wallets/${id}/${list}?page=${number}&pageSize=10`, headers);
    };
    const lists = ['transactions', 'ledgers'].flatMap((name) =>
      (['first', 'middle', 'last'] as const).map((of) => [`${name}, ${of} page`, page(name, of)] as const),
    );
    const kinds = [
      ['payment', (_: string, __: number, key: string) => payments([{ id: '', key }])[0]?.text ?? ''],
      ['stats', (id: string) => request('GET', `/v1/wallets/${id}/stats`, headers)],
      ...lists,
    ] as const;
    const results: Result[] = [];
    for (const [kind, textOf] of kinds) {
      const requests: LoadRequest[] = [
        { label: 'long', text: textOf(long.id, rows.long, long.key) },
        { label: 'short', text: textOf(short.id, rows.short, short.key) },
      ];
      const p50: { a: number[]; b: number[] } = { a: [], b: [] };
      for (let pair = 1; pair <= scale.pairs; pair++) {
        const measured = await lab.measure(
          service,
          [{ connections: 1, requests }],
          Math.max(1, scale.seconds / 3),
          0.5,
        );
        p50.a.push(measured['long']?.p50 ?? NaN);
        p50.b.push(measured['short']?.p50 ?? NaN);
      }
      const result = ratio(
        `${kind}: ${rows.long} transactions against ${rows.short}`,
        atMost(1.3),
        p50,
        'ms',
      );
      lab.report(`  ${kind}: ${round(result.value)}× (${result.detail})`);
      results.push(result);
    }
    return results;
  },
};

const memory: Figure = {
  name: 'memory',
  about: 'memory of the process after 500,000 payments against after 50,000, garbage collected',
  async run(lab, scale) {
    const preload = ['--expose-gc', '--import', new URL('./collect-garbage.mjs', import.meta.url).href];
    const service = await lab.service('memory', preload);
    const groups = [{ connections: CONNECTIONS, requests: payments(await service.wallets(200)) }];
    const sizes: { rss: number; heapUsed: number }[] = [];
    let paid = 0;
    for (const goal of scale.memoryPayments) {
      const { port } = service.server;
      const { payment } = await lab.load.run({ port, groups, seconds: 600, answersMax: goal - paid });
      paid += payment?.ok ?? 0;
      await lab.settled(service);
      await sleep(1_000);
      const size = await service.server.ask<{ rss: number; heapUsed: number }>('memory');
      lab.report(
        `  after ${paid} payments: RSS ${round(size.rss / 2 ** 20)} MiB, heap ${round(size.heapUsed / 2 ** 20)} MiB`,
      );
      sizes.push(size);
    }
    const [small, large] = sizes as [(typeof sizes)[0], (typeof sizes)[0]];
    const mib = (key: 'rss' | 'heapUsed') => ({ a: [large[key] / 2 ** 20], b: [small[key] / 2 ** 20] });
    const after = scale.memoryPayments.join(' and ');
    return [
      ratio(`memory (RSS) after ${after} payments`, atMost(1.2), mib('rss'), 'MiB'),
      ratio(`heap in use after ${after} payments`, atMost(1.2), mib('heapUsed'), 'MiB'),
    ];
  },
};

const settlement: Figure = {
  name: 'settlement',
  about: 'the backlog of settlements while payments are approved as fast as they can be',
  async run(lab, scale) {
    const service = await lab.service('settlement');
    const groups = [{ connections: CONNECTIONS, requests: payments(await service.wallets(200)) }];
    const run = lab.load.run({ port: service.server.port, groups, seconds: scale.drainSeconds });
    const step = Math.min(10, scale.drainSeconds / 3);
    const backlog: number[] = [];
    for (let at = step; at < scale.drainSeconds + step / 2; at += step) {
      await sleep(step * 1_000 - 50);
      backlog.push(await lab.backlog(service));
      lab.report(`  at ${round(at)} s: ${backlog.at(-1)} payments not settled`);
    }
    const perSecond = (await run)['payment']?.perSecond ?? NaN;
    const from = Date.now();
    await lab.settled(service);
    const drained = (Date.now() - from) / 1_000;
    const third = Math.ceil(backlog.length / 3);
    const growth = median(backlog.slice(-third)) - median(backlog.slice(0, third));
    // What one second approves is in flight at any time; it may come and go.
    const reached = growth <= perSecond;
    const detail = `backlog ${list(backlog)} at steps of ${round(step)} s with ${round(perSecond)} payments/s; empty ${round(drained)} s after`;
    const goal = 'does not grow';
    return [
      { figure: 'growth of the settlement backlog', goal, value: growth, unit: 'payments', reached, detail },
    ];
  },
};

const lockedWallet: Figure = {
  name: 'locked-wallet',
  about: "p99 of all others while a foreign transaction holds one wallet's row for 5 s",
  async run(lab, scale) {
    const service = await lab.service('locked');
    const [held, ...others] = await service.wallets(200);
    if (!held) throw new Error('there are no wallets');
    const groups = [
      { connections: CONNECTIONS - 4, requests: payments(others, 'others') },
      { connections: 4, requests: payments([held], 'held') },
    ];
    const p99: { a: number[]; b: number[] } = { a: [], b: [] };
    const perSecond: { a: number[]; b: number[] } = { a: [], b: [] };
    for (let pair = 1; pair <= scale.pairs; pair++) {
      for (const [letter, seconds] of [
        ['b', 0],
        ['a', 5],
      ] as const) {
        const holder = new pg.Client({ connectionString: lab.postgres.url(service.database) });
        await holder.connect();
        // Taken once the load is under way and given back 5 s later; the measuring lies in between.
        const hold = async (): Promise<void> => {
          await sleep(500);
          await holder.query('BEGIN');
          if (seconds > 0) await holder.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [held.id]);
          await sleep(5_000);
          await holder.query('COMMIT');
        };
        const [measured] = await Promise.all([lab.measure(service, groups, 4.4, 0.8), hold()]);
        await holder.end();
        const one = measured['others'];
        if (!one) throw new Error('nothing was answered');
        p99[letter].push(one.p99);
        perSecond[letter].push(one.perSecond);
        const what = seconds > 0 ? 'held' : 'free';
        lab.report(
          `  pair ${pair}, ${what}: others ${round(one.perSecond)}/s, p99 ${round(one.p99)} ms; the wallet itself ${measured['held']?.ok ?? 0} payments`,
        );
      }
    }
    return [
      ratio('p99 of all others while one wallet is held for 5 s', atMost(1.25), p99, 'ms'),
      ratio('payments/s of all others meanwhile', FOR_INFORMATION, perSecond, '/s'),
    ];
  },
};

/** The three that `npm run bench -- headline` measures. */
export const HEADLINE = [singleClient, throughput, hotWallet].map(({ name }) => name);

export const FIGURES: readonly Figure[] = [
  // On the same two servers, of which the service's holds more payments after each crowd: what is easily disturbed first.
  singleClient,
  throughput,
  hotWallet,
  subscribers,
  neverSettling,
  lockedWallet,
  settlement,
  memory,
  history,
];
