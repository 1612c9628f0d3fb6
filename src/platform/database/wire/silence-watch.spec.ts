import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { SilenceWatch } from './silence-watch.js';

const CHECK_MS = 100;
const MS_MAX = 1_000;

class Client extends EventEmitter {
  readyForQuery = true;
  readonly connection = {
    stream: {
      bytesRead: 0,
      destroy: () => {
        this.isThrownAway = true;
        this.emit('end');
      },
    },
  };
  isThrownAway = false;

  ask(): void {
    this.readyForQuery = false;
  }

  answer(bytes = 1): void {
    this.connection.stream.bytesRead += bytes;
    this.readyForQuery = true;
  }
}

let watch: SilenceWatch;
beforeEach(() => {
  jest.useFakeTimers();
  watch = new SilenceWatch(MS_MAX, CHECK_MS);
});
afterEach(() => {
  jest.useRealTimers();
});

function watched(): Client {
  const client = new Client();
  watch.add(client as unknown as pg.Client);
  return client;
}
const pass = (ms: number): void => {
  jest.advanceTimersByTime(ms);
};

describe('a connection', () => {
  it('is thrown away when an answer is owed for longer than the bound, and not before', () => {
    const client = watched();
    pass(CHECK_MS / 2);
    client.ask();
    pass(MS_MAX);
    expect(client.isThrownAway).toBe(false);
    pass(2 * CHECK_MS);
    expect(client.isThrownAway).toBe(true);
  });

  it('stays while it is not asked, while bytes come, and when it answers at the last moment', () => {
    const [unused, slow, late] = [watched(), watched(), watched()];
    pass(10 * MS_MAX);
    slow.ask();
    late.ask();
    for (let i = 0; i < 10; i += 1) {
      pass(MS_MAX / 2);
      slow.connection.stream.bytesRead += 1;
      if (i % 2 === 0) continue;
      late.answer();
      late.ask();
    }
    expect([unused, slow, late].map(({ isThrownAway }) => isThrownAway)).toEqual([false, false, false]);
  });

  it('that was quiet for as long without being asked goes with one that fell silent; one that was heard stays', () => {
    const [silent, unused, heard] = [watched(), watched(), watched()];
    silent.ask();
    pass(MS_MAX / 2);
    heard.answer();
    pass(MS_MAX);
    expect([silent, unused, heard].map(({ isThrownAway }) => isThrownAway)).toEqual([true, true, false]);
  });

  it('keeps its time while the process is suspended: that is not its silence', () => {
    const client = watched();
    client.ask();
    // Timers of a suspended process fire once when it resumes.
    jest.setSystemTime(Date.now() + 10 * MS_MAX);
    pass(CHECK_MS);
    expect(client.isThrownAway).toBe(false);
  });
});

it('a connection that has ended is not checked any more', () => {
  const client = watched();
  client.ask();
  client.emit('end');
  pass(10 * MS_MAX);
  expect(client.isThrownAway).toBe(false);
});
