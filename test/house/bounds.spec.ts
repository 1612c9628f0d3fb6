import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/bounds.md';
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Words of a name that make its number a bound, and those that make it none in spite of them. */
const BOUND =
  /(^|_)(MAX|AT_ONCE|CONCURRENCY|PER|PAGE|BATCH|TIMEOUT|DEADLINE|LEASE|GRACE|WITHIN|KEPT|SECONDS|MINUTES|HOURS|DAYS)(_|$)/;
const NO_BOUND = /_(DEFAULT|MARGIN|EVERY)(_|$)/;
const MEMBER = /[a-z]Max$/;
/** What takes a bound, and so no bare number. */
const BOUNDED = ['pLimit', 'WorkQueue', 'AbortSignal.timeout', 'LRUCache', 'growingTo'];

const MS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, days: 86_400_000 };
const BYTES = { bytes: 1, KiB: 1_024, MiB: 1_048_576 };
const FACTORS: Readonly<Record<string, number>> = { ...MS, ...BYTES };
/** The unit that a word of the name says. */
const UNITS = {
  ms: /(^|_)MS(_|$)|Ms(Max)?$/,
  s: /(^|_)SECONDS(_|$)/,
  min: /(^|_)MINUTES(_|$)/,
  h: /(^|_)HOURS(_|$)/,
  days: /(^|_)DAYS(_|$)/,
  bytes: /(^|_)BYTES(_|$)/,
};

interface Bound {
  readonly name: string;
  readonly file: string;
  readonly value: number;
}

const sources = new Map(
  globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.(spec|d)\.ts$/.test(file))
    .sort()
    .map((file) => [file, ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true)]),
);

/** Top-level constants of all files, by name and file. */
const constants = new Map<string, ts.Expression>();
for (const [file, source] of sources) {
  for (const statement of source.statements.filter(ts.isVariableStatement)) {
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer) constants.set(`${name.getText()} ${file}`, initializer);
  }
}

/** The number that an expression of literals and constants is; undefined for anything else. */
function numberOf(node: ts.Expression, file: string): number | undefined {
  if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node)) return numberOf(node.expression, file);
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (node.getText() === 'Number.MAX_SAFE_INTEGER') return Number.MAX_SAFE_INTEGER;
  if (ts.isIdentifier(node)) {
    const own = constants.get(`${node.text} ${file}`);
    if (own) return numberOf(own, file);
    const elsewhere = [...constants].filter(([key]) => key.startsWith(`${node.text} `));
    const [[key, value] = []] = elsewhere;
    return elsewhere.length === 1 && key && value ? numberOf(value, key.split(' ')[1] ?? '') : undefined;
  }
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left = NaN, right = NaN] = [numberOf(node.left, file), numberOf(node.right, file)];
  const results: Partial<Record<ts.SyntaxKind, number>> = {
    [ts.SyntaxKind.PlusToken]: left + right,
    [ts.SyntaxKind.MinusToken]: left - right,
    [ts.SyntaxKind.AsteriskToken]: left * right,
    [ts.SyntaxKind.SlashToken]: left / right,
  };
  const result = results[node.operatorToken.kind];
  return Number.isNaN(result) ? undefined : result;
}

function boundsIn(name: string, file: string, value: ts.Expression): Bound[] {
  if (ts.isObjectLiteralExpression(value)) {
    return value.properties
      .filter(ts.isPropertyAssignment)
      .filter((member) => MEMBER.test(member.name.getText()))
      .flatMap((member) => {
        const number = numberOf(member.initializer, file);
        return number === undefined
          ? []
          : [{ name: `${name}.${member.name.getText()}`, file, value: number }];
      });
  }
  const number = BOUND.test(name) && !NO_BOUND.test(name) ? numberOf(value, file) : undefined;
  return number === undefined ? [] : [{ name, file, value: number }];
}

const bounds = [...constants].flatMap(([key, value]) => {
  const [name = '', file = ''] = key.split(' ');
  return boundsIn(name, file, value);
});

const ROW = /^\| (.+?) +\| ([\d.,]+)(?: (\S+))? +\| (.+?) +\| `([\w.]+)` in `(src\/[\w./-]+)` +\|$/;
const rows = read(PAGE)
  .split('\n')
  .filter((line) => line.includes('`src/'));

/** Says what a row should say, or null if it is right. */
function fault({ name, value }: Bound, shown: string, unit: string | undefined): string | null {
  const [own] = Object.entries(UNITS).find(([, word]) => word.test(name)) ?? [];
  const kind = own === undefined ? undefined : own === 'bytes' ? BYTES : MS;
  if (kind && !(unit !== undefined && unit in kind))
    return `the unit of ${name} is one of ${Object.keys(kind).join(', ')}`;
  const factor = (own === undefined ? 1 : FACTORS[own]) ?? 1;
  const said = Number(shown.replaceAll(',', '')) * ((unit === undefined ? 1 : FACTORS[unit]) ?? 1);
  return said === value * factor ? null : `${name} is ${value.toLocaleString('en')} ${own ?? ''}`.trim();
}

it(`${PAGE} has a row for each bound in src, with its value and unit`, () => {
  const shown = rows.map((line) => ROW.exec(line) ?? [line]);
  expect(shown.filter(([, what]) => what === undefined)).toEqual([]);
  const named = new Map(
    shown.map(([, , value = '', unit, , name = '', file = '']) => [
      `\`${name}\` in \`${file}\``,
      { value, unit },
    ]),
  );
  expect(shown).toHaveLength(named.size);
  const faults = bounds.flatMap((bound) => {
    const place = `\`${bound.name}\` in \`${bound.file}\``;
    const row = named.get(place);
    named.delete(place);
    if (!row) return [`no row for ${place}: ${bound.value.toLocaleString('en')}`];
    return fault(bound, row.value, row.unit) ?? [];
  });
  expect([...faults, ...[...named.keys()].map((place) => `no such bound: ${place}`)]).toEqual([]);
});

it('queues, caches and time-outs take 1 or a number that has a name', () => {
  const bare: string[] = [];
  for (const [file, source] of sources) {
    const visit = (node: ts.Node): void => {
      if (
        (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
        BOUNDED.includes(node.expression.getText())
      ) {
        const values = (node.arguments ?? []).flatMap((value) =>
          ts.isObjectLiteralExpression(value)
            ? value.properties.filter(ts.isPropertyAssignment).map(({ initializer }) => initializer)
            : [value],
        );
        if (values.some((value) => ts.isNumericLiteral(value) && value.text !== '1'))
          bare.push(`${file}: ${node.getText()}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(bare).toEqual([]);
});
