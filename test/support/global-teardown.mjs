import { rmSync } from 'node:fs';
import pg from 'pg';

/** Ends the PostgreSQL of this run and removes its folder, or the template that it left on a server that stays. */
export default async function tearDown() {
  const { testPostgres } = globalThis;
  if (!testPostgres) return dropTemplate();
  await testPostgres.stop();
  rmSync(testPostgres.folder, { recursive: true, force: true });
}

async function dropTemplate() {
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  const template = `template_${process.env.TEST_RUN_ID}`;
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [template]);
  if (rowCount) {
    await client.query(`ALTER DATABASE ${template} IS_TEMPLATE false`);
    await client.query(`DROP DATABASE ${template}`);
  }
  await client.end();
}
