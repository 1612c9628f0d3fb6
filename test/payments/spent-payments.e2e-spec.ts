import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { Operator } from '../support/operators.js';
import { allEndedBut, SentBack } from '../support/sent-back.js';
import { type CreatedWallet, expectStatus, startService, type TestService } from '../support/service.js';

/** Each figure of what was spent finds just the payments that it counts. */

const REFUSED = { recipientAccountNo: '9000000001', recipientBankCode: '058' };
const NEVER_SETTLES = { recipientAccountNo: '9000000003' };
/** The filter of the list for a group, by which a row of `without` has no value. */
const FILTERS = {
  merchant: 'merchant',
  wallet: 'walletId',
  key: 'key',
  purpose: 'purpose',
  run: 'run',
  category: 'category',
  costCentre: 'costCentre',
} as const;
type Group = keyof typeof FILTERS;

interface Figures {
  readonly value: string | null;
  readonly payments: number;
  readonly spent: number;
}
interface Listed {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
}

let service: TestService;
let wallet: CreatedWallet;
let kept: string;
beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(900_000);
  const bank = new SentBack(service);
  const operator = await Operator.make(service);
  await service.pay(wallet.key, { amount: 1_000, merchantName: 'Jumia', runId: 'one' });
  await service.pay(wallet.key, { amount: 20, merchantName: 'Jumia', runId: 'one', ...NEVER_SETTLES });
  await service.pay(wallet.key, { amount: 300, merchantName: 'Konga', ...REFUSED });
  await service.pay(wallet.key, { amount: 700_000, merchantName: 'Konga' });
  kept = await bank.returned(wallet, 40_000);
  const refunded = await bank.returned(wallet, 5_000);
  expectStatus(201, await operator.act('payout.refund', refunded));
  await askAbove(service, wallet, 60_000);
  await payPending(service, wallet, { amount: 60_001 });
  await decide(service, wallet, (await payPending(service, wallet, { amount: 60_002 })).id, 'deny');
  await decide(service, wallet, (await payPending(service, wallet, { amount: 60_003 })).id, 'approve');
  await allEndedBut(service, 1);
  const labelled = await service.call('PATCH', `/v1/wallets/${wallet.id}/transactions/${kept}`, {
    token: wallet.owner.token,
    body: { category: 'Travel', costCentre: 'Lagos' },
  });
  expectStatus(200, labelled);
});
afterAll(() => service.close());

async function spend(by: Group): Promise<{ total: Figures; rows: Figures[] }> {
  const { token } = wallet.owner;
  const answer = await service.get<{ data: { total: Figures; rows: Figures[] } }>(`/v1/spend?by=${by}`, {
    token,
  });
  return expectStatus(200, answer).body.data;
}

async function list(filter: Record<string, string>): Promise<readonly Listed[]> {
  const query = new URLSearchParams({ spent: 'true', limit: '100', ...filter }).toString();
  const { token } = wallet.owner;
  const found = await service.get<{ data: Listed[] }>(`/v1/transactions?${query}`, { token });
  const totals = await service.get<{ data: { count: number; amount: number }[] }>(
    `/v1/transactions/totals?${query.replace('&limit=100', '')}`,
    { token },
  );
  const rows = expectStatus(200, found).body.data;
  const { data } = expectStatus(200, totals).body;
  expect(data.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
  expect(data.reduce((sum, { amount }) => sum + amount, 0)).toBe(sumOf(rows));
  return rows;
}

const sumOf = (rows: readonly Listed[]) => rows.reduce((sum, { amount }) => sum + amount, 0);

it('counts a payment that the bank sent back until it is refunded, as its list does', async () => {
  const { total } = await spend('merchant');
  expect([total.payments, total.spent]).toEqual([4, 101_023]);
  const rows = await list({});
  expect(rows.map(({ amount, status }) => [amount, status])).toEqual([
    [60_003, 'paid'],
    [40_000, 'returned'],
    [20, 'processing'],
    [1_000, 'paid'],
  ]);
  expect(await brokenInvariants(service)).toEqual({});
});

it.each(Object.keys(FILTERS) as Group[])('by %s, each row has the sum of the payments listed', async (by) => {
  const { rows } = await spend(by);
  expect(rows.length).toBeGreaterThan(0);
  for (const { value, payments, spent } of rows) {
    const listed = await list(value === null ? { without: by } : { [FILTERS[by]]: value });
    expect([value, listed.length, sumOf(listed)]).toEqual([value, payments, spent]);
  }
});

it('is narrowed further by a status, and downloaded as the list is', async () => {
  expect((await list({ status: 'returned' })).map(({ id }) => id)).toEqual([kept]);
  expect(await list({ status: 'blocked,failed' })).toEqual([]);
  expect((await list({ category: 'Travel', costCentre: 'Lagos' })).map(({ id }) => id)).toEqual([kept]);
  const { token } = wallet.owner;
  const csv = expectStatus(200, await service.get('/v1/transactions.csv?spent=true', { token })).text;
  expect(csv.trimEnd().split('\r\n')).toHaveLength(5);
});
