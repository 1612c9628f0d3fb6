import pg from 'pg';
import { PostgresServer } from '../support/postgres-server.ts';

/** The PostgreSQL that all sides of a comparison share. */
export type BenchPostgres = Pick<PostgresServer, 'url' | 'createDatabase' | 'run' | 'remove'>;

/** The embedded one in a temporary folder, or the one that `url` names (its user must be able to make databases). */
export async function openPostgres(url: string | undefined, profile: boolean): Promise<BenchPostgres> {
  if (url) return new ExternalPostgres(url);
  return PostgresServer.start(profile ? { shared_preload_libraries: 'pg_stat_statements' } : {});
}

/** A PostgreSQL that runs already: databases of the benchmark's own are made in it, and dropped in the end. */
class ExternalPostgres implements BenchPostgres {
  private readonly address: string;
  private readonly made: string[] = [];

  constructor(address: string) {
    this.address = address;
  }

  url(database = 'postgres'): string {
    const url = new URL(this.address);
    url.pathname = `/${database}`;
    return url.href;
  }

  async createDatabase(name: string): Promise<string> {
    await this.run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await this.run(`CREATE DATABASE ${name}`);
    this.made.push(name);
    return this.url(name);
  }

  async run<Row extends object>(
    statement: string,
    database = 'postgres',
    values: unknown[] = [],
  ): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url(database), connectionTimeoutMillis: 10_000 });
    await client.connect();
    try {
      return (await client.query<Row>(statement, values)).rows;
    } finally {
      await client.end();
    }
  }

  async remove(): Promise<void> {
    for (const name of this.made) await this.run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}
