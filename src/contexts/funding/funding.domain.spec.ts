import { describe, expect, it } from '@jest/globals';
import { DecimalText } from '../../kernel/money.js';
import { eventOf, readCharge } from './funding.domain.js';

const WALLET = '01a1fd71-ec35-77c2-9900-6d901138ea6a';
const DATA: Record<string, unknown> = {
  reference: 'KPY-PAY-1',
  amount: new DecimalText('1050.55'),
  currency: 'NGN',
  virtual_bank_account: { account_reference: WALLET },
};
const read = (changes: Record<string, unknown> = {}) =>
  readCharge({ event: 'charge.success', data: { ...DATA, ...changes } });
const fieldsRefused = (work: () => unknown): string[] => {
  try {
    work();
    return [];
  } catch (error) {
    const { code, detail } = error as { code: string; detail: { fields: { field: string }[] } };
    expect(code).toBe('VALIDATION_ERROR');
    return detail.fields.map(({ field }) => field);
  }
};
const amount = (text: string) => fieldsRefused(() => read({ amount: new DecimalText(text) }));

describe('the event of a webhook', () => {
  it.each(['charge.success', 'charge.failed', 'Charge.Success', ''])('is the string %j', (event) => {
    expect(eventOf({ event })).toBe(event);
  });

  it.each([{}, { event: null }, { event: 1 }, { event: ['charge.success'] }, [], null, 'charge.success', 7])(
    'is missing in %j',
    (body) => {
      expect(fieldsRefused(() => eventOf(body))).toEqual(['event']);
    },
  );
});

describe('a charge', () => {
  it('needs no more than reference, amount, currency and account reference', () => {
    expect(read()).toEqual({
      reference: 'KPY-PAY-1',
      amount: 105_055,
      currency: 'NGN',
      accountReference: WALLET,
      narration: null,
    });
  });

  it.each([
    ['reference', 'data.reference'],
    ['amount', 'data.amount'],
    ['currency', 'data.currency'],
    ['virtual_bank_account', 'data.virtual_bank_account.account_reference'],
  ])('is refused without %s, or with null, in one entry for %s', (name, field) => {
    expect(fieldsRefused(() => read({ [name]: undefined }))).toEqual([field]);
    expect(fieldsRefused(() => read({ [name]: null }))).toEqual([field]);
  });

  it('is refused with one entry for each field that fails', () => {
    expect(
      fieldsRefused(() =>
        readCharge({
          data: {
            reference: 1,
            amount: '5',
            currency: 'NGNN',
            fee: 'x',
            customer: [],
            transaction_date: 'soon',
          },
        }),
      ),
    ).toEqual([
      'data.reference',
      'data.amount',
      'data.currency',
      'data.virtual_bank_account.account_reference',
      'data.fee',
      'data.transaction_date',
      'data.customer',
    ]);
  });

  it.each([{}, { data: null }, { data: [] }, { data: 'x' }, { data: new DecimalText('1') }, null, []])(
    'is no charge without an object in data: %j',
    (body) => {
      expect(fieldsRefused(() => readCharge(body))).toEqual(['data']);
    },
  );

  it.each(['0.01', '1', '10.500', '1e2', '90071992547409.91'])('may be of %s naira', (text) => {
    expect(amount(text)).toEqual([]);
  });

  it.each(['0', '0.00', '-1', '0.001', '10.505', '90071992547409.92', '1e400'])(
    'may not be of %s naira',
    (text) => {
      expect(amount(text)).toEqual(['data.amount']);
    },
  );

  it.each(['1050.50', 5, true, [], {}])(
    'takes an amount from nothing but the text of a number: %j',
    (value) => {
      expect(fieldsRefused(() => read({ amount: value }))).toEqual(['data.amount']);
    },
  );

  it.each([
    ['NG', false],
    ['NGN', true],
    ['ngn', true],
    ['NG₦', true],
    ['NGNN', false],
    ['', false],
  ])('with currency %j is well formed: %s', (currency, isSound) => {
    expect(fieldsRefused(() => read({ currency })).length === 0).toBe(isSound);
  });

  it.each([
    [1, true],
    [199, true],
    [200, true],
    [201, false],
  ])('with a reference of %d characters is well formed: %s', (length, isSound) => {
    expect(fieldsRefused(() => read({ reference: 'r'.repeat(length) })).length === 0).toBe(isSound);
  });

  it.each([
    [1_000, true],
    [1_001, false],
  ])('with a narration of %d characters is well formed: %s', (length, isSound) => {
    expect(fieldsRefused(() => read({ narration: 'n'.repeat(length) })).length === 0).toBe(isSound);
  });

  it.each([
    ['2026-11-21T06:30:00.000Z', true],
    ['2026-11-21 06:30:00', true],
    ['2026-02-30', false],
    ['yesterday', false],
    ['', false],
  ])('with the date %j is well formed: %s', (date, isSound) => {
    expect(fieldsRefused(() => read({ transaction_date: date })).length === 0).toBe(isSound);
  });

  it.each([
    ['payment_reference', 'data.payment_reference'],
    ['payment_method', 'data.payment_method'],
    ['status', 'data.status'],
    ['narration', 'data.narration'],
    ['transaction_date', 'data.transaction_date'],
  ])('is refused when %s is no string that can be stored', (name, field) => {
    for (const value of [7, true, [], {}, 'a\u0000b', '\ud800']) {
      expect(fieldsRefused(() => read({ [name]: value }))).toEqual([field]);
    }
  });

  it('is refused when a field inside payer, account or customer has the wrong type', () => {
    expect(
      fieldsRefused(() =>
        read({
          payer_bank_account: { account_name: 1, account_number: 2, bank_name: 3, bank_code: 4 },
          virtual_bank_account: {
            account_reference: WALLET,
            account_name: 1,
            account_number: 2,
            bank_name: 3,
          },
          customer: { name: 1, email: {} },
        }),
      ),
    ).toEqual([
      'data.payer_bank_account.account_name',
      'data.payer_bank_account.account_number',
      'data.payer_bank_account.bank_name',
      'data.payer_bank_account.bank_code',
      'data.virtual_bank_account.account_name',
      'data.virtual_bank_account.account_number',
      'data.virtual_bank_account.bank_name',
      'data.customer.name',
      'data.customer.email',
    ]);
  });

  it('takes null for every optional field', () => {
    const names = ['payment_reference', 'fee', 'payment_method', 'status', 'narration', 'transaction_date'];
    const absent = Object.fromEntries(
      [...names, 'payer_bank_account', 'customer'].map((name) => [name, null]),
    );
    expect(fieldsRefused(() => read(absent))).toEqual([]);
  });
});
