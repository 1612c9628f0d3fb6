import { describe, expect, it } from '@jest/globals';
import { ruleInWords, type RuleTyped } from './rule.js';
import {
  approvalTtlInWords,
  coolingOffInWords,
  duplicateGuardInWords,
  payeePolicyInWords,
} from './safeguards.js';
import { PAYMENT_STATUSES, WITHDRAWAL_STATUSES } from '../payments/status.js';

const TYPED: RuleTyped = {
  name: 'Shopper',
  spendLimitPerTx: '5,000',
  spendLimitPeriod: '20000.50',
  periodWindowDays: '30',
  expiry: '2027-03-01',
  useAllowlist: false,
  merchantAllowlist: ['Jumia'],
};

describe('a rule in words', () => {
  it('says what one payment and what a period may be, until when and where', () => {
    expect(ruleInWords(TYPED)).toBe(
      'Shopper can spend up to ₦5,000 per payment and ₦20,000.50 in any 30 days, until 1 Mar 2027, at any merchant.',
    );
    const merchants = ['Shoprite', 'Jumia', 'Bolt'];
    expect(
      ruleInWords({ ...TYPED, periodWindowDays: '1', useAllowlist: true, merchantAllowlist: merchants }),
    ).toMatch(/ in any 24 hours, .* only at Shoprite, Jumia or Bolt\.$/);
  });

  it('leaves a gap where nothing that can be read was typed', () => {
    const empty = { ...TYPED, name: '', spendLimitPerTx: '', periodWindowDays: '', expiry: '' };
    expect(ruleInWords({ ...empty, useAllowlist: true, merchantAllowlist: [] })).toBe(
      'The agent can spend up to ₦… per payment and ₦20,000.50 in any … days, until …, only at ….',
    );
  });

  it('names five merchants, and counts the others', () => {
    const merchantAllowlist = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    expect(ruleInWords({ ...TYPED, useAllowlist: true, merchantAllowlist })).toContain(
      'only at A, B, C, D, E or 2 more.',
    );
  });
});

describe('a safeguard in words', () => {
  it.each([
    [duplicateGuardInWords(undefined), 'For MCP clients only'],
    [duplicateGuardInWords(0), 'Off'],
    [duplicateGuardInWords(5), 'Within 5 minutes'],
    [duplicateGuardInWords(60), 'Within an hour'],
    [duplicateGuardInWords(1_440), 'Within 24 hours'],
    [approvalTtlInWords(undefined), '1 day'],
    [approvalTtlInWords(45), '45 minutes'],
    [approvalTtlInWords(60), '1 hour'],
    [approvalTtlInWords(240), '4 hours'],
    [approvalTtlInWords(10_080), '7 days'],
    [payeePolicyInWords(undefined), 'Any account'],
    [payeePolicyInWords('strict'), 'Only payees you added'],
    [coolingOffInWords(2_000_000, 24), '₦20,000 in the first 24 hours'],
    [coolingOffInWords(2_000_000, 1), '₦20,000 in the first hour'],
    [coolingOffInWords(undefined, 24), 'None'],
  ])('%s', (said, expected) => {
    expect(said).toBe(expected);
  });
});

describe('the payout of a withdrawal', () => {
  it('is said to have failed where the bank refused it, and to be sent back where the bank took it back', () => {
    const said = Object.entries(WITHDRAWAL_STATUSES).map(([status, word]) => [
      status,
      PAYMENT_STATUSES[word].name,
    ]);
    expect(Object.fromEntries(said)).toEqual({
      pending: 'Processing',
      processing: 'Processing',
      succeeded: 'Paid',
      failed: 'Failed, refunded',
      reversed: 'Sent back by the bank',
    });
  });
});
