import pg from 'pg';

/** Ends the PostgreSQL of this run and removes its files, or the templates that it left on a server that stays. */
export default async function tearDown() {
  const { postgres, remove, forget } = globalThis.testRun;
  if (postgres) await postgres.remove();
  else await dropTemplates();
  remove();
  // A run that watches sets up again.
  forget();
}

async function dropTemplates() {
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  const { rows } = await client.query('SELECT datname FROM pg_database WHERE datname LIKE $1', [
    `template\\_%\\_${process.env.TEST_RUN_ID}`,
  ]);
  for (const { datname } of rows) {
    await client.query(`ALTER DATABASE ${datname} IS_TEMPLATE false`);
    await client.query(`DROP DATABASE ${datname}`);
  }
  await client.end();
}
