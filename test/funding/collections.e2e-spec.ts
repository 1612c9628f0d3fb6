import { describe, expect, it } from '@jest/globals';
import type { CollectionInput } from '../fake-bank/bank.ts';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import { type TestService, until } from '../support/service.js';
import { PATIENT, type ServiceWithBank, useFakeBank } from '../support/with-fake-bank.js';

/** What a bank does when it tells of money that came in, row by row of the list of its failure modes. */

const MINUTE = 60_000;

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;

useFakeBank((started) => {
  banked = started;
  ({ fake, service } = started);
}, PATIENT);

describe('a collection', () => {
  const tells = async (
    input: CollectionInput,
  ): Promise<{ reference: string; statuses: (number | null)[] }> => {
    const { reference, delivery } = fake.books.collect({ ...input, mode: 'hold' });
    return { reference, statuses: await fake.outbox.redeliver(delivery.id) };
  };

  it('told fifty times, ten at once, and once more later, is credited once (5, 13)', async () => {
    const wallet = await service.createWallet();
    const { delivery } = fake.books.collect({ accountReference: wallet.id, amount: '10.50', mode: 'hold' });
    for (let n = 0; n < 5; n += 1) {
      expect(new Set(await fake.outbox.redeliver(delivery.id, 10))).toEqual(new Set([200]));
    }
    await fake.clock.advance(71 * 60 * MINUTE);
    expect(await fake.outbox.redeliver(delivery.id)).toEqual([200]);
    expect(await banked.balanceOf(wallet)).toBe(1_050);
  });

  it('told before the account is on our books is credited when it is told again (6)', async () => {
    const owner = await service.signUp();
    const issued = fake.books.accounts.size;
    fake.script.add([
      { method: 'POST', path: '/virtual-bank-account', answer: 'none' },
      { method: 'GET', path: '/virtual-bank-account/', nth: 2, answer: { slowBodyMs: 300 } },
    ]);
    const creating = service.createWallet(owner);
    await until(() => Promise.resolve(fake.books.accounts.size > issued));
    const account = [...fake.books.accounts.values()].at(-1)!;
    const { delivery } = fake.books.collect({ accountReference: account.reference, amount: '700.00' });
    await until(() => Promise.resolve(delivery.attempts.length > 0));
    // Ends the call that made the account, before its 25 s are over.
    fake.hangUp();
    const wallet = await creating;
    expect(wallet.id).toBe(account.reference);
    await until(async () => (await banked.balanceOf(wallet)) === 70_000);
    const [first] = delivery.attempts;
    expect(first!.status).not.toBe(200);
  });

  it.each([
    ['signed with another key', { sign: 'wrong-key' }],
    ['not signed', { sign: 'none' }],
    ['signed over the whole body', { sign: 'whole-body' }],
    ['with another amount than signed', { tamper: { amount: 9_999_999 } }],
  ] as const)('%s is refused, and credited when the bank tells it (11)', async (_name, shape) => {
    const wallet = await service.createWallet();
    const { reference, statuses } = await tells({ accountReference: wallet.id, amount: '100.00', ...shape });
    expect(statuses).toEqual([401]);
    expect(await banked.balanceOf(wallet)).toBe(0);
    await tells({ accountReference: wallet.id, amount: '100.00', reference });
    expect(await banked.balanceOf(wallet)).toBe(10_000);
  });

  it('made of the genuine news of a payout, or of one that failed, credits no wallet (12)', async () => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet);
    expect(await banked.endOf(reference)).toBe('succeeded');
    const hook = `http://127.0.0.1:${(service.app.getHttpServer().address() as { port: number }).port}/api/webhooks`;
    const data = { fee: 32.25, amount: 1000, status: 'success', currency: 'NGN', reference };
    const swapped = fake.outbox.add(hook, 'charge.success', data, { mode: 'hold' });
    expect(await fake.outbox.redeliver(swapped.id)).toEqual([400]);
    const { statuses } = await tells({
      accountReference: wallet.id,
      amount: '100.00',
      data: { status: 'failed' },
    });
    expect(statuses).toEqual([200]);
    expect(await banked.balanceOf(wallet)).toBe(400_000);
  });

  it('for an account without a wallet is recorded, not credited, and answered as specified (14)', async () => {
    const { reference, statuses } = await tells({
      accountReference: '00000000-0000-4000-8000-000000000000',
      amount: '100.00',
    });
    expect([400, 404]).toContain(statuses[0]);
    const rows = await service.query(
      `SELECT 1 FROM inbound_transfers WHERE reference = $1 AND status = 'unmatched'`,
      [reference],
    );
    expect(rows).toHaveLength(1);
  });

  const shapes: [name: string, input: Partial<CollectionInput>][] = [
    ['with members that nobody knows', { data: { session_id: '0001', meta: { deep: [1, { two: 2 }] } } }],
    ['without its date and fee', { omit: ['transaction_date', 'fee'] }],
    ['with a date that has no zone', { data: { transaction_date: '2023-01-10 10:00:04' } }],
    [
      'with a masked payer',
      { payer: { account_name: 'J. Obi', account_number: '******1001', bank_name: 'Kuda' } },
    ],
    ['with letters sent as escapes', { payer: { account_name: 'Adé Ọbí' }, escaped: true }],
    ['signed over its bytes as sent', { sign: 'as-sent' }],
  ];
  it.each(shapes)('%s is credited (15)', async (_name, input) => {
    const wallet = await service.createWallet();
    const { statuses } = await tells({ accountReference: wallet.id, amount: '1050.55', ...input });
    expect(statuses).toEqual([200]);
    expect(await banked.balanceOf(wallet)).toBe(105_055);
  });

  const amounts: [string, Partial<CollectionInput>][] = [
    ['0', {}],
    ['-100', {}],
    ['10.505', {}],
    ['1e21', {}],
    ['NaN', { amountAsText: true }],
  ];
  it.each(amounts)('of %s is refused (16)', async (amount, input) => {
    const wallet = await service.createWallet();
    const { statuses } = await tells({ accountReference: wallet.id, amount, ...input });
    expect(statuses).toEqual([400]);
    expect(await banked.balanceOf(wallet)).toBe(0);
  });
});
