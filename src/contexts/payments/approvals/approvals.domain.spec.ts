import { describe, expect, it } from '@jest/globals';
import type { ApprovalStatus } from '../payments.events.js';
import { ruleOn, type Word } from './approvals.domain.js';

const EXPIRES_AT = new Date('2026-11-22T12:00:00.000Z');
const msBefore = (ms: number) => new Date(EXPIRES_AT.getTime() - ms);

interface Case {
  readonly approval?: ApprovalStatus;
  readonly status?: string;
  readonly expiry?: Date;
  readonly now?: Date;
}

function ruling(
  word: Word,
  { approval = 'pending', status = 'ACTIVE', expiry = new Date('2099-01-01'), now = msBefore(1) }: Case = {},
) {
  const { outcome, refusal } = ruleOn({ approval, approvalExpiresAt: EXPIRES_AT }, word, {
    status,
    expiry,
    now,
  });
  return [outcome, refusal?.code ?? null];
}

describe('the word of an owner', () => {
  it.each<Word>(['approved', 'denied'])('%s decides up to the last millisecond', (word) => {
    expect(ruling(word)).toEqual([word, null]);
  });

  it.each<Word>(['approved', 'denied'])('%s finds it lapsed from the moment it expires', (word) => {
    expect(ruling(word, { now: EXPIRES_AT })).toEqual(['expired', 'APPROVAL_ALREADY_DECIDED']);
    expect(ruling(word, { now: msBefore(-1) })).toEqual(['expired', 'APPROVAL_ALREADY_DECIDED']);
  });

  it('approves nothing of a wallet that is not active, or expired at this moment, and changes nothing', () => {
    expect(ruling('approved', { status: 'SUSPENDED' })).toEqual([null, 'WALLET_INACTIVE']);
    expect(ruling('approved', { status: 'CLOSED' })).toEqual([null, 'WALLET_INACTIVE']);
    expect(ruling('approved', { expiry: msBefore(1) })).toEqual([null, 'WALLET_EXPIRED']);
    expect(ruling('approved', { expiry: EXPIRES_AT })).toEqual(['approved', null]);
  });

  it('denies whatever the wallet is', () => {
    expect(ruling('denied', { status: 'SUSPENDED', expiry: msBefore(1) })).toEqual(['denied', null]);
  });

  it('said again does nothing; another one is refused', () => {
    expect(ruling('approved', { approval: 'approved' })).toEqual([null, null]);
    expect(ruling('denied', { approval: 'denied' })).toEqual([null, null]);
    expect(ruling('denied', { approval: 'approved' })).toEqual([null, 'APPROVAL_ALREADY_DECIDED']);
    expect(ruling('approved', { approval: 'denied' })).toEqual([null, 'APPROVAL_ALREADY_DECIDED']);
    expect(ruling('approved', { approval: 'expired' })).toEqual([null, 'APPROVAL_ALREADY_DECIDED']);
    expect(ruling('denied', { approval: 'expired' })).toEqual([null, 'APPROVAL_ALREADY_DECIDED']);
  });
});
