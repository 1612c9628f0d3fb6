import { bankNameOf } from '../bank/bank-names.port.js';
import type { LedgerLine } from '../ledger/ledger.port.js';
import { type Figures, grouped, keyText, kindOf, monthInWords, nairaOf } from './statements.domain.js';

export interface Titles {
  readonly id: string;
  readonly month: string;
  readonly version: number;
  readonly timeZone: string;
  readonly isFinal: boolean;
  readonly from: string;
  readonly to: string;
  readonly madeAt: string;
  readonly holder: string;
  /** Null: all wallets. */
  readonly walletName: string | null;
}

/** Plain text. */
export interface PdfHead {
  readonly title: string;
  readonly author: string;
  readonly lines: readonly string[];
  readonly figures: readonly (readonly [label: string, value: string])[];
  readonly note: string;
  readonly columns: readonly string[];
  readonly footer: string;
  /** By wallet. */
  readonly entries: readonly number[];
  readonly hasHeadings: boolean;
}

export type PdfRow =
  | { readonly heading: string; readonly value: string }
  | { readonly cells: readonly (readonly [first: string, second: string])[] };

const amount = (kobo: bigint): string => `₦${grouped(nairaOf(kobo))}`;

export function pdfHead(titles: Titles, figures: Figures, entries: readonly number[]): PdfHead {
  const { id, month, version, timeZone, isFinal, from, to, madeAt, holder, walletName } = titles;
  const rows = entries.reduce((sum, each) => sum + each, 0);
  const title = `Statement for ${monthInWords(month)}${isFinal ? '' : ', so far'}`;
  return {
    title,
    author: holder,
    lines: [
      holder,
      walletName === null ? 'All wallets' : `Wallet: ${walletName}`,
      `${from} to ${to}, ${timeZone}`,
      `Created ${madeAt}, ${rows.toLocaleString('en')} ${rows === 1 ? 'entry' : 'entries'}`,
    ],
    figures: [
      ['Opening balance', amount(figures.opening)],
      ['Money in', amount(figures.received)],
      ['Money out', amount(figures.paidOut)],
      ['Refunds', amount(figures.refunded)],
      ['Closing balance', amount(figures.closing)],
    ],
    note: isFinal
      ? 'This statement is signed: its file and its signature can be checked without asking us.'
      : 'The month is not over: this statement is not final and not signed.',
    columns: ['Date and time', 'Details', 'Key', 'Bank reference', 'In', 'Out', 'Balance'],
    footer: `${title} · ${id} · version ${version}`,
    entries,
    hasHeadings: walletName === null,
  };
}

export function pdfHeading(name: string, { opening, closing }: Figures): PdfRow {
  return { heading: name, value: `Opening ${amount(opening)}, closing ${amount(closing)}` };
}

export function pdfRow(line: LedgerLine, local: (at: Date) => string): PdfRow {
  const change = amount(BigInt(line.amount));
  const isOut = line.type === 'debit';
  const what = line.counterparty ?? line.narration ?? '';
  const why = [line.purpose, line.reason, line.counterparty === null ? null : line.narration];
  return {
    cells: [
      [local(line.createdAt), kindOf(line)],
      [what, why.filter((each) => each !== null).join(' · ')],
      [line.key?.name ?? line.key?.prefix ?? '', line.key?.name ? line.key.prefix : ''],
      [line.reference, line.sessionId === null ? '' : `Session ${line.sessionId}`],
      [isOut ? '' : change, ''],
      [isOut ? change : '', ''],
      [amount(BigInt(line.balanceAfter)), ''],
    ],
  };
}

type CsvCell = string | number | null;

interface CsvColumn {
  readonly name: string;
  readonly of: (line: LedgerLine) => CsvCell;
}

const COLUMNS: readonly CsvColumn[] = [
  { name: 'type', of: kindOf },
  { name: 'wallet', of: ({ walletName }) => walletName },
  { name: 'merchant', of: ({ counterparty }) => counterparty },
  { name: 'account_number', of: ({ accountNumber }) => accountNumber },
  { name: 'bank_code', of: ({ bankCode }) => bankCode },
  { name: 'bank_name', of: ({ bankCode }) => bankNameOf(bankCode) },
  { name: 'purpose', of: ({ purpose }) => purpose },
  { name: 'reason', of: ({ reason }) => reason },
  { name: 'narration', of: ({ narration }) => narration },
  { name: 'key', of: ({ key }) => keyText(key) },
  { name: 'bank_reference', of: ({ reference }) => reference },
  { name: 'session_id', of: ({ sessionId }) => sessionId },
  { name: 'in_ngn', of: (line) => (line.type === 'debit' ? null : nairaOf(BigInt(line.amount))) },
  { name: 'out_ngn', of: (line) => (line.type === 'debit' ? nairaOf(BigInt(line.amount)) : null) },
  { name: 'balance_ngn', of: ({ balanceAfter }) => nairaOf(BigInt(balanceAfter)) },
  { name: 'amount_kobo', of: ({ amount, type }) => (type === 'debit' ? -amount : amount) },
  { name: 'entry_id', of: ({ id }) => id },
];

export function csvNames(timeZone: string): string[] {
  return [`date (${timeZone})`, ...COLUMNS.map(({ name }) => name)];
}

export function csvRow(line: LedgerLine, local: (at: Date) => string): CsvCell[] {
  return [local(line.createdAt), ...COLUMNS.map(({ of }) => of(line))];
}

export function csvBalance(at: string, type: string, walletName: string, balance: bigint): CsvCell[] {
  const values: Record<string, CsvCell> = { type, wallet: walletName, balance_ngn: nairaOf(balance) };
  return [at, ...COLUMNS.map(({ name }) => values[name] ?? null)];
}
