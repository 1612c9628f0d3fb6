import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fastify } from 'fastify';
import { isWholeText, JSON_DEPTH_MAX, JSON_MEMBERS_MAX, readJsonOnly, scanJson } from './json-body.js';

describe('the text of a JSON number', () => {
  it.each([
    '0',
    '-0',
    '1',
    '1.0',
    '1.000',
    '1e2',
    '1E2',
    '1e+2',
    '1.50e1',
    '100e-2',
    '0.0',
    '0e-9',
    '0.00e-999',
  ])('is whole: %s', (text) => expect(isWholeText(text)).toBe(true));

  it.each([
    '0.5',
    '1.5',
    '1000.00000000000000001',
    '9007199254740991.4',
    '1e-1',
    '15e-1',
    '1.55e1',
    '1e-400',
    '10e-3',
  ])('is not whole: %s', (text) => expect(isWholeText(text)).toBe(false));

  it('takes no longer for a long one', () => {
    expect(isWholeText(`1.${'0'.repeat(60_000)}1`)).toBe(false);
    expect(isWholeText(`1.${'0'.repeat(60_000)}`)).toBe(true);
  });
});

describe('a body', () => {
  it.each([
    ['31 levels deep', '['.repeat(31) + ']'.repeat(31), 200],
    ['32 levels deep', '['.repeat(32) + ']'.repeat(32), 200],
    ['33 levels deep', '['.repeat(33) + ']'.repeat(33), 'body: is nested more than 32 levels deep'],
    ['of 999 members', `{${members(999)}}`, 200],
    ['of 1,000 members', `{${members(1_000)}}`, 200],
    ['of 1,001 members', `{${members(1_001)}}`, 'body: has more than 1000 members'],
  ])('%s is read up to the bound', async (_, payload, expected) => {
    const server = fastify();
    readJsonOnly(server);
    server.post('/', () => ({}));
    const headers = { 'content-type': 'application/json' };
    const answer = await server.inject({ method: 'POST', url: '/', headers, payload });
    const { message } = answer.json<{ message?: string }>();
    expect(message ?? answer.statusCode).toBe(expected);
  });
});

function members(count: number): string {
  return Array.from({ length: count }, (_, i) => `"m${i}":0`).join();
}

describe('a JSON text', () => {
  it('is scanned for its depth, its members and its fractions as a parser would find them', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        expect(scanJson(text)).toEqual({
          depth: depthOf(value),
          members: membersIn(value),
          hasFractions: numbersIn(value).some((number) => /[.eE]/.test(JSON.stringify(number))),
        });
      }),
    );
  });

  it('is read no further than the bounds', () => {
    expect(scanJson('['.repeat(60_000)).depth).toBe(JSON_DEPTH_MAX + 1);
    expect(scanJson(`{${'"a":1,'.repeat(9_000)}`).members).toBe(JSON_MEMBERS_MAX + 1);
  });
});

function children(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...children(value).map(depthOf));
}

function membersIn(value: unknown): number {
  const own =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0;
  return own + children(value).reduce((sum: number, each) => sum + membersIn(each), 0);
}

function numbersIn(value: unknown): number[] {
  return typeof value === 'number' ? [value] : children(value).flatMap(numbersIn);
}
