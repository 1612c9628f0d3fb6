import { describe, expect, it } from '@jest/globals';
import type { ApprovalStatus } from '../payments.events.js';
import { ruleOn, type OwnerDecision } from './approvals.domain.js';

const EXPIRES_AT = new Date('2026-11-22T12:00:00.000Z');
const msBefore = (ms: number) => new Date(EXPIRES_AT.getTime() - ms);

interface Case {
  readonly approval?: ApprovalStatus;
  readonly status?: string;
  readonly expiry?: Date;
  readonly now?: Date;
}

function ruling(
  decision: OwnerDecision,
  { approval = 'pending', status = 'ACTIVE', expiry = new Date('2099-01-01'), now = msBefore(1) }: Case = {},
) {
  const { outcome, refusal } = ruleOn({ approval, approvalExpiresAt: EXPIRES_AT }, decision, {
    status,
    expiry,
    now,
  });
  return [outcome, refusal?.code ?? null];
}

describe('the decision of an owner', () => {
  it.each<OwnerDecision>(['approved', 'denied'])('%s decides up to the last millisecond', (decision) => {
    expect(ruling(decision)).toEqual([decision, null]);
  });

  it.each<OwnerDecision>(['approved', 'denied'])(
    '%s finds it lapsed from the moment it expires',
    (decision) => {
      expect(ruling(decision, { now: EXPIRES_AT })).toEqual(['expired', 'APPROVAL_ALREADY_DECIDED']);
      expect(ruling(decision, { now: msBefore(-1) })).toEqual(['expired', 'APPROVAL_ALREADY_DECIDED']);
    },
  );

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
