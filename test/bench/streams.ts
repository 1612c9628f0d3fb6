import { CONNECTIONS, type Figure, FOR_INFORMATION, median, ratio, WARM_UP_SECONDS } from './duel.ts';
import { payments } from './lab.ts';
import { WalletOwner } from '../support/wallet-owner.ts';

const OWNERS = 50;
const WALLETS_EACH = 4;

/** What it costs payments that every owner of the paying wallets watches them. */
export const streams: Figure = {
  name: 'streams',
  about: `payments/s with ${OWNERS} open streams of events, each of an owner of ${WALLETS_EACH} of the wallets, against none`,
  async run(lab, { pairs, seconds }) {
    const service = await lab.service('streams');
    const owners: WalletOwner[] = [];
    while (owners.length < OWNERS) owners.push(await WalletOwner.signUp(service.server.port));
    const wallets = (await Promise.all(owners.map((owner) => owner.fundedWallets(WALLETS_EACH)))).flat();
    const groups = [{ connections: CONNECTIONS, requests: payments(wallets) }];
    await lab.measure(service, groups, WARM_UP_SECONDS);
    const perSecond: { a: number[]; b: number[] } = { a: [], b: [] };
    const p99: { a: number[]; b: number[] } = { a: [], b: [] };
    const bytes: number[] = [];
    for (let pair = 1; pair <= pairs; pair++) {
      for (const letter of ['b', 'a'] as const) {
        const listeners = letter === 'a' ? await listen(owners, service.server.port) : undefined;
        const { payment } = await lab.measure(service, groups, seconds, 0.5);
        if (listeners) bytes.push(await listeners.close());
        if (!payment) throw new Error('nothing was answered');
        perSecond[letter].push(payment.perSecond);
        p99[letter].push(payment.p99);
        lab.report(
          `  pair ${pair}, ${listeners ? `${OWNERS} streams` : 'none'}: ${payment.perSecond.toFixed(0)}/s, p99 ${payment.p99.toFixed(1)} ms`,
        );
      }
    }
    lab.report(`  heard by all of them in a run: ${(median(bytes) / 1_024).toFixed(0)} KiB`);
    return [
      ratio(`payments/s with ${OWNERS} open streams, against none`, FOR_INFORMATION, perSecond, '/s'),
      ratio('p99 with them, against none', FOR_INFORMATION, p99, 'ms'),
    ];
  },
};

/** Opens the stream of each, and reads it; `close` answers the bytes that came. */
async function listen(
  owners: readonly WalletOwner[],
  port: number,
): Promise<{ close: () => Promise<number> }> {
  const end = new AbortController();
  let bytes = 0;
  const bodies = await Promise.all(
    owners.map(async ({ token }) => {
      const headers = { authorization: `Bearer ${token}` };
      const { body, status } = await fetch(`http://127.0.0.1:${port}/v1/events`, {
        headers,
        signal: end.signal,
      });
      if (status !== 200 || !body) throw new Error(`a stream was answered ${status}`);
      return body;
    }),
  );
  const readers = bodies.map(async (body) => {
    const reader = body.getReader();
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        bytes += (read.value as Uint8Array).length;
      }
    } catch {
      // It was closed here.
    }
  });
  return {
    close: async () => {
      end.abort();
      await Promise.all(readers);
      return bytes;
    },
  };
}
