import { newId } from '../../kernel/ids.js';
import { RowStatement } from '../../platform/database/row-statement.js';
import type { AttemptsDecided, PaymentApproved } from '../payments/payments.events.js';
import { recipientOf } from '../payments/payments.port.js';
import type { WalletStatus } from './wallet.events.js';

export interface CreditedWallet {
  readonly balance: number;
  readonly entryCount: number;
  readonly at: Date;
  readonly status: WalletStatus;
}

type Decided = Pick<
  AttemptsDecided,
  'walletId' | 'approved' | 'spent' | 'balanceAfter' | 'held' | 'heldCount' | 'at'
> & {
  readonly attemptCount: number;
  readonly blockedCount: number;
  readonly spentTotal: bigint;
  readonly windowDays: number | null;
  readonly windowSpent: number;
  readonly windowFrom: Date | null;
};

export const RECORD_ATTEMPTS = new RowStatement<Decided>(
  'wallets',
  {
    walletId: 'uuid',
    approved: 'bigint',
    spent: 'bigint',
    balanceAfter: 'bigint',
    held: 'bigint',
    heldCount: 'integer',
    at: 'timestamptz',
    attemptCount: 'bigint',
    blockedCount: 'bigint',
    spentTotal: 'numeric',
    windowDays: 'integer',
    windowSpent: 'bigint',
    windowFrom: 'timestamptz',
  },
  (rows) => `UPDATE wallets w SET
       updated_at = CASE WHEN r.approved > 0 OR r.held > w.held THEN r.at ELSE w.updated_at END,
       balance = CASE WHEN w.balance - r.spent = r.balanceAfter THEN r.balanceAfter ELSE -1 END,
       held = r.held, held_count = r.heldCount,
       attempt_count = r.attemptCount, blocked_count = r.blockedCount, spent_total = r.spentTotal,
       entry_count = w.entry_count + r.approved,
       window_days = r.windowDays, window_spent = r.windowSpent, window_from = r.windowFrom
     FROM ${rows} WHERE w.id = r.walletId`,
);

export interface NewMerchant {
  readonly walletId: string;
  readonly merchant: string;
  readonly id: string;
  readonly name: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly transactionId: string;
  readonly at: Date;
}

export function merchantPaid({ walletId, details, transactionId, at }: PaymentApproved): NewMerchant {
  const { merchant, merchantName: name } = details;
  return { walletId, merchant, id: newId(), name, ...recipientOf(details), transactionId, at };
}

export const REMEMBER_MERCHANTS = new RowStatement<NewMerchant>(
  'wallet_merchants',
  {
    walletId: 'uuid',
    merchant: 'text',
    id: 'uuid',
    name: 'text',
    accountNumber: 'text',
    bankCode: 'text',
    transactionId: 'uuid',
    at: 'timestamptz',
  },
  (rows) => `INSERT INTO wallet_merchants (wallet_id, merchant, id, name, account_number, bank_code,
     first_transaction_id, first_paid_at) SELECT r.* FROM ${rows} ON CONFLICT DO NOTHING`,
);
