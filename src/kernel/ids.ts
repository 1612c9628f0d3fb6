import { randomFillSync } from 'node:crypto';

const COUNT_AT = 15;
const COUNT_MAX = 0xfff;
const VARIANT_AT = 19;
const RANDOM_AT = [20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35];
const RANDOM_BYTES = 10;
const FIRST_COUNT_AT = 8;
const DIGITS = Buffer.from('0123456789abcdef', 'latin1');

/** UUIDs v7 in order of creation, also after the clock is set back. 62 random bits: unique, not secret. */
export function idSequence(): () => string {
  const random = Buffer.alloc(256 * RANDOM_BYTES);
  let used = random.length;
  const text = Buffer.from(leastIdAt(0), 'latin1');
  let last = 0;
  let count = 0;
  const begin = (atMs: number): void => {
    last = atMs;
    text.write(timeOf(atMs), 'latin1');
  };
  return () => {
    if (used === random.length) {
      randomFillSync(random);
      used = 0;
    }
    const now = Date.now();
    if (now > last) {
      begin(now);
      // Random start, with half of the range left.
      count = random.readUInt16BE(used + FIRST_COUNT_AT) & (COUNT_MAX >> 1);
    } else if (count < COUNT_MAX) {
      count += 1;
    } else {
      begin(last + 1);
      count = 0;
    }
    putDigit(text, COUNT_AT, count >> 8);
    putDigit(text, COUNT_AT + 1, count >> 4);
    putDigit(text, COUNT_AT + 2, count);
    putDigit(text, VARIANT_AT, 8 | ((random[used] as number) & 3));
    for (let i = 0; i < RANDOM_AT.length; i += 1) {
      const byte = random[used + ((i + 1) >> 1)] as number;
      putDigit(text, RANDOM_AT[i] as number, i % 2 === 0 ? byte >> 4 : byte);
    }
    used += RANDOM_BYTES;
    return text.toString('latin1');
  };
}

function putDigit(text: Buffer, at: number, value: number): void {
  text[at] = DIGITS[value & 0xf] as number;
}

export const newId = idSequence();

/** Of replicas, whose ids are sought by time. */
export const CLOCKS_APART_MS = 3 * 60 * 60_000;

/** Sorts before ids made at `atMs` (since 1970) or later. */
export function leastIdAt(atMs: number): string {
  return `${timeOf(atMs)}-7000-8000-000000000000`;
}

function timeOf(atMs: number): string {
  const digits = Math.floor(atMs).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
