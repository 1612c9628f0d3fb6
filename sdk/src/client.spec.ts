import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  ApprovalTimeoutError,
  OutcomeUnknownError,
  PaymentAbortedError,
  PaymentBlockedError,
  UnavailableError,
  ValidationError,
  WalletClient,
} from './client.js';

const INTENT = {
  amount: 1_000,
  merchantName: 'Acme Stores',
  recipientAccountNo: '0123456789',
  recipientBankCode: '058',
};

/** A client of something that gives every request this answer. */
const clientOf = (fetch: (signal: AbortSignal) => Promise<Response>) =>
  new WalletClient({
    apiKey: 'apw_live_x',
    baseUrl: 'http://wallet.test',
    retry: { retriesMax: 1, backoffMs: 1 },
    fetch: (_, init) => fetch(init!.signal!),
  });
const failureOf = (asked: Promise<unknown>) => asked.then(() => null).catch((error: unknown) => error);

describe('an answer that succeeds and is none of the service', () => {
  it.each([
    ['nothing', new Response(null, { status: 201, headers: { 'content-length': '0' } })],
    ['no content', new Response(null, { status: 204 })],
    ['a page', new Response('<html></html>')],
    ['half a JSON', new Response('{"success":true,"data":{"trans', { status: 201 })],
    ['null', new Response('null')],
    ['other members', new Response('{"ok":true}')],
    ['a list in the place of one', new Response('{"success":true,"data":[]}')],
  ])('leaves a payment in doubt, and decides nothing of one that waits: %s', async (_, answer) => {
    const client = clientOf(() => Promise.resolve(answer.clone()));
    const paid = await failureOf(client.pay(INTENT, { idempotencyKey: 'order-1843' }));
    expect(paid).toBeInstanceOf(OutcomeUnknownError);
    expect(paid).toMatchObject({ idempotencyKey: 'order-1843' });
    expect(await failureOf(client.getPayment('x'))).toBeInstanceOf(UnavailableError);
    expect(await failureOf(client.waitForApproval('x'))).toBeInstanceOf(UnavailableError);
  });
});

it('a redirect is not followed: the key goes to no other address, and a payment becomes no reading', async () => {
  const asked: string[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url ?? '');
    response.writeHead(301, { location: '/elsewhere' }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new WalletClient({ apiKey: 'apw_live_x', baseUrl: `http://127.0.0.1:${port}` });
  await expect(client.pay(INTENT)).rejects.toMatchObject({
    name: 'WalletError',
    status: 301,
    message: expect.stringContaining('/elsewhere') as unknown,
  });
  expect(asked).toEqual(['/api/payment-intent']);
  server.closeAllConnections();
  server.close();
});

describe('an error of a payment', () => {
  const key = 'order-1843';
  const refusal = (status: number, body: object) => () =>
    Promise.resolve(Response.json({ message: 'No.', ...body }, { status }));

  it.each<[string, (signal: AbortSignal) => Promise<Response>, string]>([
    ['no answer', () => Promise.reject(new TypeError('fetch failed')), 'OutcomeUnknownError'],
    ['a page', () => Promise.resolve(new Response('<html></html>')), 'OutcomeUnknownError'],
    ['400', refusal(400, { code: 'VALIDATION_ERROR' }), 'ValidationError'],
    ['401', refusal(401, { code: 'INVALID_API_KEY' }), 'AuthenticationError'],
    ['402', refusal(402, { code: 'INSUFFICIENT_FUNDS', transactionId: 'x' }), 'PaymentBlockedError'],
    ['404', refusal(404, { code: 'NOT_FOUND' }), 'NotFoundError'],
    ['409', refusal(409, { code: 'POSSIBLE_DUPLICATE' }), 'PossibleDuplicateError'],
    ['413', refusal(413, { code: 'PAYLOAD_TOO_LARGE' }), 'WalletError'],
    ['422', refusal(422, { code: 'IDEMPOTENCY_KEY_REUSED' }), 'IdempotencyKeyReusedError'],
    ['429', refusal(429, { code: 'RATE_LIMITED' }), 'UnavailableError'],
    ['500', refusal(500, { code: 'INTERNAL_ERROR' }), 'OutcomeUnknownError'],
    ['503', refusal(503, { code: 'OVERLOADED' }), 'UnavailableError'],
  ])('carries its idempotency key: %s', async (_, answer, name) => {
    const error = await failureOf(clientOf(answer).pay(INTENT, { idempotencyKey: key }));
    expect(error).toMatchObject({ name, idempotencyKey: key });
    const made = await failureOf(clientOf(answer).pay(INTENT));
    expect(made).toMatchObject({ idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown });
  });

  it('carries its key also when the key itself is unusable', async () => {
    const error = await failureOf(clientOf(refusal(500, {})).pay(INTENT, { idempotencyKey: 'order №1' }));
    expect(error).toMatchObject({ name: 'ValidationError', idempotencyKey: 'order №1' });
  });

  it.each([
    ['while it is sent', 1],
    ['while how it stands is read', 2],
  ])('is an AbortError with its key when the caller aborts %s', async (_, request) => {
    const gone = new AbortController();
    const reason = new DOMException('Enough.', 'AbortError');
    let asked = 0;
    const client = clientOf((signal) => {
      asked += 1;
      if (asked < request) {
        const transaction = { id: 'x', decision: 'approved' };
        const headers = { 'idempotency-replayed': 'true' };
        return Promise.resolve(
          Response.json({ data: { transaction, settlement: { reference: 'x' } } }, { status: 201, headers }),
        );
      }
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        gone.abort(reason);
      });
    });
    const error = await failureOf(client.pay(INTENT, { idempotencyKey: key, signal: gone.signal }));
    expect(error).toBeInstanceOf(PaymentAbortedError);
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ name: 'AbortError', code: 'ABORTED', idempotencyKey: key });
    expect((error as Error).cause).toBe(reason);
  });

  it('carries its key and the cause when a time limit of the caller ends it', async () => {
    const client = clientOf(
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    const paying = client.pay(INTENT, { idempotencyKey: key, signal: AbortSignal.timeout(5) });
    expect(await failureOf(paying)).toMatchObject({
      name: 'OutcomeUnknownError',
      idempotencyKey: key,
      cause: { name: 'TimeoutError' },
    });
  });
});

it('a repeated payment of which the service does not say how it stands is of unknown status', async () => {
  let asked = 0;
  const client = clientOf(() => {
    asked += 1;
    if (asked > 1) return Promise.resolve(Response.json({ error: { code: 'OVERLOADED' } }, { status: 503 }));
    const transaction = { id: 'x', decision: 'approved' };
    const headers = { 'idempotency-replayed': 'true' };
    return Promise.resolve(
      Response.json({ data: { transaction, settlement: { reference: 'x' } } }, { status: 201, headers }),
    );
  });
  expect(await client.pay(INTENT)).toMatchObject({
    decision: 'approved',
    status: 'unknown',
    settlement: { reference: 'x', status: 'unknown' },
    replayed: true,
  });
});

describe('what no header takes', () => {
  const client = clientOf(() => Promise.reject(new Error('was sent')));

  it.each(['', 'order №1', 'order-№1', 'order\n1', 'x'.repeat(256)])(
    'is refused as a key of a payment, and leaves nothing in doubt: %j',
    async (idempotencyKey) => {
      const refused = await failureOf(client.pay(INTENT, { idempotencyKey }));
      expect(refused).toBeInstanceOf(ValidationError);
      expect(refused).toMatchObject({ status: 0, fields: [{ field: 'Idempotency-Key' }] });
    },
  );

  it.each([
    ['http://wallet.test', 'apw_live_…'],
    ['wallet.test', 'apw_live_x'],
  ])('is refused before anything is asked for: %s, %s', (baseUrl, apiKey) => {
    expect(() => new WalletClient({ baseUrl, apiKey })).toThrow(TypeError);
  });
});

it('a wait for approval ends at once when its caller gives up, also while it looks', async () => {
  const gone = new AbortController();
  const client = clientOf(
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        gone.abort();
      }),
  );
  await expect(client.waitForApproval('x', { signal: gone.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

it('a wait for approval ends when its time is over, also while it looks', async () => {
  const client = clientOf(
    (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  expect(await failureOf(client.waitForApproval('x', { timeoutMs: 10 }))).toBeInstanceOf(
    ApprovalTimeoutError,
  );
});

describe('a wait for approval', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** A payment that stays pending, and when it was looked at, in milliseconds from the start. */
  function pending() {
    jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const looks: number[] = [];
    const client = clientOf(() => {
      looks.push(Date.now());
      return Promise.resolve(Response.json({ success: true, data: { id: 'x', decision: 'pending' } }));
    });
    return { client, looks };
  }
  /** Lets so much time pass, in steps before which what was answered is read. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed <= ms; passed += 100) {
      for (let i = 0; i < 10; i += 1) await turn();
      jest.advanceTimersByTime(100);
    }
  };

  it('looks after half a second first, then half as often each time up to its longest pause, and when time is up', async () => {
    const { client, looks } = pending();
    const waited = failureOf(client.waitForApproval('x', { timeoutMs: 10_000, pollMsMax: 3_000 }));
    await pass(10_000);
    expect(await waited).toBeInstanceOf(ApprovalTimeoutError);
    expect(looks).toEqual([0, 500, 1_500, 3_500, 6_500, 9_500, 10_000]);
  });

  it.each([
    [1_900, null],
    [2_100, ApprovalTimeoutError],
  ])('gives its last look two seconds: with an answer after %i ms it ends with %p', async (ms, failure) => {
    jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const answer = Response.json({ success: true, data: { id: 'x', decision: 'approved' } });
    const client = clientOf(
      (signal) =>
        new Promise((resolve, reject) => {
          setTimeout(() => resolve(answer), ms);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    );
    const waited = failureOf(client.waitForApproval('x', { timeoutMs: 0 }));
    await pass(2_500);
    const ended = await waited;
    if (failure) expect(ended).toBeInstanceOf(failure);
    else expect(ended).toBeNull();
  });

  it('leaves nothing on the signal of its caller once it is over', async () => {
    const { client, looks } = pending();
    const { signal } = new AbortController();
    const waited = failureOf(client.waitForApproval('x', { timeoutMs: 2_000, signal }));
    await pass(2_000);
    await waited;
    expect(looks.length).toBeGreaterThan(3);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

it('a payment ends at once when its caller gives up', async () => {
  const gone = new AbortController();
  const client = clientOf((signal) => {
    gone.abort();
    return signal.aborted ? Promise.reject(signal.reason as Error) : new Promise(() => undefined);
  });
  await expect(client.pay(INTENT, { signal: gone.signal })).rejects.toMatchObject({ name: 'AbortError' });
});

it('a service that asks to come later is told from one that refuses', async () => {
  const answer = Response.json({ error: { code: 'RATE_LIMITED', message: '' } }, { status: 429 });
  answer.headers.set('retry-after', '60');
  const failure = await failureOf(clientOf(() => Promise.resolve(answer)).getWallet());
  expect(failure).toBeInstanceOf(UnavailableError);
  expect(failure).toMatchObject({ status: 429, retryAfterSeconds: 60 });
});

describe('a payment is left in doubt', () => {
  const refusal = (status: number, code: string) =>
    Response.json({ success: false, message: '', code }, { status });

  it('by a 408 that is none of the service', async () => {
    const client = clientOf(() => Promise.resolve(new Response('<html></html>', { status: 408 })));
    const paid = await failureOf(client.pay(INTENT, { idempotencyKey: 'order-1843' }));
    expect(paid).toBeInstanceOf(OutcomeUnknownError);
    expect(paid).toMatchObject({ status: 408, idempotencyKey: 'order-1843' });
  });

  it('by no 408 of the service, which never saw the request as a whole', async () => {
    const client = clientOf(() => Promise.resolve(refusal(408, 'REQUEST_TIMEOUT')));
    expect(await failureOf(client.pay(INTENT))).toBeInstanceOf(UnavailableError);
  });

  it.each([
    ['no answer', () => Promise.reject(new TypeError('terminated'))],
    ['a 502', () => Promise.resolve(new Response('<html></html>', { status: 502 }))],
    ['a 408', () => Promise.resolve(new Response('<html></html>', { status: 408 }))],
    ['an unknown outcome', () => Promise.resolve(refusal(503, 'OUTCOME_UNKNOWN'))],
  ])('where its last try was refused, and an earlier one had %s', async (_, first) => {
    for (const last of [
      refusal(503, 'OVERLOADED'),
      refusal(429, 'RATE_LIMITED'),
      refusal(401, 'INVALID_API_KEY'),
    ]) {
      let tries = 0;
      const client = clientOf(() => ((tries += 1) === 1 ? first() : Promise.resolve(last)));
      const paid = await failureOf(client.pay(INTENT, { idempotencyKey: 'order-1843' }));
      expect(paid).toBeInstanceOf(OutcomeUnknownError);
      expect(paid).toMatchObject({ status: last.status, idempotencyKey: 'order-1843' });
    }
  });

  it('by no try that was refused, and not where a later one tells what came of it', async () => {
    const answers = (first: Response, last: Response) => {
      let tries = 0;
      return clientOf(() => Promise.resolve((tries += 1) === 1 ? first : last)).pay(INTENT);
    };
    const overloaded = () => refusal(503, 'OVERLOADED');
    expect(await failureOf(answers(overloaded(), overloaded()))).toBeInstanceOf(UnavailableError);
    const blocked = Response.json(
      { code: 'WALLET_EXPIRED', message: '', transactionId: 'x' },
      { status: 403 },
    );
    expect(await failureOf(answers(new Response(null, { status: 504 }), blocked))).toBeInstanceOf(
      PaymentBlockedError,
    );
  });
});
