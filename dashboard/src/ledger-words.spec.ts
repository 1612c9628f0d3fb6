import { describe, expect, it } from '@jest/globals';
import { entryInWords } from './ledger-words.js';

const ID = '01a200a4-defe-77b3-afc5-a9f7ff5bfeeb';
const entry = (type: 'topup' | 'debit' | 'refund', rest: object = {}) => ({
  type,
  transactionId: null,
  reference: 'KPY-CA-1',
  narration: null,
  ...rest,
});

describe('entryInWords', () => {
  it('names a payment and its refund by the merchant, and money in by its narration', () => {
    const paid = entry('debit', { transactionId: ID });
    expect(entryInWords(paid, { merchant: 'Jumia' })).toEqual({ name: 'Jumia', more: 'Payment' });
    expect(entryInWords({ ...paid, type: 'refund' }, { merchant: 'Jumia' }).more).toBe('Refund');
    expect(entryInWords(entry('topup', { narration: 'Float' }))).toEqual({ name: 'Money in', more: 'Float' });
  });

  it('tells withdrawals from what was moved between wallets, once that is known', () => {
    const out = entry('debit', { reference: ID, narration: 'Budget' });
    expect(entryInWords(out)).toEqual({ name: 'Money out', more: 'By you · Budget' });
    expect(entryInWords(out, { isMove: true })).toEqual({
      name: 'Moved away',
      more: 'To another wallet · Budget',
    });
    expect(entryInWords(out, { withdrawal: 'Paid · to GTBank 0123456789', isMove: true })).toEqual({
      name: 'Withdrawal',
      more: 'Paid · to GTBank 0123456789',
    });
    expect(entryInWords({ ...out, type: 'refund' }).name).toBe('Withdrawal returned');
    expect(entryInWords({ ...out, type: 'topup' }).name).toBe('Moved here');
  });
});
