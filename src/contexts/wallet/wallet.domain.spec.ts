import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { kobo } from '../../kernel/money.js';
import { merchantIdentity } from '../../kernel/text.js';
import { hashApiKey, keyHashBytes } from './wallet.port.js';
import { allowlist, newApiKey, assertValid, type SpendingRules } from './wallet.domain.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const SOUND: SpendingRules = {
  spendLimitPerTx: kobo(100),
  spendLimitPeriod: kobo(100),
  periodWindowDays: 30,
  expiry: at(1),
  useAllowlist: false,
  merchantAllowlist: [],
};
const codeOf = (rules: Partial<SpendingRules>): unknown => {
  try {
    assertValid({ ...SOUND, ...rules }, NOW);
    return null;
  } catch (error) {
    return (error as { code: unknown }).code;
  }
};

describe('the rules of a new wallet', () => {
  it.each<[string, Partial<SpendingRules>, string | null]>([
    ['an expiry one millisecond ahead is sound', { expiry: at(1) }, null],
    ['an expiry at this very instant is not', { expiry: at(0) }, 'EXPIRY_IN_PAST'],
    ['an expiry one millisecond ago is not', { expiry: at(-1) }, 'EXPIRY_IN_PAST'],
    ['an allowlist of one entry is sound', { useAllowlist: true, merchantAllowlist: ['Acme'] }, null],
    ['an empty allowlist in use is not', { useAllowlist: true }, 'ALLOWLIST_REQUIRED'],
    ['an empty allowlist not in use is sound', { useAllowlist: false }, null],
    ['a period limit equal to the limit of a payment is sound', { spendLimitPeriod: kobo(100) }, null],
    ['a period limit one kobo above is sound', { spendLimitPeriod: kobo(101) }, null],
    ['a period limit one kobo below is not', { spendLimitPeriod: kobo(99) }, 'PERIOD_LIMIT_TOO_LOW'],
  ])('%s', (_, rules, code) => {
    expect(codeOf(rules)).toBe(code);
  });

  it('are refused for the first that is broken, in the order of the contract', () => {
    const all = { expiry: NOW, useAllowlist: true, spendLimitPeriod: kobo(99) };
    expect(codeOf(all)).toBe('EXPIRY_IN_PAST');
    expect(codeOf({ ...all, expiry: at(1) })).toBe('ALLOWLIST_REQUIRED');
    expect(codeOf({ ...all, expiry: at(1), merchantAllowlist: ['a'] })).toBe('PERIOD_LIMIT_TOO_LOW');
  });
});

describe('an allowlist', () => {
  it('is empty when it is not in use, whatever was named', () => {
    expect(allowlist(false, ['Acme'])).toEqual([]);
  });

  it('keeps the first spelling of each merchant, in the order given', () => {
    expect(allowlist(true, ['Acme', 'ACME', 'Beta', 'ＡＣＭＥ', 'beta ', 'acme  x', 'acme x'])).toEqual([
      'Acme',
      'Beta',
      'acme  x',
    ]);
  });

  it('names every merchant once and none anew', () => {
    const entry = fc.string({
      unit: fc.constantFrom('a', 'A', 'b', 'B', ' ', 'é'),
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const kept = allowlist(true, entries);
        const identities = kept.map(merchantIdentity);
        expect(new Set(identities).size).toBe(identities.length);
        expect(new Set(identities)).toEqual(new Set(entries.map(merchantIdentity)));
        expect(entries).toEqual(expect.arrayContaining(kept));
      }),
    );
  });
});

describe('an API key', () => {
  it('has the form of the contract, a prefix of 16 characters, and a hash in place of itself', () => {
    const { fullKey, keyPrefix, hash } = newApiKey();
    expect(fullKey).toMatch(/^apw_live_[A-Za-z0-9_-]{43}$/);
    expect(keyPrefix).toBe(fullKey.slice(0, 16));
    expect(hash).toEqual(keyHashBytes(hashApiKey(fullKey)));
    expect(hash).toHaveLength(32);
  });

  it('is never the same twice', () => {
    const keys = Array.from({ length: 1_000 }, () => newApiKey().fullKey);
    expect(new Set(keys).size).toBe(1_000);
  });
});
