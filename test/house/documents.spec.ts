import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The tables that the entities of each context declare. */
const declared = readdirSync(join(ROOT, 'src/contexts'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.entity.ts'))
  .flatMap((path) =>
    [...read(`src/contexts/${path}`).matchAll(/^@Entity\('(\w+)'\)/gm)].map(([, table]) => ({
      context: path.split('/')[0]!,
      table: table!,
    })),
  );

describe('the documents', () => {
  it.each(['README.md', 'CONTRIBUTING.md', 'docs/architecture.md'])(
    'name only files that exist: %s',
    (document) => {
      const named = [
        ...read(document).matchAll(/`((?:src|test|docs|scripts|migrations|dashboard)\/[\w./-]+)`/g),
      ]
        .map(([, path]) => path!)
        .filter((path) => !/\bx\./.test(path));
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    },
  );

  it('answer a question of a newcomer in at most three files', () => {
    const answers = read('docs/architecture.md')
      .split('## Where do I find')[1]!
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| question') && !line.startsWith('| ---'));
    const filesOf = (answer: string) =>
      [...answer.matchAll(/`(src\/[^`]+)`|\]\((?:\.\.\/)?([\w./-]+)/g)].map(
        ([, source, document]) => source ?? document!,
      );
    expect(answers.length).toBeGreaterThanOrEqual(12);
    expect(answers.filter((answer) => ![1, 2, 3].includes(filesOf(answer).length))).toEqual([]);
    expect(answers.flatMap(filesOf).filter((file) => !/\.(ts|md)$/.test(file))).toEqual([]);
  });

  it('have a data model with every table, under the context whose entities declare it', () => {
    const model = read('docs/architecture.md').split('## Data model')[1]!.split('\n## ')[0]!;
    const listed = model
      .split('\n')
      .filter((line) => line.startsWith('| ') && line.includes('`'))
      .flatMap((line) => {
        const [, context, tables] = line.split('|').map((cell) => cell.trim());
        return tables!.match(/\w+/g)!.map((table) => ({ context, table }));
      });
    const byTable = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(byTable(listed)).toEqual(byTable(declared));
  });
});
