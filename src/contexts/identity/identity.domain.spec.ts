import { describe, expect, it } from '@jest/globals';
import { loginDelaySeconds } from './identity.domain.js';

describe('the delay between guesses at one account', () => {
  it.each([
    [0, 0],
    [19, 0],
    [20, 1],
    [21, 2],
    [25, 32],
    [26, 60],
    [27, 60],
    [100_000, 60],
  ])('after %i failures, 20 of them free, is %i s', (failures, seconds) => {
    expect(loginDelaySeconds(failures, 20)).toBe(seconds);
  });
});
