/** 2000-01-01, from which PostgreSQL counts the microseconds of a time. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
/** In place of a length. */
const NULL = -1;

interface Format {
  /** The type's number in PostgreSQL's catalogue. */
  readonly oid: number;
  readonly width: number;
  /** Writes a value; false, for one that is of another kind or does not fit. */
  write(value: unknown, to: Buffer, at: number): boolean;
}

const FORMATS: Readonly<Record<string, Format>> = {
  integer: {
    oid: 23,
    width: 4,
    write: (value, to, at) => {
      if (!Number.isInteger(value) || Math.abs(value as number) >= 2 ** 31) return false;
      to.writeInt32BE(value as number, at);
      return true;
    },
  },
  bigint: { oid: 20, width: 8, write: writeWhole },
  uuid: { oid: 2950, width: 16, write: writeUuid },
  timestamptz: {
    oid: 1184,
    width: 8,
    write: (value, to, at) =>
      value instanceof Date && writeWhole((value.getTime() - EPOCH_MS) * 1_000, to, at),
  },
};

/** Where the hyphens and the 32 digits of a UUID are in its text. */
const HYPHENS_AT = [8, 13, 18, 23];
const DIGITS_AT = Array.from({ length: 36 }, (_, i) => i).filter((i) => !HYPHENS_AT.includes(i));
const NO_DIGIT = 0x80;
/** The value of a hexadecimal digit by its code. */
const DIGIT = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? NO_DIGIT : value;
});

function writeUuid(value: unknown, to: Buffer, at: number): boolean {
  if (typeof value !== 'string' || value.length !== 36) return false;
  if (HYPHENS_AT.some((hyphen) => value[hyphen] !== '-')) return false;
  let digits = 0;
  for (let i = 0; i < 32; i += 2) {
    const high = DIGIT[value.charCodeAt(DIGITS_AT[i] as number)] ?? NO_DIGIT;
    const low = DIGIT[value.charCodeAt(DIGITS_AT[i + 1] as number)] ?? NO_DIGIT;
    digits |= high | low;
    to[at + i / 2] = (high << 4) | low;
  }
  return digits < NO_DIGIT;
}

function writeWhole(value: unknown, to: Buffer, at: number): boolean {
  if (!Number.isSafeInteger(value)) return false;
  to.writeInt32BE(Math.floor((value as number) / 2 ** 32), at);
  to.writeInt32BE((value as number) | 0, at + 4);
  return true;
}

/**
 * A list of whole numbers, times or UUIDs in the format in which PostgreSQL keeps them: it reads a time so in a sixth of
 * what its text takes, a UUID in next to nothing, and a number in less than half. Undefined for a column of another
 * type, and for a list with something else in it: as text, PostgreSQL judges that.
 */
export function arrayBytes(type: string, list: readonly unknown[]): Buffer | undefined {
  const format = FORMATS[type];
  if (!format) return undefined;
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + list.length * (LENGTH_BYTES + format.width));
  let at = HEADER_BYTES;
  let hasNull = 0;
  for (const value of list) {
    if (value === null) {
      hasNull = 1;
      at = bytes.writeInt32BE(NULL, at);
      continue;
    }
    at = bytes.writeInt32BE(format.width, at);
    if (!format.write(value, bytes, at)) return undefined;
    at += format.width;
  }
  // One dimension, whose first element has the number 1.
  for (const [i, field] of [1, hasNull, format.oid, list.length, 1].entries())
    bytes.writeInt32BE(field, 4 * i);
  return bytes.subarray(0, at);
}
