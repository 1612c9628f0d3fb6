import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Collection, PayoutState } from '../../src/contexts/bank/bank.port.js';
import { KoraBank, type KoraOptions } from '../../src/contexts/bank/kora/kora.js';
import { DecimalText, kobo, koboFromNaira } from '../../src/kernel/money.js';
import { startFakeBank, type FakeBank } from '../fake-bank/fake-bank.ts';
import type { CollectionInput } from '../fake-bank/bank.ts';
import type { Rule, ScriptedAnswer } from '../fake-bank/script.ts';

const SECRET = 'sk_test_signing_key';
/** Longer than any machine takes for an answer that comes. One that does not come is not waited for: see {@link hasten}. */
const TIMEOUT_MS = 2_000;
const PAY = '/transactions/disburse';
const OPEN = '/virtual-bank-account';

let fake: FakeBank;
let kora: KoraBank;
let receiver: Server;
let received: { raw: Buffer; signature: string | undefined }[] = [];
let sequence = 0;

/** Time stands in the fake bank, so that each test alone says when something happens. */
beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = request.headers['x-korapay-signature'];
      received.push({ raw: Buffer.concat(chunks), signature: signature as string | undefined });
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  fake = await startFakeBank({ speed: 0, secret: SECRET, webhookUrl });
  kora = adapter();
  hasten();
});

beforeEach(() => {
  fake.reset();
  received = [];
});

afterAll(async () => {
  await fake.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

/** Has the deadline of a call be over as soon as the bank has left it unanswered, and otherwise when it is. */
function hasten(): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const silence = new AbortController();
    fake.onSilence = () => silence.abort(new DOMException('The bank is silent.', 'TimeoutError'));
    return AbortSignal.any([silence.signal, timeout(ms)]);
  });
}

function adapter(options: Partial<KoraOptions> = {}): KoraBank {
  return new KoraBank({
    secretKey: 'sk_test_adapter',
    baseUrl: fake.url,
    bvn: '22222222222',
    payoutEmail: 'payouts@example.com',
    timeoutMs: TIMEOUT_MS,
    webhookSecrets: [SECRET],
    issuingBankCode: '035',
    ...options,
  });
}

function payout(to: { bankCode?: string; accountNumber?: string; naira?: string } = {}) {
  return {
    reference: `settlement-${(sequence += 1)}`,
    amount: koboFromNaira(to.naira ?? '1500.00')!,
    bankCode: to.bankCode ?? '033',
    accountNumber: to.accountNumber ?? '0000000000',
    narration: 'Invoice 7',
  };
}

const request = (accountReference = `wallet-${(sequence += 1)}`) => ({
  accountReference,
  accountName: 'Research agent',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
});

const callsOf = (path: string, method?: string) =>
  fake.calls.filter((call) => call.path.startsWith(path) && (!method || call.method === method));

const html: ScriptedAnswer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><h1>Bad Gateway</h1></html>',
};
const refusal = (status: number, message: string, error = ''): ScriptedAnswer => ({
  status,
  body: { status: false, error, message, data: null },
});

describe('a payout', () => {
  it('is handed over with its exact decimal as a JSON number, and ends as the bank says', async () => {
    const paying = payout({ naira: '1500.00' });
    expect(await kora.startPayout(paying)).toEqual({ kind: 'accepted' });
    const { text } = callsOf(PAY)[0]!;
    expect(text).toContain('"amount":1500.00,');
    expect(JSON.parse(text)).toEqual({
      reference: paying.reference,
      destination: {
        type: 'bank_account',
        amount: 1500,
        currency: 'NGN',
        narration: 'Invoice 7',
        bank_account: { bank: '033', account: '0000000000' },
        customer: { email: 'payouts@example.com' },
      },
    });
    expect(await kora.getPayout(paying.reference)).toEqual({ kind: 'accepted' });
    await fake.clock.advance(60_000);
    expect(await kora.getPayout(paying.reference)).toMatchObject({ kind: 'succeeded' });
    expect(fake.state().balance).toBe('99998467.75');
  });

  it.each([
    [1, '0.01'],
    [99, '0.99'],
    [820, '8.20'],
    [105_055, '1050.55'],
    [Number.MAX_SAFE_INTEGER, '90071992547409.91'],
  ])('of %i kobo is written %s', async (amount, naira) => {
    await kora.startPayout({ ...payout(), amount: kobo(amount) });
    expect(callsOf(PAY)[0]!.text).toContain(`"amount":${naira},`);
  });

  it('asks for its report at the configured URL, and leaves out what is empty', async () => {
    const reporting = adapter({ notificationUrl: 'http://127.0.0.1:9/payouts' });
    await reporting.startPayout({ ...payout(), narration: '' });
    const body = JSON.parse(callsOf(PAY)[0]!.text) as { destination: object };
    expect(body).toHaveProperty('notification_url', 'http://127.0.0.1:9/payouts');
    expect(body.destination).not.toHaveProperty('narration');
    expect(body).not.toHaveProperty('metadata');
  });

  it('that fails later is failed with its reason, and one reversed later is reversed', async () => {
    const failing = payout({ bankCode: '035' });
    const reversing = payout({ bankCode: '999', accountNumber: '0000000004' });
    expect(await kora.startPayout(failing)).toEqual({ kind: 'accepted' });
    expect(await kora.startPayout(reversing)).toEqual({ kind: 'accepted' });
    await fake.clock.advance(60_000);
    expect(await kora.getPayout(failing.reference)).toEqual({ kind: 'failed', reason: 'Do not honor' });
    expect(await kora.getPayout(reversing.reference)).toMatchObject({ kind: 'succeeded' });
    await fake.clock.advance(2 * 60 * 60_000);
    expect(await kora.getPayout(reversing.reference)).toEqual({ kind: 'reversed', reason: 'Do not honor' });
    expect(fake.state().balance).toBe('100000000.00');
  });

  type Start = PayoutState['kind'];
  const ambiguous: [name: string, rule: Rule, start: Start, then: Start][] = [
    ['not answered though taken', { answer: 'none' }, 'unknown', 'accepted'],
    ['not answered and not taken', { accept: false, answer: 'none' }, 'unknown', 'not-found'],
    ['taken a minute later', { accept: { afterMs: 60_000 }, answer: 'none' }, 'unknown', 'not-found'],
    ['answered 502 with HTML though taken', { answer: html }, 'unknown', 'accepted'],
    ['answered 502 with HTML and not taken', { accept: false, answer: html }, 'unknown', 'not-found'],
    ['answered 500 though taken', { answer: refusal(500, 'Internal Server Error') }, 'unknown', 'accepted'],
    ['answered 503 though taken', { answer: refusal(503, 'Service unavailable') }, 'unknown', 'accepted'],
    [
      'answered 504 and not taken',
      { accept: false, answer: refusal(504, 'Gateway timeout') },
      'unknown',
      'not-found',
    ],
    ['cut off though taken', { answer: 'reset' }, 'unknown', 'accepted'],
    ['cut off and not taken', { accept: false, answer: 'reset' }, 'unknown', 'not-found'],
    ['cut off in the middle of the answer', { answer: 'reset-mid-body' }, 'unknown', 'accepted'],
    ['answered too slowly to the end', { answer: { slowBodyMs: 5_000 } }, 'unknown', 'accepted'],
    ['answered slowly, in time', { answer: { slowBodyMs: 20 } }, 'accepted', 'accepted'],
    ['answered 200 with HTML', { answer: { status: 200, body: '<html></html>' } }, 'unknown', 'accepted'],
    ['answered 200 with nothing', { answer: { status: 200, body: '' } }, 'unknown', 'accepted'],
    [
      'answered yes with no data',
      { answer: { status: 200, body: { status: true, message: 'ok', data: null } } },
      'unknown',
      'accepted',
    ],
    [
      'answered yes with a status nobody knows',
      { answer: { status: 200, body: { status: true, message: 'ok', data: { status: 'queued' } } } },
      'accepted',
      'accepted',
    ],
    ['answered with a JSON list', { answer: { status: 200, body: [] } }, 'unknown', 'accepted'],
    [
      'answered with more than can be read',
      {
        answer: {
          status: 200,
          body: { status: true, message: 'x'.repeat(1_100_000), data: { status: 'success' } },
        },
      },
      'unknown',
      'accepted',
    ],
    [
      'sent to where it would be taken',
      {
        accept: false,
        answer: { status: 307, headers: { location: '/merchant/api/v1/transactions/disburse' } },
      },
      'unknown',
      'not-found',
    ],
    [
      'answered yes with 500',
      { accept: false, answer: { status: 500, body: { status: true, data: { status: 'success' } } } },
      'unknown',
      'not-found',
    ],
    [
      'refused for the key',
      { accept: false, answer: refusal(401, 'Invalid authorization key') },
      'unknown',
      'not-found',
    ],
    [
      'refused with 429',
      { accept: false, answer: refusal(429, 'Too many requests') },
      'unknown',
      'not-found',
    ],
    [
      'refused with 429 and Retry-After',
      { accept: false, answer: { status: 429, headers: { 'retry-after': '1' }, body: '' } },
      'unknown',
      'not-found',
    ],
    [
      'refused for the address',
      { accept: false, answer: refusal(403, 'not_authorized') },
      'rejected',
      'not-found',
    ],
    [
      'refused with another 403',
      { accept: false, answer: refusal(403, 'Forbidden') },
      'unknown',
      'not-found',
    ],
    ['refused in words nobody knows', { accept: false, answer: refusal(400, 'No.') }, 'unknown', 'not-found'],
    ['refused though taken', { answer: refusal(400, 'Invalid account.') }, 'accepted', 'accepted'],
  ];
  it.each(ambiguous)('%s is never guessed at', async (_name, rule, start, then) => {
    const paying = payout();
    fake.script.add([{ method: 'POST', path: PAY, ...rule }]);
    expect((await kora.startPayout(paying)).kind).toBe(start);
    expect((await kora.getPayout(paying.reference)).kind).toBe(then);
    expect(callsOf(PAY)).toHaveLength(1);
  });

  it.each([
    [
      'an account that does not exist',
      { bankCode: '011', accountNumber: '9999999999' },
      { reason: 'HTTP 400: Invalid account.' },
    ],
    ['a bank that does not exist', { bankCode: '998' }, { reason: 'HTTP 400: Invalid bank provided.' }],
    [
      'more than the operator has',
      { naira: '100000001.00' },
      { reason: 'HTTP 409: Insufficient funds in disbursement wallet', cause: 'no-float' },
    ],
  ])('to %s is rejected for good', async (_name, to, why) => {
    const paying = payout(to);
    expect(await kora.startPayout(paying)).toEqual({ kind: 'rejected', ...why });
    expect(await kora.getPayout(paying.reference)).toEqual({ kind: 'not-found' });
    expect(fake.state().balance).toBe('100000000.00');
  });

  it('that is refused while the query is refused too stays unknown', async () => {
    fake.script.add([{ times: 0, accept: false, answer: refusal(403, 'not_authorized') }]);
    expect(await kora.startPayout(payout())).toEqual({
      kind: 'unknown',
      reason: 'HTTP 403: not_authorized; the query: HTTP 403: not_authorized',
      circuitOpen: { seconds: null, needsOperator: true },
    });
    fake.script.clear();
    fake.script.add([{ accept: false, answer: { status: 429, headers: { 'retry-after': '7' }, body: '' } }]);
    expect(await kora.startPayout(payout())).toMatchObject({
      circuitOpen: { seconds: 7, needsOperator: false },
    });
    fake.script.clear();
    // The refusal is about the payout, and the answer to the query about us.
    fake.script.add([
      { path: PAY, accept: false, answer: refusal(400, 'Invalid account.') },
      { answer: { status: 429, headers: { 'retry-after': '9' }, body: '' } },
    ]);
    expect(await kora.startPayout(payout())).toMatchObject({
      kind: 'unknown',
      circuitOpen: { seconds: 9, needsOperator: false },
    });
  });

  it.each([
    ['7', 7],
    ['899.5', 900],
    ['900', 900],
    ['901', 900],
    ['1000000', 900],
    ['0', null],
    ['-1', null],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 900],
    ['Sat, 01 Jan 2000 00:00:00 GMT', null],
    ['tomorrow', null],
  ])('that is put off by Retry-After: %s is left alone for %s seconds', async (asked, seconds) => {
    fake.script.add([
      { path: PAY, accept: false, answer: { status: 429, headers: { 'retry-after': asked }, body: '' } },
    ]);
    expect(await kora.startPayout(payout())).toMatchObject({
      circuitOpen: { seconds, needsOperator: false },
    });
  });

  it('is not sent once its lease has run out, also while it connects', async () => {
    const late = { kind: 'unknown', reason: 'its lease ran out before it was sent' };
    const sent = callsOf(PAY).length;
    expect(await kora.startPayout({ ...payout(), sendBefore: performance.now() - 1 })).toEqual(late);
    const connecting = adapter().startPayout({ ...payout(), sendBefore: performance.now() + 2_000 });
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    expect(await connecting).toEqual(late);
    jest.restoreAllMocks();
    expect(callsOf(PAY)).toHaveLength(sent);
    const soon = await kora.startPayout({ ...payout(), sendBefore: performance.now() + 60_000 });
    expect(soon).toMatchObject({ kind: 'accepted' });
    expect(callsOf(PAY)).toHaveLength(sent + 1);
  });

  it('sent again after a lost answer is refused as a duplicate, and its state adopted', async () => {
    const paying = payout();
    fake.script.add([{ path: PAY, answer: 'none' }]);
    expect((await kora.startPayout(paying)).kind).toBe('unknown');
    expect(await kora.startPayout(paying)).toEqual({ kind: 'accepted' });
    await fake.clock.advance(60_000);
    expect(await kora.startPayout(paying)).toMatchObject({ kind: 'succeeded' });
    expect(fake.books.payouts.size).toBe(1);
    expect(fake.state().balance).toBe('99998467.75');
  });

  it('sent again, and refused for the float that its first sending used up, is not rejected', async () => {
    const paying = payout();
    await kora.startPayout(paying);
    const short = refusal(409, 'Insufficient funds in disbursement wallet');
    fake.script.add([{ path: PAY, accept: false, answer: short }]);
    expect(await kora.startPayout(paying)).toEqual({ kind: 'accepted' });
  });

  it('refused as a duplicate that can not be found is unknown', async () => {
    const duplicate = refusal(409, 'Duplicate Transaction Reference. Please use a unique reference');
    fake.script.add([{ path: PAY, accept: false, answer: duplicate }]);
    expect((await kora.startPayout(payout())).kind).toBe('unknown');
  });

  it('taken late is found by a later query, and paid once though sent again meanwhile', async () => {
    const paying = payout();
    fake.script.add([{ path: PAY, accept: { afterMs: 60_000 }, answer: 'none' }]);
    expect((await kora.startPayout(paying)).kind).toBe('unknown');
    expect(await kora.getPayout(paying.reference)).toEqual({ kind: 'not-found' });
    expect(await kora.startPayout(paying)).toEqual({ kind: 'accepted' });
    await fake.clock.advance(120_000);
    expect(await kora.getPayout(paying.reference)).toMatchObject({ kind: 'succeeded' });
    expect(fake.state().balance).toBe('99998467.75');
  });

  it('whose webhook comes before its answer is already final when asked', async () => {
    const paying = payout({ bankCode: '999', accountNumber: '0000000007' });
    expect(await kora.startPayout(paying)).toEqual({ kind: 'accepted' });
    const [webhook] = received;
    expect(kora.readWebhook(webhook!.raw, webhook!.signature)).toMatchObject({
      kind: 'ok',
      body: {
        event: 'transfer.success',
        data: { reference: paying.reference, amount: new DecimalText('1500') },
      },
    });
    expect(await kora.getPayout(paying.reference)).toMatchObject({ kind: 'succeeded' });
  });

  it.each([
    ['not answered', { answer: 'none' } satisfies Rule],
    ['cut off', { answer: 'reset-mid-body' } satisfies Rule],
    ['answered with HTML', { answer: html } satisfies Rule],
    ['answered 404 by something else', { answer: { status: 404, body: 'not found' } } satisfies Rule],
    ['answered 404 for an unknown route', { answer: refusal(404, 'Cannot GET') } satisfies Rule],
    ['refused for the key', { answer: refusal(401, 'Invalid authorization key') } satisfies Rule],
    ['refused with 429', { answer: refusal(429, 'Too many requests') } satisfies Rule],
    ['answered with no data', { answer: { status: 200, body: { status: true, data: null } } } satisfies Rule],
  ])('whose query is %s is unknown, never absent', async (_name, rule) => {
    const paying = payout();
    await kora.startPayout(paying);
    fake.script.add([{ path: `/transactions/${paying.reference}`, ...rule }]);
    expect((await kora.getPayout(paying.reference)).kind).toBe('unknown');
  });

  it('is counted by operation and outcome with its seconds, also where no server listens', async () => {
    const calls: unknown[][] = [];
    const onCall: KoraOptions['onCall'] = (...call) => void calls.push(call);
    await adapter({ onCall }).startPayout(payout());
    await adapter({ onCall, baseUrl: 'http://127.0.0.1:1' }).startPayout(payout());
    expect(calls.filter(([operation]) => operation === 'disburse')).toEqual([
      ['disburse', 'answer', expect.any(Number)],
      ['disburse', 'no-response', expect.any(Number)],
    ]);
  });

  it('is unknown when no server listens, and nothing throws', async () => {
    const nowhere = adapter({ baseUrl: 'http://127.0.0.1:1' });
    const why = expect.stringMatching(/^connection lost \(\w+\)$/) as unknown as string;
    expect(await nowhere.startPayout(payout())).toEqual({ kind: 'unknown', reason: why });
    expect(await nowhere.getPayout('settlement-x')).toEqual({ kind: 'unknown', reason: why });
  });

  it('of a reference that would climb out of its path is not asked for', async () => {
    for (const reference of ['..', '.', '']) expect((await kora.getPayout(reference)).kind).toBe('unknown');
    await kora.getPayout('a/../b');
    expect(fake.calls.map(({ reference }) => reference)).toEqual(['a/../b']);
  });
});

describe('a virtual account', () => {
  it('is issued with the configured BVN, once, and found by its reference', async () => {
    const asked = request();
    const issued = await kora.issueVirtualAccount(asked);
    expect(issued).toMatchObject({ accountName: 'Research agent', bankName: 'Test Bank', bankCode: '000' });
    expect(issued.accountNumber).toMatch(/^\d{10}$/);
    expect(JSON.parse(callsOf(OPEN, 'POST')[0]!.text)).toEqual({
      account_name: 'Research agent',
      account_reference: asked.accountReference,
      permanent: true,
      bank_code: '000',
      customer: { name: 'Ada Obi', email: 'ada@example.com' },
      kyc: { bvn: '22222222222' },
    });
    expect(await kora.issueVirtualAccount(asked)).toEqual(issued);
    expect(await kora.findVirtualAccount(asked.accountReference)).toEqual(issued);
    expect(callsOf(OPEN, 'POST')).toHaveLength(1);
  });

  it('is issued where the bank says in other words, with 404, that there is none', async () => {
    const asked = request();
    const path = `${OPEN}/${asked.accountReference}`;
    fake.script.add([{ path, times: 1, answer: refusal(404, 'No account has this reference') }]);
    expect(await kora.issueVirtualAccount(asked)).toMatchObject({ bankCode: '000' });
    expect(callsOf(OPEN, 'POST')).toHaveLength(1);
  });

  it('of a live key is issued by the configured bank', async () => {
    await adapter({ secretKey: 'sk_live_x' }).issueVirtualAccount(request());
    expect(callsOf(OPEN, 'POST')[0]!.text).toContain('"bank_code":"035"');
  });

  it('asked for many times at once is created once', async () => {
    const asked = request();
    const issued = await Promise.all(Array.from({ length: 20 }, () => kora.issueVirtualAccount(asked)));
    expect(new Set(issued.map(({ accountNumber }) => accountNumber)).size).toBe(1);
    expect(callsOf(OPEN, 'POST')).toHaveLength(1);
  });

  it('that does not exist is null', async () => {
    expect(await kora.findVirtualAccount('nobody')).toBeNull();
    expect(await kora.findVirtualAccount('..')).toBeNull();
  });

  it.each([
    ['not answered', { answer: 'none' } satisfies Rule],
    ['cut off', { answer: 'reset-mid-body' } satisfies Rule],
    ['answered 502', { answer: html } satisfies Rule],
    ['answered with no data', { answer: { status: 200, body: { status: true, data: null } } } satisfies Rule],
    ['refused as existing', { answer: refusal(409, 'Account reference already exists') } satisfies Rule],
  ])('whose creation was %s though done is found by the query after it', async (_name, rule) => {
    fake.script.add([{ method: 'POST', path: OPEN, ...rule }]);
    const asked = request();
    const { accountNumber } = await kora.issueVirtualAccount(asked);
    expect(fake.books.accounts.get(asked.accountReference)?.number).toBe(accountNumber);
    expect(callsOf(OPEN, 'POST')).toHaveLength(1);
  });

  it.each<[string, ScriptedAnswer]>([
    ['not answered', 'none'],
    ['answered 500', refusal(500, 'Internal Server Error')],
    ['answered yes with no data', { status: 200, body: { status: true, data: null } }],
  ])('whose creation was %s is not sent again while the first may still land', async (_name, answer) => {
    const asked = request();
    fake.script.add([{ method: 'POST', path: OPEN, accept: { afterMs: 60_000 }, answer }]);
    await expect(kora.issueVirtualAccount(asked)).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
    await expect(kora.issueVirtualAccount(asked)).rejects.toMatchObject({
      code: 'BANK_UNAVAILABLE',
      detail: { retryAfterSeconds: 300 },
    });
    await fake.clock.advance(60_000);
    await kora.issueVirtualAccount(asked);
    expect(callsOf(OPEN, 'POST')).toHaveLength(1);
    expect(fake.books.accounts.size).toBe(1);
  });

  it('whose creation was lost is sent again once the first can no longer land', async () => {
    const patient = adapter({ creationGraceMs: 0 });
    const asked = request();
    fake.script.add([{ method: 'POST', path: OPEN, accept: false, answer: 'none' }]);
    await expect(patient.issueVirtualAccount(asked)).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
    await patient.issueVirtualAccount(asked);
    expect(callsOf(OPEN, 'POST')).toHaveLength(2);
  });

  it('is not created when the query before it gets no answer', async () => {
    fake.script.add([{ method: 'GET', path: OPEN, answer: html }]);
    await expect(kora.issueVirtualAccount(request())).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
    expect(callsOf(OPEN, 'POST')).toHaveLength(0);
  });

  it('refused for its BVN says so, not which it was, and may be tried again at once', async () => {
    const asked = request();
    const refused = adapter({ bvn: '00000000000' }).issueVirtualAccount(asked);
    await expect(refused).rejects.toThrow('the bank gave no usable answer: HTTP 400: Invalid BVN');
    await kora.issueVirtualAccount(asked);
  });

  it('of another reference than asked for is not taken', async () => {
    const names = { account_name: 'Agent', bank_name: 'Test Bank', bank_code: '000' };
    const data = { ...names, account_reference: 'other', account_number: '7000000000' };
    const answer: ScriptedAnswer = { status: 200, body: { status: true, data } };
    fake.script.add([{ method: 'GET', path: OPEN, times: 2, answer }]);
    expect(await kora.findVirtualAccount('other')).toMatchObject({ accountNumber: '7000000000' });
    await expect(kora.findVirtualAccount('wallet')).rejects.toMatchObject({
      code: 'BANK_UNAVAILABLE',
    });
  });
});

it.each(['700000000', '70000000001', 'seven digit'])(
  'a virtual account of the number %p is none that can be shown',
  async (number) => {
    const names = { account_name: 'Agent', bank_name: 'Test Bank', bank_code: '000' };
    const data = { ...names, account_reference: 'wallet', account_number: number };
    fake.script.add([{ method: 'GET', path: OPEN, answer: { status: 200, body: { status: true, data } } }]);
    await expect(kora.findVirtualAccount('wallet')).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
  },
);

describe('a name enquiry', () => {
  it.each([
    [
      { bankCode: '058', accountNumber: '0123456789' },
      { kind: 'resolved', accountName: 'Test Account' },
    ],
    [{ bankCode: '058', accountNumber: '9999999999' }, { kind: 'not-resolved' }],
    [{ bankCode: '000', accountNumber: '0123456789' }, { kind: 'not-resolved' }],
  ])('for %j says %j', async (account, expected) => {
    expect(await kora.resolveAccount(account)).toEqual(expected);
  });

  it.each<[string, Rule]>([
    ['not answered', { answer: 'none' }],
    ['answered 500', { answer: refusal(500, 'Unable to resolve bank account.') }],
    ['answered with no name', { answer: { status: 200, body: { status: true, data: {} } } }],
  ])('that is %s is unknown', async (_name, rule) => {
    fake.script.add([{ path: '/misc/banks/resolve', ...rule }]);
    const account = { bankCode: '058', accountNumber: '0123456789' };
    expect((await kora.resolveAccount(account)).kind).toBe('unknown');
  });
});

describe('the banks', () => {
  it('are listed by code and name', async () => {
    expect(await kora.listBanks()).toContainEqual({ code: '058', name: 'GTBank' });
    expect(callsOf('/misc/banks')).toHaveLength(1);
  });

  it('are refused as unavailable when no list comes', async () => {
    fake.script.add([{ path: '/misc/banks', answer: html }]);
    await expect(kora.listBanks()).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
  });
});

describe('money that came in', () => {
  const from = new Date('2000-01-01T00:00:00Z');
  const to = new Date('2100-01-01T00:00:00Z');

  it('is told by its reference, exactly', async () => {
    const { accountReference } = await account();
    const { reference } = fake.books.collect({
      accountReference,
      amount: '70368744177664.01',
      narration: 'Rent',
    });
    expect(await kora.getCollection(reference)).toEqual({
      reference,
      accountReference,
      amount: 7_036_874_417_766_401,
      currency: 'NGN',
      narration: 'Rent',
      at: null,
    });
  });

  it.each<[string, unknown]>([
    [
      'pending',
      {
        reference: 'r',
        status: 'processing',
        amount: '5.00',
        currency: 'NGN',
        virtual_bank_account: { account_reference: 'w' },
      },
    ],
    ['a card payment', { reference: 'r', status: 'success', amount: '5.00', currency: 'NGN' }],
  ])('is null when it is %s', async (_name, data) => {
    fake.script.add([{ path: '/charges/r', answer: { status: 200, body: { status: true, data } } }]);
    expect(await kora.getCollection('r')).toBeNull();
  });

  it('is null when the bank does not know it, also under a reference that would climb', async () => {
    expect(await kora.getCollection('never')).toBeNull();
    expect(await kora.getCollection('..')).toBeNull();
  });

  it.each(['0', '-5.00', '10.505', '1e21', 'NaN', ''])(
    'of an amount of %p is not believed',
    async (amount) => {
      const data = { reference: 'r', status: 'success', amount, currency: 'NGN' };
      fake.script.add([{ path: '/charges/r', answer: { status: 200, body: { status: true, data } } }]);
      await expect(kora.getCollection('r')).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
    },
  );

  it.each(['150', '150.00', '"150.00"'])('of the amount %s is 15000 kobo', async (amount) => {
    const body = `{"status":true,"data":{"reference":"r","status":"success","amount":${amount},"currency":"NGN",
      "virtual_bank_account":{"account_reference":"w"}}}`;
    fake.script.add([{ path: '/charges/r', answer: { status: 200, body } }]);
    expect(await kora.getCollection('r')).toMatchObject({ amount: 15_000, accountReference: 'w' });
  });

  it('is unavailable, not absent, when the bank does not answer', async () => {
    fake.script.add([{ path: '/charges/', answer: 'none' }]);
    await expect(kora.getCollection('r')).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
  });

  it('is listed whole over pages, each once, with one question more for the reference', async () => {
    const { accountReference, accountNumber } = await account();
    const other = await account();
    for (let n = 1; n <= 250; n += 1)
      fake.books.collect({ accountReference, amount: `${n}.25`, mode: 'drop' });
    fake.books.collect({ accountReference: other.accountReference, amount: '9', mode: 'drop' });
    const rows = await listed(accountNumber);
    expect(rows.map(({ amount }) => amount)).toEqual(
      Array.from({ length: 250 }, (_, n) => (n + 1) * 100 + 25),
    );
    expect(new Set(rows.map((row) => row.accountReference))).toEqual(new Set([accountReference]));
    expect(callsOf('/virtual-bank-account/transactions')).toHaveLength(4);
    expect(callsOf('/charges/')).toHaveLength(1);
  });

  it('is listed beside another one of its reference, and once it has succeeded, on later pages too', async () => {
    const { accountReference, accountNumber } = await account();
    const row = (amount: string, status = 'success') => {
      return { reference: 'r', status, amount, currency: 'NGN' };
    };
    const pages = [[row('5.00', 'processing')], [row('5.00')], [row('7.00'), row('5.00')]];
    const charge = { virtual_bank_account: { account_reference: accountReference } };
    const answer = (data: object) => ({ status: 200, body: { status: true, data } });
    fake.script.add([
      ...pages.map((transactions) => ({
        path: '/virtual-bank-account/transactions',
        times: 1,
        answer: answer({ transactions }),
      })),
      { path: '/charges/', answer: answer(charge) },
    ]);
    const rows = await listed(accountNumber);
    expect(rows.map(({ amount }) => amount)).toEqual([500, 700]);
  });

  it('of an account without any is an empty list', async () => {
    const { accountNumber } = await account();
    expect(await listed(accountNumber)).toEqual([]);
    expect(callsOf('/charges/')).toHaveLength(0);
  });

  it('is never listed in part: a page that does not come, or does not end, is a refusal', async () => {
    const { accountReference, accountNumber } = await account();
    for (let n = 1; n <= 101; n += 1) fake.books.collect({ accountReference, amount: '5', mode: 'drop' });
    fake.script.add([{ path: '/virtual-bank-account/transactions', nth: 2, answer: html }]);
    await expect(listed(accountNumber)).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
  });

  it.each([
    ['a currency', { reference: 'two', status: 'success', amount: '5.00' }],
    ['a status', { reference: 'two', amount: '5.00', currency: 'NGN' }],
    ['a reference', { status: 'processing', amount: '5.00', currency: 'NGN' }],
  ])('is never passed over: a row without %s is told of as unreadable', async (_name, row) => {
    const { accountNumber } = await account();
    const body = { status: true, data: { transactions: [row] } };
    fake.script.add([{ path: '/virtual-bank-account/transactions', answer: { status: 200, body } }]);
    const rows: unknown[] = [];
    for await (const each of kora.listCollections(accountNumber, from, to)) rows.push(each);
    const told = 'reference' in row ? row.reference : expect.stringMatching(/^a row without a reference/);
    expect(rows).toEqual([{ unreadable: told }]);
  });

  it('is of no known account where its charge names the number of another', async () => {
    const { accountReference, accountNumber } = await account();
    const { reference } = fake.books.collect({ accountReference, amount: '5', mode: 'drop' });
    const list = async (named: string): Promise<string[]> => {
      const charge = { virtual_bank_account: { account_reference: accountReference, account_number: named } };
      fake.script.add([{ path: '/charges/', answer: { status: 200, body: { status: true, data: charge } } }]);
      return (await listed(accountNumber)).map(({ reference: each }) => each);
    };
    expect(await list(accountNumber)).toEqual([reference]);
    await expect(list('7000000000')).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
  });

  it('is asked for a day more at both ends, and left out where it has a time outside', async () => {
    const { accountReference, accountNumber } = await account();
    const row = (reference: string, time?: string) => {
      return { reference, status: 'success', amount: '5.00', currency: 'NGN', transaction_date: time };
    };
    const transactions = [
      row('before', '2026-03-03T23:59:59Z'),
      row('first', '2026-03-04 00:00:00'),
      row('last', '2026-03-04T23:59:59.999Z'),
      row('after', '2026-03-05T00:00:00Z'),
      row('untimed'),
      { ...row('pending', '2026-03-04'), status: 'processing' },
    ];
    const body = { status: true, data: { transactions } };
    const charge = {
      virtual_bank_account: { account_reference: accountReference, account_number: accountNumber },
    };
    fake.script.add([
      { path: '/virtual-bank-account/transactions', times: 0, answer: { status: 200, body } },
      { path: '/charges/', answer: { status: 200, body: { status: true, data: charge } } },
    ]);
    const [since, until] = [new Date('2026-03-04T00:00:00Z'), new Date('2026-03-05T00:00:00Z')];
    const rows = await listed(accountNumber, since, until);
    expect(rows.map(({ reference }) => reference)).toEqual(['first', 'last', 'untimed']);
    const queries = callsOf('/virtual-bank-account/transactions').map(({ query }) => query);
    expect(queries).toHaveLength(2);
    expect(queries[0]).toContain('start_date=2026-03-03&end_date=2026-03-06');
  });

  it('is listed up to 20 rows that can not be read, each told of; more are a refusal', async () => {
    const { accountNumber } = await account();
    const unreadable: unknown[] = ['no row', null, ...['n', 'o', 'p'].map((reference) => ({ reference }))];
    const body = { status: true, data: { transactions: unreadable } };
    fake.script.add([
      { path: '/virtual-bank-account/transactions', times: 0, answer: { status: 200, body } },
    ]);
    const list = async (): Promise<unknown[]> => {
      const rows: unknown[] = [];
      for await (const row of kora.listCollections(accountNumber, from, to)) rows.push(row);
      return rows;
    };
    const told = await list();
    const digest = { unreadable: expect.stringMatching(/^a row without a reference, sha256 [0-9a-f]{64}$/) };
    const named = ['n', 'o', 'p'].map((reference) => ({ unreadable: reference }));
    expect(told).toEqual([digest, digest, ...named]);
    expect(told[0]).not.toEqual(told[1]);

    for (let n = 0; n < 15; n += 1) unreadable.push({ reference: 'x'.repeat(300), amount: n });
    expect(await list()).toHaveLength(20);
    unreadable.push({ reference: 'one too many' });
    await expect(list()).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
  });

  async function account() {
    const asked = request();
    return { ...asked, ...(await kora.issueVirtualAccount(asked)) };
  }

  async function listed(accountNumber: string, since = from, until = to): Promise<Collection[]> {
    const rows: Collection[] = [];
    for await (const row of kora.listCollections(accountNumber, since, until)) {
      if ('unreadable' in row) throw new Error(`not readable: ${row.unreadable}`);
      rows.push(row);
    }
    return rows;
  }
});

describe('a webhook', () => {
  async function deliver(input: Partial<CollectionInput>) {
    const asked = request();
    await kora.issueVirtualAccount(asked);
    fake.books.collect({ accountReference: asked.accountReference, amount: '1050.55', ...input });
    await fake.clock.advance(10_000);
    const { raw, signature } = received[0]!;
    return { asked, raw, signature, read: kora.readWebhook(raw, signature) };
  }

  it('of a credit is read into the flat form, its amount exact', async () => {
    const { asked, read } = await deliver({ reference: 'KPY-PAY-1' });
    expect(read).toMatchObject({
      kind: 'ok',
      body: {
        event: 'charge.success',
        data: {
          reference: 'KPY-PAY-1',
          amount: new DecimalText('1050.55'),
          currency: 'NGN',
          status: 'success',
          payer_bank_account: { account_name: 'Jane Obi' },
          virtual_bank_account: { account_reference: asked.accountReference, account_name: 'Research agent' },
        },
      },
    });
    expect(JSON.stringify(read)).not.toContain('virtual_bank_account_details');
  });

  it.each<[string, Partial<CollectionInput>]>([
    ['with a field more', { data: { settlement: { batch: [1, 2] } } }],
    ['with optional fields missing', { omit: ['fee', 'status', 'transaction_date'] }],
    ['with a date that has no zone', { data: { transaction_date: '2026-03-04 10:00:04' } }],
    ['with a masked payer', { payer: { account_name: 'J', account_number: '******1001', bank_name: 'B' } }],
    ['whose amount of 150.00 is signed as 150', { amount: '150.00' }],
    ['whose amount of 150.00 is signed as it was sent', { amount: '150.00', sign: 'as-sent' }],
    ['with letters sent as escapes', { narration: 'x', data: { memo: 'Ọjọ́ 💸' }, escaped: true }],
    ['with slashes and quotes', { data: { memo: 'a/b "c" \\ \u2028 }]' } }],
    ['with an amount that is text', { amountAsText: true }],
    ['with a currency of its own', { currency: 'USD' }],
  ])('%s has a good signature', async (_name, input) => {
    const { read } = await deliver(input);
    expect(read).toMatchObject({ kind: 'ok', body: { event: 'charge.success' } });
  });

  it.each<[string, Partial<CollectionInput>]>([
    ['signed with another key', { sign: 'wrong-key' }],
    ['signed over all of its body', { sign: 'whole-body' }],
    ['not signed', { sign: 'none' }],
    ['with another amount than was signed', { tamper: { amount: 1_050_550 } }],
    [
      'with another account than was signed',
      { tamper: { virtual_bank_account: { account_reference: 'mine' } } },
    ],
  ])('%s is refused', async (_name, input) => {
    expect((await deliver(input)).read).toEqual({ kind: 'bad-signature' });
  });

  it('not signed is read where no secret is configured', async () => {
    const { raw } = await deliver({ sign: 'none' });
    expect(adapter({ webhookSecrets: [] }).readWebhook(raw, undefined)).toMatchObject({
      kind: 'ok',
      body: { data: { amount: new DecimalText('1050.55') } },
    });
  });

  it('of a genuine failure under the name of a success says so in its status, which is signed', async () => {
    const { read } = await deliver({ event: 'charge.success', data: { status: 'failed' } });
    expect(read).toMatchObject({ kind: 'ok', body: { data: { status: 'failed' } } });
  });

  it('of a genuine payout under the name of a credit has no account to credit', async () => {
    const paying = payout();
    await kora.startPayout(paying);
    fake.books.settle(paying.reference, 'success', { event: 'charge.success' });
    await fake.clock.advance(10_000);
    const read = kora.readWebhook(received[0]!.raw, received[0]!.signature);
    expect(read).toMatchObject({
      kind: 'ok',
      body: { event: 'charge.success', data: { status: 'success' } },
    });
    expect(read).not.toHaveProperty('body.data.virtual_bank_account');
  });

  it.each([
    ['0', null],
    ['-5', null],
    ['10.505', null],
    ['1e21', null],
    ['10.500', 1_050],
    ['8.2', 820],
    ['70368744177664.01', 7_036_874_417_766_401],
  ])('with the amount %s carries its text, which is %s kobo', async (amount, expected) => {
    const { read } = await deliver({ amount });
    const { body } = read as { body: { data: { amount: DecimalText } } };
    expect(body.data.amount).toEqual(new DecimalText(amount));
    expect(koboFromNaira(body.data.amount.text)).toBe(expected);
  });

  it('sent many times over is read alike each time', async () => {
    const { read } = await deliver({ times: 5 });
    await fake.outbox.redeliver([...fake.outbox.deliveries.keys()][0]!, 20);
    expect(received).toHaveLength(25);
    for (const { raw, signature } of received) expect(kora.readWebhook(raw, signature)).toEqual(read);
  });
});
