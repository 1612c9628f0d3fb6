import type { LedgerEntry, LedgerLine, Withdrawal } from '../api/types.js';
import { PAYMENT_STATUSES, sentBackInWords, WITHDRAWAL_STATUSES } from '../payments/status.js';

type Entry = Pick<LedgerEntry, 'type' | 'narration' | 'counterparty'>;

export interface EntryInWords {
  readonly name: string;
  readonly more: string;
}

/** Not by an agent: the owner withdrew it. */
export const isWithdrawal = ({ counterparty }: Entry) => counterparty?.type === 'bank_account';

/** What moved the money of an entry, and what more there is to say of it. `withdrawal`: how that stands. */
export function entryInWords({ type, narration, counterparty }: Entry, withdrawal?: string): EntryInWords {
  if (counterparty?.type === 'bank_account') {
    const more = withdrawal ?? narration ?? '';
    return type === 'refund' ? { name: 'Withdrawal returned', more } : { name: 'Withdrawal', more };
  }
  if (counterparty?.type === 'wallet') {
    const other = counterparty.name ?? 'another wallet';
    return { name: type === 'topup' ? `Moved from ${other}` : `Moved to ${other}`, more: narration ?? '' };
  }
  const name = { topup: 'Money in', debit: 'Payment', refund: 'Refund' }[type];
  return counterparty?.name ? { name: counterparty.name, more: name } : { name, more: narration ?? '' };
}

/** As {@link entryInWords}, and why it was paid. */
export function lineInWords(line: LedgerLine, withdrawal?: string): EntryInWords {
  const { type, narration, reason, cause, counterparty: name } = line;
  const kinds = { withdrawal: 'bank_account', transfer: 'wallet', payment: 'merchant' } as const;
  const counterparty =
    cause === 'bank-transfer' || (cause === 'payment' && name === null)
      ? null
      : { ...NOBODY, type: kinds[cause], name };
  const words = entryInWords({ type, narration, counterparty }, withdrawal);
  return reason === null ? words : { ...words, more: `${words.more} · ${reason}` };
}

const NOBODY = { accountNumber: null, bankCode: null, walletId: null };

export function withdrawalInWords(withdrawal: Withdrawal, bankName: (code: string) => string): string {
  const { accountNumber, bankCode, settlement } = withdrawal;
  const { name } = PAYMENT_STATUSES[WITHDRAWAL_STATUSES[settlement.status]];
  const status = settlement.status === 'reversed' ? `${name} · ${sentBackInWords(settlement)}` : name;
  return `${status} · to ${bankName(bankCode)} ${accountNumber}`;
}
