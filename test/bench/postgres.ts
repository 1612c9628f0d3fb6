import { PostgresServer, runOnce } from '../support/postgres-server.ts';

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

  run<Row extends object>(statement: string, database = 'postgres', values: unknown[] = []): Promise<Row[]> {
    return runOnce<Row>(this.url(database), statement, values);
  }

  async remove(): Promise<void> {
    for (const name of this.made) await this.run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}
