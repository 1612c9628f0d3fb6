/**
 * The file of a backup: a gzipped script for psql, so that any PostgreSQL can read it without this program. Comments hold the
 * manifest: a header before the rows, and counts and checksums after them.
 */
import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Sequence, Table } from './tables.ts';

const FORMAT = 1;
const FIRST_LINE = '-- agent-payment-wallet backup';
const TABLE_END = Buffer.from('\\.\n');
const TABLE_END_INSIDE = Buffer.from('\n\\.\n');
/** Longest line of the manifest, in bytes. */
const LINE_BYTES_MAX = 16_000_000;
const CHUNK_BYTES = 256 * 1024;
/** Larger levels take much longer for little. */
const GZIP_LEVEL = 3;

export interface Header {
  readonly format: number;
  readonly release: string;
  readonly takenAt: string;
  readonly migrations: readonly string[];
  readonly jobs: number;
  readonly tables: readonly Table[];
  readonly sequences: readonly Sequence[];
}

interface TableSum {
  readonly rows: number;
  readonly sha256: string;
}

export interface Trailer {
  readonly tables: Readonly<Record<string, TableSum>>;
  /** Of everything before it. */
  readonly sha256: string;
}

/** Rows of one table in COPY's text format; `count` is known once they were read. */
export interface Rows extends AsyncIterable<Buffer> {
  readonly count: () => number;
}

const comment = (value: unknown): string => `-- ${JSON.stringify(value)}\n`;
const copyInto = ({ name, columns }: Table): string => `COPY ${name} (${columns.join(', ')}) FROM stdin;\n`;
export const totalRows = ({ tables }: Trailer): number =>
  Object.values(tables).reduce((total, { rows }) => total + rows, 0);

/**
 * Writes a backup to `path`, readable by its owner alone. It appears there whole or not at all. Returns the size and SHA-256 of
 * the file.
 */
export async function writeBackup(
  path: string,
  header: Omit<Header, 'format'>,
  rowsOf: (table: Table) => Rows,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string; trailer: Trailer }> {
  const unfinished = `${path}.unfinished-${process.pid}`;
  const hash = createHash('sha256');
  let bytes = 0;
  const tables: Record<string, TableSum> = {};
  const all = createHash('sha256');
  try {
    await pipeline(
      Readable.from(script({ format: FORMAT, ...header }, rowsOf, tables, all), { objectMode: false }),
      createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES }),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      },
      fs.createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }),
      { signal },
    );
    refuseExisting(path);
    fs.renameSync(unfinished, path);
  } catch (error) {
    fs.rmSync(unfinished, { force: true });
    throw error;
  }
  flushFolder(dirname(path));
  return { bytes, sha256: hash.digest('hex'), trailer: { tables, sha256: all.digest('hex') } };
}

export function refuseExisting(path: string): void {
  if (fs.existsSync(path)) throw new Error(`${path} exists; nothing is overwritten: give another name`);
}

/** A rename survives a power cut once its folder is written. */
function flushFolder(path: string): void {
  const folder = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

async function* script(
  header: Header,
  rowsOf: (table: Table) => Rows,
  sums: Record<string, TableSum>,
  all: Hash,
): AsyncGenerator<Buffer> {
  const text = (line: string): Buffer => {
    const data = Buffer.from(line);
    all.update(data);
    return data;
  };
  yield text(
    `${FIRST_LINE}\n${comment(header)}` +
      '-- Restored by: npm run restore -- --from <file>. By hand, into a database with the schema of that release and no rows:\n' +
      '-- zcat <file> | psql -v ON_ERROR_STOP=1 <database>\n' +
      `BEGIN;\nSET LOCAL client_encoding = 'UTF8';\n`,
  );
  for (const table of header.tables) {
    yield text(copyInto(table));
    const hash = createHash('sha256');
    const rows = rowsOf(table);
    for await (const chunk of rows) {
      hash.update(chunk);
      all.update(chunk);
      yield chunk;
    }
    yield text('\\.\n');
    sums[table.name] = { rows: rows.count(), sha256: hash.digest('hex') };
  }
  for (const { name, value, isCalled } of header.sequences)
    yield text(`SELECT pg_catalog.setval('${name}', ${value}, ${isCalled});\n`);
  yield text('COMMIT;\n');
  yield Buffer.from(comment({ tables: sums, sha256: all.copy().digest('hex') }));
}

/** Receives what a file holds, in its order. */
export interface BackupReader {
  readonly header?: (header: Header) => void;
  /** Must read `rows` to their end. */
  readonly table: (table: Table, rows: AsyncIterable<Buffer>) => Promise<void>;
  /** Gets the share of the file that was read, between 0 and 1. */
  readonly progress?: (share: number) => void;
}

/** Reads the header alone. */
export async function readHeader(path: string): Promise<Header> {
  const text = new ScriptText(path);
  try {
    return await headerOf(text);
  } finally {
    await text.close();
  }
}

/** Reads a backup to its end. Throws one line if it is damaged or not a backup, possibly after `table` was called. */
export async function readBackup(path: string, reader: BackupReader): Promise<Trailer> {
  const text = new ScriptText(path, reader.progress);
  try {
    const header = await headerOf(text);
    reader.header?.(header);
    for (let line = await text.line(); !line.startsWith('BEGIN;');) line = await text.line();
    await text.line();
    const sums: Record<string, string> = {};
    for (const table of header.tables) {
      if (`${await text.line()}\n` !== copyInto(table))
        throw damaged(path, `${table.name} is not where it should be`);
      const hash = createHash('sha256');
      await reader.table(table, text.rows(hash));
      sums[table.name] = hash.digest('hex');
    }
    for (let line = await text.line(); line !== 'COMMIT;';) line = await text.line();
    const sha256 = text.sum();
    const trailer = jsonOf(path, await text.line()) as Trailer;
    for (const { name } of header.tables) {
      if (trailer.tables[name]?.sha256 !== sums[name])
        throw damaged(path, `the rows of ${name} do not match their checksum`);
    }
    if (trailer.sha256 !== sha256) throw damaged(path, 'it does not match its checksum');
    await text.end();
    return trailer;
  } finally {
    await text.close();
  }
}

const damaged = (path: string, how: string, cause?: unknown): Error =>
  new Error(`${path} is damaged: ${how}; take another backup`, { cause });

async function headerOf(text: ScriptText): Promise<Header> {
  const { path } = text;
  const first = await text.line().catch((cause: unknown) => {
    throw new Error(`${path} is not a backup of this service, or damaged`, { cause });
  });
  if (first !== FIRST_LINE) throw new Error(`${path} is not a backup of this service`);
  const header = jsonOf(path, await text.line()) as Header;
  if (header.format !== FORMAT)
    throw new Error(
      `${path} has format ${header.format}, made by release ${header.release}; this release reads format ${FORMAT}: ` +
        'restore with the release that made it',
    );
  return header;
}

function jsonOf(path: string, line: string): unknown {
  try {
    return JSON.parse(line.replace(/^-- /, ''));
  } catch (cause) {
    throw damaged(path, 'its manifest is not JSON', cause);
  }
}

/** The unzipped script, read line by line, or table by table. */
class ScriptText {
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly file: fs.ReadStream;
  private readonly all = createHash('sha256');
  private rest: Buffer = Buffer.alloc(0);

  constructor(
    readonly path: string,
    progress?: (share: number) => void,
  ) {
    this.file = fs.createReadStream(path, { highWaterMark: CHUNK_BYTES });
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    // Its error reaches the reader as that of the next chunk.
    void pipeline(this.file, gunzip).catch(() => undefined);
    this.chunks = gunzip[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    if (progress) {
      const size = fs.statSync(path).size;
      this.file.on('data', () => progress(this.file.bytesRead / size));
    }
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.rest.indexOf(10);
      if (end >= 0) {
        const line = this.take(end + 1).toString('utf8', 0, end);
        return line;
      }
      if (this.rest.length > LINE_BYTES_MAX || !(await this.more()))
        throw damaged(this.path, 'it ends too early');
    }
  }

  /** Whole lines up to the end of a table. */
  async *rows(hash: Hash): AsyncGenerator<Buffer> {
    for (;;) {
      const isAtEnd = this.rest.subarray(0, TABLE_END.length).equals(TABLE_END);
      const end = isAtEnd ? 0 : this.rest.indexOf(TABLE_END_INSIDE) + 1;
      const isLast = isAtEnd || end > 0;
      const length = isLast ? end : this.rest.lastIndexOf(10) + 1;
      if (length > 0) {
        const rows = this.take(length);
        hash.update(rows);
        yield rows;
      }
      if (isLast) {
        this.take(TABLE_END.length);
        return;
      }
      if (length === 0 && !(await this.more())) throw damaged(this.path, 'it ends within a table');
    }
  }

  /** Of all lines taken so far. */
  sum(): string {
    return this.all.copy().digest('hex');
  }

  /** Throws unless everything was read. */
  async end(): Promise<void> {
    if (this.rest.length > 0 || (await this.more())) throw damaged(this.path, 'something follows its end');
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
    this.file.destroy();
  }

  private take(length: number): Buffer {
    const taken = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    this.all.update(taken);
    return taken;
  }

  private async more(): Promise<boolean> {
    let next: IteratorResult<Buffer>;
    try {
      next = await this.chunks.next();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw code?.startsWith('Z_') ? damaged(this.path, message, error) : error;
    }
    if (next.done) return false;
    this.rest = this.rest.length > 0 ? Buffer.concat([this.rest, next.value]) : next.value;
    return true;
  }
}
