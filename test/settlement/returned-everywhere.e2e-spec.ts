import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WalletClient } from '../../sdk/src/client.js';
import { ReturnedPayouts } from '../../src/contexts/settlement/settlement-returns.service.js';
import { SettlementReconciliation } from '../../src/contexts/settlement/settlement.reconcile.js';
import { brokenInvariants } from '../support/invariants.js';
import { connectCurrent } from '../support/mcp-clients.js';
import { Operator } from '../support/operators.js';
import { SENT_BACK, SentBack } from '../support/sent-back.js';
import { type CreatedWallet, type TestService, until } from '../support/service.js';
import { Subscribers } from '../support/subscribers.js';
import { withdraw } from '../support/withdrawals.js';

/** A payment that the bank sent back, read on every surface: before its refund, and after it. */

let subscribers: Subscribers;
let service: TestService;
let bank: SentBack;
let baseUrl: string;
let operator: Operator;
beforeAll(async () => {
  subscribers = await Subscribers.start();
  service = subscribers.service;
  bank = new SentBack(service);
  operator = await Operator.make(service);
  await service.app.listen(0, '127.0.0.1');
  baseUrl = `http://127.0.0.1:${(service.app.getHttpServer().address() as AddressInfo).port}`;
});
afterAll(() => subscribers.close());

const HOUR_MS = 60 * 60_000;

/** Each way by which the service learns of it. */
const FOUND_BY: Readonly<Record<string, (reference: string) => Promise<unknown>>> = {
  "the bank's webhook": (reference) =>
    service.post('/api/webhooks/payouts', { body: { event: 'transfer.failed', data: { reference } } }),
  'the hourly question': () =>
    service.app.get(ReturnedPayouts, { strict: false }).check({ before: null, left: 100 }, 10_000),
  'the reconciliation': () =>
    service.app
      .get(SettlementReconciliation, { strict: false })
      .run({ from: new Date(Date.now() - HOUR_MS), to: new Date(Date.now() + HOUR_MS) }),
};

interface Shown {
  readonly status?: string;
  readonly settlement: object;
}

/** What each surface says of the payment. */
async function surfaces(wallet: CreatedWallet, id: string) {
  const { token } = wallet.owner;
  const asOwner = async <Body>(path: string) => (await service.get<Body>(path, { token })).body;
  const asAgent = async <Body>(path: string) => (await service.get<Body>(path, wallet)).body;
  const shown = {
    list: (await asOwner<{ data: Shown[] }>('/v1/transactions?status=returned')).data[0],
    'list of the wallet': (await asOwner<{ data: Shown[] }>(`/api/wallets/${wallet.id}/transactions`))
      .data[0],
    drawer: (await asOwner<{ data: Shown }>(`/v1/wallets/${wallet.id}/transactions/${id}`)).data,
    API: (await asAgent<{ data: Shown }>(`/api/payment-intent/${id}`)).data,
    'list of the agent': (await asAgent<{ data: Shown[] }>('/api/payment-intent')).data[0],
    SDK: await new WalletClient({ baseUrl, apiKey: wallet.key }).getPayment(id),
  };
  const { receipt } = (await asAgent<{ data: { receipt: string } }>(`/api/payment-intent/${id}/receipt`))
    .data;
  const claims = JSON.parse(Buffer.from(receipt.split('.')[1]!, 'base64url').toString()) as object;
  const mcp = await connectCurrent(`${baseUrl}/mcp`, wallet.key);
  const told = await mcp.call('get_payment', { paymentId: id });
  await mcp.close();
  const totals = (await asOwner<{ data: object[] }>('/v1/transactions/totals')).data;
  const { total } = (await asOwner<{ data: { total: object } }>('/v1/home')).data;
  return {
    shown,
    claims,
    told,
    totals,
    home: total,
    csv: (await service.get('/v1/transactions.csv', { token })).text,
  };
}

const TIME = expect.stringMatching(/^\d{4}-.*Z$/);

it.each(Object.keys(FOUND_BY))(
  'is returned everywhere once %s tells of it, first being resolved, then refunded',
  async (way) => {
    const { user, wallet, endpoint } = await subscribers.subscriber({
      events: ['payment.returned', 'payment.refunded'],
    });
    await service.topUp(wallet.id, 500_000);
    const id = await bank.paid(wallet);
    await bank.takeBack(id);
    await FOUND_BY[way]!(id);
    await bank.ends(id, 'reversed');
    const { token } = user;
    const notice = async () =>
      (
        await service.get<{ data: { kind: string; text: string; outcome: string | null }[] }>(
          '/v1/notifications',
          { token },
        )
      ).body.data.find(({ kind }) => kind === 'payment.returned');
    const events = async () =>
      (await subscribers.deliveriesOf(user, endpoint)).map(({ event }) => event).reverse();

    const before = await surfaces(wallet, id);
    const open = { reference: id, status: 'reversed', reversedAt: TIME, refundedAt: null };
    for (const [surface, payment] of Object.entries(before.shown)) {
      expect([surface, payment]).toEqual([surface, expect.objectContaining({ settlement: open })]);
    }
    for (const surface of ['list', 'drawer', 'SDK'] as const) {
      expect([surface, before.shown[surface]]).toEqual([
        surface,
        expect.objectContaining({ status: 'returned' }),
      ]);
    }
    expect(before.claims).toMatchObject({ settlement: 'reversed', reversedAt: TIME, refundedAt: null });
    expect(before.told.structuredContent.payment).toMatchObject({ settlement: open });
    expect(before.told.content[0]!.text).toMatch(
      /^Sent back: .* at \d{4}-\S+Z\. The operators of the service resolve/,
    );
    const totals = [{ status: 'returned', count: 1, amount: expect.any(Number) }];
    expect(before.totals).toEqual(totals);
    const home = { paid: { count: 0 }, failed: { count: 1 } };
    expect(before.home).toMatchObject(home);
    expect(before.csv).toMatch(new RegExp(`reversed,${id},returned,`));
    await until(async () => (await notice()) !== undefined);
    expect(await notice()).toMatchObject({ text: expect.stringContaining('Our operators'), outcome: null });
    await until(async () => (await events()).length === 1);
    expect(await events()).toEqual(['payment.returned']);

    expect((await operator.act('payout.refund', id)).status).toBe(201);
    const after = await surfaces(wallet, id);
    const refunded = { ...open, refundedAt: TIME };
    for (const [surface, payment] of Object.entries(after.shown)) {
      expect([surface, payment]).toEqual([surface, expect.objectContaining({ settlement: refunded })]);
    }
    for (const surface of ['list', 'drawer', 'SDK'] as const) {
      expect([surface, after.shown[surface]]).toEqual([
        surface,
        expect.objectContaining({ status: 'returned' }),
      ]);
    }
    expect(after.totals).toEqual(totals);
    expect(after.home).toMatchObject(home);
    expect(after.claims).toMatchObject({ settlement: 'reversed', reversedAt: TIME, refundedAt: TIME });
    expect(after.told.structuredContent.payment).toMatchObject({ settlement: refunded });
    expect(after.told.content[0]!.text).toMatch(/back in the wallet since \d{4}-\S+Z\./);
    await until(async () => (await notice())?.outcome === 'refunded');
    await until(async () => (await events()).length === 2);
    expect(await events()).toEqual(['payment.returned', 'payment.refunded']);
    expect(await service.stats(wallet)).toMatchObject({ balance: 500_000, spentThisPeriod: 0 });
    expect(await brokenInvariants(service)).toEqual({});
  },
);

it('a withdrawal that the bank sent back needs its owner on Home, until it is refunded', async () => {
  const wallet = await service.fundedWallet(500_000, { name: 'Savings' });
  const other = await service.createWallet();
  const home = async ({ owner: { token } }: CreatedWallet) =>
    (await service.get<{ data: { returnedWithdrawals: object[] } }>('/v1/home', { token })).body.data
      .returnedWithdrawals;
  await withdraw(service, wallet, 20_000);
  const id = await withdraw(service, wallet, 100_000, SENT_BACK);
  await bank.ends(id, 'succeeded');
  expect(await home(wallet)).toEqual([]);
  await bank.takeBack(id);
  await bank.poll(id);
  await bank.ends(id, 'reversed');
  expect(await home(wallet)).toEqual([
    {
      id,
      walletId: wallet.id,
      walletName: 'Savings',
      amount: 100_000,
      accountNumber: SENT_BACK,
      bankCode: '058',
      createdAt: TIME,
    },
  ]);
  expect(await home(other)).toEqual([]);
  expect((await operator.act('payout.refund', id)).status).toBe(201);
  expect(await home(wallet)).toEqual([]);
  expect(await service.stats(wallet)).toMatchObject({ balance: 480_000 });
});
