import { describe, expect, it } from '@jest/globals';
import { entryInWords } from './ledger-words.js';

const NOBODY = { name: null, accountNumber: null, bankCode: null, walletId: null };
const merchant = { ...NOBODY, type: 'merchant' as const, name: 'Jumia' };
const account = { ...NOBODY, type: 'bank_account' as const, accountNumber: '0123456789', bankCode: '058' };
const wallet = { ...NOBODY, type: 'wallet' as const, name: 'Savings' };

describe('entryInWords', () => {
  it('names a payment and its refund by the merchant, and money in by its narration', () => {
    const paid = { type: 'debit' as const, narration: null, counterparty: merchant };
    expect(entryInWords(paid)).toEqual({ name: 'Jumia', more: 'Payment' });
    expect(entryInWords({ ...paid, type: 'refund' }).more).toBe('Refund');
    expect(entryInWords({ type: 'topup', narration: 'Float', counterparty: null })).toEqual({
      name: 'Money in',
      more: 'Float',
    });
  });

  it('tells withdrawals from what was moved between wallets', () => {
    const out = { type: 'debit' as const, narration: 'Budget', counterparty: account };
    expect(entryInWords(out, 'Paid · to GTBank 0123456789')).toEqual({
      name: 'Withdrawal',
      more: 'Paid · to GTBank 0123456789',
    });
    expect(entryInWords({ ...out, type: 'refund' })).toEqual({ name: 'Withdrawal returned', more: 'Budget' });
    expect(entryInWords({ ...out, counterparty: wallet })).toEqual({
      name: 'Moved to Savings',
      more: 'Budget',
    });
    expect(entryInWords({ ...out, type: 'topup', counterparty: wallet }).name).toBe('Moved from Savings');
  });
});
