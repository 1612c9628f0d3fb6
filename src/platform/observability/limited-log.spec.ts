import { expect, it } from '@jest/globals';
import { LimitedLog } from './limited-log.js';

it('writes an error of each kind once in ten seconds, and then how many it left out', () => {
  const lines: unknown[] = [];
  let now = 0;
  const log = new LimitedLog(
    { error: (...line: unknown[]) => void lines.push(line), warn: () => undefined },
    () => now,
  );
  const down = new Error('connect ECONNREFUSED 127.0.0.1:5432');
  const other = new Error('something else');

  expect(log.error(down, 'the database is unavailable')).toBe(true);
  for (let i = 0; i < 500; i += 1) expect(log.error(down, 'the database is unavailable')).toBe(false);
  expect(log.error(other, 'the database is unavailable')).toBe(true);
  now = 9_999;
  expect(log.error(down, 'the database is unavailable')).toBe(false);
  now = 10_000;
  expect(log.error(down, 'the database is unavailable')).toBe(true);

  expect(lines).toEqual([
    [{ err: down }, 'the database is unavailable'],
    [{ err: other }, 'the database is unavailable'],
    [{ err: down, leftOut: 501 }, 'the database is unavailable'],
  ]);
});

it('writes a line once in ten seconds, whatever its numbers are, and then how many it left out', () => {
  const lines: unknown[] = [];
  let now = 0;
  const log = new LimitedLog(
    { error: () => undefined, warn: (...line: unknown[]) => void lines.push(line) },
    () => now,
  );
  for (let i = 0; i < 20; i += 1) log.warn(`connection lost, trying again in ${i} ms`);
  log.warn('something else');
  now = 10_000;
  log.warn('connection lost, trying again in 700 ms');
  expect(lines).toEqual([
    ['connection lost, trying again in 0 ms'],
    ['something else'],
    [{ leftOut: 19 }, 'connection lost, trying again in 700 ms'],
  ]);
});

it('keeps a bounded number of kinds', () => {
  let written = 0;
  const log = new LimitedLog({ error: () => (written += 1), warn: () => undefined }, () => 0);
  for (let i = 0; i < 1_000; i += 1) log.error(new Error(`kind ${i}`), 'failed');
  expect(written).toBe(1_000);
  log.error(new Error('kind 0'), 'failed');
  expect(written).toBe(1_001);
});
