import type { MigrationInterface, QueryRunner } from 'typeorm';
import { merchantIdentity } from '../src/kernel/text.js';
import { IGNORABLE_CLASS } from '../src/platform/database/ignorable.js';

interface Named {
  readonly walletId: string;
  readonly id: string;
  readonly merchant: string;
  readonly name: string;
}

interface StoredPayee extends Named {
  readonly origin: 'registered' | 'first_use';
  readonly accountNumber: string;
  readonly bankCode: string;
}

/**
 * Brings the merchants that are compared with payments into the form without default-ignorable characters: allowlists,
 * merchants paid and payees. Two that become one are merged in favour of the plain spelling. What a first use bound under
 * another spelling is not added to a merchant that has payees: nobody chose that account for it. Attempts keep the
 * merchant they were recorded with, as no rule compares it again.
 */
export class MerchantIdentities1764720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const wallets = await rowsOf<{ id: string; names: string[] }>(
      runner,
      `SELECT id, merchant_allowlist AS names FROM wallets
        WHERE array_to_string(merchant_allowlist, ' ') ~ '${IGNORABLE_CLASS}' FOR UPDATE`,
    );
    for (const { id, names } of wallets) {
      await runner.query('UPDATE wallets SET allowed_merchants = $2 WHERE id = $1', [
        id,
        [...new Set(names.map(merchantIdentity))],
      ]);
    }
    await this.renamePaid(runner);
    await this.renamePayees(runner);
  }

  async down(): Promise<void> {
    // The older version compares these forms as well; which spelling was behind them stays in the names.
  }

  private async renamePaid(runner: QueryRunner): Promise<void> {
    const paid = await rowsOf<Named>(
      runner,
      `SELECT wallet_id AS "walletId", id, merchant, name FROM wallet_merchants
        WHERE name ~ '${IGNORABLE_CLASS}' ORDER BY id FOR UPDATE`,
    );
    for (const { walletId, merchant, name } of paid) {
      const key = [walletId, merchant, merchantIdentity(name)];
      await runner.query(
        `UPDATE wallet_merchants SET merchant = $3 WHERE wallet_id = $1 AND merchant = $2
            AND NOT EXISTS (SELECT FROM wallet_merchants WHERE wallet_id = $1 AND merchant = $3)`,
        key,
      );
      await runner.query(
        'DELETE FROM wallet_merchants WHERE wallet_id = $1 AND merchant = $2 AND merchant <> $3',
        key,
      );
    }
  }

  private async renamePayees(runner: QueryRunner): Promise<void> {
    const payees = await rowsOf<StoredPayee>(
      runner,
      `SELECT wallet_id AS "walletId", id, merchant, merchant_name AS name, origin, account_number AS "accountNumber",
              bank_code AS "bankCode"
         FROM wallet_payees WHERE merchant_name ~ '${IGNORABLE_CLASS}' ORDER BY created_at, id FOR UPDATE`,
    );
    for (const { walletId, id, merchant, name, origin, accountNumber, bankCode } of payees) {
      const identity = merchantIdentity(name);
      if (identity === merchant) continue;
      const others = await rowsOf<{ id: string; accountNumber: string; bankCode: string }>(
        runner,
        `SELECT id, account_number AS "accountNumber", bank_code AS "bankCode" FROM wallet_payees
          WHERE wallet_id = $1 AND merchant = $2`,
        [walletId, identity],
      );
      const same = others.find((each) => each.accountNumber === accountNumber && each.bankCode === bankCode);
      if (same && origin === 'registered') {
        await runner.query(
          `UPDATE wallet_payees SET origin = 'registered' WHERE wallet_id = $1 AND id = $2`,
          [walletId, same.id],
        );
      }
      if (!same && (origin === 'registered' || others.length === 0)) {
        await runner.query('UPDATE wallet_payees SET merchant = $3 WHERE wallet_id = $1 AND id = $2', [
          walletId,
          id,
          identity,
        ]);
      } else {
        await runner.query('DELETE FROM wallet_payees WHERE wallet_id = $1 AND id = $2', [walletId, id]);
      }
    }
  }
}

async function rowsOf<Row>(runner: QueryRunner, sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await runner.query(sql, values)) as Row[];
}
