import { describe, expect, it } from '@jest/globals';
import { DecimalText, kobo } from '../../kernel/money.js';
import { conflictWith, holdReason, readCharge } from './funding.domain.js';

const WALLET = '01a1fd71-ec35-77c2-9900-6d901138ea6a';
const successWith = (status: unknown) => {
  const account = { account_reference: WALLET };
  const data = {
    reference: 'R',
    amount: new DecimalText('1'),
    currency: 'NGN',
    virtual_bank_account: account,
  };
  return readCharge({ event: 'charge.success', data: { ...data, status } });
};

describe('the status of a success', () => {
  it.each(['failed', 'reversed', 'pending', 'processing', 'FAILED', ' Pending\n', 'Processing'])(
    '%j contradicts it: held, with the word in the reason',
    (status) => {
      expect(holdReason(successWith(status))).toContain(status.trim());
    },
  );

  it.each([
    undefined,
    null,
    '',
    'success',
    'SUCCESS',
    'processed',
    'Processed OK',
    'fail',
    'failed?',
    'cancelled',
  ])('%j does not: credited', (status) => {
    expect(holdReason(successWith(status))).toBeNull();
  });
});

describe('a reference that was seen before', () => {
  const seen = { walletId: WALLET, amount: kobo(100), currency: 'NGN', bankStatus: null, status: 'credited' };
  const again = { accountReference: WALLET, amount: kobo(100), currency: 'NGN', bankStatus: null };

  it('is repeated by the same facts, however the bank words the success', () => {
    expect(conflictWith(seen, again)).toBeNull();
    expect(
      conflictWith({ ...seen, bankStatus: 'success' }, { ...again, bankStatus: 'processed' }),
    ).toBeNull();
    expect(conflictWith({ ...seen, bankStatus: 'failed' }, { ...again, bankStatus: 'pending' })).toBeNull();
  });

  it.each([
    ['amount', { amount: kobo(101) }, ['100 kobo', '101 kobo']],
    ['wallet', { accountReference: 'another' }, [WALLET, 'another']],
    ['currency', { currency: 'USD' }, ['in NGN', 'in USD']],
    ['status', { bankStatus: 'reversed' }, ['credited', 'status "reversed"']],
  ])('is contradicted by another %s, and both sides are named', (_, change, words) => {
    const conflict = conflictWith(seen, { ...again, ...change });
    for (const word of words) expect(conflict).toContain(word);
  });
});
