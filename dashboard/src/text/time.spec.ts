import { describe, expect, it } from '@jest/globals';
import {
  chartDay,
  chartWeekday,
  dayOfList,
  dateInput,
  day,
  dayAndTime,
  dayInWords,
  dayOrMoment,
  daysLater,
  dayTyped,
  endOfDay,
  inputOf,
  monthsLater,
  sinceInWords,
  startOfDay,
  timeLeft,
} from './time.js';

const at = (year: number, month: number, ...rest: number[]) =>
  new Date(year, month - 1, ...(rest as [number])).toISOString();

describe('a day that is typed', () => {
  it.each([
    ['29 nov 2026', '2026-11-29'],
    ['29 November 2026', '2026-11-29'],
    [' 1 Sept, 2026 ', '2026-09-01'],
    ['2026-11-29', '2026-11-29'],
    ['2026-1-2', '2026-01-02'],
    ['29/11/2026', '2026-11-29'],
    ['01/02/2026', '2026-02-01'],
    ['1.2.2026', '2026-02-01'],
    ['29 feb 2028', '2028-02-29'],
    ['1000-01-01', '1000-01-01'],
  ])('is read: %s', (text, value) => {
    expect(dayTyped(text)).toBe(value);
  });

  it.each([
    '',
    '29',
    '29 nov',
    '29 nov 26',
    '29 ma',
    '11/29/2026',
    '31/11/2026',
    '29 feb 2026',
    '0 nov 2026',
  ])('is none: %s', (text) => {
    expect(dayTyped(text)).toBeNull();
  });

  it('is shown in words that are read again', () => {
    for (let days = 0; days < 366; days += 1) {
      const value = daysLater('2028-01-01', days);
      expect(dayTyped(dayInWords(value))).toBe(value);
    }
    expect(dayInWords('2026-09-05')).toBe('5 Sept 2026');
    expect(dayInWords('')).toBe('');
  });

  it('is moved by days and months over the ends of them', () => {
    expect(daysLater('2026-12-31', 1)).toBe('2027-01-01');
    expect(daysLater('2026-03-01', -7)).toBe('2026-02-22');
    expect(monthsLater('2026-01-31', 1)).toBe('2026-02-28');
    expect(monthsLater('2026-01-31', -1)).toBe('2025-12-31');
    expect(monthsLater('2028-02-29', 12)).toBe('2029-02-28');
  });
});

describe('a moment', () => {
  const now = new Date(2026, 10, 21);

  it('has its day and time, and the year when it is another one', () => {
    expect(dayAndTime(at(2026, 9, 5, 7, 3), now)).toBe('5 Sept, 07:03');
    expect(dayAndTime(at(2025, 12, 31, 23, 59), now)).toBe('31 Dec 2025, 23:59');
    expect(day(at(2099, 1, 1))).toBe('1 Jan 2099');
  });

  it('is a day when it is the end of one', () => {
    expect(dayOrMoment(at(2027, 3, 9, 23, 59, 59))).toBe('9 Mar 2027');
    expect(dayOrMoment(at(2027, 3, 9, 23, 58))).toBe('9 Mar 2027, 23:58');
  });

  it('of a chart is a date in no zone', () => {
    expect(chartDay('2026-06-30')).toBe('30 Jun');
    expect(chartDay('2026-01-01')).toBe('1 Jan');
    expect(chartWeekday('2026-11-21')).toBe('Sat, 21 Nov');
  });

  it.each(Array.from({ length: 12 }, (_, month) => month))('has month %i as en-GB has it', (month) => {
    const date = new Date(2026, month, 21);
    const expected = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
    expect(day(date)).toBe(expected.format(date));
  });
});

describe('a date input', () => {
  it('holds the day of an instant, in the viewer’s zone', () => {
    expect(inputOf(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05');
    expect(inputOf(new Date(2026, 11, 31))).toBe('2026-12-31');
  });

  it('holds the day that comes after so many, past the end of a month', () => {
    expect(dateInput(0, new Date(2026, 10, 30, 23, 59))).toBe('2026-11-30');
    expect(dateInput(1, new Date(2026, 10, 30, 23, 59))).toBe('2026-12-01');
  });

  it('names a day from its first second to its last', () => {
    expect(startOfDay('2026-11-30')).toEqual(new Date(2026, 10, 30, 0, 0, 0, 0));
    expect(endOfDay('2026-11-30')).toEqual(new Date(2026, 10, 30, 23, 59, 59, 0));
    expect([startOfDay(''), endOfDay('30.11.2026')]).toEqual([null, null]);
  });
});

describe('what is left of a time', () => {
  const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

  it.each([
    [-1, '0 s'],
    [MINUTE - 1, '59 s'],
    [MINUTE, '1 min'],
    [HOUR - SECOND, '59 min'],
    [HOUR, '1 h'],
    [3 * HOUR + 12 * MINUTE, '3 h 12 min'],
    [10 * HOUR + 12 * MINUTE, '10 h'],
    [48 * HOUR - 1, '47 h'],
    [48 * HOUR, '2 days'],
  ])('%s ms is %s', (ms, words) => {
    expect(timeLeft(ms)).toBe(words);
  });
});

it('a visit is told by its time, its weekday, or its date', () => {
  const now = new Date(2026, 10, 28, 9, 0);
  const since = (day: number, ...rest: [number, number]) => sinceInWords(at(2026, 11, day, ...rest), now);
  expect(since(28, 0, 0)).toBe('00:00');
  expect(since(27, 23, 59)).toBe('yesterday, 23:59');
  expect(since(26, 18, 30)).toBe('Thursday, 18:30');
  expect(since(22, 0, 0)).toBe('Sunday, 00:00');
  expect(since(21, 23, 59)).toBe('21 Nov, 23:59');
});

it('names the days of a list', () => {
  const now = new Date(2026, 0, 1, 10);
  expect(dayOfList(new Date(2026, 0, 1, 0, 0).toISOString(), now)).toBe('Today');
  expect(dayOfList(new Date(2025, 11, 31, 23, 59).toISOString(), now)).toBe('Yesterday');
  expect(dayOfList(new Date(2025, 11, 30, 23, 59).toISOString(), now)).toBe('Tue, 30 Dec 2025');
  expect(dayOfList(new Date(2026, 0, 3).toISOString(), now)).toBe('Sat, 3 Jan');
});
