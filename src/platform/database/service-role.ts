import type pg from 'pg';

/** What the service's role may do with a table, for those where it is not everything that changes rows. */
const RIGHTS: Readonly<Record<string, string>> = {
  migrations: 'SELECT',
  // Append-only, also for a service with a defect.
  ledger_entries: 'SELECT, INSERT',
  wallet_changes: 'SELECT, INSERT',
  withdrawals: 'SELECT, INSERT',
  wallet_transfers: 'SELECT, INSERT',
  wallets: 'SELECT, INSERT, UPDATE',
  transactions: 'SELECT, INSERT, UPDATE',
  settlements: 'SELECT, INSERT, UPDATE',
  refunded_payments: 'SELECT, INSERT, UPDATE',
  returned_payments: 'SELECT, INSERT, UPDATE',
  receipt_keys: 'SELECT, INSERT, UPDATE',
};
const ALL_RIGHTS = 'SELECT, INSERT, UPDATE, DELETE';
const SCHEMAS = ['public', 'graphile_worker'];

interface GrantedTable {
  readonly schema: string;
  readonly name: string;
  /** Row-level security is on. */
  readonly secured: boolean;
  readonly admitted: boolean;
  readonly rights: string[];
}

/**
 * Lets the role that `serviceUrl` names do the service's work on the owner's tables, and no more: it changes rows,
 * but alters, empties and drops nothing, and no trigger obeys it. Made where it is missing, with the password of the
 * URL (else PGPASSWORD), when the owner may make roles. Safe to repeat, also after every migration. `isNewer` is a schema
 * that a newer release made: what that one gave is not known here, and stays.
 */
export async function grantToService(
  owner: pg.PoolClient,
  serviceUrl: string,
  { isNewer }: { readonly isNewer: boolean },
): Promise<void> {
  const role = decodeURIComponent(new URL(serviceUrl).username);
  await makeRole(owner, role, decodeURIComponent(new URL(serviceUrl).password) || process.env.PGPASSWORD);
  const to = owner.escapeIdentifier(role);
  const { rows: tables } = await owner.query<GrantedTable>(
    `SELECT n.nspname AS schema, c.relname AS name, c.relrowsecurity AS secured,
            EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = r.rolname) AS admitted,
            ARRAY(SELECT a.privilege_type FROM aclexplode(c.relacl) a WHERE a.grantee = r.oid) AS rights
       FROM pg_roles r, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE r.rolname = $1 AND n.nspname = ANY($2) AND c.relkind IN ('r', 'p', 'v')`,
    [role, SCHEMAS],
  );
  const statements = (await schemasShutTo(owner, role)).flatMap((schema) => [
    `GRANT USAGE ON SCHEMA ${schema} TO ${to}`,
    `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${to}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${to}`,
  ]);
  for (const { schema, name, secured, admitted, rights } of tables) {
    const table = `${schema}.${owner.escapeIdentifier(name)}`;
    if (isNewer && rights.length > 0) continue;
    const wanted = (schema === 'public' && RIGHTS[name]) || ALL_RIGHTS;
    if (rights.sort().join() !== wanted.split(', ').sort().join())
      statements.push(`REVOKE ALL ON ${table} FROM ${to}`, `GRANT ${wanted} ON ${table} TO ${to}`);
    // The job tables show their rows to their owner alone unless a policy says otherwise. Making one locks its
    // table for a moment, so it is made once.
    if (secured && !admitted)
      statements.push(`CREATE POLICY ${to} ON ${table} TO ${to} USING (true) WITH CHECK (true)`);
  }
  // At once or not at all: replicas at work never see a moment without their rights.
  if (statements.length > 0) await owner.query(`BEGIN; ${statements.join('; ')}; COMMIT`);
}

/**
 * The schemas of which the role may not use all: each right that is given is written anew, and has every replica at
 * work read the catalog again, so those that are there are left alone. CASE has PostgreSQL ask for the rights of what lies
 * in the schemas alone: it would ask for those of its own 3,000 functions first, which takes longer than all else here.
 */
async function schemasShutTo(owner: pg.PoolClient, role: string): Promise<string[]> {
  const { rows } = await owner.query<{ schema: string }>(
    `SELECT n.nspname AS schema FROM pg_namespace n, pg_roles r
      WHERE r.rolname = $1 AND n.nspname = ANY($2)
        AND (NOT has_schema_privilege(r.oid, n.oid, 'USAGE')
          OR EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND CASE WHEN c.relkind = 'S'
               THEN NOT (has_sequence_privilege(r.oid, c.oid, 'USAGE') AND has_sequence_privilege(r.oid, c.oid, 'SELECT')) END)
          OR EXISTS (SELECT FROM pg_proc p WHERE CASE WHEN p.pronamespace = n.oid
               THEN NOT has_function_privilege(r.oid, p.oid, 'EXECUTE') END))`,
    [role, SCHEMAS],
  );
  return rows.map(({ schema }) => schema);
}

async function makeRole(owner: pg.PoolClient, role: string, password: string | undefined): Promise<void> {
  const { rowCount } = await owner.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (rowCount) return;
  const login = password ? `LOGIN PASSWORD ${owner.escapeLiteral(password)}` : 'LOGIN';
  try {
    await owner.query(
      `CREATE ROLE ${owner.escapeIdentifier(role)} ${login} NOSUPERUSER NOCREATEDB NOCREATEROLE`,
    );
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    // Another replica, or another database of the same server, made it in the meantime.
    if (code === '42710' || code === '23505') return;
    throw new Error(`DATABASE_URL: there is no role ${role}, and it can't be made: ${message}`, { cause });
  }
}
