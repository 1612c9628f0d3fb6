import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { EventStream } from './event-stream.js';

function stream() {
  let closed = 0;
  return { stream: new EventStream('session', () => (closed += 1)), timesClosed: () => closed };
}

describe('an event stream', () => {
  it('writes events as browsers read them', async () => {
    const { stream: events } = stream();
    events.send('a.1', { type: 'ready' });
    events.comment('resumed');
    events.beat();
    events.end();
    const chunks: string[] = [];
    for await (const chunk of events.body) chunks.push(String(chunk));
    expect(chunks.join('')).toBe(
      'retry: 2000\n\nid: a.1\ndata: {"type":"ready"}\n\n: resumed\n\nevent: alive\ndata: {}\n\n',
    );
  });

  it('drops a reader that is 64 KiB behind, once, and writes no more', async () => {
    const { stream: events, timesClosed } = stream();
    const closing = once(events.body, 'close');
    for (let i = 0; i < 2_000; i += 1) events.send(`a.${i}`, { type: 'ledger', walletId: 'w'.repeat(36) });
    await closing;
    expect([events.isClosed, timesClosed(), events.body.destroyed]).toEqual([true, 1, true]);
    events.end();
    events.send('a.9', {});
    expect(timesClosed()).toBe(1);
  });

  it('is closed once by its end, and once by a client that goes away', async () => {
    const ended = stream();
    ended.stream.end();
    ended.stream.end();
    expect(ended.timesClosed()).toBe(1);
    const read = once(ended.stream.body, 'close');
    ended.stream.body.resume();
    await read;
    expect(ended.timesClosed()).toBe(1);
    const left = stream();
    const closing = once(left.stream.body, 'close');
    left.stream.body.destroy();
    await closing;
    expect(left.timesClosed()).toBe(1);
  });
});
