import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { PIPELINED_MAX } from '../../src/platform/http/server/connections.js';
import { fastifyAdapter, SERVER_TIMES } from '../../src/platform/http/server/fastify.js';
import { exchange, hang } from '../support/raw-http.js';
import { paymentBody, startService, until } from '../support/service.js';

describe('requests that come before the one ahead of them is answered', () => {
  /** A server whose one route is answered when `go` is called, in the order in which its requests began. */
  async function withHeld(
    test: (port: number, began: string[], go: () => void) => Promise<void>,
  ): Promise<void> {
    const server = fastifyAdapter().getInstance();
    const began: string[] = [];
    const answers: (() => void)[] = [];
    server.get('/held/:id', async ({ params }) => {
      const { id } = params as { id: string };
      began.push(id);
      await new Promise<void>((resolve) => answers.push(resolve));
      return `answer ${id}`;
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    try {
      await test((server.server.address() as AddressInfo).port, began, () => answers.shift()?.());
    } finally {
      server.server.closeAllConnections();
      await server.close();
    }
  }
  const held = (count: number) =>
    Array.from({ length: count }, (_, i) => `GET /held/${i} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');

  it('begin one after the other, and are all answered in their order', async () => {
    await withHeld(async (at, began, go) => {
      const { socket, closed } = await hang(at, held(1 + PIPELINED_MAX));
      for (let i = 0; i <= PIPELINED_MAX; i += 1) {
        await until(() => Promise.resolve(began.length > i));
        expect(began).toHaveLength(i + 1);
        go();
      }
      await until(() => Promise.resolve(socket.bytesRead > 0));
      socket.end();
      expect((await closed).match(/answer \d+/g)).toEqual(began.map((id) => `answer ${id}`));
    });
  });

  it('past the bound close their connection, and none of them is carried out', async () => {
    const { stackTraceLimit } = Error;
    await withHeld(async (at, began, go) => {
      expect(await (await hang(at, held(2 + PIPELINED_MAX))).closed).toBe('');
      expect(Error.stackTraceLimit).toBe(stackTraceLimit);
      await sleep(50);
      expect(began).toEqual([]);
      go();
    });
  });

  it('are payments too: each is made, in their order', async () => {
    const service = await startService();
    const { id, key, owner } = await service.fundedWallet(1_000_000);
    await service.app.listen(0, '127.0.0.1');
    const { port } = service.app.getHttpServer().address() as AddressInfo;
    const pay = (amount: number, headers = '') => {
      const body = JSON.stringify(paymentBody({ amount }));
      return `POST /api/payment-intent HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
    };
    const received = await exchange(port, pay(101) + pay(102) + pay(103, 'connection: close\r\n'));
    expect(received.match(/HTTP\/1\.1 \d+|"amount":\d+/g)).toEqual(
      [101, 102, 103].flatMap((amount) => ['HTTP/1.1 201', `"amount":${amount}`]),
    );
    const { body } = await service.get<{ data: { amount: number }[] }>(`/api/wallets/${id}/transactions`, {
      token: owner.token,
    });
    expect(body.data.map(({ amount }) => amount)).toEqual([103, 102, 101]);
    await service.close();
  });

  it('are not carried out behind an answer that says it is the last', async () => {
    await withHeld(async (at, began, go) => {
      const closing = `GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n${held(1)}`;
      expect((await exchange(at, closing)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
      await sleep(50);
      expect(began).toEqual([]);
      go();
    });
  });
});

describe('a client that takes nothing of its answer', () => {
  it('is closed, while one that takes it with pauses gets all of it', async () => {
    let pauses = 0;
    const LONG = Buffer.alloc(32 * 1_024 * 1_024, 'x');
    const server = fastifyAdapter({ times: { ...SERVER_TIMES, unreadMsMax: 2_000 } }).getInstance();
    server.get('/long', () => LONG);
    await server.listen({ port: 0, host: '127.0.0.1' });
    const at = (server.server.address() as AddressInfo).port;
    const open = () => promisify(server.server.getConnections.bind(server.server))();
    try {
      const ask = 'GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const deaf = await hang(at, ask);
      deaf.socket.pause();
      const slow = await hang(at, ask);
      const paused = setInterval(() => {
        if (slow.socket.isPaused() || slow.socket.bytesRead < (pauses + 1) * 4 * 1_024 * 1_024) return;
        pauses += 1;
        slow.socket.pause();
        setTimeout(() => slow.socket.resume(), 400);
      }, 1);
      expect((await slow.closed).length).toBeGreaterThan(LONG.length);
      clearInterval(paused);
      expect(pauses).toBeGreaterThan(3);
      await until(async () => (await open()) === 0);
      deaf.socket.destroy();
    } finally {
      server.server.closeAllConnections();
      await server.close();
    }
  });
});
