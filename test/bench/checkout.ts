import { atLeast, atMost, CONNECTIONS, duel, type Figure, FOR_INFORMATION, ratio } from './duel.ts';

/** What a change may cost at most, and what it is held to in every figure. */
const SHARE = 0.03;

/**
 * This version of the service against another, built one: what a change of the layout or a new rule costs. Each figure
 * may be worse by three in a hundred.
 */
export function figuresAgainst(checkout: string): readonly Figure[] {
  const crowd = (name: string, about: string, load: { wallets: number; fresh?: boolean }): Figure => ({
    name,
    about,
    async run(lab, scale) {
      const own = await lab.service(`own_${name}`);
      const other = await lab.service(`other_${name}`, [], checkout);
      const both = await duel(lab, [own, other], { ...load, connections: CONNECTIONS }, scale);
      return [
        ratio(`${about}: payments/s`, atLeast(1 - SHARE), both.perSecond, '/s'),
        ratio(`${about}: CPU time of a payment`, atMost(1 + SHARE), both.cpu, 'ms'),
      ];
    },
  });
  return [
    crowd('crowd', '200 wallets, 64 connections', { wallets: 200 }),
    crowd('hot', 'one hot wallet, 64 connections', { wallets: 1, fresh: true }),
    {
      name: 'alone',
      about: 'p50 of a client that is alone, and the memory of the process afterwards',
      async run(lab, scale) {
        const preload = ['--expose-gc', '--import', new URL('./collect-garbage.mjs', import.meta.url).href];
        const own = await lab.service('own_alone', preload);
        const other = await lab.service('other_alone', preload, checkout);
        const short = { pairs: 2 * scale.pairs, seconds: 1 };
        const { p50, cpu } = await duel(lab, [own, other], { wallets: 200, connections: 1 }, short);
        const [a, b] = await Promise.all(
          [own, other].map(({ server }) => server.ask<{ rss: number; heapUsed: number }>('memory')),
        );
        const mib = (key: 'rss' | 'heapUsed') => ({
          a: [(a?.[key] ?? NaN) / 2 ** 20],
          b: [(b?.[key] ?? NaN) / 2 ** 20],
        });
        return [
          ratio('p50 with a single client', atMost(1 + SHARE), p50, 'ms'),
          ratio('CPU time of such a payment', atMost(1 + SHARE), cpu, 'ms'),
          ratio('memory (RSS) afterwards', atMost(1 + SHARE), mib('rss'), 'MiB'),
          ratio('heap in use afterwards', FOR_INFORMATION, mib('heapUsed'), 'MiB'),
        ];
      },
    },
  ];
}
