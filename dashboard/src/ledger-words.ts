import type { LedgerEntry, Withdrawal } from './api/types.js';
import { asSentence } from './words.js';

type Entry = Pick<LedgerEntry, 'type' | 'transactionId' | 'reference' | 'narration'>;

export interface EntryInWords {
  readonly name: string;
  readonly more: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Not by an agent: the owner withdrew it or moved it between wallets. */
export const isByOwner = ({ transactionId, reference }: Entry) => !transactionId && UUID.test(reference);

/** What moved the money of an entry, and what more there is to say of it. */
export function entryInWords(
  entry: Entry,
  known: {
    merchant?: string | undefined;
    withdrawal?: string | undefined;
    isMove?: boolean | undefined;
  } = {},
): EntryInWords {
  const { type, narration } = entry;
  const note = (words: string) => [words, narration].filter(Boolean).join(' · ');
  if (!isByOwner(entry)) {
    const name = { topup: 'Money in', debit: 'Payment', refund: 'Refund' }[type];
    return known.merchant ? { name: known.merchant, more: name } : { name, more: narration ?? '' };
  }
  if (type === 'topup') return { name: 'Moved here', more: note('From another wallet') };
  if (type === 'refund') return { name: 'Withdrawal returned', more: known.withdrawal ?? '' };
  if (known.withdrawal) return { name: 'Withdrawal', more: known.withdrawal };
  return known.isMove
    ? { name: 'Moved away', more: note('To another wallet') }
    : { name: 'Money out', more: note('By you') };
}

const STANDS: Readonly<Record<Withdrawal['settlement']['status'], string>> = {
  pending: 'processing',
  processing: 'processing',
  succeeded: 'paid',
  failed: 'failed, refunded',
  reversed: 'returned, refunded',
};

/** Where a withdrawal went, and how it stands. */
export function withdrawalInWords(withdrawal: Withdrawal, bankName: (code: string) => string): string {
  const { accountNumber, bankCode, settlement } = withdrawal;
  return asSentence(`${STANDS[settlement.status]} · to ${bankName(bankCode)} ${accountNumber}`);
}
