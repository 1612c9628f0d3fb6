import { spawn } from 'node:child_process';
import { readConfig } from '../src/platform/config.js';
import { runningEmbeddedPostgres } from '../src/platform/database/embedded-postgres.js';
import { dataFolder } from '../src/platform/database/embedded/data-folder.js';
import { runCommand, withDatabase } from './database.js';
import { readFlags } from './flags.js';
import { PSQL } from './usage.js';

async function main(): Promise<number> {
  const flags = readFlags(PSQL.help, PSQL.options);
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const config = readConfig(process.env);
  if (flags.url && !config.DATABASE_URL && !runningEmbeddedPostgres(dataFolder(config.DATA_DIR).dir))
    throw new Error('No service runs the embedded PostgreSQL; its URL is good while one does');
  return withDatabase(config, report, async ({ ownerUrl }) => {
    if (flags.url) {
      process.stdout.write(`${ownerUrl}\n`);
      return 0;
    }
    // The password goes by the environment: arguments are seen by everyone on the machine.
    const url = new URL(ownerUrl);
    const password = decodeURIComponent(url.password);
    url.password = '';
    const env = { ...process.env, ...(password && { PGPASSWORD: password }) };
    // Ctrl-C is for psql, which takes back a query with it.
    process.removeAllListeners('SIGINT').on('SIGINT', () => undefined);
    const psql = spawn('psql', [url.href, ...(flags.command ? ['--command', flags.command] : [])], {
      stdio: 'inherit',
      env,
    });
    return new Promise<number>((resolve, reject) => {
      psql.once('exit', (code) => resolve(code ?? 1));
      psql.once('error', ({ code, message }: NodeJS.ErrnoException) =>
        reject(
          new Error(
            code === 'ENOENT' ? 'psql is not installed (Debian: apt-get install postgresql-client)' : message,
          ),
        ),
      );
    });
  });
}

runCommand(main);
