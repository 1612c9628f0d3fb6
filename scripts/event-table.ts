/**
 * The table of docs/events.md: who publishes each, and who handles it in the transaction and after the commit.
 * Read off the sources; `npm run event-table` writes it, and a test fails while it is out of date.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFlags } from './flags.ts';

export const EVENTS_PAGE = join('docs', 'events.md');
const BEGIN = '<!-- events: written by `npm run event-table` -->';
const END = '<!-- end of events -->';
const PHASES = ['InTransaction', 'AfterCommit'] as const;
const EVENT =
  /class (\w+)(?: extends EventOf<\{[^]*?\n\}>\('([^']+)'\)|[^{]*\{\s*static readonly type = '([^']+)')/g;

interface Row {
  readonly type: string;
  readonly publishers: Set<string>;
  readonly InTransaction: Map<string, string[]>;
  readonly AfterCommit: Map<string, string[]>;
}

/** docs/events.md at `root` with the table as the sources below it have it now. */
export async function withEventTable(root: string): Promise<string> {
  const page = await readFile(join(root, EVENTS_PAGE), 'utf8');
  const [before, rest] = page.split(BEGIN);
  const [, after] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined)
    throw new Error(`${EVENTS_PAGE} has no place for it: ${BEGIN}`);
  return `${before}${BEGIN}\n\n${tableOf(await eventsBelow(join(root, 'src', 'contexts')))}\n\n${END}${after}`;
}

async function eventsBelow(folder: string): Promise<Row[]> {
  const paths = (await readdir(folder, { recursive: true }))
    .filter((path) => /(?<!\.spec)\.ts$/.test(path))
    .sort();
  const sources = await Promise.all(
    paths.map(async (path) => ({
      context: path.replaceAll('\\', '/').split('/')[0] ?? '',
      text: await readFile(join(folder, path), 'utf8'),
    })),
  );
  const rows = new Map<string, Row>();
  for (const { text } of sources) {
    for (const [, name = '', inBase, type = inBase] of text.matchAll(EVENT)) {
      if (type === undefined) continue;
      rows.set(name, { type, publishers: new Set(), InTransaction: new Map(), AfterCommit: new Map() });
    }
  }
  for (const { context, text } of sources) {
    for (const [, name = ''] of text.matchAll(/\bnew (\w+)\(/g)) rows.get(name)?.publishers.add(context);
    for (const phase of PHASES) {
      const handlers = new RegExp(`@${phase}\\((\\w+)\\)\\s+(?:async )?(\\w+)\\(`, 'g');
      for (const [, name = '', method = ''] of text.matchAll(handlers)) {
        const of = rows.get(name)?.[phase];
        of?.set(context, [...(of.get(context) ?? []), method]);
      }
    }
  }
  return [...rows.values()].sort((a, b) => a.type.localeCompare(b.type));
}

function tableOf(rows: readonly Row[]): string {
  const handlers = (of: Map<string, string[]>): string =>
    [...of].map(([context, methods]) => `${context}: ${methods.join(', ')}`).join('; ');
  const cells = [
    ['event', 'published by', 'in the transaction', 'after the commit'],
    ...rows.map(({ type, publishers, InTransaction, AfterCommit }) => [
      `\`${type}\``,
      [...publishers].join(', '),
      handlers(InTransaction),
      handlers(AfterCommit),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[], fill = ' '): string =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0, fill)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(['', '', '', ''], '-'), ...body.map((row) => line(row))].join('\n');
}

const HELP = `Writes the table of docs/events.md from the sources, which a test compares it with.

  npm run event-table
  --help
`;

// Tests import what is above.
if (process.argv[1] === import.meta.filename) {
  readFlags(HELP, {});
  const root = process.cwd();
  await writeFile(join(root, EVENTS_PAGE), await withEventTable(root));
}
