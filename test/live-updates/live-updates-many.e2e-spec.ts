import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { FeedReader } from '../../src/contexts/live-updates/feed-reader.service.js';
import { startService, type TestService, until } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it('tells of up to 20 new attempts of a wallet one by one, and of more as one change', async () => {
  const reader = service.app.get(FeedReader, { strict: false });
  const wallet = await service.createWallet();
  const feed = await reader.begin(wallet.owner.id);
  const tell = jest.spyOn(feed, 'publish');
  const toldOf = async (attempts: number) => {
    tell.mockClear();
    const made = await Promise.all(Array.from({ length: attempts }, () => service.pay(wallet.key)));
    await reader.refresh([feed]);
    const told = tell.mock.calls.flatMap(([changes]) => changes).filter(({ type }) => type === 'payment');
    return {
      made: made.map(({ body }) => body.transactionId).sort(),
      told: told.map((change) => 'transactionId' in change && change.transactionId).sort(),
    };
  };
  const few = await toldOf(20);
  expect(few.told).toEqual(few.made);
  expect((await toldOf(21)).told).toEqual([null]);
});

it('tells what becomes of the newest 20 of more payments that were made between two looks', async () => {
  const reader = service.app.get(FeedReader, { strict: false });
  const wallet = await service.fundedWallet(1_000_000);
  const feed = await reader.begin(wallet.owner.id);
  const tell = jest.spyOn(feed, 'publish');
  const ids: string[] = [];
  for (let n = 0; n < 30; n += 1) ids.push((await service.pay(wallet.key)).body.data.transaction.id);
  await until(async () => {
    await reader.refresh([feed]);
    const told = tell.mock.calls.flatMap(([changes]) => changes);
    const ended = told.flatMap((change) =>
      change.type === 'payment' && change.transactionId !== null ? [change.transactionId] : [],
    );
    return JSON.stringify([...new Set(ended)].sort()) === JSON.stringify(ids.slice(-20).sort());
  });
});
