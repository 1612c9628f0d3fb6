import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type FixedBody, fixedBody } from './fixed-answer.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** Smaller first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

interface FixedFile {
  readonly body: FixedBody;
  readonly type: string;
  readonly encoding: string | undefined;
}

export class FixedFiles {
  readonly names: ReadonlySet<string>;
  private readonly all: ReadonlySet<string>;
  private readonly bodies = new Map<string, FixedBody>();

  constructor(private readonly folder: string) {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    this.all = new Set(files.map(({ name }) => name).filter((name) => !name.startsWith('.')));
    this.names = new Set([...this.all].filter((name) => !/\.(br|gz)$/.test(name)));
  }

  /** Compressed if possible; undefined if missing. */
  find(name: string, acceptEncoding = ''): FixedFile | undefined {
    if (!this.names.has(name)) return undefined;
    const accepted = acceptedEncodings(acceptEncoding);
    const [encoding, ending = ''] =
      ENCODINGS.find(([each, end]) => accepted.has(each) && this.all.has(name + end)) ?? [];
    return {
      body: this.read(name + ending),
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      encoding,
    };
  }

  private read(name: string): FixedBody {
    const body = this.bodies.get(name) ?? fixedBody(readFileSync(join(this.folder, name)));
    this.bodies.set(name, body);
    return body;
  }
}

/** Without those refused by `q=0`. */
export function acceptedEncodings(header: string): ReadonlySet<string> {
  const named = header
    .toLowerCase()
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each));
  return new Set(named.map((each) => each.split(';')[0]?.trim() ?? ''));
}
