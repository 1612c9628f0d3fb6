import { expect, it } from '@jest/globals';
import { AppError } from './errors.js';

it('an AppError stands in logs under the name of its class', () => {
  const error = new AppError('WALLET_CLOSED', 'The wallet is closed.');
  expect(String(error)).toBe('AppError: The wallet is closed.');
  expect(error.stack).toMatch(/^AppError: The wallet is closed\./);
});
