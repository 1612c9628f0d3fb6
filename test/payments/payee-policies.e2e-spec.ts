import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import type { ResolvedName } from '../../src/contexts/bank/name-enquiry.port.js';
import { PayeeRecordsStore } from '../../src/contexts/payments/rules/payees/payee-records.store.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  account,
  change,
  changesOf,
  payeesOf,
  recipient,
  registerPayee,
  removePayee,
} from '../support/payees.js';
import {
  type Answer,
  type CreatedWallet,
  type PaymentAnswer,
  startService,
  type TestService,
  until,
} from '../support/service.js';

const [A, B, C] = ['0000000011', '0000000022', '0000000033'];

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

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const outcome = ({ status, body }: Answer<PaymentAnswer>): string =>
  status === 201 ? 'approved' : `${status} ${body.code}`;
const REFUSED = '403 PAYEE_NOT_ALLOWED';
const pay = async (
  wallet: CreatedWallet,
  accountNo: string,
  {
    merchantName = 'Acme',
    service = one,
    ...fields
  }: Record<string, unknown> & { service?: TestService } = {},
): Promise<string> =>
  outcome(await service.pay(wallet.key, { amount: 10, merchantName, ...recipient(accountNo), ...fields }));
const walletWith = async (settings: object, kobo = 100_000): Promise<CreatedWallet> => {
  const wallet = await one.fundedWallet(kobo);
  expect(await change(one, wallet, settings)).toBe(200);
  return wallet;
};

describe('a payee policy', () => {
  it('is off unless its owner sets it: then a wallet shows it, and the change is on record', async () => {
    const wallet = await one.fundedWallet(1_000);
    expect(wallet).not.toHaveProperty('payeePolicy');
    expect([await pay(wallet, A), await pay(wallet, B)]).toEqual(['approved', 'approved']);
    expect((await payeesOf(one, wallet)).data).toEqual([]);
    // Nothing is read of payees, keys or accounts that no rule looks at.
    const read = jest.spyOn(one.app.get(PayeeRecordsStore, { strict: false }), 'read');
    expect([await pay(wallet, A), await pay(wallet, B)]).toEqual(['approved', 'approved']);
    expect(read).toHaveBeenCalledTimes(0);
    expect(await change(one, wallet, { payeePolicy: 'strict', verifyRecipient: true })).toBe(200);
    expect(await change(one, wallet, { payeePolicy: 'off', verifyRecipient: null })).toBe(200);
    expect(await pay(wallet, B)).toBe('approved');
    expect(await change(one, wallet, { payeePolicy: 'sometimes' })).toBe('VALIDATION_ERROR');
    expect(await change(one, wallet, { verifyRecipient: 1 })).toBe('VALIDATION_ERROR');
    expect(await changesOf(one, wallet)).toMatchObject([
      {
        userId: wallet.owner.id,
        action: 'updated',
        before: { payeePolicy: null, verifyRecipient: null },
        after: { payeePolicy: 'strict', verifyRecipient: true },
      },
      {
        before: { payeePolicy: 'strict', verifyRecipient: true },
        after: { payeePolicy: 'off', verifyRecipient: null },
      },
    ]);
    const facts = await one.query<{ facts: object }>('SELECT facts FROM transactions WHERE wallet_id = $1', [
      wallet.id,
    ]);
    for (const each of facts) {
      for (const name of ['payee', 'recipient', 'coolingOff']) expect(each.facts).not.toHaveProperty(name);
    }
  });

  it('binds a merchant to the account that it was first paid at, under any spelling of its name', async () => {
    const wallet = await walletWith({ payeePolicy: 'first_use' });
    expect(await pay(wallet, A)).toBe('approved');
    expect(await pay(wallet, A, { merchantName: ' ACME ', service: other })).toBe('approved');
    expect(await pay(wallet, B, { service: other })).toBe(REFUSED);
    expect(await pay(wallet, A, { recipientBankCode: '044' })).toBe(REFUSED);
    expect(await pay(wallet, B, { merchantName: 'Other' })).toBe('approved');
    const { body } = await one.pay(wallet.key, { amount: 10, merchantName: 'Acme', ...recipient(B) });
    expect(body).toMatchObject({
      success: false,
      code: 'PAYEE_NOT_ALLOWED',
      message: `The merchant Acme is bound to another account (058/${B}). It may be paid at 058/${A}.`,
      details: { payeePolicy: 'first_use', limit: `058/${A}`, actual: `058/${B}` },
    });
    const history = (await one.history(wallet)).data;
    const blocked = history.find(({ id }) => id === body.transactionId);
    expect(blocked?.blockReason).toBe('PAYEE_NOT_ALLOWED');
    expect(blocked?.auditEvents.map(({ type, detail }) => [type, detail.check])).toEqual([
      ['check.passed', 'WALLET_INACTIVE'],
      ['check.passed', 'WALLET_EXPIRED'],
      ['check.passed', 'SPEND_LIMIT_PER_TX_EXCEEDED'],
      ['check.passed', 'SPEND_LIMIT_PER_PERIOD_EXCEEDED'],
      ['check.passed', 'MERCHANT_NOT_ALLOWED'],
      ['check.passed', 'INSUFFICIENT_FUNDS'],
      ['check.failed', 'PAYEE_NOT_ALLOWED'],
    ]);
    const first = history.at(-1)!;
    await until(async () =>
      (await payeesOf(one, wallet)).data.every(({ accountName }) => accountName !== null),
    );
    expect((await payeesOf(one, wallet)).data).toMatchObject([
      { merchant: 'other', ...account(B), origin: 'first_use', accountName: 'Sandbox Holder 0022' },
      {
        merchant: 'acme',
        merchantName: 'Acme',
        ...account(A),
        origin: 'first_use',
        accountName: 'Sandbox Holder 0011',
        firstTransactionId: first.id,
        createdAt: first.createdAt,
      },
    ]);
  });

  it('comes after the six checks, and a payment that they block binds no merchant', async () => {
    const wallet = await walletWith({ payeePolicy: 'first_use' }, 50);
    expect(await pay(wallet, A, { amount: 51 })).toBe('402 INSUFFICIENT_FUNDS');
    expect(await pay(wallet, B)).toBe('approved');
    expect(await pay(wallet, A, { amount: 100_001 })).toBe('403 SPEND_LIMIT_PER_TX_EXCEEDED');
    expect(await pay(wallet, A, { amount: 41 })).toBe('402 INSUFFICIENT_FUNDS');
    expect(await pay(wallet, A)).toBe(REFUSED);
  });

  it('binds a merchant once, however many first payments to other accounts race on two replicas', async () => {
    const wallet = await walletWith({ payeePolicy: 'first_use' }, 10_000_000);
    const accounts = Array.from({ length: 50 }, (_, i) => String(7_000_000_000 + i));
    const answers = await Promise.all(
      accounts.map((each, i) => pay(wallet, each, { amount: 10 + i, service: either(i) })),
    );
    expect(answers.filter((each) => each === 'approved')).toHaveLength(1);
    expect(answers.filter((each) => each === REFUSED)).toHaveLength(49);
    const winner = accounts[answers.indexOf('approved')]!;
    expect((await payeesOf(one, wallet)).data).toMatchObject([{ merchant: 'acme', ...account(winner) }]);
    for (const service of [one, other]) {
      const more = await Promise.all(accounts.map((each) => pay(wallet, each, { service })));
      expect(accounts.filter((_, i) => more[i] === 'approved')).toEqual([winner]);
    }
  });

  it('knows whom the wallet paid before: each merchant by the first account of all times', async () => {
    const wallet = await one.fundedWallet(1_000);
    expect([await pay(wallet, A), await pay(wallet, B)]).toEqual(['approved', 'approved']);
    const [, first] = (await one.history(wallet)).data;
    expect(await change(one, wallet, { payeePolicy: 'first_use' })).toBe(200);
    expect([await pay(wallet, B, { service: other }), await pay(wallet, A, { service: other })]).toEqual([
      REFUSED,
      'approved',
    ]);
    await until(async () => (await payeesOf(one, wallet)).data[0]?.accountName !== null);
    const [payee] = (await payeesOf(one, wallet)).data;
    expect(payee).toMatchObject({
      ...account(A),
      origin: 'first_use',
      firstTransactionId: first!.id,
      accountName: 'Sandbox Holder 0011',
    });
    // Removed by the owner, it does not come back when the policy is turned off and on.
    await removePayee(one, wallet, payee!.id);
    expect(await change(one, wallet, { payeePolicy: 'off' })).toBe(200);
    expect(await change(one, wallet, { payeePolicy: 'first_use' })).toBe(200);
    expect([await pay(wallet, B), await pay(wallet, A)]).toEqual(['approved', REFUSED]);
  });

  it('takes no account over for a merchant that its owner registered at another', async () => {
    const wallet = await one.fundedWallet(1_000);
    expect([await pay(wallet, A), await pay(wallet, C, { merchantName: 'Other' })]).toEqual([
      'approved',
      'approved',
    ]);
    await registerPayee(one, wallet, { merchantName: 'ACME', ...account(B) });
    expect(await change(one, wallet, { payeePolicy: 'first_use' })).toBe(200);
    const payees = (await payeesOf(one, wallet)).data.map(({ merchant, accountNumber }) => [
      merchant,
      accountNumber,
    ]);
    expect(payees.sort()).toEqual([
      ['acme', B],
      ['other', C],
    ]);
    expect([await pay(wallet, A), await pay(wallet, B)]).toEqual([REFUSED, 'approved']);
  });

  it('knows the account that was paid before also once a payee at another one was removed', async () => {
    const wallet = await one.fundedWallet(1_000);
    expect(await pay(wallet, A)).toBe('approved');
    const registered = await registerPayee(one, wallet, { merchantName: 'Acme', ...account(B) });
    await removePayee(one, wallet, registered.body.data.payee.id);
    // Also where another rule was there already.
    expect(await change(one, wallet, { duplicateGuardMinutes: 0 })).toBe(200);
    expect(await change(one, wallet, { payeePolicy: 'first_use' })).toBe(200);
    expect([await pay(wallet, B), await pay(wallet, A)]).toEqual([REFUSED, 'approved']);
  });

  it('lets the owner add and remove payees: for the very next payment on the other replica', async () => {
    const wallet = await walletWith({ payeePolicy: 'first_use' });
    expect(await pay(wallet, A)).toBe('approved');
    const fields = { merchantName: 'Acme', ...account(B) };
    const { payee } = (await registerPayee(one, wallet, fields)).body.data;
    expect(await pay(wallet, B, { service: other })).toBe('approved');
    const [paid] = (await one.history(wallet)).data;
    expect((await payeesOf(one, wallet)).data[0]).toMatchObject({
      id: payee.id,
      firstTransactionId: paid!.id,
    });
    await removePayee(one, wallet, payee.id);
    expect(await pay(wallet, B, { service: other })).toBe(REFUSED);
    expect(await pay(wallet, A, { service: other })).toBe('approved');
    await removePayee(other, wallet, (await payeesOf(one, wallet)).data[0]!.id);
    expect([await pay(wallet, C), await pay(wallet, A)]).toEqual(['approved', REFUSED]);
  });

  it('strict pays registered payees alone; what was remembered has to be registered', async () => {
    const wallet = await walletWith({ payeePolicy: 'first_use' });
    expect(await pay(wallet, A)).toBe('approved');
    expect(await change(one, wallet, { payeePolicy: 'strict' })).toBe(200);
    expect(await pay(wallet, A, { service: other })).toBe(REFUSED);
    const { body } = await one.pay(wallet.key, { amount: 10, merchantName: 'Acme', ...recipient(A) });
    expect(body.message).toBe(`The merchant Acme is not registered with this account (058/${A}).`);
    const registered = await registerPayee(one, wallet, { merchantName: 'Acme', ...account(A) });
    expect(registered.body.data.payee).toMatchObject({
      origin: 'registered',
      accountName: 'Sandbox Holder 0011',
    });
    expect([await pay(wallet, A, { service: other }), await pay(wallet, B)]).toEqual(['approved', REFUSED]);
    expect(await pay(wallet, A, { merchantName: 'Other' })).toBe(REFUSED);
  });

  it('warn approves, says so in the auditEvents, and remembers nothing of what it warned of', async () => {
    const wallet = await walletWith({ payeePolicy: 'warn' });
    expect([await pay(wallet, A), await pay(wallet, B), await pay(wallet, B)]).toEqual([
      'approved',
      'approved',
      'approved',
    ]);
    const [second, first, bound] = (await one.history(wallet)).data;
    const event = (row: typeof second) => row?.auditEvents[6];
    expect(event(bound)).toMatchObject({ type: 'check.passed', detail: { check: 'PAYEE_NOT_ALLOWED' } });
    for (const row of [first, second]) {
      expect(event(row)).toMatchObject({
        type: 'check.warned',
        detail: { check: 'PAYEE_NOT_ALLOWED', payeePolicy: 'warn', limit: `058/${A}`, actual: `058/${B}` },
      });
    }
    expect((await payeesOf(one, wallet)).data).toMatchObject([account(A)]);
  });

  it('blocks what it can not remember, once the wallet has 1,000 payees', async () => {
    const wallet = await walletWith({ payeePolicy: 'first_use' });
    await one.query(
      `INSERT INTO wallet_payees (wallet_id, merchant, account_number, bank_code, id, merchant_name, origin, created_at)
       SELECT $1, 'm' || n, '0123456789', '058', gen_random_uuid(), 'm' || n, 'registered', now()
         FROM generate_series(1, 998) n`,
      [wallet.id],
    );
    const merchants = Array.from({ length: 20 }, (_, i) => `Shop ${i}`);
    const answers = await Promise.all(
      merchants.map((merchantName, i) => pay(wallet, A, { merchantName, service: either(i) })),
    );
    expect(answers.filter((each) => each === 'approved')).toHaveLength(2);
    expect(answers.filter((each) => each === REFUSED)).toHaveLength(18);
    expect((await payeesOf(one, wallet)).pagination.totalCount).toBe(1_000);
    expect(await pay(wallet, A, { merchantName: merchants[answers.indexOf('approved')]! })).toBe('approved');
  });
});

describe('a policy that changes while payments run', () => {
  it('holds for every payment that begins after the answer, on both replicas', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    await registerPayee(one, wallet, { merchantName: 'Acme', ...account(A) });
    let isStrict = false;
    const late: string[] = [];
    const payers = Array.from({ length: 50 }, async (_, i) => {
      for (let n = 0; n < 6; n += 1) {
        const begunAfter = isStrict;
        const answer = await pay(wallet, B, { amount: 1 + n, service: either(i + n) });
        if (begunAfter) late.push(answer);
      }
    });
    expect(await change(other, wallet, { payeePolicy: 'strict' })).toBe(200);
    isStrict = true;
    await Promise.all(payers);
    expect(new Set([...late, await pay(wallet, B), await pay(wallet, B, { service: other })])).toEqual(
      new Set([REFUSED]),
    );
  });
});

describe('verifying the recipient', () => {
  const enquiries = (answer: () => Promise<ResolvedName>) =>
    [one, other].map((service) =>
      jest.spyOn(service.app.get(Bank, { strict: false }), 'resolveAccount').mockImplementation(answer),
    );
  const freshAccount = () => String(1_000_000_000 + Math.floor(Math.random() * 8_000_000_000));
  const resolved = () => Promise.resolve({ kind: 'resolved' as const, accountName: 'CHIDI OKAFOR' });

  it('asks the bank once for an account that is new, and never for wallets that do not want it', async () => {
    const [bank] = enquiries(resolved);
    const [wallet, plain] = [await walletWith({ verifyRecipient: true }), await one.fundedWallet(1_000)];
    const to = freshAccount();
    expect(await pay(plain, to)).toBe('approved');
    expect(bank).toHaveBeenCalledTimes(0);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => pay(wallet, to, { amount: 1 + i })),
    );
    expect(new Set([...answers, await pay(wallet, to)])).toEqual(new Set(['approved']));
    expect(bank!.mock.calls).toEqual([[account(to)]]);
    const [last] = (await one.history(wallet)).data;
    expect(last?.auditEvents[6]).toMatchObject({
      type: 'check.passed',
      detail: { check: 'PAYEE_NOT_ALLOWED', actual: `058/${to}` },
    });
  });

  it('blocks an account that its bank does not know, once the six checks let it by', async () => {
    const [bank] = enquiries(() => Promise.resolve({ kind: 'not-resolved' }));
    const wallet = await walletWith({ verifyRecipient: true }, 50);
    const to = freshAccount();
    const tooMuch = { amount: 51, merchantName: 'Acme', ...recipient(to) };
    const { body: blocked } = await one.pay(wallet.key, tooMuch);
    expect([blocked.code, blocked.maxAmountNow, blocked.earliestPassAt]).toEqual([
      'INSUFFICIENT_FUNDS',
      0,
      null,
    ]);
    // The decision did not wait for the bank: only what would pass instead was asked for.
    const facts = `SELECT facts->>'recipient' AS recipient FROM transactions WHERE id = $1`;
    expect(await one.query(facts, [blocked.transactionId])).toEqual([{ recipient: 'unasked' }]);
    expect(await pay(wallet, to)).toBe(REFUSED);
    const { body } = await one.pay(wallet.key, { amount: 10, merchantName: 'Acme', ...recipient(to) });
    expect(body.message).toBe(`The bank of the recipient knows no such account (058/${to}).`);
    expect(bank).toHaveBeenCalledTimes(1);
    expect((await one.stats(wallet)).balance).toBe(50);
  });

  it('blocks without a bank that does not answer where something else blocks, and quotes the same', async () => {
    for (const answer of [
      () => Promise.resolve({ kind: 'unknown' as const, reason: 'down' }),
      () => Promise.reject(new Error('broken')),
    ]) {
      enquiries(answer);
      const wallet = await walletWith({ verifyRecipient: true }, 50);
      const body = {
        amount: 51,
        merchantName: 'Acme',
        recipientBankCode: '058',
        recipientAccountNo: freshAccount(),
      };
      const quote = (fields: object) =>
        other.post<{ code: string; data: object }>('/api/payment-intent/quote', {
          key: wallet.key,
          body: fields,
        });
      const advice = {
        maxAmountNow: 50,
        earliestPassAt: null,
        hint: expect.stringContaining('At most ₦0.50 now'),
      };
      expect((await quote(body)).body.data).toMatchObject({ blockReason: 'INSUFFICIENT_FUNDS', ...advice });
      expect((await one.pay(wallet.key, body)).body).toMatchObject({ code: 'INSUFFICIENT_FUNDS', ...advice });
      expect((await quote({ ...body, amount: 50 })).body.code).toBe('BANK_UNAVAILABLE');
    }
  });

  it('decides nothing when the bank does not answer; the same request is decided later', async () => {
    const wallet = await walletWith({ verifyRecipient: true });
    const to = freshAccount();
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => one.pay(wallet.key, { amount: 10, ...recipient(to) }, headers);
    for (const answer of [
      () => Promise.resolve({ kind: 'unknown' as const, reason: 'down' }),
      () => Promise.reject(new Error('broken')),
    ]) {
      enquiries(answer);
      const refused = await send();
      expect([outcome(refused), refused.headers['retry-after']]).toEqual(['503 BANK_UNAVAILABLE', '5']);
      expect(refused.body).not.toHaveProperty('transactionId');
    }
    expect((await one.history(wallet)).data).toEqual([]);
    const [bank] = enquiries(resolved);
    const paid = await send();
    expect(outcome(paid)).toBe('approved');
    // A replay asks nobody: neither here, nor on the other replica, which does not know the account.
    const [, elsewhere] = enquiries(() => Promise.reject(new Error('broken')));
    for (const service of [one, other]) {
      const again = await service.pay(wallet.key, { amount: 10, ...recipient(to) }, headers);
      expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
        201,
        paid.text,
        'true',
      ]);
    }
    expect(bank).toBeDefined();
    expect(elsewhere).toHaveBeenCalledTimes(0);
  });

  it('holds for the very next payment on the other replica', async () => {
    enquiries(() => Promise.resolve({ kind: 'not-resolved' }));
    const wallet = await one.fundedWallet(1_000);
    const to = freshAccount();
    expect(await pay(wallet, to, { service: other })).toBe('approved');
    expect(await change(one, wallet, { verifyRecipient: true })).toBe(200);
    expect(await pay(wallet, to, { service: other })).toBe(REFUSED);
    expect(await change(one, wallet, { verifyRecipient: false })).toBe(200);
    expect(await pay(wallet, to, { service: other })).toBe('approved');
  });
});
