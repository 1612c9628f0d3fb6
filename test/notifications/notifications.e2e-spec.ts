import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EndpointStore } from '../../src/contexts/notifications/endpoints/endpoints.store.js';
import { SettlementFailed } from '../../src/contexts/settlement/settlement.events.js';
import { WalletStatusChanged } from '../../src/contexts/wallet/wallet.events.js';
import { Database } from '../../src/platform/database/database.js';
import { Events } from '../../src/platform/events/events.js';
import { kobo } from '../../src/kernel/money.js';
import { isVerified, type Receiver, verified } from '../support/receiver.js';
import { expectStatus, type TestService, until } from '../support/service.js';
import { ALL_EVENTS, type Delivery, type ErrorBody, Subscribers } from '../support/subscribers.js';

/** What a subscriber is told of. */

let hooks: Subscribers;
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  hooks = await Subscribers.start();
  ({ service, receiver } = hooks);
});
afterAll(() => hooks.close());

describe('wallet.funded', () => {
  it('reaches a receiver of the stock library, exactly as specified', async () => {
    const { wallet, endpoint, path } = await hooks.subscriber();
    await service.topUp(wallet.id, 105_055);
    await until(() => Promise.resolve(receiver.at(path).length > 0));
    const [received] = receiver.at(path);
    const body = verified(received!, endpoint.secret);
    expect(body).toEqual({
      event: 'wallet.funded',
      data: {
        walletId: wallet.id,
        amountCredited: 105_055,
        newBalance: 105_055,
        currency: 'NGN',
        fundedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect(received!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(isVerified(received!, endpoint.secret.replace(/.{5}$/, 'AAAA='))).toBe(false);
  });

  it('is sent once for a transfer that is delivered twice', async () => {
    const { wallet, path } = await hooks.subscriber();
    const reference = await service.topUp(wallet.id, 1_000);
    await service.topUp(wallet.id, 1_000, reference);
    await service.topUp(wallet.id, 2_000);
    await until(() => Promise.resolve(receiver.at(path).length >= 2));
    expect(
      receiver.at(path).map(({ body }) => (JSON.parse(body) as Delivery['body']).data['amountCredited']),
    ).toEqual([1_000, 2_000]);
  });
});

describe('the other events', () => {
  it('tell of approved, blocked and settled payments and of a balance that falls below its threshold', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber({ events: ALL_EVENTS });
    await service.topUp(wallet.id, 50_000);
    const { body: set } = await service.call('PUT', `/v1/wallets/${wallet.id}/low-balance-threshold`, {
      token: user.token,
      body: { threshold: 40_000 },
    });
    expect(set).toEqual({ success: true, data: { walletId: wallet.id, threshold: 40_000 } });
    const at = await service.pay(wallet.key, { amount: 10_000, reason: 'one' });
    const below = await service.pay(wallet.key, { amount: 1, reason: 'two' });
    await service.pay(wallet.key, { amount: 1 });
    const blocked = await service.pay(wallet.key, { amount: 100_001 });
    const keys = await service.get<{ data: { id: string }[] }>(`/api/wallets/${wallet.id}/keys`, {
      token: user.token,
    });
    const [first] = keys.body.data;
    await until(() => Promise.resolve(receiver.at(path).length >= 9));
    const bodies = receiver
      .at(path)
      .map((received) => verified(received, endpoint.secret) as Delivery['body']);
    const of = (event: string) => bodies.filter((body) => body.event === event).map(({ data }) => data);
    const payment = {
      walletId: wallet.id,
      currency: 'NGN',
      merchant: 'acme stores',
      merchantName: 'Acme Stores',
      recipientAccountNo: '0123456789',
      recipientBankCode: '058',
      keyId: first?.id,
      keyPrefix: wallet.key.slice(0, 16),
      keyName: null,
    };
    expect(of('payment.approved')).toHaveLength(3);
    expect(of('payment.approved')).toContainEqual({
      ...payment,
      transactionId: at.body.data.transaction.id,
      amount: 10_000,
      reason: 'one',
      approvedAt: at.body.data.transaction.createdAt,
    });
    expect(of('payment.blocked')).toEqual([
      {
        ...payment,
        transactionId: blocked.body.transactionId,
        amount: 100_001,
        reason: null,
        blockReason: 'SPEND_LIMIT_PER_TX_EXCEEDED',
        message: blocked.body.message,
        blockedAt: expect.any(String),
      },
    ]);
    expect(of('payment.settled')).toHaveLength(3);
    expect(of('payment.settled')).toContainEqual({
      transactionId: at.body.data.transaction.id,
      walletId: wallet.id,
      amount: 10_000,
      currency: 'NGN',
      settledAt: expect.any(String),
    });
    expect(of('wallet.low_balance')).toEqual([
      {
        walletId: wallet.id,
        threshold: 40_000,
        newBalance: 39_999,
        currency: 'NGN',
        transactionId: below.body.data.transaction.id,
        reachedAt: expect.any(String),
      },
    ]);
  });

  it('tell of a balance that falls because its owner takes money out, and then of no payment', async () => {
    const { user, wallet, endpoint, path } = await hooks.subscriber({ events: ['wallet.low_balance'] });
    const other = await service.createWallet(user);
    await service.topUp(wallet.id, 50_000);
    await service.call('PUT', `/v1/wallets/${wallet.id}/low-balance-threshold`, {
      token: user.token,
      body: { threshold: 40_000 },
    });
    const withdraw = (amount: number) =>
      service.post(`/api/wallets/${wallet.id}/withdrawals`, {
        token: user.token,
        body: { amount, accountNumber: '0123456789', bankCode: '058' },
        headers: { 'idempotency-key': `take-${amount}` },
      });
    expect((await withdraw(10_000)).status).toBe(201);
    expect((await withdraw(1_000)).status).toBe(201);
    await service.topUp(wallet.id, 1_000);
    const move = { toWalletId: other.id, amount: 2_000 };
    const moved = await service.post(`/api/wallets/${wallet.id}/transfers`, {
      token: user.token,
      body: move,
    });
    expect(moved.status).toBe(201);
    await until(() => Promise.resolve(receiver.at(path).length >= 2));
    const told = receiver.at(path).map((each) => verified(each, endpoint.secret) as Delivery['body']);
    const common = { walletId: wallet.id, threshold: 40_000, currency: 'NGN', transactionId: null };
    expect(
      told.map(({ data }) => data).sort((a, b) => Number(b['newBalance']) - Number(a['newBalance'])),
    ).toEqual(
      [39_000, 38_000].map((newBalance) => ({ ...common, newBalance, reachedAt: expect.any(String) })),
    );
  });

  it('of one payment have its listeners read once', async () => {
    const { wallet } = await hooks.subscriber({ events: ALL_EVENTS });
    await service.topUp(wallet.id, 50_000);
    const reading = jest.spyOn(EndpointStore.prototype, 'subscriptionsOf');
    // The second knows the wallet's owner already.
    for (const amount of [1_000, 2_000]) expectStatus(201, await service.pay(wallet.key, { amount }));
    const transactions = reading.mock.calls.map(([, tx]) => tx);
    reading.mockRestore();
    expect(transactions.length).toBeGreaterThanOrEqual(2);
    expect(new Set(transactions).size).toBe(transactions.length);
  });

  it('are all told that one transaction publishes side by side', async () => {
    const { wallet, path } = await hooks.subscriber({ events: ['wallet.status_changed'] });
    const events = service.app.get(Events);
    const change = { walletId: wallet.id, before: 'ACTIVE', after: 'SUSPENDED', at: new Date() } as const;
    await service.app
      .get(Database)
      .transaction((tx) =>
        Promise.all([1, 2].map(() => events.publish([new WalletStatusChanged(change)], tx))),
      );
    await until(() => Promise.resolve(receiver.at(path).length >= 2));
    expect(receiver.at(path)).toHaveLength(2);
  });

  it('tell of a payment that the bank did not carry out', async () => {
    const { wallet, endpoint, path } = await hooks.subscriber({ events: ['payment.refunded'] });
    await service.topUp(wallet.id, 50_000);
    const paid = await service.pay(wallet.key, { amount: 20_000 });
    const { id, createdAt } = paid.body.data.transaction;
    const events = service.app.get(Events);
    await service.app.get(Database).transaction((tx) =>
      events.publish(
        [
          new SettlementFailed({
            reference: id,
            walletId: wallet.id,
            amount: kobo(20_000),
            approvedAt: createdAt,
            reason: 'no such account',
          }),
        ],
        tx,
      ),
    );
    await until(() => Promise.resolve(receiver.at(path).length > 0));
    expect(verified(receiver.at(path)[0]!, endpoint.secret)).toEqual({
      event: 'payment.refunded',
      data: {
        transactionId: id,
        walletId: wallet.id,
        amountRefunded: 20_000,
        newBalance: 50_000,
        currency: 'NGN',
        refundedAt: expect.any(String),
      },
    });
  });

  it('are sent only to endpoints that asked for them, for the wallets that were named', async () => {
    const { user, wallet, path: fundedOnly } = await hooks.subscriber();
    const other = await service.createWallet(user);
    await hooks.subscribe(user, `${fundedOnly}/other`, { walletIds: [other.id.toUpperCase()] });
    await hooks.subscribe(user, `${fundedOnly}/blocked`, { events: ['payment.blocked'] });
    await service.topUp(wallet.id, 5_000);
    await service.topUp(other.id, 6_000);
    await service.pay(wallet.key, { amount: 1_000 });
    await service.pay(wallet.key, { amount: 90_000 });
    await until(() => Promise.resolve(receiver.at(`${fundedOnly}/blocked`).length > 0));
    await until(() => Promise.resolve(receiver.at(fundedOnly).length > 1));
    const eventsAt = (path: string) =>
      receiver.at(path).map(({ body }) => (JSON.parse(body) as Delivery['body']).event);
    expect(eventsAt(fundedOnly)).toEqual(['wallet.funded', 'wallet.funded']);
    expect(eventsAt(`${fundedOnly}/other`)).toEqual(['wallet.funded']);
    expect(eventsAt(`${fundedOnly}/blocked`)).toEqual(['payment.blocked']);
  });

  it('leave a transaction that fails without a trace', async () => {
    const { user, wallet, endpoint } = await hooks.subscriber({ events: ALL_EVENTS });
    await service.topUp(wallet.id, 9_007_199_254_740_991);
    await service.topUp(wallet.id, 1);
    expect(await hooks.deliveriesOf(user, endpoint)).toHaveLength(1);
  });
});

describe('the threshold of a wallet', () => {
  it('is set, read and removed by the owner alone', async () => {
    const { user, wallet } = await hooks.subscriber();
    const path = `/v1/wallets/${wallet.id}/low-balance-threshold`;
    const put = (token: string, body: unknown) => service.call<ErrorBody>('PUT', path, { token, body });
    expect((await service.get(path, { token: user.token })).body).toEqual({
      success: true,
      data: { walletId: wallet.id, threshold: null },
    });
    expectStatus(200, await put(user.token, { threshold: 1 }));
    expectStatus(200, await put(user.token, { threshold: 2 }));
    expect((await service.get(path, { token: user.token })).body).toMatchObject({ data: { threshold: 2 } });
    for (const threshold of [0, -1, 1.5, '1', undefined]) {
      const { body } = expectStatus(400, await put(user.token, { threshold }));
      expect(body.error.errors?.[0]?.field).toBe('threshold');
    }
    const stranger = await service.signUp();
    expect((await put(stranger.token, { threshold: 1 })).body.error.code).toBe('WALLET_NOT_FOUND');
    expectStatus(404, await service.get(path, { token: stranger.token }));
    expectStatus(200, await put(user.token, { threshold: null }));
    expect((await service.get(path, { token: user.token })).body).toMatchObject({
      data: { threshold: null },
    });
  });
});
