/** 2000-01-01, PostgreSQL's epoch. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
/** Length of a null. */
const NULL = -1;

/** Version byte before the text of a `jsonb`; a `json` has none. */
const JSONB_VERSION = 1;
const UTF8_BYTES = 3;

interface Format {
  readonly oid: number;
  /** Largest number of bytes a value takes. */
  readonly room: (value: unknown) => number;
  readonly write: (value: unknown, to: Buffer, at: number) => number | null;
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
      put(value as number, to, at);
      return 4;
    },
  },
  bigint: { oid: 20, room: () => 8, write: writeWhole },
  uuid: { oid: 2950, room: () => UUID_BYTES, write: writeUuid },
  timestamptz: {
    oid: 1184,
    room: () => TIME_BYTES,
    write: (value, to, at) => (value instanceof Date ? writeTime(value, to, at) : null),
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
  return typeof value === 'string' ? UTF8_BYTES * value.length : 0;
}

function writeText(value: unknown, to: Buffer, at: number): number | null {
  return typeof value === 'string' ? to.write(value, at) : null;
}

const HYPHEN = 0x2d;
/** Offsets of each byte's digits in a UUID's text. */
const BYTES_AT = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
const NO_DIGIT = 0x80;
const DIGIT = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? NO_DIGIT : value;
});

function writeUuid(value: unknown, to: Buffer, at: number): number | null {
  if (typeof value !== 'string' || value.length !== 36) return null;
  const isHyphened =
    value.charCodeAt(8) === HYPHEN &&
    value.charCodeAt(13) === HYPHEN &&
    value.charCodeAt(18) === HYPHEN &&
    value.charCodeAt(23) === HYPHEN;
  if (!isHyphened) return null;
  let digits = 0;
  for (let i = 0; i < UUID_BYTES; i += 1) {
    const from = BYTES_AT[i] as number;
    const high = DIGIT[value.charCodeAt(from)] ?? NO_DIGIT;
    const low = DIGIT[value.charCodeAt(from + 1)] ?? NO_DIGIT;
    digits |= high | low;
    to[at + i] = (high << 4) | low;
  }
  return digits < NO_DIGIT ? UUID_BYTES : null;
}

function writeWhole(value: unknown, to: Buffer, at: number): number | null {
  if (!Number.isSafeInteger(value)) return null;
  put(Math.floor((value as number) / 2 ** 32), to, at);
  put((value as number) | 0, to, at + 4);
  return 8;
}

function writeTime(time: Date, to: Buffer, at: number): number | null {
  return writeWhole((time.getTime() - EPOCH_MS) * 1_000, to, at);
}

/** Faster than `Buffer.writeInt32BE`, which checks its arguments. */
function put(integer: number, to: Buffer, at: number): void {
  to[at] = integer >>> 24;
  to[at + 1] = integer >>> 16;
  to[at + 2] = integer >>> 8;
  to[at + 3] = integer;
}

/**
 * A list in PostgreSQL's binary format, several times as fast as text. Undefined for other types or values:
 * PostgreSQL then judges the text.
 */
export function arrayBytes(type: string, list: readonly unknown[]): Buffer | undefined {
  const format = FORMATS[type];
  if (!format) return undefined;
  const { oid, room: roomFor, write } = format;
  let room = HEADER_BYTES + LENGTH_BYTES * list.length;
  for (let i = 0; i < list.length; i += 1) if (list[i] !== null) room += roomFor(list[i]);
  const bytes = Buffer.allocUnsafe(room);
  let at = HEADER_BYTES;
  let hasNull = 0;
  for (let i = 0; i < list.length; i += 1) {
    const value = list[i];
    if (value === null) {
      hasNull = 1;
      put(NULL, bytes, at);
      at += LENGTH_BYTES;
      continue;
    }
    const length = write(value, bytes, at + LENGTH_BYTES);
    if (length === null) return undefined;
    put(length, bytes, at);
    at += LENGTH_BYTES + length;
  }
  // One dimension, from 1.
  put(1, bytes, 0);
  put(hasNull, bytes, 4);
  put(oid, bytes, 8);
  put(list.length, bytes, 12);
  put(1, bytes, 16);
  return bytes.subarray(0, at);
}
