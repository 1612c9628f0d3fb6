import { describe, expect, it } from '@jest/globals';
import { generateSync } from 'otplib';
import { newSecret, stepOf } from './totp.js';

describe('a code of an authenticator app', () => {
  const { secret } = newSecret('Wallets', 'ada@example.com');
  /** In the middle of a step of 30 seconds. */
  const now = new Date('2026-11-21T06:30:15Z');
  const step = Math.floor(now.getTime() / 30_000);
  const codeOf = (steps: number) => generateSync({ secret, epoch: (step + steps) * 30 });

  it.each([-1, 0, 1])('may be %i steps off', (steps) => {
    expect(stepOf(codeOf(steps), secret, now)).toBe(step + steps);
  });

  it.each([-3, -2, 2, 3])('may not be %i steps off', (steps) => {
    expect(stepOf(codeOf(steps), secret, now)).toBeNull();
  });
});
