import { readConfig } from '../src/platform/config.js';
import { runCommand, withDatabase } from './database.js';
import { readFlags } from './flags.js';
import { MIGRATE } from './usage.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const [command = '--help', ...flags] = process.argv.slice(2);
  const values = readFlags(MIGRATE.help, MIGRATE.options, command.startsWith('-') ? [command] : flags);
  if (command !== 'run' && command !== 'revert') {
    process.stderr.write(MIGRATE.help);
    return 2;
  }
  const losesData = values['lose-data'];
  if (losesData && command === 'run') throw new Error('--lose-data is for migration:revert alone');
  return withDatabase(readConfig(process.env), say, async (urls) => {
    // Loaded once nothing stands in the way, like TypeORM with it: it is most of the time until a refusal.
    const { migrate, migrationSource } = await import('../src/platform/database/migrate.js');
    if (command === 'run') {
      await migrate(urls, say, {}, (applied) => {
        if ('migration' in applied)
          say(`Migration ${applied.migration} is applied, ${applied.durationMs} ms.`);
      });
    } else {
      const { revertNewest } = await import('../src/platform/database/revert.js');
      await revertNewest(urls, say, { losesData });
    }
    const source = await migrationSource(urls.ownerUrl).initialize();
    try {
      const done = await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
      const newest = done.at(-1)?.name;
      say(`The schema has ${done.length} migrations${newest ? `, the newest is ${newest}` : ''}.`);
    } finally {
      await source.destroy();
    }
    return 0;
  });
}

runCommand(main);
