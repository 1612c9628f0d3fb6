import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newId } from '../../kernel/ids.js';
import type { SessionUser } from '../identity/identity.port.js';
import type { EventStream } from './event-stream.js';
import { Feed } from './feed.js';
import type { FeedReader } from './feed-reader.service.js';
import { LiveUpdatesService } from './live-updates.service.js';

const session = (userId = newId()): SessionUser => ({
  userId,
  sessionId: newId(),
  isOperator: false,
  accountId: userId,
  role: 'owner',
  isTwoFactorDemanded: false,
  mustSetUpTwoFactor: false,
});

function underTest() {
  let asked = 0;
  const reader = {
    begin: (userId: string) =>
      Promise.resolve(new Feed(userId, { wallets: new Map(), endpoints: new Map() })),
    refresh: () => Promise.resolve(),
  };
  const sessions = {
    liveAmong: (ids: readonly string[]) => {
      asked += 1;
      return Promise.resolve(new Set(ids));
    },
  };
  const service = new LiveUpdatesService(reader as unknown as FeedReader, sessions, 10);
  return { service, asked: () => asked };
}

const ALIVE = 'event: alive\ndata: {}\n\n';

function told({ body }: EventStream): string[] {
  const texts: string[] = [];
  const read = () => body.read() as Buffer | null;
  for (let text = read(); text; text = read()) texts.push(text.toString());
  return texts;
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a stream without news', () => {
  it('says every 15 seconds that it lives, by an event that scripts are told of', async () => {
    const { service } = underTest();
    const streams = [
      await service.open(session(), undefined, 'network'),
      await service.open(session(), undefined, 'network'),
    ];
    const beats = () => streams.map((stream) => told(stream).filter((text) => text === ALIVE).length);
    await jest.advanceTimersByTimeAsync(14_400);
    expect(beats()).toEqual([0, 0]);
    await jest.advanceTimersByTimeAsync(1_100);
    expect(beats()).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(14_000);
    expect(beats()).toEqual([0, 0]);
    await jest.advanceTimersByTimeAsync(31_000);
    expect(beats()).toEqual([3, 3]);
    await service.onModuleDestroy();
  });
});

describe('a service whose last stream is closed', () => {
  it('asks for nothing more, and begins again with the next stream', async () => {
    const { service, asked } = underTest();
    const first = await service.open(session(), undefined, 'network');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(asked()).toBe(10);
    first.end();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked()).toBe(10);
    const next = await service.open(session(), undefined, 'network');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(asked()).toBe(20);
    expect(told(next)).toContain(ALIVE);
    await service.onModuleDestroy();
  });
});
