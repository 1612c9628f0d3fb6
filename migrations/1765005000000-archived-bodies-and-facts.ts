import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is bulky of inbound transfers and of attempts of closed months, many to a row, so that it compresses: see
 * `npm run archive`. The rows themselves stay where they are.
 */
export class ArchivedBodiesAndFacts1765005000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE archived_facts (
        last_id  uuid PRIMARY KEY,
        first_id uuid NOT NULL,
        -- of transactions, whose own facts are then the JSON null
        ids      uuid[] NOT NULL,
        facts    json[] NOT NULL,
        CONSTRAINT archived_facts_check CHECK (first_id <= last_id AND cardinality(ids) = cardinality(facts))
      );
      CREATE TABLE archived_bodies (
        last_id  uuid PRIMARY KEY,
        first_id uuid NOT NULL,
        -- of inbound transfers, whose own body is then empty
        ids      uuid[] NOT NULL,
        bodies   text[] NOT NULL,
        CONSTRAINT archived_bodies_check CHECK (first_id <= last_id AND cardinality(ids) = cardinality(bodies))
      );

      -- Functions, so that statements of payments are planned and begun as if there were no archive.
      CREATE FUNCTION archived_facts(transaction_id uuid) RETURNS json LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
        BEGIN
          RETURN (SELECT a.facts[array_position(a.ids, transaction_id)] FROM archived_facts a
                   WHERE a.last_id >= transaction_id AND a.first_id <= transaction_id
                     AND array_position(a.ids, transaction_id) IS NOT NULL
                   ORDER BY a.last_id LIMIT 1);
        END $$;
      CREATE FUNCTION archived_body(transfer_id uuid) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
        BEGIN
          RETURN (SELECT a.bodies[array_position(a.ids, transfer_id)] FROM archived_bodies a
                   WHERE a.last_id >= transfer_id AND a.first_id <= transfer_id
                     AND array_position(a.ids, transfer_id) IS NOT NULL
                   ORDER BY a.last_id LIMIT 1);
        END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE transactions SET facts = archived_facts(id) WHERE json_typeof(facts) = 'null';
      UPDATE inbound_transfers SET body = archived_body(id) WHERE body = '';
      DROP FUNCTION archived_facts, archived_body;
      DROP TABLE archived_facts, archived_bodies;
    `);
  }
}
