import { afterAll, afterEach, beforeAll, jest } from '@jest/globals';
import { Bank, type Collection } from '../../src/contexts/bank/bank.port.js';
import { kobo } from '../../src/kernel/money.js';
import { startService, type TestService } from './service.js';

const HOUR_MS = 60 * 60_000;

/** An hour before and behind now: what a test has made is in it. */
export const aroundNow = () => ({
  from: new Date(Date.now() - HOUR_MS),
  to: new Date(Date.now() + HOUR_MS),
});

/** One service for all tests of a file, and its bank, whose answers a test may replace until it ends. */
export function useBank(begin: (service: TestService, bank: Bank) => void): void {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    begin(service, service.app.get(Bank, { strict: false }));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.close());
}

/** ₦10.00 that reached the account of a wallet, as the bank has it. */
export const collectionOf = (
  accountReference: string,
  reference: string,
  fields: Partial<Collection> = {},
): Collection => ({
  reference,
  accountReference,
  amount: kobo(1_000),
  currency: 'NGN',
  narration: null,
  at: null,
  ...fields,
});
