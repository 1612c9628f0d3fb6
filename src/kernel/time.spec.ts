import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isBefore, isoText, parseInstant, parseRequestInstant } from './time.js';

describe('an instant', () => {
  it.each([
    ['2026-11-21T06:30:00.000Z', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21T06:30:00Z', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21T06:30Z', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21T06:30:00z', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21T06:30:00.5Z', '2026-11-21T06:30:00.500Z'],
    ['2026-11-21T06:30:00,5Z', '2026-11-21T06:30:00.500Z'],
    ['2026-11-21T06:30:00.123456789Z', '2026-11-21T06:30:00.123Z'],
    ['2026-11-21T06:30:00+01:00', '2026-11-21T05:30:00.000Z'],
    ['2026-11-21T06:30:00+0100', '2026-11-21T05:30:00.000Z'],
    ['2026-11-21T06:30:00+01', '2026-11-21T05:30:00.000Z'],
    ['2026-11-21T06:30:00-05:30', '2026-11-21T12:00:00.000Z'],
    ['2026-11-21 06:30:00', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('is read from %s', (text, expected) => {
    expect(parseInstant(text)?.toISOString()).toBe(expected);
  });

  it('without a zone is UTC', () => {
    expect(parseInstant('2026-11-21T06:30:00')).toEqual(parseInstant('2026-11-21T06:30:00Z'));
  });

  it.each([
    '2026-02-30',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-11-00',
    '2026-11-31',
    '2026-11-21T24:01:00Z',
    '2026-11-21T23:60:00Z',
    '2026-11-21T23:59:60Z',
    '2026-11-21T06:30:00+25:00',
    '2026-11-21T06',
    '2026-11-21T06:30:00ZZ',
    '2026-11-21T06:30:00 Africa/Lagos',
    '+275760-09-13T00:00:00.001Z',
    '20261121T063000Z',
    '21/11/2026',
    'tomorrow',
    '1795242600000',
    '',
  ])('is not read from %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it('comes back from its own ISO form', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0000-01-01T00:00:00.000Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          expect(parseInstant(date.toISOString())).toEqual(date);
        },
      ),
    );
  });
});

describe('an instant of a request', () => {
  it.each([
    ['2026-11-21T06:30:00.000Z', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21t06:30:00z', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21 06:30:00', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21T06:30', '2026-11-21T06:30:00.000Z'],
    ['2026-11-21 06:30+01:00', '2026-11-21T05:30:00.000Z'],
    ['2026-11-21T06:30:00.1234567890123Z', '2026-11-21T06:30:00.123Z'],
    ['2026-11-21T06:30:00-23:59', '2026-11-22T06:29:00.000Z'],
    ['2026-11-21T06:30:00-00:00', '2026-11-21T06:30:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['1969-12-31T23:30:00-01:00', '1970-01-01T00:30:00.000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999Z'],
  ])('is read from %s', (text, expected) => {
    expect(parseRequestInstant(text)?.toISOString()).toBe(expected);
  });

  it.each([
    '2026-11-21',
    '2026-02-30T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T23:60:00Z',
    '2026-11-21T23:59:60Z',
    '2026-11-21T06',
    '2026-11-21T06:30:00,5Z',
    '2026-11-21T06:30:00.Z',
    '2026-11-21T06:30:00 Z',
    '2026-11-21T06:30:00+01',
    '2026-11-21T06:30:00+0100',
    '2026-11-21T06:30:00+24:00',
    '2026-11-21T06:30:00+01:60',
    '2026-11-21  06:30:00',
    ' 2026-11-21T06:30:00Z',
    '2026-11-21T06:30:00Z\n',
    '20261121T063000Z',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:30:00+01:00',
    '9999-12-31T23:59:59-00:01',
    '+010000-01-01T00:00:00Z',
    'tomorrow',
    '1795242600000',
    '',
  ])('is not read from %j', (text) => {
    expect(parseRequestInstant(text)).toBeNull();
  });
});

describe('a time as text', () => {
  const instants = fc.oneof(fc.date({ noInvalidDate: true }), fc.constantFrom(new Date(0), new Date(1)));

  it('is what toISOString makes of it, whichever was asked for before', () => {
    fc.assert(
      fc.property(fc.array(instants), (times) => {
        expect(times.map(isoText)).toEqual(times.map((at) => at.toISOString()));
      }),
    );
  });

  it('is no text of a time that is none', () => {
    expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError);
    expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError);
  });

  it('is before another as the times are, in any year', () => {
    const near = fc
      .tuple(instants, fc.integer({ min: -2, max: 2 }))
      .map(([at, by]) => [at, new Date(at.getTime() + by)] as const)
      .filter(([, other]) => !Number.isNaN(other.getTime()));
    fc.assert(
      fc.property(fc.oneof(fc.tuple(instants, instants), near), ([a, b]) => {
        expect(isBefore(a.toISOString(), b.toISOString())).toBe(a.getTime() < b.getTime());
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['9999-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.000Z'],
    ['-000001-12-31T23:59:59.999Z', '0000-01-01T00:00:00.000Z'],
    ['-000002-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z'],
  ])('is before another where the year has more than four digits: %s before %s', (time, other) => {
    expect(isBefore(time, other)).toBe(true);
    expect(isBefore(other, time)).toBe(false);
    expect(isBefore(time, time)).toBe(false);
  });
});
