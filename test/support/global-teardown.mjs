import { rmSync } from 'node:fs';

/** Ends the PostgreSQL of this run and removes its folder. */
export default async function tearDown() {
  const { testPostgres } = globalThis;
  if (!testPostgres) return;
  await testPostgres.stop();
  rmSync(testPostgres.folder, { recursive: true, force: true });
}
