import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { WalletPayeesService } from '../../src/contexts/wallet/payees/payees.service.js';
import { WHOLE_WALLET } from '../../src/contexts/wallet/payees/payees.port.js';
import { PayeeRecordsStore } from '../../src/contexts/payments/rules/payees/payee-records.store.js';
import { Database } from '../../src/platform/database/database.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  account,
  changesOf,
  type PayeeBody,
  payeesOf,
  registerPayee,
  removePayee,
} from '../support/payees.js';
import { type Answer, startService, type TestService, until } from '../support/service.js';

const UNKNOWN_TO_ITS_BANK = '9000000001';

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService();
  other = await startService({ beside: one });
});
afterEach(async () => {
  jest.restoreAllMocks();
  expect(await brokenInvariants(one)).toEqual({});
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const outcome = ({ status, body }: Answer<PayeeBody>): string =>
  status < 300 ? String(status) : `${status} ${body.error.code}`;

describe('the payees of a wallet', () => {
  it('are registered with the name that the bank has for the account, and listed newest first', async () => {
    const wallet = await one.createWallet();
    const first = await registerPayee(one, wallet, {
      merchantName: '  ACME  Stores ',
      ...account('0123456789'),
    });
    expect(first.status).toBe(201);
    expect(first.body.data.payee).toEqual({
      id: expect.any(String),
      walletId: wallet.id,
      merchant: 'acme stores',
      merchantName: 'ACME  Stores',
      ...account('0123456789'),
      accountName: 'Sandbox Holder 6789',
      origin: 'registered',
      firstTransactionId: null,
      createdAt: expect.any(String),
    });
    // A merchant may have several accounts, and an account several merchants.
    const more = [
      { merchantName: 'Acme Stores', ...account('0123456789', '044') },
      { merchantName: 'Other', ...account('0123456789') },
    ];
    for (const each of more) expect(outcome(await registerPayee(other, wallet, each))).toBe('201');
    const { data, pagination } = await payeesOf(other, wallet, '?pageSize=2');
    expect(pagination).toEqual({ page: 1, pageSize: 2, totalCount: 3, totalPages: 2 });
    expect(data.map(({ merchant, bankCode }) => [merchant, bankCode])).toEqual([
      ['other', '058'],
      ['acme stores', '044'],
    ]);
    expect((await payeesOf(one, wallet, '?page=2&pageSize=2')).data).toEqual([first.body.data.payee]);
    expect((await payeesOf(one, wallet, '?page=3&pageSize=2')).data).toEqual([]);
    expect((await payeesOf(one, wallet, '?page=2147483647')).data).toEqual([]);
  });

  it('are on record when they come and go; doing either again changes nothing', async () => {
    const wallet = await one.createWallet();
    const fields = { merchantName: 'Acme', ...account('0123456789') };
    const { payee } = (await registerPayee(one, wallet, fields)).body.data;
    const again = await registerPayee(other, wallet, { ...fields, merchantName: ' acme ' });
    expect([again.status, again.body.data.payee]).toEqual([201, payee]);
    expect((await removePayee(other, wallet, payee.id.toUpperCase())).body.data.payee).toEqual(payee);
    expect(outcome(await removePayee(one, wallet, payee.id))).toBe('404 PAYEE_NOT_FOUND');
    expect((await payeesOf(one, wallet)).data).toEqual([]);
    const { id: payeeId, merchant, accountName, origin } = payee;
    const shown = { payeeId, merchant, merchantName: 'Acme', ...account('0123456789'), accountName, origin };
    expect(await changesOf(one, wallet)).toMatchObject([
      { userId: wallet.owner.id, action: 'payee.registered', before: {}, after: shown },
      { userId: wallet.owner.id, action: 'payee.removed', before: shown, after: {} },
    ]);
  });

  it('are refused for an account that the bank does not know, and when the bank does not answer', async () => {
    const wallet = await one.createWallet();
    const fields = { merchantName: 'Acme', ...account(UNKNOWN_TO_ITS_BANK) };
    expect(outcome(await registerPayee(one, wallet, fields))).toBe('404 ACCOUNT_NOT_FOUND');
    jest
      .spyOn(one.app.get(Bank, { strict: false }), 'resolveAccount')
      .mockResolvedValue({ kind: 'unknown', reason: 'down' });
    const unavailable = await registerPayee(one, wallet, { ...fields, ...account('0123456789') });
    expect(outcome(unavailable)).toBe('503 BANK_UNAVAILABLE');
    expect(unavailable.headers['retry-after']).toBe('5');
    expect((await payeesOf(one, wallet)).data).toEqual([]);
    expect(await changesOf(one, wallet)).toEqual([]);
  });

  it('are checked field by field', async () => {
    const wallet = await one.createWallet();
    for (const fields of [
      {},
      { merchantName: 'Ac', ...account('0123456789') },
      { merchantName: 'A'.repeat(201), ...account('0123456789') },
      { merchantName: 'Acme', ...account('012345678') },
      { merchantName: 'Acme', ...account('0123456789', '58') },
    ]) {
      expect(outcome(await registerPayee(one, wallet, fields))).toBe('400 VALIDATION_ERROR');
    }
  });

  it('are 1,000 at most, however many are registered at once on two replicas', async () => {
    const wallet = await one.createWallet();
    await one.query(
      `INSERT INTO wallet_payees (wallet_id, merchant, account_number, bank_code, id, merchant_name, origin, created_at)
       SELECT $1, 'm' || n, '0123456789', '058', gen_random_uuid(), 'm' || n, 'registered', now()
         FROM generate_series(1, 998) n`,
      [wallet.id],
    );
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        registerPayee(i % 2 ? one : other, wallet, { merchantName: `Acme ${i}`, ...account('0123456789') }),
      ),
    );
    expect(answers.map(outcome).sort()).toEqual([
      '201',
      '201',
      ...Array<string>(4).fill('409 PAYEE_LIMIT_REACHED'),
    ]);
    const { data, pagination } = await payeesOf(one, wallet);
    expect(pagination.totalCount).toBe(1_000);
    // One that is known is no new one, and one that goes makes room.
    const { merchantName } = data[0]!;
    expect(outcome(await registerPayee(one, wallet, { merchantName, ...account('0123456789') }))).toBe('201');
    await removePayee(one, wallet, data[0]!.id);
    expect(outcome(await registerPayee(one, wallet, { merchantName: 'New', ...account('0123456789') }))).toBe(
      '201',
    );
  });

  it('are 1,000 at most also where payments that were decided before add to them', async () => {
    const wallet = await one.createWallet();
    await one.query(
      `INSERT INTO wallet_payees (wallet_id, merchant, account_number, bank_code, id, merchant_name, origin, created_at)
       SELECT $1, 'm' || n, '0123456789', '058', gen_random_uuid(), 'm' || n, 'registered', now()
         FROM generate_series(1, 999) n`,
      [wallet.id],
    );
    const remember = (merchant: string) =>
      one.app.get(Database, { strict: false }).transaction((tx) => {
        const use = {
          walletId: wallet.id,
          historyId: WHOLE_WALLET,
          merchant,
          merchantName: merchant,
          ...account('0123456789'),
        };
        const ids = { id: randomUUID(), transactionId: randomUUID(), createdAt: new Date() };
        one.app.get(PayeeRecordsStore, { strict: false }).remember([{ ...use, ...ids }], tx);
      });
    await remember('the last');
    await remember('one more');
    const { data, pagination } = await payeesOf(one, wallet, '?pageSize=1');
    expect([data[0]?.merchant, pagination.totalCount]).toEqual(['the last', 1_000]);
  });

  it('belong to the owner alone, and a closed wallet gets no more of them', async () => {
    const [wallet, foreign] = await Promise.all([one.createWallet(), one.createWallet()]);
    const fields = { merchantName: 'Acme', ...account('0123456789') };
    const { payee } = (await registerPayee(one, wallet, fields)).body.data;
    const { token } = foreign.owner;
    expect(outcome(await registerPayee(one, wallet, fields, token))).toBe('404 WALLET_NOT_FOUND');
    expect(outcome(await removePayee(one, wallet, payee.id, token))).toBe('404 WALLET_NOT_FOUND');
    expect(outcome(await removePayee(one, foreign, payee.id))).toBe('404 PAYEE_NOT_FOUND');
    expect(outcome(await removePayee(one, wallet, randomUUID()))).toBe('404 PAYEE_NOT_FOUND');
    expect(outcome(await removePayee(one, wallet, 'none'))).toBe('404 PAYEE_NOT_FOUND');
    await one.post(`/api/wallets/${wallet.id}/close`, { token: wallet.owner.token, body: {} });
    expect(outcome(await registerPayee(one, wallet, { ...fields, merchantName: 'New' }))).toBe(
      '409 WALLET_CLOSED',
    );
    expect(outcome(await removePayee(one, wallet, payee.id))).toBe('200');
  });
});

describe('the name of an account that was remembered by its first use', () => {
  /** A wallet with one such payee, which has no name yet, and the job that asks for it. */
  const remembered = async () => {
    const wallet = await one.createWallet();
    const payee = { walletId: wallet.id, payeeId: randomUUID(), ...account('0123456789') };
    await one.query(
      `INSERT INTO wallet_payees (wallet_id, id, account_number, bank_code, merchant, merchant_name, origin, created_at)
       VALUES ($1, $2, $3, $4, 'acme', 'Acme', 'first_use', now())`,
      Object.values(payee),
    );
    const name = () => one.app.get(WalletPayeesService, { strict: false }).nameRemembered([payee]);
    const shownName = async () => (await payeesOf(one, wallet)).data[0]?.accountName;
    return { wallet, name, shownName };
  };
  const asked = () => jest.spyOn(one.app.get(Bank, { strict: false }), 'resolveAccount');

  it('is asked for again where the bank did not answer: the job fails', async () => {
    const { name, shownName } = await remembered();
    asked().mockResolvedValueOnce({ kind: 'unknown', reason: 'down' });
    await expect(name()).rejects.toThrow('name enquiry failed: down');
    expect(await shownName()).toBeNull();
    await name();
    expect(await shownName()).toBe('Sandbox Holder 6789');
  });

  it('stays that of its registration, where the owner registered it while the bank was asked', async () => {
    const { wallet, name, shownName } = await remembered();
    let answer: (() => void) | undefined;
    asked()
      .mockImplementationOnce(
        () =>
          new Promise((resolve) => {
            answer = () => resolve({ kind: 'resolved', accountName: 'A name of before' });
          }),
      )
      .mockResolvedValueOnce({ kind: 'resolved', accountName: 'The name of now' });
    const naming = name();
    await until(() => Promise.resolve(answer !== undefined));
    await registerPayee(one, wallet, { merchantName: 'Acme', ...account('0123456789') });
    answer?.();
    await naming;
    expect(await shownName()).toBe('The name of now');
  });
});
