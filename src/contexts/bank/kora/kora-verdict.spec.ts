import { describe, expect, it } from '@jest/globals';
import type { KoraReply } from './kora-http.js';
import { mask, pathSegment } from './kora-http.js';
import * as verdict from './kora-verdict.js';

const answer = (
  status: number,
  message: string,
  extra: { data?: unknown; error?: string; ok?: boolean } = {},
) =>
  ({
    kind: 'answer',
    status,
    ok: status < 300,
    message,
    error: '',
    data: null,
    ...extra,
  }) satisfies KoraReply;
const REFERENCE = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f';
const disbursement = (reply: KoraReply) => verdict.disbursement(reply, REFERENCE);
const payoutState = (reply: KoraReply) => verdict.payoutState(reply, REFERENCE);
const resolvedName = (reply: KoraReply) => verdict.resolvedName(reply, '0123456789');
const noResponse: KoraReply = { kind: 'no-response', reason: 'no answer within 30000 ms' };

describe('a disbursement', () => {
  it.each([
    [200, 'Unable to resolve bank account.', 'unknown'],
    [400, 'Unable to resolve bank account.', 'rejected'],
    [400, 'Invalid account.', 'rejected'],
    [400, 'Invalid bank provided.', 'rejected'],
    [409, 'Insufficient funds in disbursement wallet', 'rejected'],
    [409, 'The minimum amount for a payout is 1000', 'rejected'],
    [400, 'Invalid request data', 'rejected'],
    [403, 'not_authorized', 'rejected'],
    [409, 'Duplicate Transaction Reference. Please use a unique reference', 'ask'],
    [400, 'Duplicate Transaction Reference. Please use a unique reference', 'ask'],
    [403, 'forbidden', 'unknown'],
    [401, 'no authorization token found', 'unknown'],
    [401, 'Invalid authorization key', 'unknown'],
    [409, 'Something nobody has documented', 'unknown'],
    [429, 'Too many requests', 'unknown'],
    [500, 'Internal Server Error', 'unknown'],
    [500, 'Insufficient funds in disbursement wallet', 'unknown'],
    [502, 'Invalid account.', 'unknown'],
    [503, 'Duplicate Transaction Reference.', 'unknown'],
    [404, 'Transaction not found', 'unknown'],
  ])('refused with %i and "%s" is %s', (status, message, kind) => {
    expect(disbursement(answer(status, message, { ok: false })).kind).toBe(kind);
  });

  it.each([
    [{ status: 'processing' }, 'accepted'],
    [{ status: 'pending' }, 'accepted'],
    [{ status: 'success' }, 'succeeded'],
    [{ status: 'failed' }, 'ask'],
    [{ status: 'a new word' }, 'ask'],
    [{}, 'unknown'],
    [null, 'unknown'],
    [[], 'unknown'],
  ])('answered yes with the data %j is %s', (data, kind) => {
    expect(disbursement(answer(200, 'ok', { data })).kind).toBe(kind);
  });

  it('refused with the machine word alone is judged by it', () => {
    expect(disbursement(answer(403, 'IP not allowed', { error: 'not_authorized' })).kind).toBe('rejected');
  });

  it('that got no response is unknown', () => {
    expect(disbursement(noResponse)).toEqual({ kind: 'unknown', reason: 'no answer within 30000 ms' });
  });
});

describe('a query for a payout', () => {
  it.each([
    [{ status: 'processing' }, { kind: 'accepted' }],
    [{ status: 'pending' }, { kind: 'accepted' }],
    [{ status: 'success' }, { kind: 'succeeded' }],
    [
      { status: 'success', amount: '1000.50' },
      { kind: 'succeeded', amount: 100_050 },
    ],
    [{ status: 'success', amount: 'a lot' }, { kind: 'succeeded' }],
    [
      { status: 'failed', message: 'Dormant account' },
      { kind: 'failed', reason: 'Dormant account' },
    ],
    [
      { status: 'reversed', message: 'Do not honor' },
      { kind: 'reversed', reason: 'Do not honor' },
    ],
    [{ status: 'a new word' }, { kind: 'unknown', reason: 'HTTP 200: found' }],
    [null, { kind: 'unknown', reason: 'HTTP 200: found' }],
  ])('answered with %j is %j', (data, state) => {
    expect(payoutState(answer(200, 'found', { data }))).toEqual(state);
  });

  it.each([
    [404, 'Transaction not found', 'not-found'],
    [400, 'Transaction not found', 'not-found'],
    [404, 'Route not found', 'unknown'],
    [500, 'Transaction not found', 'unknown'],
    [401, 'Transaction not found', 'unknown'],
    [429, 'Too many requests', 'unknown'],
  ])('refused with %i and "%s" is %s', (status, message, kind) => {
    expect(payoutState(answer(status, message, { ok: false })).kind).toBe(kind);
  });

  it('never repeats an account number in its reason', () => {
    const data = { status: 'failed', message: 'Invalid Bank Account 0123456789' };
    expect(payoutState(answer(200, '', { data }))).toEqual({
      kind: 'failed',
      reason: 'Invalid Bank Account ****6789',
    });
  });
});

describe('the other replies', () => {
  it('tell a name, that there is none, or nothing', () => {
    expect(resolvedName(answer(200, '', { data: { account_name: 'Ada Obi' } }))).toEqual({
      kind: 'resolved',
      accountName: 'Ada Obi',
    });
    expect(resolvedName(answer(400, 'Unable to resolve bank account.')).kind).toBe('not-resolved');
    expect(resolvedName(answer(500, 'Unable to resolve bank account.')).kind).toBe('unknown');
    expect(resolvedName(answer(200, '', { data: {} })).kind).toBe('unknown');
    expect(resolvedName(noResponse).kind).toBe('unknown');
  });

  it('say that a thing is absent only as an envelope with 404', () => {
    expect(verdict.isAbsent(answer(404, 'Charge not found'))).toBe(true);
    expect(verdict.isAbsent(answer(400, 'Charge not found'))).toBe(false);
    expect(verdict.isAbsent(noResponse)).toBe(false);
  });
});

describe('text for people and paths', () => {
  it('masks long numbers to their last four digits and has a bound', () => {
    expect(mask('BVN 22222222222 of 0123456789, code 409')).toBe('BVN ****2222 of ****6789, code 409');
    expect(mask('x'.repeat(500))).toHaveLength(200);
    expect(mask(`${'x'.repeat(199)}😀`)).toBe(`${'x'.repeat(199)}\ufffd`);
  });

  it.each([
    ['a/b?c#d', 'a%2Fb%3Fc%23d'],
    ['0190f0c4-0000-7000', '0190f0c4-0000-7000'],
    ['..', null],
    ['.', null],
    ['', null],
    ['\ud800', null],
  ])('makes of %j the segment %j', (text, segment) => {
    expect(pathSegment(text)).toBe(segment);
  });
});
