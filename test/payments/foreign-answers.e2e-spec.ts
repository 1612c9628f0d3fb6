import { Logger } from '@nestjs/common';
import { describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { FundingReconciliation } from '../../src/contexts/funding/funding.reconcile.js';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import type { ScriptedAnswer } from '../fake-bank/script.ts';
import { expectStatus, type TestService, until, walletBody } from '../support/service.js';
import { PAY, type ServiceWithBank, STUCK, useFakeBank } from '../support/with-fake-bank.js';

/** A bank whose answer is about something else than it was asked for: it says nothing of that. */

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;

useFakeBank((started) => {
  banked = started;
  ({ fake, service } = started);
});

const OTHER = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f';
const yes = (data: object): ScriptedAnswer => ({
  status: 200,
  body: { status: true, message: 'Transaction retrieved successfully', data },
});

describe('the state of another payout than asked for', () => {
  it.each(['failed', 'reversed', 'success'])(
    'that is "%s" neither refunds nor ends the one asked for',
    async (status) => {
      const wallet = await banked.funded();
      const reference = await banked.pay(wallet, STUCK);
      await until(() => Promise.resolve(banked.handedOver(reference) === 1));
      const path = `/transactions/${reference}`;
      fake.script.add([{ path, times: 0, answer: yes({ reference: OTHER, status, amount: '1000.00' }) }]);
      await service.app.get(SettlementService).poll(reference);
      expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual([
        'processing',
        0,
      ]);
      fake.script.clear();
      fake.books.settle(reference, 'success');
      expect(await banked.endOf(reference)).toBe('succeeded');
    },
  );

  it('that the bank tells when a payout is handed over is asked about, not believed', async () => {
    const wallet = await banked.funded();
    const accountNumber = banked.nextAccount();
    fake.script.add([
      {
        path: PAY,
        account: accountNumber,
        accept: false,
        answer: yes({ reference: OTHER, status: 'success' }),
      },
    ]);
    const reference = await banked.pay(wallet, { accountNumber });
    expect(await banked.endOf(reference)).toBe('succeeded');
    expect(banked.handedOver(reference)).toBe(2);
  });

  it('is the one asked for where only the case of its letters differs', async () => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet, STUCK);
    await until(() => Promise.resolve(banked.handedOver(reference) === 1));
    const [path, own] = [`/transactions/${reference}`, reference.toUpperCase()];
    fake.script.add([{ path, times: 0, answer: yes({ reference: own, status: 'success', amount: 1000 }) }]);
    fake.books.settle(reference, 'success');
    expect(await banked.endOf(reference)).toBe('succeeded');
  });
});

describe('a payout that the bank made of another amount', () => {
  it.each([
    ['999.99', ['payout-amount-differs']],
    ['1000.00', []],
    ['1000.01', ['payout-amount-differs']],
  ])('₦%s for ₦1,000.00 has ended, and a difference is a case at once', async (amount, cases) => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet, STUCK);
    await until(() => Promise.resolve(banked.handedOver(reference) === 1));
    const path = `/transactions/${reference}`;
    fake.script.add([{ path, times: 0, answer: yes({ reference, status: 'success', amount }) }]);
    fake.books.settle(reference, 'success');
    await service.app.get(SettlementService).poll(reference);
    expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual(['succeeded', 0]);
    expect(await banked.casesOf(reference)).toEqual(cases);
  });
});

describe('another collection than asked for', () => {
  const range = () => ({ from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) });
  const collect = async (naira: string) => {
    const wallet = await banked.funded(naira);
    const [row] = await service.query<{ reference: string }>(
      `SELECT reference FROM inbound_transfers WHERE wallet_id = $1`,
      [wallet.id],
    );
    return { wallet, reference: row!.reference };
  };
  const charge = (reference: string, account: object) =>
    yes({
      reference,
      status: 'success',
      amount: '500.00',
      currency: 'NGN',
      virtual_bank_account: account,
    });

  it('vouches for no credit', async () => {
    const { wallet, reference } = await collect('500.00');
    const account = { account_reference: wallet.id };
    const bank = service.app.get(Bank, { strict: false });
    const path = `/charges/${reference}`;
    fake.script.add([{ path, answer: charge('KPY-PAY-another', account) }]);
    await expect(bank.getCollection(reference)).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
    fake.script.add([{ path, answer: charge(reference, account) }]);
    expect(await bank.getCollection(reference)).toMatchObject({ reference, amount: 50_000 });
  });

  it('does not say whose account it is', async () => {
    const { wallet, reference } = await collect('500.00');
    fake.script.add([
      { path: `/charges/${reference}`, answer: charge('KPY-PAY-another', { account_reference: OTHER }) },
    ]);
    const { tally } = await service.app.get(FundingReconciliation, { strict: false }).run(range());
    const [found] = tally.findings.list.filter(({ walletId }) => walletId === wallet.id);
    expect(found!.what).toContain('not read');
    expect(await banked.casesOf(reference)).toEqual([]);
  });
});

describe('a collection in a list that can not be read', () => {
  it('is a case once, and what is listed behind it is credited', async () => {
    const { id: after } = await service.createWallet();
    const { id } = await service.createWallet();
    const readable = fake.books.collect({ accountReference: id, amount: '5.00', mode: 'drop' }).reference;
    const broken = `KPY-PAY-${id}`;
    const row = (reference: string, amount: string) => ({
      reference,
      status: 'success',
      amount,
      currency: 'NGN',
    });
    const list = async () => {
      const transactions = [row(broken, 'a lot'), row(readable, '5.00')];
      fake.script.add([
        {
          path: '/virtual-bank-account/transactions',
          times: 2,
          answer: yes({ transactions }),
        },
      ]);
      const from = new Date(Date.now() - 3_600_000);
      const to = new Date(Date.now() + 3_600_000);
      const { tally } = await service.app
        .get(FundingReconciliation, { strict: false })
        .run({ from, to }, { after });
      return tally;
    };
    const first = await list();
    expect([first.accountsUnread, first.rowsUnread, first.creditedNow.count]).toEqual([0, 1, 1]);
    expect(first.findings.list).toContainEqual({
      what: expect.stringContaining('can not be read'),
      reference: broken,
      walletId: id,
    });
    expect(await banked.balanceOf({ id })).toBe(500);
    expect(await banked.casesOf(broken)).toEqual(['transfer-unreadable']);

    await service.query('UPDATE operator_cases SET closed_at = now() WHERE subject = $1', [broken]);
    expect((await list()).matched.count).toBeGreaterThan(0);
    const open = await service.query(
      'SELECT 1 FROM operator_cases WHERE subject = $1 AND closed_at IS NULL',
      [broken],
    );
    expect(open).toEqual([]);
  });
});

describe('an account number that the bank issues a second time', () => {
  const issueAgain = (number: string): void => {
    const taken = fake.books.accountsByNumber.get(number)!;
    jest.spyOn(fake.books, 'open').mockImplementationOnce((reference, name) => {
      const again = { ...taken, reference, name, id: `KPY-VA-${reference}` };
      fake.books.accounts.set(reference, again);
      return again;
    });
  };

  it('makes no wallet, is a case for the operator, and leaves the wallet that has it as it is', async () => {
    const { virtualAccount, ...first } = await service.createWallet();
    const other = await service.signUp();
    const create = () => service.post('/api/wallets', { token: other.token, body: walletBody(other.id) });
    const subject = `${virtualAccount.bankCode} ${virtualAccount.accountNumber}`;
    const open = () =>
      service.query(`SELECT kind, wallet_id FROM operator_cases WHERE subject = $1 AND closed_at IS NULL`, [
        subject,
      ]);
    issueAgain(virtualAccount.accountNumber);
    expect(expectStatus(503, await create()).body).toMatchObject({ error: { code: 'BANK_UNAVAILABLE' } });
    expect(await open()).toEqual([{ kind: 'account-issued-twice', wallet_id: first.id }]);
    const halves = await service.query(
      `SELECT id FROM wallets WHERE user_id = $1 UNION ALL
       SELECT k.id FROM api_keys k LEFT JOIN wallets w ON w.id = k.wallet_id WHERE w.id IS NULL`,
      [other.id],
    );
    expect(halves).toEqual([]);

    fake.books.collect({ accountReference: first.id, amount: '5.00' });
    await until(async () => (await banked.balanceOf(first)) === 500);
    await service.query('UPDATE operator_cases SET closed_at = now() WHERE subject = $1', [subject]);
    issueAgain(virtualAccount.accountNumber);
    expectStatus(503, await create());
    expect(await open()).toHaveLength(1);
    expectStatus(201, await create());
  });

  it('is answered the same where the case can not be opened, and is in the log instead', async () => {
    const { virtualAccount } = await service.createWallet();
    const { id, token } = await service.signUp();
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    issueAgain(virtualAccount.accountNumber);
    await service.query('ALTER TABLE operator_cases RENAME TO operator_cases_away');
    const answer = await service.post('/api/wallets', { token, body: walletBody(id) });
    await service.query('ALTER TABLE operator_cases_away RENAME TO operator_cases');
    const lines = logged.mock.calls.map(([line]: unknown[]) => line);
    logged.mockRestore();
    expect(expectStatus(503, answer).body).toMatchObject({ error: { code: 'BANK_UNAVAILABLE' } });
    expect(lines).toContainEqual({
      err: expect.objectContaining({ message: expect.stringContaining('operator_cases') }),
      providerRef: expect.stringMatching(/^KPY-VA-/),
    });
  });
});

describe('the name of another account than asked for', () => {
  it('is no name of the one asked for', async () => {
    const { key } = await banked.funded();
    const resolve = () =>
      service.post('/v1/accounts/resolve', { key, body: { accountNumber: '0123456789', bankCode: '058' } });
    const named = (account_number: string | undefined) =>
      fake.script.add([
        { path: '/misc/banks/resolve', answer: yes({ account_number, account_name: 'Somebody Else' }) },
      ]);
    named('0123456780');
    expect((await resolve()).status).toBe(503);
    for (const said of ['0123456789', '******6789', undefined]) {
      named(said);
      expect((await resolve()).status).toBe(200);
    }
  });
});
