import { randomUUIDv7 } from 'node:crypto';

/** A UUID's 12 bits behind the version, which count here, and what follows them, which is random. */
const COUNT = [15, 18] as const;
const REST = 18;
const COUNT_MAX = 0xfff;

/**
 * Makes UUIDs of version 7, for rows: those of one sequence sort, as text and in PostgreSQL, in the order in which they
 * were made, also within a millisecond and when the clock is set back. They tell rows apart and are no secret: 62 bits
 * of each are random.
 */
export function idSequence(): () => string {
  let last = 0;
  let time = timeOf(last);
  let count = 0;
  return () => {
    const random = randomUUIDv7();
    const now = Date.now();
    if (now > last) {
      time = timeOf((last = now));
      // Random, so that processes do not meet; half of the numbers are left to count up.
      count = parseInt(random.slice(...COUNT), 16) >> 1;
    } else if (count < COUNT_MAX) {
      count += 1;
    } else {
      time = timeOf((last += 1));
      count = 0;
    }
    return `${time}-7${count.toString(16).padStart(3, '0')}${random.slice(REST)}`;
  };
}

/** A new id for a row, of the one sequence of this process. */
export const newId = idSequence();

/** Sorts before every id that `newId` gives at `atMs` (milliseconds since 1970) or later, and after those from before. */
export function leastIdAt(atMs: number): string {
  return `${timeOf(atMs)}-7000-8000-000000000000`;
}

function timeOf(atMs: number): string {
  const digits = Math.floor(atMs).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
