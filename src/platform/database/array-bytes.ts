/** 2000-01-01, from which PostgreSQL counts the microseconds of a time. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
/** In place of a length. */
const NULL = -1;

/** What PostgreSQL puts before the text of a `jsonb` that it sends or is sent; before that of a `json`, nothing. */
const JSONB_VERSION = 1;
/** Text up to this length is written here, when it is ASCII: a call into native code takes longer. */
const SHORT_TEXT_MAX = 24;
const UTF8_BYTES_MAX = 3;

interface Format {
  /** The type's number in PostgreSQL's catalogue. */
  readonly oid: number;
  /** The most bytes that a value may take. */
  room(value: unknown): number;
  /** Writes a value and answers the bytes that it took; none, for one that is of another kind or does not fit. */
  write(value: unknown, to: Buffer, at: number): number | null;
}

const TIME_BYTES = 8;
const UUID_BYTES = 16;

const FORMATS: Readonly<Record<string, Format>> = {
  boolean: {
    oid: 16,
    room: () => 1,
    write: (value, to, at) => {
      if (typeof value !== 'boolean') return null;
      to[at] = Number(value);
      return 1;
    },
  },
  integer: {
    oid: 23,
    room: () => 4,
    write: (value, to, at) => {
      if (!Number.isInteger(value) || Math.abs(value as number) >= 2 ** 31) return null;
      to.writeInt32BE(value as number, at);
      return 4;
    },
  },
  bigint: { oid: 20, room: () => 8, write: writeWhole },
  uuid: { oid: 2950, room: () => UUID_BYTES, write: writeUuid },
  timestamptz: {
    oid: 1184,
    room: () => TIME_BYTES,
    write: (value, to, at) =>
      value instanceof Date ? writeWhole((value.getTime() - EPOCH_MS) * 1_000, to, at) : null,
  },
  text: { oid: 25, room: roomOfText, write: writeText },
  json: { oid: 114, room: roomOfText, write: writeText },
  jsonb: {
    oid: 3802,
    room: (value) => 1 + roomOfText(value),
    write: (value, to, at) => {
      const bytes = writeText(value, to, at + 1);
      if (bytes === null) return null;
      to[at] = JSONB_VERSION;
      return 1 + bytes;
    },
  },
  bytea: {
    oid: 17,
    room: (value) => (Buffer.isBuffer(value) ? value.length : 0),
    write: (value, to, at) => (Buffer.isBuffer(value) ? value.copy(to, at) : null),
  },
};

function roomOfText(value: unknown): number {
  if (typeof value !== 'string') return 0;
  return value.length <= SHORT_TEXT_MAX ? UTF8_BYTES_MAX * value.length : Buffer.byteLength(value);
}

function writeText(value: unknown, to: Buffer, at: number): number | null {
  if (typeof value !== 'string') return null;
  if (value.length > SHORT_TEXT_MAX) return to.write(value, at);
  for (let i = 0; i < value.length; i += 1) {
    const code = value.charCodeAt(i);
    if (code > 0x7f) return to.write(value, at);
    to[at + i] = code;
  }
  return value.length;
}

/** Where the hyphens and the 32 digits of a UUID are in its text. */
const HYPHENS_AT = [8, 13, 18, 23];
const DIGITS_AT = Array.from({ length: 36 }, (_, i) => i).filter((i) => !HYPHENS_AT.includes(i));
const NO_DIGIT = 0x80;
/** The value of a hexadecimal digit by its code. */
const DIGIT = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? NO_DIGIT : value;
});

function writeUuid(value: unknown, to: Buffer, at: number): number | null {
  if (typeof value !== 'string' || value.length !== 36) return null;
  if (HYPHENS_AT.some((hyphen) => value[hyphen] !== '-')) return null;
  let digits = 0;
  for (let i = 0; i < 32; i += 2) {
    const high = DIGIT[value.charCodeAt(DIGITS_AT[i] as number)] ?? NO_DIGIT;
    const low = DIGIT[value.charCodeAt(DIGITS_AT[i + 1] as number)] ?? NO_DIGIT;
    digits |= high | low;
    to[at + i / 2] = (high << 4) | low;
  }
  return digits < NO_DIGIT ? UUID_BYTES : null;
}

function writeWhole(value: unknown, to: Buffer, at: number): number | null {
  if (!Number.isSafeInteger(value)) return null;
  to.writeInt32BE(Math.floor((value as number) / 2 ** 32), at);
  to.writeInt32BE((value as number) | 0, at + 4);
  return 8;
}

/**
 * A list in the format in which PostgreSQL keeps it: it reads a time so in a sixth of what its text takes, a UUID in next
 * to nothing, a number in less than half, and looks for no quotes in a text. Undefined for a column of another type, and
 * for a list with something else in it: as text, PostgreSQL judges that.
 */
export function arrayBytes(type: string, list: readonly unknown[]): Buffer | undefined {
  const format = FORMATS[type];
  if (!format) return undefined;
  let room = HEADER_BYTES;
  for (let i = 0; i < list.length; i += 1)
    room += LENGTH_BYTES + (list[i] === null ? 0 : format.room(list[i]));
  const bytes = Buffer.allocUnsafe(room);
  let at = HEADER_BYTES;
  let hasNull = 0;
  for (let i = 0; i < list.length; i += 1) {
    if (list[i] === null) {
      hasNull = 1;
      at = bytes.writeInt32BE(NULL, at);
      continue;
    }
    const length = format.write(list[i], bytes, at + LENGTH_BYTES);
    if (length === null) return undefined;
    at = bytes.writeInt32BE(length, at) + length;
  }
  // One dimension, whose first element has the number 1.
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(hasNull, 4);
  bytes.writeInt32BE(format.oid, 8);
  bytes.writeInt32BE(list.length, 12);
  bytes.writeInt32BE(1, 16);
  return bytes.subarray(0, at);
}
