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
      bankStatus: null,
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

  it.each([
    '0.01',
    '1',
    '10.500',
    `10.5${'0'.repeat(500)}`,
    '1e2',
    '1E+002',
    '100000000000000000000000000e-24',
    '0.00000000000000000000000001e+26',
    '90071992547409.91',
  ])('may be of %s naira', (text) => {
    expect(amount(text)).toEqual([]);
  });

  it.each([
    '0',
    '0.00',
    '0e99',
    '-1',
    '0.001',
    '10.505',
    `10.50${'0'.repeat(500)}1`,
    '90071992547409.92',
    '9'.repeat(500),
    '1e400',
    '1e-400',
    '1e99999999999',
  ])('may not be of %s naira', (text) => {
    expect(amount(text)).toEqual(['data.amount']);
  });

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
    ['of 1,000 characters', 'n'.repeat(1_000), 'n'.repeat(1_000)],
    ['of 1,001 characters', 'n'.repeat(1_001), `${'n'.repeat(999)}…`],
    ['of 1,000 emojis', '🛒'.repeat(1_000), '🛒'.repeat(1_000)],
    ['of 1,001 emojis', '🛒'.repeat(1_001), `${'🛒'.repeat(999)}…`],
    ['with a NUL and half a character', 'a\u0000b\ud800', 'a\ufffdb\ufffd'],
    ['that is empty', '', ''],
  ])('keeps a narration %s as far as it can be kept', (_, narration, kept) => {
    expect(read({ narration }).narration).toBe(kept);
  });

  it.each([
    '2026-11-21T06:30:00.000Z',
    '2026-11-21t06:30:00z',
    '2026-11-21 06:30:00',
    '2026-11-21 06:30:00.5+01:00',
    '2026-11-21T06:30',
    '2026-11-21T06:30:00,123456789123+0100',
    '2026-11-21T06:30:00+01',
    '2026-11-21T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '20261121T063000Z',
    '2026-11-21',
    '2024-02-29',
    '0001-01-01',
    '1969-12-31T23:59:59Z',
  ])('may have the date %j', (date) => {
    expect(fieldsRefused(() => read({ transaction_date: date }))).toEqual([]);
  });

  it.each([
    '',
    'yesterday',
    '2026-02-30',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-11-00',
    '2026-11-21T24:00:01Z',
    '2026-11-21T25:00:00Z',
    '2026-11-21T06:60:00Z',
    '2026-11-21T06:30:61Z',
    '2026-11-21T06:30:00+24:00',
    '2026-11-21T06:30:00Z and more',
    '2026-11-21T',
    '21/11/2026',
    '1795245000',
    'Sat, 21 Nov 2026 06:30:00 GMT',
  ])('may not have the date %j', (date) => {
    expect(fieldsRefused(() => read({ transaction_date: date }))).toEqual(['data.transaction_date']);
  });

  it.each([
    ['payment_reference', 'data.payment_reference'],
    ['payment_method', 'data.payment_method'],
    ['status', 'data.status'],
    ['narration', 'data.narration'],
    ['transaction_date', 'data.transaction_date'],
  ])('is refused when %s is no string', (name, field) => {
    for (const value of [7, true, [], {}]) {
      expect(fieldsRefused(() => read({ [name]: value }))).toEqual([field]);
    }
  });

  it.each(['payment_reference', 'payment_method', 'status', 'narration'])(
    'is not refused for any text in %s',
    (name) => {
      for (const value of ['', 'a\u0000b', '\ud800', 'x'.repeat(5_000)]) {
        expect(fieldsRefused(() => read({ [name]: value }))).toEqual([]);
      }
    },
  );

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
