import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { ENTITIES } from '../../src/entities.js';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

/** Tables that have no entity: TypeORM's own. Those of graphile-worker are in a schema of theirs. */
const WITHOUT_ENTITY = ['migrations'];

describe('the entities and the migrations', () => {
  let fresh: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    fresh = await freshDatabase();
    await migrate({ ownerUrl: fresh.url, serviceUrl: fresh.url }, () => undefined);
    source = await serviceDataSource(fresh.url, 2, ENTITIES).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await fresh.drop();
  });

  it('agree: the schema builder finds nothing to change', async () => {
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('name the same tables', async () => {
    const rows = await source.query<{ name: string }[]>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
    );
    const tables = source.entityMetadatas.map(({ tableName }) => tableName);
    expect(rows.map(({ name }) => name)).toEqual([...tables, ...WITHOUT_ENTITY].sort());
  });

  it('name every check constraint of a table, so that one more is noticed', async () => {
    const rows = await source.query<{ name: string }[]>(
      `SELECT c.conrelid::regclass || ' ' || c.conname AS name FROM pg_constraint c
        WHERE c.contype = 'c' AND c.connamespace = 'public'::regnamespace AND c.conrelid <> 0`,
    );
    const checks = source.entityMetadatas.flatMap((entity) =>
      entity.checks.map(({ name }) => `${entity.tableName} ${name}`),
    );
    expect(checks.sort()).toEqual(rows.map(({ name }) => name).sort());
  });
});
