import { describe, expect, it } from '@jest/globals';
import { checksInWords, checksOf } from './checks.js';

const event = (type: string, check: string, detail: Record<string, string | number> = {}) => ({
  type,
  at: '2026-11-21T06:30:00.000Z',
  detail: { check, ...detail },
});

describe('the checks of a payment', () => {
  it('are shown as passed, failed or not reached, in the order of the specification', () => {
    const checks = checksOf([
      event('check.passed', 'WALLET_INACTIVE', { limit: 'ACTIVE', actual: 'ACTIVE' }),
      event('check.passed', 'WALLET_EXPIRED'),
      event('check.failed', 'SPEND_LIMIT_PER_TX_EXCEEDED', { limit: 100, actual: 101 }),
    ] as never);
    expect(checks.map(({ result }) => result)).toEqual([
      'passed',
      'passed',
      'failed',
      'not reached',
      'not reached',
      'not reached',
    ]);
    expect(checksInWords(checks)).toBe('2 of 6 passed');
  });
});
