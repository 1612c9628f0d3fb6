import type { LedgerLine } from '../ledger/ledger.port.js';
import { kindOf, nairaOf } from './statements.domain.js';

/** In the order that QuickBooks takes; Xero and Sage go by the names. */
export const BOOKKEEPING_NAMES = ['Date', 'Description', 'Amount', 'Payee', 'Reference'] as const;

const DESCRIPTION_MAX = 250;

/** One line of text each; the amount is negative for money out. */
export function bookkeepingRow(line: LedgerLine, local: (at: Date) => string) {
  const { type, amount, walletName, purpose, reason, narration, counterparty, reference, createdAt } = line;
  const [year, month, day] = local(createdAt).slice(0, 10).split('-');
  const why = [...new Set([purpose, reason, narration])].filter((each) => each !== null);
  const description = `${[kindOf(line), walletName].join(' from ')}${why.length > 0 ? `: ${why.join(', ')}` : ''}`;
  return {
    date: `${day}/${month}/${year}`,
    description: inOneLine(description).slice(0, DESCRIPTION_MAX),
    amount: `${type === 'debit' ? '-' : ''}${nairaOf(BigInt(amount))}`,
    payee: inOneLine(counterparty ?? ''),
    reference: inOneLine(reference),
  };
}

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
