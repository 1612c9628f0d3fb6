import { describe, expect, it } from '@jest/globals';
import { EventStream } from './event-stream.js';
import { Feed } from './feed.js';
import type { Change } from './live-updates.domain.js';

const NOTHING = { wallets: new Map(), endpoints: new Map() };
const KEPT_MAX = 200;

const change = (n: number): Change => ({ type: 'ledger', walletId: `wallet ${n}` });
const told = (from: number, to: number): Change[] =>
  Array.from({ length: to - from + 1 }, (_, i) => change(from + i));
const feed = (): Feed => new Feed('user', NOTHING);

async function joined(to: Feed, lastEventId?: string) {
  const stream = new EventStream('session', () => undefined);
  to.join(stream, lastEventId);
  to.leave(stream);
  stream.end();
  const chunks: string[] = [];
  for await (const chunk of stream.body) chunks.push(String(chunk));
  return [...chunks.join('').matchAll(/^id: (\S+)\ndata: (.*)$/gm)].map(([, id = '', data = '']) => ({
    id,
    event: JSON.parse(data) as Change | { type: 'ready' },
  }));
}
const eventsOf = async (to: Feed, lastEventId?: string) =>
  (await joined(to, lastEventId)).map(({ event }) => event);
const READY = [{ type: 'ready' }];

describe('a stream that joins a feed', () => {
  it('goes on right behind the last event that it was told, with the ids that the others had', async () => {
    const of = feed();
    const [first] = await joined(of);
    of.publish(told(1, 3));
    const missed = await joined(of, first!.id);
    expect(missed.map(({ event }) => event)).toEqual(told(1, 3));
    expect(await joined(of, missed[0]!.id)).toEqual(missed.slice(1));
    expect(await joined(of, missed[2]!.id)).toEqual([]);
  });

  it('goes on behind as many as are kept, and reads everything again behind more', async () => {
    const of = feed();
    const [first] = await joined(of);
    of.publish(told(1, KEPT_MAX));
    expect(await eventsOf(of, first!.id)).toEqual(told(1, KEPT_MAX));
    of.publish([change(KEPT_MAX + 1)]);
    expect(await eventsOf(of, first!.id)).toEqual(READY);
  });

  it('reads everything again behind an event of another feed, or one that never was', async () => {
    const of = feed();
    const [first] = await joined(of);
    const [others] = await joined(feed());
    of.publish(told(1, 3));
    const [epoch] = first!.id.split('.');
    for (const id of [
      undefined,
      '',
      others!.id,
      `${epoch}.4`,
      `${epoch}.-1`,
      `${epoch}.`,
      `${epoch}.x`,
      epoch,
    ])
      expect(await eventsOf(of, id)).toEqual(READY);
  });
});

describe('a feed', () => {
  it('tells the end of the newest that it watches, once, and gives the oldest up', async () => {
    const of = feed();
    const [first] = await joined(of);
    for (let n = 0; n <= KEPT_MAX; n += 1) {
      of.watchPayment(`payment ${n}`, 'wallet');
      of.watchWithdrawal(`withdrawal ${n}`, 'wallet');
    }
    const ids = new Set([
      'payment 0',
      'payment 1',
      'withdrawal 0',
      'withdrawal 1',
      'payment of somebody else',
    ]);
    of.end(ids);
    of.end(ids);
    expect(await eventsOf(of, first!.id)).toEqual([
      { type: 'payment', walletId: 'wallet', transactionId: 'payment 1' },
      { type: 'withdrawal', walletId: 'wallet', withdrawalId: 'withdrawal 1' },
    ]);
    expect(of.watched).toHaveLength(2 * (KEPT_MAX - 1));
  });
});
