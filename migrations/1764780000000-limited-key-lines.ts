import type { MigrationInterface, QueryRunner } from 'typeorm';
import { merchantIdentity } from '../src/kernel/text.js';

/**
 * Keys with limits stand apart from the wallet's other keys. `api_keys.lineage` says under which scopes a key finds the
 * idempotency keys that were used before: the first is its own, the others are those of the keys that it replaced or that
 * replaced it. Null: the wallet, for a key without limits; the key itself, for one with limits. An attempt by a key with
 * limits carries its scope as `history_id`, with its number there: null columns cost other attempts nothing.
 * `allowed_merchants` holds the merchants of a key's limits in the form in which merchants are compared.
 */
export class LimitedKeyLines1764780000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys ADD COLUMN lineage uuid[], ADD COLUMN allowed_merchants text[];
      ALTER TABLE transactions
        ADD COLUMN history_id uuid,
        ADD COLUMN history_seq bigint,
        ADD COLUMN history_blocked_total bigint;
    `);
    // Which keys a limited key replaced stands in the record of changes alone: under the moment of the rotation.
    await runner.query(`
      UPDATE api_keys k SET lineage = ARRAY[CASE WHEN k.limits IS NULL THEN k.wallet_id ELSE k.id END] || r.scopes
        FROM (
          SELECT (made.after->>'keyId')::uuid AS id,
                 array_agg(DISTINCT CASE WHEN old.limits IS NULL THEN old.wallet_id ELSE old.id END) AS scopes,
                 bool_or(old.limits IS NOT NULL) AS had_limits
            FROM wallet_changes made
            JOIN wallet_changes ended ON ended.wallet_id = made.wallet_id AND ended.created_at = made.created_at
             AND ended.action IN ('key.replaced', 'key.revoked')
            JOIN api_keys old ON old.wallet_id = made.wallet_id AND old.id = (ended.after->>'keyId')::uuid
           WHERE made.action = 'key.created' AND made.after->>'keyId' <> old.id::text
           GROUP BY 1
        ) r
       WHERE k.id = r.id AND (k.limits IS NOT NULL OR r.had_limits)
    `);
    const listed = (await runner.query(
      `SELECT id, limits->'allowedMerchants' AS names FROM api_keys WHERE limits ? 'allowedMerchants'`,
    )) as { id: string; names: string[] }[];
    for (const { id, names } of listed) {
      await runner.query('UPDATE api_keys SET allowed_merchants = $2 WHERE id = $1', [
        id,
        names.map(merchantIdentity),
      ]);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE transactions DROP COLUMN history_id, DROP COLUMN history_seq, DROP COLUMN history_blocked_total;
      ALTER TABLE api_keys DROP COLUMN lineage, DROP COLUMN allowed_merchants;
    `);
  }
}
