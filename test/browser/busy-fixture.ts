import { expect } from '@playwright/test';
import { fund, pay, type Person, person, type Purse, send, walletOf } from './accounts.js';
import { FORGET_WINDOW, query } from './operators.js';

/** Accounts at the sandbox bank: it sends payouts to the first back, and keeps those to the second. */
const SENT_BACK = '9000000004';
const NEVER_SETTLED = '9000000003';

/** Somebody whose Home has one of everything that needs its owner or is unusual. */
export interface BusyFixture {
  readonly owner: Person;
  readonly groceries: Purse;
}

const as = ({ token }: Person) => ({ authorization: `Bearer ${token}` });

export async function busyFixture(): Promise<BusyFixture> {
  const owner = await person();
  const call = <Answer>(path: string, body: object = {}, method = 'POST') =>
    send<Answer>(path, { method, headers: as(owner), body });
  await call('/v1/onboarding', { businessName: 'Ada Logistics Ltd', contactEmail: owner.email });
  const [travel, errands, groceries, savings] = await Promise.all([
    walletOf(owner, { name: 'Travel desk' }),
    walletOf(owner, { name: 'Errands', spendLimitPerTx: 200_000, spendLimitPeriod: 300_000 }),
    walletOf(owner, { name: 'Groceries' }),
    walletOf(owner, { name: 'Savings' }),
  ]);
  await Promise.all([travel, groceries, savings].map((wallet) => fund(wallet, 20_000)));
  await fund(errands, 3_000);
  for (const amount of [2_000, 3_000, 2_500]) await pay(travel, amount, 'Bolt', 'Ride', '0123456788');
  await query(
    `WITH moved AS (UPDATE transactions SET created_at = created_at - interval '10 days' WHERE wallet_id = $1)
     ${FORGET_WINDOW}`,
    [travel.id],
  );
  await pay(travel, 180_000, 'Air Peace', 'Flight to Abuja');
  await call(`/v1/wallets/${errands.id}/low-balance-threshold`, { threshold: 100_000 }, 'PUT');
  for (const amount of [100_000, 110_000, 75_000]) await pay(errands, amount, 'Bolt', 'Ride');
  for (let i = 0; i < 10; i += 1) await pay(groceries, 600_000, 'Konga', 'Generator');
  await pay(groceries, 45_000, 'Shoprite', 'Rice and beans', SENT_BACK);
  for (const [i, merchant] of ['Jumia', 'Konga', 'Shoprite', 'Bolt', 'Air Peace'].entries()) {
    await call(
      `/api/wallets/${groceries.id}`,
      { approvalThreshold: 100_000, approvalTtlMinutes: [2_880, 30, 200, 45, 600][i] },
      'PATCH',
    );
    await pay(
      groceries,
      110_000 + i * 10_000,
      merchant,
      i === 1 ? 'A generator for the shop in Ikeja' : undefined,
    );
  }
  const withdrawal = await send<{ data: { withdrawal: { id: string } } }>(
    `/api/wallets/${savings.id}/withdrawals`,
    {
      headers: { ...as(owner), 'idempotency-key': owner.id },
      body: { amount: 100_000, accountNumber: SENT_BACK, bankCode: '058' },
    },
  );
  const add = (url: string) => call<{ data: { id: string } }>('/v1/webhook-endpoints', { url });
  const [paused, failing] = [
    await add('https://old.example.com/hooks'),
    await add('https://shop.example.com/hooks'),
  ];
  await query(
    `UPDATE webhook_endpoints SET status = 'disabled', disabled_at = now(),
            disabled_reason = 'the receiver answered 410 Gone' WHERE id = $1`,
    [paused.data.id],
  );
  await query(
    `UPDATE webhook_endpoints SET failing_since = now() - interval '3 hours', last_failed_at = now() WHERE id = $1`,
    [failing.data.id],
  );
  await decideOne(owner, 'Bolt');
  await returned(owner, withdrawal.data.withdrawal.id);
  return { owner, groceries };
}

/** One approval that the bell says something about. */
async function decideOne(owner: Person, merchant: string): Promise<void> {
  const { data } = await send<{ data: { id: string; transaction: { merchantName: string } }[] }>(
    '/v1/approvals?status=pending',
    { method: 'GET', headers: as(owner) },
  );
  const id = data.find(({ transaction }) => transaction.merchantName === merchant)?.id;
  await send(`/v1/approvals/${id}/deny`, { headers: as(owner), body: { note: 'Not this month' } });
}

interface News {
  readonly data: {
    readonly returned: object[];
    readonly returnedWithdrawals: object[];
    readonly unusual: { readonly kind: string }[];
  };
}

/** Waits until both payouts came back, as the bank tells of them once it took the money back. */
async function returned(owner: Person, withdrawalId: string): Promise<void> {
  const [payment] = await query<{ id: string }>(
    `SELECT t.id FROM transactions t JOIN wallets w ON w.id = t.wallet_id
      WHERE w.user_id = $1 AND t.recipient_account_no = $2`,
    [owner.id, SENT_BACK],
  );
  await expect(async () => {
    for (const reference of [withdrawalId, payment?.id])
      await send('/api/webhooks/payouts', { body: { event: 'transfer.failed', data: { reference } } });
    const { data } = await send<News>('/v1/home', { method: 'GET', headers: as(owner) });
    expect([data.returned.length, data.returnedWithdrawals.length]).toEqual([1, 1]);
    expect(new Set(data.unusual.map(({ kind }) => kind))).toEqual(new Set(['day', 'account', 'burst']));
  }).toPass({ timeout: 60_000 });
}

/** Somebody who froze all: one wallet was frozen before, and a payout is with the bank. */
export async function frozenFixture(): Promise<BusyFixture> {
  const owner = await person();
  const call = (path: string, body: object = {}, method = 'POST') =>
    send(path, { method, headers: as(owner), body });
  const [groceries, , travel] = await Promise.all([
    walletOf(owner, { name: 'Groceries' }),
    walletOf(owner, { name: 'Errands' }),
    walletOf(owner, { name: 'Travel desk' }),
  ]);
  await fund(groceries, 20_000);
  await pay(groceries, 70_000, 'Shoprite', 'Rice and beans', NEVER_SETTLED);
  await call(`/api/wallets/${groceries.id}`, { approvalThreshold: 100_000 }, 'PATCH');
  await pay(groceries, 150_000, 'Konga', 'Suitcase');
  await call(`/api/wallets/${travel.id}/suspend`);
  await call('/v1/wallets/suspend-all');
  return { owner, groceries };
}
