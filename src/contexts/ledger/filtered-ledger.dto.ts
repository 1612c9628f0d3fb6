import { validationError } from '../../kernel/errors.js';
import { kobo, nairaFromKobo } from '../../kernel/money.js';
import type { Column } from '../../platform/http/api/csv.js';
import { PageNumber, PageOf, PageSize, Pagination } from '../../platform/http/api/pagination.js';
import { dayOf, Parameter, wordsOf } from '../../platform/http/api/query.js';
import {
  ApiEnumProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
} from '../../platform/http/api/response-properties.js';
import { bankNameOf } from '../bank/bank-names.port.js';
import type { FilteredLedger, LedgerFilter } from './filtered-ledger.service.js';
import type { EntryTypes } from './ledger-periods.store.js';
import { LEDGER_CAUSES, type LedgerCause, type LedgerLine } from './ledger.port.js';

const ENTRY_TYPES = ['topup', 'debit', 'refund'] as const;
const DAY = { type: 'string', format: 'date' } as const;

export class LedgerFilterQuery {
  @Parameter(dayOf, { description: 'From the begin of this day on, in the account’s time zone.', ...DAY })
  readonly from: string | null = null;

  @Parameter(dayOf, { description: 'Up to the end of this day, in the account’s time zone.', ...DAY })
  readonly to: string | null = null;

  @Parameter((query, field) => wordsOf(query, field, ENTRY_TYPES), {
    description: `Only entries of these types: any of ${ENTRY_TYPES.join(', ')}, separated by commas.`,
    type: 'string',
  })
  readonly type: EntryTypes = null;
}

export class LedgerByDaysQuery extends LedgerFilterQuery {
  @PageNumber()
  readonly page: number = 1;

  @PageSize()
  readonly pageSize: number = 10;
}

/** Throws `VALIDATION_ERROR`. */
export function ledgerFilterOf({ from, to, type }: LedgerFilterQuery): LedgerFilter {
  if (from !== null && to !== null && to < from) {
    throw validationError({ field: 'to', message: 'must not be before from' });
  }
  return { from, to, types: type };
}

class LedgerKey {
  @ApiIdProperty('The key.')
  id: string;

  @ApiTextProperty('Its first 16 characters.', 'apw_live_Zm9vYmF')
  prefix: string;

  @ApiTextProperty(
    'What its owner calls it now; null: the key that came with the wallet.',
    'Errands',
    OR_NULL,
  )
  name: string | null;
}

class LedgerLineView {
  @ApiIdProperty('The entry.')
  id: string;

  @ApiIntegerProperty('Its place among the entries of the wallet, from 1.', 12, { minimum: 1 })
  seq: number;

  @ApiEnumProperty(ENTRY_TYPES, '`debit` takes, the others give.')
  type: LedgerLine['type'];

  @ApiEnumProperty(LEDGER_CAUSES, 'What moved the money.')
  cause: LedgerCause;

  @ApiKoboProperty('Always positive; the type tells the direction.', 105_055, { minimum: 1 })
  amount: number;

  @ApiKoboProperty('The balance right after this entry.', 105_055)
  balanceAfter: number;

  @ApiIdProperty('The payment; null for all else.', OR_NULL)
  transactionId: string | null;

  @ApiTextProperty('The merchant as supplied, or the other wallet of a transfer.', 'Shoprite', OR_NULL)
  counterparty: string | null;

  @ApiTextProperty('The account that is paid.', '0123456789', OR_NULL)
  accountNumber: string | null;

  @ApiTextProperty('Its bank.', '058', OR_NULL)
  bankCode: string | null;

  @ApiTextProperty('What the agent gave as reason of the payment.', 'Milk and bread', OR_NULL)
  reason: string | null;

  @ApiTextProperty('What the key is for.', 'Groceries', OR_NULL)
  purpose: string | null;

  @ApiTextProperty('What a transfer came with.', 'Float for November', OR_NULL)
  narration: string | null;

  @ApiObjectProperty(LedgerKey, 'The key that asked for the payment.', OR_NULL)
  key: LedgerKey | null;

  @ApiTextProperty("Top-up: the transfer's reference. Debit and refund: the settlement's.", 'KPY-CA-9f2c1b')
  reference: string;

  @ApiTextProperty('The NIP session id, where the bank gave one.', '000014261121063000123456789012', OR_NULL)
  sessionId: string | null;

  @ApiTimeProperty('When the balance changed.')
  createdAt: Date;
}

class LedgerTotalsView {
  @ApiKoboProperty('The balance at the begin of the period, whatever the types.', 100_000)
  opening: number;

  @ApiKoboProperty('The balance at its end.', 110_000)
  closing: number;

  @ApiKoboProperty('What these entries brought in; null: more than 200,000 entries.', 50_000, OR_NULL)
  received: number | null;

  @ApiKoboProperty('What they took out; null as above.', 40_000, OR_NULL)
  paidOut: number | null;

  @ApiKoboProperty('What they gave back; null as above.', 0, OR_NULL)
  refunded: number | null;

  @ApiIntegerProperty('What they changed the balance by, in kobo: received + refunded - paidOut.', 10_000, {
    format: 'int64',
  })
  net: number;
}

export class LedgerByDaysResponse extends PageOf(LedgerLineView) {
  @ApiTextProperty('In which the days begin and end.', 'Africa/Lagos')
  timeZone: string;

  @ApiObjectProperty(LedgerTotalsView, 'Of all entries that the filter lets through.')
  totals: LedgerTotalsView;
}

export function presentFiltered(
  { page, pageSize }: LedgerByDaysQuery,
  { rows, total, timeZone, totals }: FilteredLedger,
): LedgerByDaysResponse {
  const pagination: Pagination = {
    page,
    pageSize,
    totalCount: total,
    totalPages: Math.ceil(total / pageSize),
  };
  return { success: true, data: rows.map(presentLine), pagination, timeZone, totals };
}

function presentLine(line: LedgerLine): LedgerLineView {
  const { id, seq, type, cause, amount, balanceAfter, transactionId, counterparty, accountNumber } = line;
  const { bankCode, reason, purpose, narration, key, reference, sessionId, createdAt } = line;
  return {
    ...{ id, seq, type, cause, amount, balanceAfter, transactionId, counterparty, accountNumber },
    ...{ bankCode, reason, purpose, narration, key, reference, sessionId, createdAt },
  };
}

const isOut = ({ type }: LedgerLine): boolean => type === 'debit';
const naira = ({ amount }: LedgerLine): string => nairaFromKobo(kobo(amount));

export const LEDGER_LINES_CSV: readonly Column<LedgerLine>[] = [
  { name: 'id', of: ({ id }) => id },
  { name: 'created_at', isTime: true, of: ({ createdAt }) => createdAt },
  { name: 'type', of: ({ type }) => type },
  { name: 'cause', of: ({ cause }) => cause },
  { name: 'wallet_name', of: ({ walletName }) => walletName },
  { name: 'merchant', of: ({ counterparty }) => counterparty },
  { name: 'account_number', of: ({ accountNumber }) => accountNumber },
  { name: 'bank_code', of: ({ bankCode }) => bankCode },
  { name: 'bank_name', of: ({ bankCode }) => bankNameOf(bankCode) },
  { name: 'reason', of: ({ reason }) => reason },
  { name: 'purpose', of: ({ purpose }) => purpose },
  { name: 'narration', of: ({ narration }) => narration },
  { name: 'key_id', of: ({ key }) => key?.id ?? null },
  { name: 'key_prefix', of: ({ key }) => key?.prefix ?? null },
  { name: 'key_name', of: ({ key }) => key?.name ?? null },
  { name: 'in_ngn', of: (line) => (isOut(line) ? null : naira(line)) },
  { name: 'out_ngn', of: (line) => (isOut(line) ? naira(line) : null) },
  { name: 'amount_kobo', of: ({ amount, type }) => (type === 'debit' ? -amount : amount) },
  { name: 'balance_after_ngn', of: ({ balanceAfter }) => nairaFromKobo(kobo(balanceAfter)) },
  { name: 'balance_after_kobo', of: ({ balanceAfter }) => balanceAfter },
  { name: 'transaction_id', of: ({ transactionId }) => transactionId },
  { name: 'reference', of: ({ reference }) => reference },
  { name: 'session_id', of: ({ sessionId }) => sessionId },
];
