import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { timeOf } from './time-text.js';

const parserOf = pg.types.getTypeParser as (oid: number) => (text: string) => unknown;
const general = parserOf(pg.types.builtins.TIMESTAMPTZ);
const unread = (text: string): string => `left to the driver: ${text}`;

describe('a time as PostgreSQL writes it', () => {
  it.each([
    ['2026-11-24 10:00:00+00', '2026-11-24T10:00:00.000Z'],
    ['2026-11-24 10:00:00.1+00', '2026-11-24T10:00:00.100Z'],
    ['2026-11-24 10:00:00.02+00', '2026-11-24T10:00:00.020Z'],
    ['2026-11-24 10:00:00.003+00', '2026-11-24T10:00:00.003Z'],
    ['2026-11-24 10:00:00.123999+00', '2026-11-24T10:00:00.123Z'],
    ['2024-02-29 23:59:59.999999+00', '2024-02-29T23:59:59.999Z'],
    ['0100-01-01 00:00:00+00', '0100-01-01T00:00:00.000Z'],
    ['9999-12-31 23:59:59.999+00', '9999-12-31T23:59:59.999Z'],
  ])('is read of %s', (text, time) => {
    expect(timeOf(text, unread)).toEqual(new Date(time));
    expect(general(text)).toEqual(new Date(time));
  });

  it.each([
    'infinity',
    '-infinity',
    '0099-12-31 23:59:59+00',
    '10000-01-01 00:00:00+00',
    '0044-03-15 12:00:00+00 BC',
    '2026-11-24 10:00:00+01',
    '2026-11-24 10:00:00+05:30',
    '2026-11-24 10:00:00-00',
  ])('is left to the driver of %s', (text) => {
    expect(timeOf(text, unread)).toBe(unread(text));
  });

  it('is what the driver reads, whatever it is', () => {
    const moment = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moment, fc.integer({ min: 0, max: 999 }), (at, micros) => {
        const [day, rest] = at.toISOString().split('T') as [string, string];
        const fraction = `${rest.slice(8, -1)}${String(micros).padStart(3, '0')}`.replace(/\.?0+$/, '');
        const text = `${day} ${rest.slice(0, 8)}${fraction}+00`;
        expect(timeOf(text, general)).toEqual(general(text));
        expect(timeOf(text, general)).toEqual(at);
      }),
    );
  });
});
