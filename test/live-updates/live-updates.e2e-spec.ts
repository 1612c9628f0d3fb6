import { get as httpGet, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { KeyUsageStore } from '../../src/contexts/wallet/keys/key-usage.store.js';
import { FeedReader } from '../../src/contexts/live-updates/feed-reader.service.js';
import { LiveUpdatesService } from '../../src/contexts/live-updates/live-updates.service.js';
import { WebhookActivity } from '../../src/contexts/notifications/notifications.port.js';
import { WalletActivity } from '../../src/contexts/wallet/wallet-activity.port.js';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { Receiver } from '../support/receiver.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';
import { withdraw } from '../support/withdrawals.js';

interface Told {
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** One open `text/event-stream`, over a real connection. */
class Listener {
  readonly events: Told[] = [];
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  text = '';
  isEnded = false;

  private constructor(private readonly response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('error', () => undefined);
    response.on('close', () => (this.isEnded = true));
    response.on('data', (chunk: string) => {
      this.text += chunk;
      this.events.splice(0, Infinity, ...parsed(this.text));
    });
  }

  static open(service: TestService, headers: Record<string, string>): Promise<Listener> {
    const { port } = service.app.getHttpServer().address() as AddressInfo;
    return new Promise((resolve, reject) => {
      httpGet({ port, path: '/v1/events', headers }, (response) => {
        const listener = new Listener(response);
        open.push(listener);
        resolve(listener);
      }).on('error', reject);
    });
  }

  get types(): unknown[] {
    return this.events.map(({ data }) => data['type']);
  }

  has(type: string, fields: object = {}): boolean {
    return this.events.some(({ data }) =>
      Object.entries({ type, ...fields }).every(([name, value]) => data[name] === value),
    );
  }

  told(type: string, fields: object = {}): Promise<void> {
    return until(() => Promise.resolve(this.has(type, fields)));
  }

  ended(): Promise<void> {
    return until(() => Promise.resolve(this.isEnded));
  }

  close(): void {
    this.response.destroy();
  }
}

/** What is told. The word that a stream lives, every fifteen seconds, is none of it: no stream resumes from it. */
function parsed(text: string): Told[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((block) => {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      const id = /^id: (.*)$/m.exec(block)?.[1];
      if (data === undefined || id === undefined) return [];
      return [{ id, data: JSON.parse(data) as Record<string, unknown> }];
    });
}

const open: Listener[] = [];
let service: TestService;
beforeAll(async () => {
  service = await startService();
  await service.app.listen(0, '127.0.0.1');
});
afterEach(() => {
  for (const listener of open.splice(0)) listener.close();
});
afterAll(() => service.close());

const bearer = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });
const transactionOf = async (wallet: CreatedWallet, amount = 1_000) => {
  const { status, body } = await service.pay(wallet.key, { amount });
  return status === 201 ? body.data.transaction.id : body.transactionId;
};

describe('a stream of events', () => {
  it('begins with ready, and is not kept, buffered or compressed on its way', async () => {
    const user = await service.signUp();
    const stream = await Listener.open(service, { ...bearer(user), 'accept-encoding': 'gzip, br' });
    await stream.told('ready');
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'content-security-policy': expect.any(String),
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
    expect(stream.text.startsWith('retry: 2000\n\n')).toBe(true);
    expect(stream.events[0]!.id).not.toBe('');
  });

  it('tells nothing of payments that were over before it began', async () => {
    const wallet = await service.fundedWallet(10_000);
    await transactionOf(wallet);
    await service.settled();
    await service.app.get(KeyUsageStore, { strict: false }).flush();
    const stream = await Listener.open(service, bearer(wallet.owner));
    await stream.told('ready');
    await askAbove(service, wallet, 5_000);
    await stream.told('wallet');
    expect(stream.types).toEqual(['ready', 'wallet']);
  });

  it('tells of payments and what becomes of them, of money, rules, new wallets and deliveries', async () => {
    const wallet = await service.fundedWallet(50_000);
    const { token } = wallet.owner;
    const stream = await Listener.open(service, bearer(wallet.owner));
    await stream.told('ready');
    const paid = await transactionOf(wallet);
    await stream.told('payment', { walletId: wallet.id, transactionId: paid });
    await stream.told('ledger', { walletId: wallet.id });
    const times = () => stream.events.filter(({ data }) => data['transactionId'] === paid).length;
    await until(() => Promise.resolve(times() === 2));
    const blocked = await transactionOf(wallet, 100_001);
    await stream.told('payment', { transactionId: blocked });
    await service.post(`/api/wallets/${wallet.id}/suspend`, { token, body: {} });
    await stream.told('wallet', { walletId: wallet.id });
    const added = await service.createWallet(wallet.owner);
    await stream.told('wallet', { walletId: added.id });
    const endpoint = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', {
      token,
      body: { url: 'http://127.0.0.1:65001/hooks' },
    });
    await stream.told('delivery', { endpointId: endpoint.body.data.id });
    // Amounts and names are read where they are shown.
    expect(
      Object.keys(Object.assign({}, ...(stream.events.map(({ data }) => data) as object[])) as object).sort(),
    ).toEqual(['endpointId', 'transactionId', 'type', 'walletId']);
  });

  it.each([
    [20, 20],
    [21, 1],
  ])('tells of %d payments that were made between two looks in %d of payments', async (made, events) => {
    const wallet = await service.createWallet();
    const reader = service.app.get(FeedReader);
    const feed = await reader.begin(wallet.userId);
    const ids: (string | null)[] = [];
    for (let i = 0; i < made; i += 1) ids.push(await transactionOf(wallet));
    const tell = jest.spyOn(feed, 'publish');
    await reader.refresh([feed]);
    const payments = tell.mock.calls.flat(2).filter(({ type }) => type === 'payment');
    expect(payments).toEqual(
      (events === made ? ids : [null]).map((transactionId) => ({
        type: 'payment',
        walletId: wallet.id,
        transactionId,
      })),
    );
  });

  it('tells of payments that wait, of their decision and of what became of them', async () => {
    const wallet = await service.fundedWallet(50_000);
    await askAbove(service, wallet, 2_000);
    const before = await payPending(service, wallet, { amount: 3_000 });
    // A feed that begins now watches what waits already.
    const stream = await Listener.open(service, bearer(wallet.owner));
    await stream.told('ready');
    const asked = await payPending(service, wallet, { amount: 2_500 });
    await stream.told('payment', { transactionId: asked.id });
    await stream.told('approval', { walletId: wallet.id });
    const times = (type: string) => stream.types.filter((each) => each === type).length;
    const told = times('approval');
    await decide(service, wallet, asked.id, 'deny');
    await until(() => Promise.resolve(times('approval') > told));
    expect(stream.has('ledger')).toBe(false);
    await decide(service, wallet, before.id, 'approve');
    await stream.told('ledger', { walletId: wallet.id });
    await stream.told('payment', { transactionId: before.id });
  });

  it('tells of the end of a withdrawal, whether it began before the stream or after', async () => {
    const wallet = await service.fundedWallet(50_000);
    // As many as are looked at of a wallet: they are over, and the newest alone are worth a look.
    for (let i = 0; i < 10; i += 1) await withdraw(service, wallet, 1_000);
    await service.settled();
    let isAsked = false;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const startPayout = jest
      .spyOn(service.app.get(Bank, { strict: false }), 'startPayout')
      .mockImplementation(async () => {
        isAsked = true;
        await gate;
        return { kind: 'succeeded' };
      });
    try {
      const before = await withdraw(service, wallet, 1_000);
      await until(() => Promise.resolve(isAsked));
      const stream = await Listener.open(service, bearer(wallet.owner));
      await stream.told('ready');
      const after = await withdraw(service, wallet, 1_000);
      await stream.told('ledger', { walletId: wallet.id });
      expect(stream.has('withdrawal')).toBe(false);
      release();
      await stream.told('withdrawal', { walletId: wallet.id, withdrawalId: before });
      await stream.told('withdrawal', { walletId: wallet.id, withdrawalId: after });
      await service.settled();
      expect(stream.types.filter((type) => type === 'withdrawal')).toHaveLength(2);
    } finally {
      release();
      startPayout.mockRestore();
    }
  });

  it('tells that a key was used, at another replica too', async () => {
    const wallet = await service.fundedWallet(50_000);
    const other = await startService({ beside: service });
    try {
      const stream = await Listener.open(service, bearer(wallet.owner));
      await stream.told('ready');
      const times = () => stream.types.filter((type) => type === 'key').length;
      for (const [i, replica] of [service, other].entries()) {
        expectStatus(201, await replica.pay(wallet.key));
        await until(() => Promise.resolve(times() > i));
      }
      expect(stream.has('key', { walletId: wallet.id })).toBe(true);
      const { body } = await service.get<{ data: { lastUsedAt: string | null }[] }>(
        `/api/wallets/${wallet.id}/keys`,
        { token: wallet.owner.token },
      );
      expect(body.data[0]?.lastUsedAt).not.toBeNull();
    } finally {
      await other.close();
    }
  });

  it('tells of keys, payees and settings of endpoints', async () => {
    const wallet = await service.fundedWallet(5_000);
    const { token } = wallet.owner;
    const { body } = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', {
      token,
      body: { url: 'http://127.0.0.1:65001/hooks' },
    });
    const stream = await Listener.open(service, bearer(wallet.owner));
    await stream.told('ready');
    const times = (type: string) => stream.types.filter((each) => each === type).length;
    const more = async (type: string, act: () => Promise<Answer<unknown>>, status: number) => {
      const known = times(type);
      expectStatus(status, await act());
      await until(() => Promise.resolve(times(type) > known));
    };
    const keys = `/api/wallets/${wallet.id}/keys`;
    await more('wallet', () => service.post(keys, { token, body: { name: 'Second' } }), 201);
    const payee = { merchantName: 'Jumia', accountNumber: '0123456789', bankCode: '058' };
    const payees = `/api/wallets/${wallet.id}/payees`;
    await more('wallet', () => service.post(payees, { token, body: payee }), 201);
    const endpoint = `/v1/webhook-endpoints/${body.data.id}`;
    await more(
      'delivery',
      () => service.call('PATCH', endpoint, { token, body: { description: 'Books' } }),
      200,
    );
    await more('delivery', () => service.call('DELETE', endpoint, { token }), 200);
  });

  it('tells of old deliveries that are sent again, each by itself and all that failed', async () => {
    const receiver = await Receiver.start();
    try {
      const wallet = await service.createWallet();
      const { token } = wallet.owner;
      const { body } = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', {
        token,
        body: { url: receiver.url('/') },
      });
      const { id } = body.data;
      for (let i = 0; i < 3; i += 1) await service.topUp(wallet.id, 100);
      const deliveries = async (status: string) => {
        const path = `/v1/webhook-endpoints/${id}/deliveries?status=${status}`;
        return (await service.get<{ data: { id: string }[] }>(path, { token })).body.data;
      };
      await until(async () => (await deliveries('succeeded')).length === 3);
      const [, failed, oldest] = await deliveries('succeeded');
      await service.query(`UPDATE webhook_deliveries SET status = 'failed' WHERE id = $1`, [failed!.id]);

      const stream = await Listener.open(service, bearer(wallet.owner));
      await stream.told('ready');
      const replay = `/v1/webhook-deliveries/${oldest!.id}/replay`;
      expectStatus(202, await service.post(replay, { token }));
      await until(() => Promise.resolve(receiver.received.length === 4));
      await stream.told('delivery', { endpointId: id });

      const known = stream.events.length;
      const recover = `/v1/webhook-endpoints/${id}/recover`;
      expectStatus(202, await service.post(recover, { token, body: { since: new Date(0).toISOString() } }));
      await until(() => Promise.resolve(receiver.received.length === 5));
      await until(() => Promise.resolve(stream.events.length > known));
    } finally {
      await receiver.close();
    }
  });

  it('knows nothing more of an endpoint that is deleted', async () => {
    const { id: userId, token } = await service.signUp();
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const body = { url: 'http://127.0.0.1:65001/hooks' };
        const answer = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', { token, body });
        return expectStatus(201, answer).body.data.id;
      }),
    );
    const known = async () =>
      (await service.app.get(WebhookActivity).statesOf([userId])).map(({ endpointId }) => endpointId).sort();
    expect(await known()).toEqual([...ids].sort());
    expectStatus(200, await service.call('DELETE', `/v1/webhook-endpoints/${ids[0]}`, { token }));
    expect(await known()).toEqual([ids[1]]);
  });

  it('begins anew at another replica, which knows nothing of the last event', async () => {
    const wallet = await service.fundedWallet(50_000);
    const other = await startService({ beside: service });
    await other.app.listen(0, '127.0.0.1');
    try {
      const first = await Listener.open(service, bearer(wallet.owner));
      await first.told('ready');
      await transactionOf(wallet);
      await first.told('ledger');
      const last = { 'last-event-id': first.events.at(-1)!.id };
      const second = await Listener.open(other, { ...bearer(wallet.owner), ...last });
      await second.told('ready');
      await askAbove(service, wallet, 500);
      await second.told('wallet', { walletId: wallet.id });
      const asked = await payPending(service, wallet, { amount: 600 });
      await second.told('approval', { walletId: wallet.id });
      await decide(service, wallet, asked.id, 'approve');
      await second.told('payment', { transactionId: asked.id });
    } finally {
      await other.close();
    }
  });

  it('tells of what another replica did', async () => {
    const wallet = await service.fundedWallet(5_000);
    const other = await startService({ beside: service });
    try {
      const stream = await Listener.open(service, bearer(wallet.owner));
      await stream.told('ready');
      const { body } = await other.pay(wallet.key);
      await stream.told('payment', { transactionId: body.data.transaction.id });
    } finally {
      await other.close();
    }
  });

  it('never tells of another user’s', async () => {
    const mine = await service.fundedWallet(5_000);
    const theirs = await service.fundedWallet(5_000);
    const stream = await Listener.open(service, bearer(mine.owner));
    const other = await Listener.open(service, bearer(theirs.owner));
    await Promise.all([stream.told('ready'), other.told('ready')]);
    await transactionOf(theirs);
    await other.told('ledger', { walletId: theirs.id });
    const paid = await transactionOf(mine);
    await stream.told('payment', { transactionId: paid });
    expect(stream.text).not.toContain(theirs.id);
    expect(other.text).not.toContain(mine.id);
  });

  it('goes on behind the last event that was received, and tells what happened meanwhile', async () => {
    const wallet = await service.fundedWallet(50_000);
    const first = await Listener.open(service, bearer(wallet.owner));
    await first.told('ready');
    const before = await transactionOf(wallet);
    await until(() =>
      Promise.resolve(first.events.filter(({ data }) => data['transactionId'] === before).length === 2),
    );
    first.close();
    await first.ended();
    const meanwhile = await transactionOf(wallet);
    const last = first.events.at(-1)!.id;
    const resumed = await Listener.open(service, { ...bearer(wallet.owner), 'last-event-id': last });
    await resumed.told('payment', { transactionId: meanwhile });
    expect(resumed.types).not.toContain('ready');
    expect(resumed.text).not.toContain(before);
    // From an earlier one on, all that came after it, in the same order under the same ids.
    const earlier = await Listener.open(service, {
      ...bearer(wallet.owner),
      'last-event-id': first.events[1]!.id,
    });
    await earlier.told('payment', { transactionId: meanwhile });
    const again = first.events.slice(2);
    expect(earlier.events.slice(0, again.length)).toEqual(again);
  });

  it.each(['nonsense', '', 'abcdef12.0', '.', '1.99999999999'])(
    'begins anew when the last event is %j',
    async (last) => {
      const user = await service.signUp();
      const known = await Listener.open(service, bearer(user));
      await known.told('ready');
      const stream = await Listener.open(service, { ...bearer(user), 'last-event-id': last });
      await stream.told('ready');
    },
  );

  it('ends when its session is ended, and needs one that lives', async () => {
    const user = await service.signUp();
    const stream = await Listener.open(service, bearer(user));
    await stream.told('ready');
    await service.post('/v1/auth/logout', { token: user.token });
    await stream.ended();
    expect((await Listener.open(service, bearer(user))).status).toBe(401);
    expect((await Listener.open(service, {})).status).toBe(401);
  });

  it('ends when its session expires', async () => {
    const user = await service.signUp();
    const stream = await Listener.open(service, bearer(user));
    await stream.told('ready');
    await service.query('UPDATE sessions SET expires_at = clock_timestamp() WHERE user_id = $1', [user.id]);
    await stream.ended();
  });

  it('is not opened by a HEAD request', async () => {
    const user = await service.signUp();
    const { port } = service.app.getHttpServer().address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, {
      method: 'HEAD',
      headers: bearer(user),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  it('is let in by the cookie of a browser', async () => {
    const { headers } = await service.post('/v1/auth/signup', {
      headers: { 'x-session': 'cookie' },
      body: { email: 'cookie@example.com', password: 'correct horse', accountType: 'developer' },
    });
    const cookie = String([headers['set-cookie']].flat()[0]).split(';')[0]!;
    const stream = await Listener.open(service, { cookie });
    await stream.told('ready');
  });

  it('is one of 20 of a user; one more is answered 429, until one closes', async () => {
    const user = await service.signUp();
    const streams = await Promise.all(Array.from({ length: 21 }, () => Listener.open(service, bearer(user))));
    const refused = streams.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([[429, '30']]);
    expect((await Listener.open(service, bearer(await service.signUp()))).status).toBe(200);
    streams.find(({ status }) => status === 200)!.close();
    await until(async () => (await Listener.open(service, bearer(user))).status === 200);
  });
});

it('a stream that could not begin takes no place, and the next one begins anew', async () => {
  const small = await startService({ beside: service, env: { EVENT_STREAMS_MAX: '1' } });
  await small.app.listen(0, '127.0.0.1');
  try {
    const user = await small.signUp();
    jest.spyOn(small.app.get(FeedReader), 'begin').mockRejectedValueOnce(new Error('a fault'));
    expect((await Listener.open(small, bearer(user))).status).toBe(500);
    const stream = await Listener.open(small, bearer(user));
    expect(stream.status).toBe(200);
    await stream.told('ready');
  } finally {
    await small.close();
  }
});

it('past the streams of a process the answer is 503, so that clients poll instead', async () => {
  const small = await startService({ beside: service, env: { EVENT_STREAMS_MAX: '2' } });
  await small.app.listen(0, '127.0.0.1');
  try {
    const users = await Promise.all([1, 2, 3].map(() => small.signUp()));
    const streams = [];
    for (const user of users) streams.push(await Listener.open(small, bearer(user)));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 503]);
    expect(streams[2]!.headers['retry-after']).toBe('30');
  } finally {
    await small.close();
  }
});

it('a user without a stream gets one of those of the user with most, who is told to come back later', async () => {
  const small = await startService({ beside: service, env: { EVENT_STREAMS_MAX: '5' } });
  await small.app.listen(0, '127.0.0.1');
  try {
    const [many, few, none] = [await small.signUp(), await small.signUp(), await small.signUp()];
    const streams = [];
    for (const user of [many, many, many, few, few]) streams.push(await Listener.open(small, bearer(user)));
    const late = await Listener.open(small, bearer(none));
    expect(late.status).toBe(200);
    await late.told('ready');
    await streams[2]!.ended();
    expect(streams[2]!.text).toContain('retry: 30000\n\n');
    // It would have as many as the others then: they would go on displacing each other.
    expect((await Listener.open(small, bearer(many))).status).toBe(503);
    expect((await Listener.open(small, bearer(none))).status).toBe(503);
  } finally {
    await small.close();
  }
});

it('a service that stops ends its streams at once', async () => {
  const stopping = await startService({ beside: service });
  await stopping.app.listen(0, '127.0.0.1');
  const stream = await Listener.open(stopping, bearer(await stopping.signUp()));
  await stream.told('ready');
  await stopping.close();
  await stream.ended();
});

it('a service that stops opens no stream that was asked for before', async () => {
  const other = await startService({ beside: service });
  await other.app.listen(0, '127.0.0.1');
  const user = await other.signUp();
  const reader = other.app.get(FeedReader);
  const begin = reader.begin.bind(reader);
  let goOn: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const begun = jest.spyOn(reader, 'begin').mockImplementation(async (userId) => {
    const feed = await begin(userId);
    await told;
    return feed;
  });
  const opening = Listener.open(other, bearer(user));
  await until(() => Promise.resolve(begun.mock.calls.length === 1));
  other.app
    .get(LiveUpdatesService)
    .onModuleDestroy()
    .catch(() => undefined);
  goOn();
  expect((await opening).status).toBe(503);
  await other.close();
});

it('asks the database nothing while no stream is open', async () => {
  const quiet = await startService({ beside: service });
  await quiet.app.listen(0, '127.0.0.1');
  try {
    const stream = await Listener.open(quiet, bearer(await quiet.signUp()));
    await stream.told('ready');
    const wallets = quiet.app.get(WalletActivity, { strict: false });
    const read = jest.spyOn(wallets, 'statesOf');
    await until(() => Promise.resolve(read.mock.calls.length > 2));
    stream.close();
    await stream.ended();
    // A read that was under way may end; then there is none for more than two turns.
    let [count, since] = [-1, Date.now()];
    await until(() => {
      if (read.mock.calls.length !== count) [count, since] = [read.mock.calls.length, Date.now()];
      return Promise.resolve(Date.now() - since > 1_200);
    });
  } finally {
    await quiet.close();
  }
});
