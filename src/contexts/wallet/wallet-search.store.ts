import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { NamedKey, NamedPayee, NamedWallet, WalletSearch, WalletSought } from './wallet-search.port.js';

@Injectable()
export class WalletSearchStore implements WalletSearch {
  constructor(private readonly database: Database) {}

  wallets({ accountId, text, limit }: WalletSought): Promise<NamedWallet[]> {
    return this.database.reads.query<NamedWallet>(
      `SELECT id, name, status FROM wallets
        WHERE user_id = $1 AND (strpos(lower(name), $2) > 0 OR id::text = $2) ORDER BY created_at DESC, id LIMIT $3`,
      [accountId, text, limit],
    );
  }

  keys({ accountId, text, limit }: WalletSought): Promise<NamedKey[]> {
    return this.database.reads.query<NamedKey>(
      `SELECT k.id, k.name, k.key_prefix AS prefix, k.wallet_id AS "walletId", k.revoked_at IS NOT NULL AS "isRevoked"
         FROM wallets w JOIN api_keys k ON k.wallet_id = w.id
        WHERE w.user_id = $1 AND (strpos(lower(k.name), $2) > 0 OR strpos(lower(k.key_prefix), $2) > 0
              OR strpos(lower(k.purpose), $2) > 0 OR k.id::text = $2)
        ORDER BY k.created_at DESC, k.id LIMIT $3`,
      [accountId, text, limit],
    );
  }

  payees({ accountId, text, limit }: WalletSought): Promise<NamedPayee[]> {
    return this.database.reads.query<NamedPayee>(
      `SELECT p.id, p.wallet_id AS "walletId", p.merchant_name AS "merchantName", p.account_name AS "accountName",
              p.account_number AS "accountNumber", p.bank_code AS "bankCode"
         FROM wallets w JOIN wallet_payees p ON p.wallet_id = w.id
        WHERE w.user_id = $1 AND (strpos(p.merchant, $2) > 0 OR strpos(lower(p.account_name), $2) > 0
              OR p.account_number = $2)
        ORDER BY p.created_at DESC, p.id LIMIT $3`,
      [accountId, text, limit],
    );
  }
}
