import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { isRolledBack, isUnavailable, isUnreachable, NotCommitted } from './failures.js';

const ofCode = (code?: string): Error =>
  Object.assign(new pg.DatabaseError('refused', 7, 'error'), code !== undefined && { code });

describe('the failure of a COMMIT', () => {
  it.each(['23505', '40001', '40P01', '53100', '25P02', '57P05'])(
    '%s says that nothing was committed',
    (code) => {
      expect(isRolledBack(ofCode(code))).toBe(true);
    },
  );

  it.each(['08006', '57P01', '57P02', '57P03', '58030', 'XX000', 'XX001', undefined])(
    '%s may come after the commit',
    (code) => {
      expect(isRolledBack(ofCode(code))).toBe(false);
    },
  );

  it('is known by what PostgreSQL answers, not by a connection that breaks', () => {
    expect(isRolledBack(new NotCommitted('COMMIT was answered ROLLBACK'))).toBe(true);
    expect(isRolledBack(new Error('Connection terminated unexpectedly'))).toBe(false);
  });

  it('is known where the driver did not send it', () => {
    const lost = new Error('Client has encountered a connection error and is not queryable');
    expect([isRolledBack(lost), isUnreachable(lost)]).toEqual([true, true]);
  });
});

describe('a database', () => {
  it.each([
    ['08006', true, true],
    ['57P01', true, true],
    ['57P03', true, true],
    ['25006', true, true],
    ['53100', true, false],
    ['53300', true, false],
    ['55P03', true, false],
    ['57014', true, false],
    ['23505', false, false],
    ['40P01', false, false],
    ['XX000', false, false],
  ])('that answers %s has no time: %s, and is away: %s', (code, unavailable, unreachable) => {
    expect([isUnavailable(ofCode(code)), isUnreachable(ofCode(code))]).toEqual([unavailable, unreachable]);
  });
});
