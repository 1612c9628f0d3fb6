import pg from 'pg';
import { readConfig } from '../src/platform/config.js';
import { asOwner, migrate } from '../src/platform/database/migrate.js';
import { refuseWhileInUse, runCommand, withDatabase } from './database.js';
import { readFlags } from './flags.js';
import { RESET } from './usage.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const flags = readFlags(RESET.help, RESET.options);
  const config = readConfig(process.env);
  if (config.NODE_ENV === 'production') throw new Error('NODE_ENV: nothing is reset in production');
  if (!flags.yes) throw new Error('This drops every table; say npm run db:reset -- --yes');
  return withDatabase(config, say, async (urls) => {
    const client = new pg.Client({ connectionString: urls.ownerUrl });
    await client.connect();
    try {
      await refuseWhileInUse(client, urls);
      await asOwner(urls, () =>
        client.query(
          'DROP SCHEMA IF EXISTS graphile_worker CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public',
        ),
      );
    } finally {
      await client.end();
    }
    await migrate(urls, say);
    say('The database is empty, with its schema up to date.');
    return 0;
  });
}

runCommand(main);
