import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arrayBytes } from '../../src/platform/database/wire/array-bytes.js';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { RowStatement } from '../../src/platform/database/row-statement.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { testWire } from '../support/wire.js';

interface Row {
  readonly nr: number;
  readonly small: number | null;
  readonly whole: number | null;
  readonly at: Date | null;
  readonly note: string | null;
  readonly sum: bigint | null;
  readonly id?: string | null;
  readonly doc?: string | null;
  readonly raw?: string | null;
  readonly bytes?: Buffer | null;
  readonly yes?: boolean | null;
}

const COLUMNS = {
  nr: 'integer',
  small: 'integer',
  whole: 'bigint',
  at: 'timestamptz',
  note: 'text',
  sum: 'numeric',
  id: 'uuid',
  doc: 'jsonb',
  raw: 'json',
  bytes: 'bytea',
  yes: 'boolean',
} as const;
const ADD = new RowStatement<Required<Row>>(
  'kept',
  COLUMNS,
  (rows) => `INSERT INTO kept SELECT r.* FROM ${rows}`,
);

const INT_MAX = 2 ** 31 - 1;
const EDGES: Omit<Row, 'nr'>[] = [
  { small: 0, whole: 0, at: new Date(0), note: '', sum: 0n },
  { small: -1, whole: -1, at: new Date(-1), note: '"\\{},', sum: -1n },
  {
    small: INT_MAX,
    whole: Number.MAX_SAFE_INTEGER,
    at: new Date('9999-12-31T23:59:59.999Z'),
    note: '₦',
    sum: 1n,
  },
  {
    small: -INT_MAX,
    whole: Number.MIN_SAFE_INTEGER,
    at: new Date('0001-01-01T00:00:00.000Z'),
    note: null,
    sum: 2n,
  },
  { small: 2 ** 16, whole: 2 ** 32, at: new Date(Date.UTC(2000, 0, 1)), note: 'NULL', sum: 10n ** 30n },
  { small: 1, whole: 2 ** 32 - 1, at: new Date(Date.UTC(2000, 0, 1) - 1), note: '\n', sum: null },
  { small: -(2 ** 16), whole: -(2 ** 32) - 1, at: new Date(1.7e12 + 1), note: 'x', sum: 3n },
  { small: null, whole: null, at: null, note: null, sum: null },
  { small: 1, whole: 1, at: null, note: null, sum: null, id: '01234567-89ab-cdef-fedc-ba9876543210' },
  { small: 1, whole: 1, at: null, note: null, sum: null, id: 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF' },
  {
    small: 1,
    whole: 1,
    at: null,
    note: 'a text of twenty-four c.',
    sum: null,
    doc: '{}',
    raw: '{ "b": 1, "a": [] }',
    bytes: Buffer.of(),
  },
  {
    small: 1,
    whole: 1,
    at: null,
    note: 'a text of twenty-five ch.',
    sum: null,
    doc: 'null',
    raw: 'null',
    bytes: Buffer.of(0),
  },
  {
    small: 1,
    whole: 1,
    at: null,
    note: '₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦₦',
    sum: null,
    doc: '["₦"]',
    raw: '["₦"]',
    bytes: Buffer.of(255, 0),
    yes: true,
  },
  {
    small: 1,
    whole: 1,
    at: null,
    note: 'ends in ₦',
    sum: null,
    doc: `"${'₦'.repeat(400)}"`,
    raw: `"${'₦'.repeat(400)}"`,
    bytes: Buffer.alloc(3_000, 7),
    yes: false,
  },
];

const REPEATED_IDS = ['019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e60'];

const rowOf = fc.record({
  small: fc.option(fc.integer()),
  whole: fc.option(fc.maxSafeInteger()),
  at: fc.option(
    fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    }),
  ),
  note: fc.option(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))),
  // Often one that a row before has too.
  id: fc.option(fc.oneof(fc.uuid(), fc.constantFrom(...REPEATED_IDS))),
  sum: fc.option(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })),
  doc: fc.option(fc.json({ stringUnit: 'grapheme' }).filter((text) => !text.includes(String.raw`\u0000`))),
  raw: fc.option(fc.json({ stringUnit: 'grapheme' })),
  bytes: fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))),
  yes: fc.option(fc.boolean()),
});

let fresh: TestDatabase;
let database: Database;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

/** What PostgreSQL has of the rows, by its own words. */
async function kept(rows: readonly Omit<Row, 'nr'>[]): Promise<object[]> {
  return database.transaction(async (tx) => {
    tx.write('DELETE FROM kept');
    tx.writeRows(
      ADD,
      rows.map((row, nr) => ({ id: null, doc: null, raw: null, bytes: null, yes: null, ...row, nr })),
    );
    return tx.query<object>(
      `SELECT small::text, whole::text, note, sum::text, id::text, doc, raw::text, encode(bytes, 'hex') AS bytes, yes,
              to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM kept ORDER BY nr`,
    );
  });
}

const spelled = ({ small, whole, at, note, sum, id, doc, raw, bytes, yes }: Omit<Row, 'nr'>): object => ({
  small: small?.toString() ?? null,
  whole: whole?.toString() ?? null,
  note,
  sum: sum?.toString() ?? null,
  id: id?.toLowerCase() ?? null,
  doc: doc ? (JSON.parse(doc) as unknown) : null,
  // as it was sent, spaces and all
  raw: raw ?? null,
  bytes: bytes?.toString('hex') ?? null,
  yes: yes ?? null,
  at: at?.toISOString().replace('Z', '000Z') ?? null,
});

describe.each(['packets', 'plain'] as const)('rows that are written together, as %s,', (name) => {
  beforeAll(async () => {
    database = new Database(serviceDataSource(fresh.url, 2, []), testWire(name));
    await database.connect();
    await database.query(
      `CREATE TABLE IF NOT EXISTS kept (nr integer, small integer, whole bigint, at timestamptz, note text, sum numeric,
         id uuid, doc jsonb, raw json, bytes bytea, yes boolean)`,
    );
  });
  afterAll(() => database.close());

  it('arrive as they were given, at the ends of every type and where something is missing', async () => {
    expect(await kept(EDGES)).toEqual(EDGES.map(spelled));
  });

  it.each(EDGES.map((row) => [spelled(row), row] as const))(
    'arrive alone as in a list: %j',
    async (as, row) => {
      expect(await kept([row])).toEqual([as]);
    },
  );

  it('arrive as they were given, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, { minLength: 1, maxLength: 40 }), async (rows) => {
        expect(await kept(rows)).toEqual(rows.map(spelled));
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, Partial<Row>, string]>([
    ['a number that the column has no room for', { small: 2 ** 31 }, '22003'],
    ['its negative', { small: -(2 ** 31) - 1 }, '22003'],
    ['a broken number', { whole: 0.5 }, '22P02'],
    ['no number', { whole: NaN }, '22P02'],
    ['a UUID with a letter that is no digit', { id: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5g' }, '22P02'],
    ['a UUID with a letter of another script', { id: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5ａ' }, '22P02'],
    ['a UUID with a digit for a hyphen', { id: '019aa4b207c10-7d3e-9a51-3f0c2b1d4e5f' }, '22P02'],
    ['a text with a zero byte', { note: 'a\0b' }, '22021'],
    ['a long text with a zero byte', { note: `${'a'.repeat(40)}\0` }, '22021'],
    ['a document that is none', { doc: '{' }, '22P02'],
    ['a document as text that is none', { raw: '{' }, '22P02'],
    ['a document with a zero byte', { doc: String.raw`"\u0000"` }, '22P05'],
    ['a UUID that is too short', { id: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5' }, '22P02'],
  ])('are refused by PostgreSQL for %s', async (_, wrong, code) => {
    const row = { small: 1, whole: 1, at: null, note: null, sum: null };
    await expect(kept([row, { ...row, ...wrong }])).rejects.toMatchObject({ code });
    expect(await kept([row])).toHaveLength(1);
  });
});

describe('a list in the format of PostgreSQL', () => {
  it.each([
    ['text', [1]],
    ['text', [undefined]],
    ['uuid', [undefined]],
    ['uuid', ['019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f', undefined]],
    ['jsonb', [{}]],
    ['json', [{}]],
    ['bytea', ['a']],
    ['numeric', [1]],
    ['bigint', ['1']],
    ['bigint', [1n]],
    ['timestamptz', ['2026-01-01T00:00:00Z']],
    ['timestamptz', [1]],
    ['timestamptz', [new Date(NaN)]],
    ['integer', [1.5]],
    ['boolean', [1]],
  ])('is not made of a column of %s that holds %j', (type, list) => {
    expect(arrayBytes(type, list)).toBeUndefined();
  });
});
