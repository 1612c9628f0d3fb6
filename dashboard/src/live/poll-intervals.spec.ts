import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setLive } from './live-state.js';
import { watchedToTheEnd } from './poll-intervals.js';
import type { PaymentStatus } from '../payments/status.js';

const paceOf = (...statuses: PaymentStatus[]) =>
  watchedToTheEnd((payments: { status: PaymentStatus }[]) => payments)({
    state: { error: null, dataUpdatedAt: Date.now(), data: statuses.map((status) => ({ status })) },
  });

describe('what shows payments, while events are heard', () => {
  beforeEach(() => setLive(true));
  afterEach(() => setLive(false));

  it('is asked for again as long as a payment is under way', () => {
    expect(paceOf('paid', 'processing')).toBe(10_000);
  });

  it('is not asked for again once all of them have ended or wait for their owner', () => {
    expect(paceOf('paid', 'blocked', 'failed', 'returned', 'denied', 'expired', 'awaiting_approval')).toBe(
      false,
    );
  });

  it('is asked for as often as anything else once events are heard no more', () => {
    setLive(false);
    expect(paceOf('processing')).toBe(3_000);
  });
});
