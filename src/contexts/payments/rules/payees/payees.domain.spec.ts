import { describe, expect, it } from '@jest/globals';
import { factsOf, lockedWallet, paymentOf } from '../../../../../test/support/payment-samples.js';
import { WHOLE_WALLET } from '../../../wallet/payees/payees.port.js';
import type { LockedWallet } from '../../../wallet/wallet.port.js';
import type { PayeePolicy } from '../../../wallet/wallet.events.js';
import type { Intent } from '../../checks/facts.port.js';
import {
  lacksRecipient,
  type MerchantAccount,
  type MerchantPayees,
  PAYEE_RULES,
  PayeeState,
} from './payees.domain.js';

const wallet = (payeePolicy?: PayeePolicy): LockedWallet =>
  lockedWallet({ id: 'w1', ...(payeePolicy && { controls: { payeePolicy } }) });
const intent = (recipientAccountNo: string, merchantName = 'Acme', recipientBankCode = '058'): Intent =>
  paymentOf({ merchant: merchantName.toLowerCase(), merchantName, recipientAccountNo, recipientBankCode });
const at = (accountNumber: string, fields: Partial<MerchantAccount> = {}): MerchantAccount => ({
  accountNumber,
  bankCode: '058',
  isRegistered: false,
  isPaid: true,
  historyId: WHOLE_WALLET,
  ...fields,
});
const bookOf = (accounts: readonly MerchantAccount[], payeeCount: number | null = null) => {
  const acme: MerchantPayees = {
    walletId: 'w1',
    historyId: WHOLE_WALLET,
    merchant: 'acme',
    accounts,
    payeeCount,
  };
  const other: MerchantPayees = {
    walletId: 'w1',
    historyId: WHOLE_WALLET,
    merchant: 'other',
    accounts: [],
    payeeCount,
  };
  return new PayeeState([acme, other]);
};
const [bound, known] = PAYEE_RULES as [(typeof PAYEE_RULES)[number], (typeof PAYEE_RULES)[number]];
const judged = (book: PayeeState, policy: PayeePolicy, one: Intent) => {
  const payee = book.factsOf(wallet(policy), one);
  if (!payee) return 'not asked';
  const facts = factsOf({ payee });
  const word = bound.passes(facts, one) ? (bound.warns?.(facts) ? 'warned' : 'passes') : 'fails';
  return `${payee.standing}: ${word}`;
};

describe('the rule on payees', () => {
  it('is not asked of a wallet without a policy, nor of one that turned it off', () => {
    const book = new PayeeState([]);
    expect(book.factsOf(wallet(), intent('0000000001'))).toBeUndefined();
    expect(book.factsOf(wallet('off'), intent('0000000001'))).toBeUndefined();
    expect(bound.applies(factsOf({}))).toBe(false);
    expect(known.applies(factsOf({}))).toBe(false);
  });

  it('lets a merchant without payees be paid anywhere on first use, and nowhere when strict', () => {
    expect(judged(bookOf([], 0), 'first_use', intent('0000000001'))).toBe('first: passes');
    expect(judged(bookOf([], 0), 'warn', intent('0000000001'))).toBe('first: passes');
    expect(judged(bookOf([], 0), 'strict', intent('0000000001'))).toBe('unregistered: fails');
  });

  it('tells accounts apart by number and by bank', () => {
    const book = bookOf([at('0000000001'), at('0000000002', { isRegistered: true })]);
    for (const [policy, one, two, elsewhere] of [
      ['first_use', 'payee: passes', 'payee: passes', 'other: fails'],
      ['warn', 'payee: passes', 'payee: passes', 'other: warned'],
      ['strict', 'unregistered: fails', 'payee: passes', 'unregistered: fails'],
    ] as const) {
      expect(judged(book, policy, intent('0000000001'))).toBe(one);
      expect(judged(book, policy, intent('0000000002'))).toBe(two);
      expect(judged(book, policy, intent('0000000003'))).toBe(elsewhere);
      expect(judged(book, policy, intent('0000000001', 'Acme', '044'))).toBe(elsewhere);
    }
  });

  it('takes one more payee below 1,000 of them, and none at 1,000', () => {
    expect(judged(bookOf([], 999), 'first_use', intent('0000000001'))).toBe('first: passes');
    expect(judged(bookOf([], 1_000), 'first_use', intent('0000000001'))).toBe('full: fails');
    expect(judged(bookOf([], 1_000), 'warn', intent('0000000001'))).toBe('full: warned');
    expect(judged(bookOf([at('0000000001')]), 'first_use', intent('0000000001'))).toBe('payee: passes');
  });

  it('binds a merchant to what was approved before in the same batch, and counts it', () => {
    const book = bookOf([], 999);
    const policy = wallet('first_use');
    const one = intent('0000000001');
    expect(book.approve(one, factsOf({ payee: book.factsOf(policy, one)! }))).toBe('new-payee');
    expect(judged(book, 'first_use', one)).toBe('payee: passes');
    expect(judged(book, 'first_use', intent('0000000002'))).toBe('other: fails');
    expect(judged(book, 'first_use', intent('0000000002', 'Other'))).toBe('full: fails');
    expect(book.approve(one, factsOf({ payee: book.factsOf(policy, one)! }))).toBeUndefined();
  });

  it('remembers nothing of a payment that it only warned of, and the first one to a registered payee', () => {
    const book = bookOf([at('0000000001', { isRegistered: true, isPaid: false })]);
    const [warns, strict] = [wallet('warn'), wallet('strict')];
    const [one, two] = [intent('0000000001'), intent('0000000002')];
    expect(book.approve(two, factsOf({ payee: book.factsOf(warns, two)! }))).toBeUndefined();
    expect(judged(book, 'first_use', two)).toBe('other: fails');
    expect(book.approve(one, factsOf({ payee: book.factsOf(strict, one)! }))).toBe('known-payee');
    expect(judged(book, 'strict', one)).toBe('payee: passes');
  });

  it('says where the merchant may be paid, five accounts at most', () => {
    const accounts = ['1', '2', '3', '4', '5', '6'].map((digit) => at(`000000000${digit}`));
    const one = intent('0000000007');
    const facts = factsOf({ payee: bookOf(accounts).factsOf(wallet('first_use'), one)! });
    const limit = '058/0000000001, 058/0000000002, 058/0000000003, 058/0000000004, 058/0000000005';
    expect(bound.compared(facts, one)).toEqual({ payeePolicy: 'first_use', limit, actual: '058/0000000007' });
    expect(bound.message(facts, one)).toBe(
      `The merchant Acme is bound to another account (058/0000000007). It may be paid at ${limit}.`,
    );
  });

  it('lets through only an account that its bank knows, where it must; what was not asked is not known', () => {
    const one = intent('0000000001');
    const verdicts = (['known', 'unknown', 'unasked'] as const).map((recipient) =>
      known.passes(factsOf({ recipient }), one),
    );
    expect(verdicts).toEqual([true, false, false]);
  });

  it('lacks the word of the bank only when nothing before it blocks', () => {
    const one = intent('0000000001');
    const unasked = factsOf({ recipient: 'unasked' });
    expect(lacksRecipient(unasked, one, 'PAYEE_NOT_ALLOWED')).toBe(true);
    expect(lacksRecipient(unasked, one, 'INSUFFICIENT_FUNDS')).toBe(false);
    expect(lacksRecipient(unasked, one, null)).toBe(false);
    expect(lacksRecipient({ ...unasked, recipient: 'unknown' }, one, 'PAYEE_NOT_ALLOWED')).toBe(false);
    const payee = { policy: 'strict', standing: 'unregistered', accounts: [] } as const;
    expect(lacksRecipient({ ...unasked, payee }, one, 'PAYEE_NOT_ALLOWED')).toBe(false);
  });
});
