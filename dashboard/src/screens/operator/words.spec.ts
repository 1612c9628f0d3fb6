import { describe, expect, it } from '@jest/globals';
import { age, caseKind, doneInWords, known, payoutTag } from './words.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const opened = '2026-11-21T06:30:00.000Z';
const after = (ms: number) => age(opened, new Date(opened).getTime() + ms);

describe('the words of operators', () => {
  it('say the age of a case in minutes, hours, then days', () => {
    expect([after(-1), after(0), after(HOUR_MS - 1)]).toEqual(['0 min', '0 min', '59 min']);
    expect([after(HOUR_MS), after(48 * HOUR_MS - 1)]).toEqual(['1 h', '47 h']);
    expect(after(48 * HOUR_MS)).toBe('2 days');
  });

  it('say amounts of a case in naira', () => {
    expect(known({ description: 'on record as paid; not refunded: 200000 kobo, 50 kobo' })).toBe(
      'On record as paid; not refunded: ₦2,000, ₦0.50',
    );
  });

  it('spell out a kind of case and an act that are new here', () => {
    expect(caseKind({ kind: 'payout-stuck' }).name).toBe('Payout stuck');
    expect(caseKind({ kind: 'moon-missing' }).name).toBe('Moon missing');
    expect([doneInWords('payout.refund'), doneInWords('operator.grant'), doneInWords('x.y')]).toEqual([
      'refunded it',
      'made the user an operator',
      'x.y',
    ]);
  });

  it('tell a payout that was sent back from one that is refunded since', () => {
    expect(payoutTag({ status: 'reversed', isRefunded: false }).name).toBe('Sent back');
    expect(payoutTag({ status: 'reversed', isRefunded: true }).name).toBe('Sent back, refunded');
    expect(payoutTag({ status: 'processing', isRefunded: false }).name).toBe('Open');
  });
});
