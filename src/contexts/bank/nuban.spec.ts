import { describe, expect, it } from '@jest/globals';
import { BANKS, bankNameOf } from './bank-names.port.js';
import { isNuban, nubanCheckDigit } from './nuban.js';

describe('the NUBAN check digit', () => {
  it.each([
    ['011', '000001457', '9', "the Central Bank's first worked example"],
    ['011', '000000022', '0', "the Central Bank's second, whose sum ends in 0"],
    ['035', '993000073', '7', 'a bank of three digits'],
    ['232', '006868750', '3', 'a bank of three digits'],
    ['50515', '625472798', '9', 'an institution of five digits, which is led by a 9'],
    ['950515', '625472798', '9', 'the same institution written with six'],
    ['000011', '000001457', '9', 'a bank written with six digits'],
    ['999', '000000000', '3', 'a bank nobody has'],
  ])('of bank %s and serial %s is %s: %s', (bankCode, serial, digit) => {
    expect(nubanCheckDigit(bankCode, serial)).toBe(digit);
    expect(isNuban(bankCode, serial + digit)).toBe(true);
  });

  it.each([
    ['033', '0000000000', true],
    ['035', '0000000000', false],
    ['070', '0657789765', false],
  ])('of bank %s and account %s fits: %s', (bankCode, accountNumber, fits) => {
    expect(isNuban(bankCode, accountNumber)).toBe(fits);
  });

  it('accepts exactly one of the ten endings of a serial', () => {
    const fitting = Array.from({ length: 10 }, (_, digit) => `123456789${digit}`).filter((no) =>
      isNuban('058', no),
    );
    expect(fitting).toHaveLength(1);
  });

  it.each([
    ['01', '0000014579'],
    ['0111', '0000014579'],
    ['011', '00001457'],
    ['011', '00000145790'],
    ['011', '000001457x'],
    ['', ''],
  ])('of a malformed pair (%p, %p) fits nothing', (bankCode, accountNumber) => {
    expect(isNuban(bankCode, accountNumber)).toBe(false);
    expect(nubanCheckDigit(bankCode, accountNumber)).toBeNull();
  });
});

describe('the known banks', () => {
  it('have distinct codes of three digits, in order', () => {
    const codes = BANKS.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.every((code) => /^\d{3}$/.test(code))).toBe(true);
    expect(codes).toEqual(codes.toSorted());
  });

  it('are named by code, and an unknown code has no name', () => {
    expect(bankNameOf('058')).toBe('GTBank');
    expect(bankNameOf('999')).toBeNull();
  });
});
