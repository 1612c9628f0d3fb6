import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreatedWallet,
  expectStatus,
  type LedgerRow,
  startService,
  type TestService,
} from '../support/service.js';

/** What is read of a ledger beside its pages: the entries of one transaction, a download, and whom an entry is about. */

const REFUSED_LATER = '9000000002';

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { SETTLEMENT_POLL_SECONDS: '1' } });
});
afterAll(() => service.close());

const payTo = async ({ key }: CreatedWallet, recipientAccountNo?: string): Promise<string> => {
  const paid = await service.pay(key, { ...(recipientAccountNo && { recipientAccountNo }) });
  return expectStatus(201, paid).body.data.transaction.id;
};
const move = async (
  from: CreatedWallet,
  path: string,
  body: object,
): Promise<Record<string, { id: string }>> =>
  expectStatus(
    201,
    await service.post<{ data: Record<string, { id: string }> }>(`/api/wallets/${from.id}/${path}`, {
      token: from.owner.token,
      body,
      headers: { 'idempotency-key': randomUUID() },
    }),
  ).body.data;

describe('the entries of one transaction', () => {
  it('are those of the wallet that is read, and of no other', async () => {
    const wallet = await service.fundedWallet(10_000);
    const own = await service.createWallet(wallet.owner);
    const foreign = await service.createWallet();
    const transactionId = await payTo(wallet);
    const of = async (each: CreatedWallet): Promise<number[]> => {
      const { data, pagination } = await service.ledger(each, `?transactionId=${transactionId}`);
      return [data.length, pagination.totalCount];
    };
    expect([await of(wallet), await of(own), await of(foreign)]).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
    ]);
  });

  it('come in pages, the refund before its debit', async () => {
    const wallet = await service.fundedWallet(10_000);
    const transactionId = await payTo(wallet, REFUSED_LATER);
    await service.settled();
    const pages = await Promise.all(
      [1, 2, 3].map((page) =>
        service.ledger(wallet, `?transactionId=${transactionId}&page=${page}&pageSize=1`),
      ),
    );
    expect(pages.map(({ data }) => data.map(({ type }) => type))).toEqual([['refund'], ['debit'], []]);
    expect(pages.map(({ pagination }) => pagination.totalCount)).toEqual([2, 2, 2]);
  });

  it('are none of a withdrawal, which is no transaction', async () => {
    const wallet = await service.fundedWallet(10_000);
    const account = { accountNumber: '0123456789', bankCode: '058' };
    const { withdrawal } = await move(wallet, 'withdrawals', { amount: 1_000, ...account });
    expect((await service.ledger(wallet)).data[0]).toMatchObject({ reference: withdrawal!.id });
    expect((await service.ledger(wallet, `?transactionId=${withdrawal!.id}`)).data).toEqual([]);
  });
});

it('a download has every entry once, also past its first thousand', async () => {
  const wallet = await service.createWallet();
  await service.query(
    `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, reference, created_at)
     SELECT $1, n, gen_random_uuid(), 'topup', 1, n, gen_random_uuid(), clock_timestamp()
       FROM generate_series(1, 2001) n`,
    [wallet.id],
  );
  const { text } = await service.get(`/api/wallets/${wallet.id}/ledgers.csv`, { token: wallet.owner.token });
  const balances = text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => Number(line.split(',')[6]));
  expect(balances).toEqual(Array.from({ length: 2_001 }, (_, i) => 2_001 - i));
});

it('a transfer is with the other wallet of its owner, whatever the bank calls its own', async () => {
  // The oldest of the three: what is looked up by the reference alone finds it first.
  const stranger = await service.createWallet();
  const from = await service.fundedWallet(10_000);
  const to = await service.createWallet(from.owner);
  const { transfer } = await move(from, 'transfers', { toWalletId: to.id, amount: 1_000 });
  await service.topUp(stranger.id, 500, transfer!.id);
  const newestOf = async (wallet: CreatedWallet) =>
    (await service.ledger(wallet, '?expand=counterparty')).data[0] as LedgerRow & {
      counterparty: { walletId: string } | null;
    };
  expect([await newestOf(from), await newestOf(to), await newestOf(stranger)]).toMatchObject([
    { type: 'debit', counterparty: { walletId: to.id } },
    { type: 'topup', counterparty: { walletId: from.id } },
    { type: 'topup', amount: 500, counterparty: null },
  ]);
});
