import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What an operator needs of a delivery stands in columns, not in its body alone; events without effect, which
 * anyone may send, take turns on a fixed number of rows; and both tables say `reason` and `description`.
 */
export class InboundRecords1764450000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operator_cases RENAME COLUMN what TO description;

      ALTER TABLE inbound_transfers RENAME COLUMN why TO reason;
      ALTER TABLE inbound_transfers
        -- the wallet as the delivery named it, which need not be one
        ADD COLUMN account_reference text,
        -- data.status of the delivery
        ADD COLUMN bank_status text,
        ADD COLUMN ignored_slot integer;

      -- the newest 10,000 of what has no effect: one more takes the place of the oldest
      CREATE SEQUENCE inbound_ignored_slots MINVALUE 0 MAXVALUE 9999 START 0 CYCLE;
      DELETE FROM inbound_transfers WHERE status = 'ignored' AND id NOT IN (
        SELECT id FROM inbound_transfers WHERE status = 'ignored' ORDER BY received_at DESC, id DESC LIMIT 10000);
      UPDATE inbound_transfers t SET ignored_slot = n.slot, body = left(body, 4096)
        FROM (SELECT id, row_number() OVER (ORDER BY received_at, id) - 1 AS slot
                FROM inbound_transfers WHERE status = 'ignored') n
       WHERE n.id = t.id;
      SELECT setval('inbound_ignored_slots', count(*) % 10000, false) FROM inbound_transfers WHERE status = 'ignored';
      ALTER TABLE inbound_transfers
        ADD CONSTRAINT inbound_transfers_slot CHECK ((ignored_slot IS NULL) = (status <> 'ignored')),
        -- conflicts from before this migration have their facts in the body alone
        ADD CONSTRAINT inbound_transfers_conflict
          CHECK (status <> 'conflict' OR num_nulls(account_reference, amount, currency) = 0) NOT VALID;
      CREATE UNIQUE INDEX inbound_transfers_ignored ON inbound_transfers (ignored_slot) WHERE status = 'ignored';
      DROP INDEX inbound_transfers_recorded;
      CREATE UNIQUE INDEX inbound_transfers_recorded ON inbound_transfers (body_hash, status)
        WHERE status IN ('conflict', 'unmatched');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX inbound_transfers_recorded, inbound_transfers_ignored;
      DELETE FROM inbound_transfers a USING inbound_transfers b
       WHERE a.status = 'ignored' AND b.status = 'ignored' AND a.body_hash = b.body_hash AND a.id < b.id;
      CREATE UNIQUE INDEX inbound_transfers_recorded ON inbound_transfers (body_hash, status)
        WHERE status NOT IN ('credited', 'held');
      ALTER TABLE inbound_transfers
        DROP CONSTRAINT inbound_transfers_slot, DROP CONSTRAINT inbound_transfers_conflict,
        DROP COLUMN account_reference, DROP COLUMN bank_status, DROP COLUMN ignored_slot;
      ALTER TABLE inbound_transfers RENAME COLUMN reason TO why;
      DROP SEQUENCE inbound_ignored_slots;
      ALTER TABLE operator_cases RENAME COLUMN description TO what;
    `);
  }
}
