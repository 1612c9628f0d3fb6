import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuthorizeService } from '../../src/contexts/payments/authorize/authorize.service.js';
import { AppError } from '../../src/kernel/errors.js';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { connectCurrent, type McpClient } from '../support/mcp-clients.js';
import {
  type CreatedWallet,
  expectStatus,
  paymentBody,
  startService,
  type TestService,
} from '../support/service.js';

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly transactionId: string;
  readonly replayed?: boolean;
  readonly hint: string;
  readonly maxAmountNow?: number;
  readonly earliestPassAt?: string | null;
}

const NEW_KEY = 'This Idempotency-Key (purchaseId) keeps its first answer: another attempt takes a new one.';

let service: TestService;
let address: string;
const open: McpClient[] = [];
beforeAll(async () => {
  service = await startService();
  await service.app.listen(0, '127.0.0.1');
  address = `http://127.0.0.1:${(service.app.getHttpServer().address() as AddressInfo).port}/mcp`;
});
afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await service.close();
});

const change = async ({ id, owner }: CreatedWallet, body: object): Promise<void> => {
  expectStatus(200, await service.call('PATCH', `/api/wallets/${id}`, { token: owner.token, body }));
};
const turn = async ({ id, owner }: CreatedWallet, word: 'suspend' | 'resume'): Promise<void> => {
  expectStatus(200, await service.post(`/api/wallets/${id}/${word}`, { token: owner.token }));
};
const send = (wallet: CreatedWallet, key: string, fields: Record<string, unknown> = {}) =>
  service.post<Refusal>('/api/payment-intent', {
    key: wallet.key,
    body: paymentBody(fields),
    headers: { 'idempotency-key': key },
  });

/** The same payment twice, with `mend` in between; answers both refusals. */
async function repeated(
  wallet: CreatedWallet,
  mend: () => Promise<unknown>,
  fields: Record<string, unknown> = {},
): Promise<[first: Refusal, again: Refusal]> {
  const first = await send(wallet, 'repeated', fields);
  await mend();
  const again = await send(wallet, 'repeated', fields);
  expect([first.body.replayed, first.headers['idempotency-replayed']]).toEqual([undefined, undefined]);
  expect([again.body.replayed, again.headers['idempotency-replayed']]).toEqual([true, 'true']);
  const { status, body } = first;
  expect([again.status, again.body.code, again.body.message, again.body.transactionId]).toEqual([
    status,
    body.code,
    body.message,
    body.transactionId,
  ]);
  return [body, again.body];
}

describe('a block that is asked for again under its Idempotency-Key', () => {
  it('keeps its decision, and says that the wallet is active again once its owner resumed it', async () => {
    const wallet = await service.fundedWallet(5_000);
    await turn(wallet, 'suspend');
    const [first, again] = await repeated(wallet, () => turn(wallet, 'resume'));
    expect(first).toMatchObject({ code: 'WALLET_INACTIVE', maxAmountNow: 0, earliestPassAt: null });
    expect(again).toMatchObject({ maxAmountNow: 5_000, earliestPassAt: null });
    expect(again.hint).toBe(`The wallet is active again. The same payment passes now. ${NEW_KEY}`);
    expect((await send(wallet, 'new')).status).toBe(201);
  });

  it('names what would pass by now where it would still be blocked', async () => {
    const wallet = await service.createWallet();
    const [first, again] = await repeated(wallet, () => service.topUp(wallet.id, 400));
    expect(first).toMatchObject({ code: 'INSUFFICIENT_FUNDS', maxAmountNow: 0 });
    expect(again.maxAmountNow).toBe(400);
    expect(again.hint).toBe(`At most ₦4.00 now; for more the wallet has to be topped up. ${NEW_KEY}`);
  });

  it('says that the payment would wait for approval where it would by now', async () => {
    const wallet = await service.createWallet();
    const [, again] = await repeated(wallet, async () => {
      await service.topUp(wallet.id, 5_000);
      await askAbove(service, wallet, 500);
    });
    expect(again.hint).toBe(`The same payment would now wait for the owner's approval. ${NEW_KEY}`);
  });

  it('is not offered again where the purchase looks made already, or the owner denied it', async () => {
    const wallet = await service.fundedWallet(5_000);
    await change(wallet, { duplicateGuardMinutes: 1 });
    await send(wallet, 'made');
    const [, duplicate] = await repeated(wallet, () => change(wallet, { duplicateGuardMinutes: 0 }));
    expect(duplicate.code).toBe('POSSIBLE_DUPLICATE');
    expect(duplicate.hint).toMatch(/^This looks like a payment that was requested already: look at that one/);
    expect(duplicate.hint).not.toMatch(/passes now/);
    await askAbove(service, wallet, 500);
    const waiting = await payPending(service, wallet, {}, { 'idempotency-key': 'denied' });
    expectStatus(200, await decide(service, wallet, waiting.id, 'deny'));
    const denied = await send(wallet, 'denied');
    expect([denied.status, denied.body]).toMatchObject([403, { code: 'APPROVAL_DENIED', replayed: true }]);
    expect(denied.body.hint).toBe(`The owner denied this payment: ask them before you try again. ${NEW_KEY}`);
  });

  it('is answered without what would pass where that can not be determined', async () => {
    const wallet = await service.createWallet();
    const overloaded = new AppError('OVERLOADED', 'Too many quotes.');
    const [, again] = await repeated(wallet, () => {
      jest.spyOn(service.app.get(AuthorizeService), 'quote').mockRejectedValueOnce(overloaded);
      return Promise.resolve();
    });
    expect(again.hint).toBe(`What would pass now could not be determined. ${NEW_KEY}`);
    expect(again).not.toHaveProperty('maxAmountNow');
  });

  it('reads the same over MCP, with what to do now', async () => {
    const wallet = await service.fundedWallet(5_000);
    const client = await connectCurrent(address, wallet.key);
    open.push(client);
    await turn(wallet, 'suspend');
    const args = { purchaseId: 'order-1', ...paymentBody() };
    const first = (await client.call('make_payment', args)).structuredContent.error;
    expect(first).toMatchObject({ code: 'WALLET_INACTIVE', next: expect.stringContaining('new purchaseId') });
    expect(first).not.toHaveProperty('replayed');
    await turn(wallet, 'resume');
    const again = await client.call('make_payment', args);
    expect(again.isError).toBe(true);
    expect(again.structuredContent.error).toMatchObject({
      code: 'WALLET_INACTIVE',
      replayed: true,
      hint: `The wallet is active again. The same payment passes now. ${NEW_KEY}`,
      maxAmountNow: { kobo: 5_000 },
      next: expect.stringMatching(/^This is the first answer to this purchaseId again.* new purchaseId\.$/),
    });
    expect(again.content[0]?.text).not.toMatch(/do not retry/);
  });
});

describe('an Idempotency-Key that belongs to another payment', () => {
  const OFFER = /takes a new|use a new|choose a new/;

  it('offers no second payment, and names the first with when it was approved', async () => {
    const wallet = await service.fundedWallet(5_000);
    expectStatus(201, await send(wallet, 'k'));
    const { status, body } = await send(wallet, 'k', { reason: 'Other words' });
    expect([status, body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(body.message).toMatch(/^This .* another payment: [0-9a-f-]{36} of ₦10\.00 was approved at \d{4}-/);
    expect(body.message).toMatch(/look at that payment, and if the purchase is the same do not pay again\.$/);
    expect(body.message).not.toMatch(OFFER);
  });

  it('says of one that waits for approval that it waits', async () => {
    const wallet = await service.fundedWallet(5_000);
    await askAbove(service, wallet, 500);
    const { id } = await payPending(service, wallet, {}, { 'idempotency-key': 'k' });
    const { body } = await send(wallet, 'k', { amount: 2_000 });
    expect(body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', transactionId: id });
    expect(body.message).toMatch(/ waits for approval since \d{4}-.*do not pay again\.$/);
    expect(body.message).not.toMatch(/paid/);
  });

  it('offers another attempt only where the first was blocked', async () => {
    const wallet = await service.createWallet();
    expectStatus(402, await send(wallet, 'k'));
    const { body } = await send(wallet, 'k', { amount: 2_000 });
    expect(body.message).toMatch(
      /\(INSUFFICIENT_FUNDS\) and moved no money\..* another attempt takes a new key\.$/,
    );
  });

  it('offers no second payment over MCP either', async () => {
    const wallet = await service.fundedWallet(5_000);
    const client = await connectCurrent(address, wallet.key);
    open.push(client);
    const args = { purchaseId: 'order-1', ...paymentBody() };
    const { id } = (await client.call('make_payment', args)).structuredContent.payment;
    const other = await client.call('make_payment', { ...args, amount: 2_000 });
    expect(other.structuredContent.error).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      transactionId: id,
    });
    expect(JSON.stringify(other)).not.toMatch(OFFER);
  });
});

it('the guard says of a payment that waits for approval since when it waits, not that it was paid', async () => {
  const wallet = await service.fundedWallet(5_000);
  await change(wallet, { duplicateGuardMinutes: 10 });
  await askAbove(service, wallet, 500);
  const { id } = await payPending(service, wallet, {}, { 'idempotency-key': 'a' });
  const waits = await send(wallet, 'b');
  expect([waits.status, waits.body.code]).toEqual([409, 'POSSIBLE_DUPLICATE']);
  expect(waits.body.message).toMatch(new RegExp(`waits for approval since .*${id}`));
  expect(waits.body.message).not.toMatch(/was paid/);
  expectStatus(200, await decide(service, wallet, id, 'approve'));
  expect((await send(wallet, 'c')).body.message).toMatch(/was paid to the same account at/);
});
