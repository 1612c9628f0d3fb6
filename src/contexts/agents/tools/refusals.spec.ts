import { describe, expect, it } from '@jest/globals';
import { toolError } from './refusals.js';

const nextOf = (code: string, status: number, pays: boolean) =>
  toolError({ status, body: { error: { code, message: '' } }, header: () => undefined }, pays).next;

describe('what to do next', () => {
  it.each([
    ['INTERNAL_ERROR', 500],
    ['OUTCOME_UNKNOWN', 503],
    ['DATABASE_UNAVAILABLE', 503],
    ['BANK_UNAVAILABLE', 503],
    ['RATE_LIMITED', 429],
  ])('after %s is to call the same tool again where it pays nothing', (code, status) => {
    expect(nextOf(code, status, false)).toMatch(/^Nothing was changed\..* the same tool again/);
    expect(nextOf(code, status, true)).toMatch(/make_payment again with the same purchaseId/);
  });

  it.each([
    ['INVALID_API_KEY', 401, /^This key is revoked/],
    ['ACCOUNT_NOT_FOUND', 404, /^Ask for the account number/],
    ['VALIDATION_ERROR', 400, /^Correct the arguments/],
    ['NOT_FOUND', 404, /^Correct the call/],
  ])('after %s is the same whatever was asked', (code, status, next) => {
    expect(nextOf(code, status, false)).toMatch(next);
    expect(nextOf(code, status, true)).toMatch(next);
  });
});

it('tells an agent that a rule it has no words for keeps the attempt blocked', () => {
  const refused = { code: 'A_RULE_OF_TOMORROW', message: '', transactionId: 'an attempt' };
  const next = (body: object) => toolError({ status: 403, body, header: () => undefined }, true).next;
  expect(next(refused)).toMatch(/^This attempt moved no money and stays blocked/);
  expect(next({ ...refused, transactionId: undefined })).toBe('Correct the call.');
});

it('leaves a payment in doubt after a 408 that is none of the service', () => {
  const after = (body: object) => toolError({ status: 408, body, header: () => undefined }, true);
  expect(after({ message: 'Request timed out' }).next).toMatch(/^Whether it was done is not known/);
  expect(after({ error: { code: 'REQUEST_TIMEOUT' } }).next).toMatch(/^Nothing is wrong with the call/);
});

it('names the argument that stands for the Idempotency-Key, and how long to wait', () => {
  const errors = [
    { field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
    { field: 'amount', message: 'must be a whole number' },
  ];
  const asked = (retryAfter: string | undefined) =>
    toolError({ status: 400, body: { code: 'VALIDATION_ERROR', errors }, header: () => retryAfter }, true);
  expect(asked('1').errors?.map(({ field }) => field)).toEqual(['purchaseId', 'amount']);
  expect(
    ['1', '0', 'Fri, 27 Nov 2026 04:20:17 GMT', undefined].map((each) => asked(each).retryAfterSeconds),
  ).toEqual([1, undefined, undefined, undefined]);
});
