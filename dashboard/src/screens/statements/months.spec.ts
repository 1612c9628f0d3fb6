import { expect, it } from '@jest/globals';
import { monthInWords, monthsUntil } from './months.js';

it('offers the month that the account’s zone is in, and those before it over the year', () => {
  const midnight = new Date('2026-12-31T23:30:00Z');
  expect(monthsUntil(midnight, 'Africa/Lagos').slice(0, 3)).toEqual(['2027-01', '2026-12', '2026-11']);
  expect(monthsUntil(midnight, 'America/New_York').slice(0, 2)).toEqual(['2026-12', '2026-11']);
  expect(monthsUntil(midnight, 'UTC')).toHaveLength(36);
  expect(monthInWords('2026-11')).toBe('November 2026');
});
