import type pg from 'pg';

const RIGHTS: Readonly<Record<string, string>> = {
  migrations: 'SELECT',
  // Append-only.
  ledger_entries: 'SELECT, INSERT',
  wallet_changes: 'SELECT, INSERT',
  withdrawals: 'SELECT, INSERT',
  wallet_transfers: 'SELECT, INSERT',
  wallets: 'SELECT, INSERT, UPDATE',
  transactions: 'SELECT, INSERT, UPDATE',
  settlements: 'SELECT, INSERT, UPDATE',
  archived_settlements: 'SELECT, UPDATE',
  archived_facts: 'SELECT',
  archived_bodies: 'SELECT',
  refunded_payments: 'SELECT, INSERT, UPDATE',
  returned_payments: 'SELECT, INSERT, UPDATE',
  operator_acts: 'SELECT, INSERT',
  operator_proposals: 'SELECT, INSERT, UPDATE',
  receipt_keys: 'SELECT, INSERT, UPDATE',
  receipt_salt_keys: 'SELECT, INSERT, UPDATE',
};
const ALL_RIGHTS = 'SELECT, INSERT, UPDATE, DELETE';
const SCHEMAS = ['public', 'graphile_worker'];

interface GrantedTable {
  readonly schema: string;
  readonly name: string;
  readonly secured: boolean;
  readonly admitted: boolean;
  readonly rights: string[];
}

/**
 * Grants the service's role its work on rows and nothing else; creates it if the owner may. Safe to repeat. A
 * newer schema's grants stay.
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
    // graphile-worker's tables need a policy; made once, as that locks the table.
    if (secured && !admitted)
      statements.push(`CREATE POLICY ${to} ON ${table} TO ${to} USING (true) WITH CHECK (true)`);
  }
  // All or nothing, so that running replicas keep their rights.
  if (statements.length > 0) await owner.query(`BEGIN; ${statements.join('; ')}; COMMIT`);
}

/**
 * Schemas with missing rights. Existing grants are left alone: a new one invalidates every session's catalog
 * cache.
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
    // Another replica made it.
    if (code === '42710' || code === '23505') return;
    throw new Error(`DATABASE_URL: there is no role ${role}, and it can't be made: ${message}`, { cause });
  }
}
