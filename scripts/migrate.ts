import { readConfig } from '../src/platform/config.js';
import {
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/platform/database/embedded-postgres.js';
import { migrate, migrationSource } from '../src/platform/database/migrate.js';

const HELP = `Brings the schema up to date, or takes its last migration back. The service does the first at every start.

  npm run migration:run
  npm run migration:revert     undoes the newest migration, and with it what its tables hold
  --help

Without DATABASE_URL it is the embedded PostgreSQL under DATA_DIR.
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const [command] = process.argv.slice(2);
  if (command !== 'run' && command !== 'revert') {
    say(HELP);
    return command === '--help' ? 0 : 1;
  }
  const { DATABASE_URL, DATA_DIR } = readConfig(process.env);
  const running = DATABASE_URL ?? runningEmbeddedPostgres(DATA_DIR);
  const embedded = running ? undefined : await startEmbeddedPostgres(DATA_DIR, say);
  const url = running ?? embedded?.url ?? '';
  try {
    if (command === 'run') await migrate(url);
    const source = await migrationSource(url).initialize();
    if (command === 'revert') await source.undoLastMigration();
    const done = await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
    await source.destroy();
    say(
      `The schema has ${done.length} migrations${done.length > 0 ? `, the newest is ${done.at(-1)?.name}` : ''}.`,
    );
    return 0;
  } finally {
    await embedded?.stop();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
