import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from './flags.ts';

const HELP = `Makes an empty migration and puts it at the end of the list of those that run.

  npm run migration:create -- wallet-colour

  <name>   what it changes: small letters, digits and hyphens
  --help
`;

const ROOT = join(import.meta.dirname, '..');
const LIST = join(ROOT, 'src/platform/database/migrate.ts');

const { positionals } = readCommandLine(HELP, {}, null);
const [name = ''] = positionals;
if (positionals.length !== 1 || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
  process.stderr.write(
    'Give one name of small letters, digits and hyphens, e.g. wallet-colour; see --help\n',
  );
  process.exit(2);
}

// The newest one decides the order, also where it was given a number in the future.
const list = readFileSync(LIST, 'utf8');
const newest = Math.max(...[...list.matchAll(/migrations\/(\d{13})-/g)].map(([, number]) => Number(number)));
const number = Math.max(Date.now(), newest + 1);
const className = `${name.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}${number}`;
const file = `migrations/${number}-${name}.ts`;

const withImport = list.replace(
  /((?:import \{ \w+ \} from '[./]+\/migrations\/[^']+';\n)+)/,
  `$1import { ${className} } from '../../../${file.replace(/\.ts$/, '.js')}';\n`,
);
const withBoth = withImport.replace(/(const MIGRATIONS = \[\n(?: +\w+,\n)+)\]/, `$1  ${className},\n]`);
if (withImport === list || withBoth === withImport) {
  process.stderr.write(`The list of migrations in ${LIST} is not where it was expected; nothing was made.\n`);
  process.exit(1);
}

writeFileSync(
  join(ROOT, file),
  `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${className} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(\`
    \`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(\`
    \`);
  }
}
`,
  { flag: 'wx' },
);
writeFileSync(LIST, withBoth);
process.stdout.write(`${file} is made, and runs at the next start.\n`);
