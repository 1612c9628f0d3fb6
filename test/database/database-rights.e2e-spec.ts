import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createService } from '../../src/bootstrap.js';
import { readConfig } from '../../src/platform/config.js';
import { freshDatabase, type TestDatabase, withClient } from '../support/database.js';
import { asService, JWT_SECRET, plainDatabase } from '../support/service-database.js';

const role = `wallet_tests_${randomUUID().replaceAll('-', '')}`;
let empty: TestDatabase;
let migrated: TestDatabase;

beforeAll(async () => {
  [empty, migrated] = await Promise.all([freshDatabase(), plainDatabase()]);
  await withClient(empty.url, (client) => client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'its password'`));
});

afterAll(async () => {
  await migrated.drop();
  await withClient(empty.url, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  await empty.drop();
});

const as = (url: string, name: string, password: string): string => {
  const changed = new URL(url);
  changed.username = name;
  changed.password = password;
  return changed.href;
};
const start = (databaseUrl: string, ownerUrl?: string) =>
  createService({
    config: readConfig({ NODE_ENV: 'test' }),
    databaseUrl,
    ownerUrl,
    jwtSecret: JWT_SECRET,
    logger: false,
    singleInstance: true,
  });

describe('a start as a role that lacks rights says which setting mends it', () => {
  const ofOwner =
    '; set DATABASE_OWNER_URL to the URL of the role that owns the tables, or the database where';

  it('where it may make no tables in an empty database', async () => {
    await expect(start(as(empty.url, role, 'its password'))).rejects.toThrow(
      new RegExp(
        `^DATABASE_URL: the database at \\S+ can't be used: permission denied for schema public${ofOwner}`,
      ),
    );
  });

  it('where it may make tables, but no schema for the jobs', async () => {
    await withClient(empty.url, (client) => client.query(`GRANT ALL ON SCHEMA public TO ${role}`));
    await expect(start(as(empty.url, role, 'its password'))).rejects.toThrow(
      new RegExp(`^DATABASE_URL: .* can't be used: permission denied for database \\S+${ofOwner}`),
    );
  });

  it('where the tables belong to another', async () => {
    await expect(start(as(migrated.url, role, 'its password'))).rejects.toThrow(
      new RegExp(`^DATABASE_URL: .* permission denied for table migrations${ofOwner}`),
    );
  });

  it('where a new release is to change tables that belong to another', async () => {
    const { url } = migrated;
    await withClient(url, async (client) => {
      const { rows } = await client.query<{ name: string; timestamp: string }>(
        `DELETE FROM migrations WHERE name LIKE 'SuspendedAll%' RETURNING name, timestamp`,
      );
      await expect(start(asService(url))).rejects.toThrow(
        new RegExp(`^DATABASE_URL: .* must be owner of table \\S+${ofOwner}`),
      );
      const { name, timestamp } = rows[0]!;
      await client.query('INSERT INTO migrations (name, timestamp) VALUES ($1, $2)', [name, timestamp]);
    });
  });

  it('where the one that is to own the tables does not', async () => {
    await expect(start(asService(migrated.url), as(migrated.url, role, 'its password'))).rejects.toThrow(
      new RegExp(`^DATABASE_OWNER_URL: .* permission denied for table migrations${ofOwner}`),
    );
  });

  it('where its server takes no changes', async () => {
    const url = new URL(empty.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    await expect(start(url.href)).rejects.toThrow(
      /^DATABASE_URL: .* read-only transaction; set DATABASE_URL to the URL of a server that takes changes$/,
    );
  });
});

describe('a start on a schema that a newer release made', () => {
  const NEWER = 'ColumnsOfTomorrow4000000000000';
  const asOfTomorrow = (url: string) =>
    withClient(url, async (client) => {
      await client.query('INSERT INTO migrations (name, timestamp) VALUES ($1, 4000000000000)', [NEWER]);
      await client.query(`CREATE TABLE records_of_tomorrow (id integer);
        GRANT SELECT, INSERT ON records_of_tomorrow TO wallet_tests_service`);
    });

  it('warns by the name of what it does not know, and works', async () => {
    const newer = await plainDatabase();
    await asOfTomorrow(newer.url);
    const warn = jest.fn<(line: string, context: string) => void>();
    const silent = () => undefined;
    const app = await createService({
      config: readConfig({ NODE_ENV: 'test' }),
      databaseUrl: asService(newer.url),
      ownerUrl: newer.url,
      jwtSecret: JWT_SECRET,
      logger: { log: silent, error: silent, debug: silent, warn },
      singleInstance: true,
    });
    await app.close();
    const said = new RegExp(
      `^The schema is newer than this release, which knows nothing of ${NEWER}\\. Start the release that made it`,
    );
    expect(warn.mock.calls.filter(([, context]) => context === 'Migrations')).toEqual([
      [expect.stringMatching(said), 'Migrations'],
    ]);
    await newer.drop();
  });

  it('leaves the rights on its tables as they are', async () => {
    const newer = await plainDatabase();
    await asOfTomorrow(newer.url);
    await (await start(asService(newer.url), newer.url)).close();
    await withClient(newer.url, async (client) => {
      const { rows } = await client.query<{ rights: string }>(
        `SELECT string_agg(privilege_type, ', ' ORDER BY privilege_type) AS rights
           FROM information_schema.role_table_grants
          WHERE table_name = 'records_of_tomorrow' AND grantee = 'wallet_tests_service'`,
      );
      expect(rows).toEqual([{ rights: 'INSERT, SELECT' }]);
    });
    await newer.drop();
  });
});

describe('a start whose two URLs name different databases names both settings, and changes neither', () => {
  const refusal =
    /^DATABASE_OWNER_URL and DATABASE_URL name different databases: \S+\/test_\w+ and \S+\/test_\w+; set them to the same one$/;
  const tablesOf = async (url: string): Promise<number> => {
    let count = NaN;
    await withClient(url, async (client) => {
      const { rows } = await client.query<{ count: string }>(
        `SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      );
      count = Number(rows[0]?.count);
    });
    return count;
  };

  it('where the other one is empty, or has the tables too', async () => {
    const [ours, other] = await Promise.all([plainDatabase(), freshDatabase()]);
    await expect(start(asService(other.url), ours.url)).rejects.toThrow(refusal);
    await expect(start(asService(ours.url), other.url)).rejects.toThrow(refusal);
    expect(await tablesOf(other.url)).toBe(0);
    await Promise.all([ours.drop(), other.drop()]);
  });

  it('where the role of the service is made by this very start', async () => {
    const [ours, other] = await Promise.all([freshDatabase(), freshDatabase()]);
    const newcomer = `wallet_tests_${randomUUID().replaceAll('-', '')}`;
    await expect(start(as(other.url, newcomer, 'its password'), ours.url)).rejects.toThrow(refusal);
    await withClient(ours.url, (client) => client.query(`DROP OWNED BY ${newcomer}; DROP ROLE ${newcomer}`));
    await Promise.all([ours.drop(), other.drop()]);
  });
});

it('a start whose role of the service can not log in names the setting', async () => {
  const { url } = migrated;
  await withClient(url, (client) => client.query(`ALTER ROLE ${role} NOLOGIN`));
  await expect(start(as(url, role, 'its password'), url)).rejects.toThrow(
    /^DATABASE_URL: the database at \S+ can't be used: role "\w+" is not permitted to log in$/,
  );
});
