import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../platform/database/columns.js';
import type { Queryable } from '../../platform/database/tx.js';
import { type ApprovalRule, ApprovalRules, type RequestedPayment } from './approval-rules.port.js';

@Injectable()
export class ApprovalRulesStore extends ApprovalRules {
  async of(payments: readonly RequestedPayment[], from: Queryable): Promise<readonly ApprovalRule[]> {
    if (payments.length === 0) return [];
    return from.query<ApprovalRule>(
      `SELECT least((w.controls->>'secondApprovalAbove')::bigint, earlier.amount, k.second_approval_above) AS "secondAbove",
              CASE WHEN k.id IS NOT NULL
                   THEN coalesce(k.made_by_user_id, w.made_by_user_id, w.user_id) END AS "requesterId"
         FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) WITH ORDINALITY AS p (wallet_id, key_id, at, place)
         LEFT JOIN wallets w ON w.id = p.wallet_id
         LEFT JOIN api_keys k ON k.id = p.key_id
        CROSS JOIN LATERAL (
          SELECT min((c.before->>'secondApprovalAbove')::bigint) AS amount FROM wallet_changes c
           WHERE c.wallet_id = p.wallet_id AND c.created_at >= p.at
        ) earlier
        ORDER BY p.place`,
      columnsOf(payments, 'walletId', 'keyId', 'createdAt'),
    );
  }
}
