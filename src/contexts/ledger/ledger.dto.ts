import { validationError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/text.js';
import { PageOf, PageQuery } from '../../platform/http/api/pagination.js';
import { Parameter, WordParameter } from '../../platform/http/api/query.js';
import {
  OR_NULL,
  ApiEnumProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
} from '../../platform/http/api/response-properties.js';
import type { Counterparty } from './ledger.service.js';
import type { LedgerEntry as Entry, ReadEntry } from './ledger.store.js';

const EXPANDED = ['counterparty'] as const;

export class LedgerQuery extends PageQuery {
  @WordParameter(EXPANDED, 'Includes the counterparty of each entry.')
  readonly expand: 'counterparty' | null = null;
}

export class WalletLedgerQuery extends LedgerQuery {
  @Parameter(
    ({ transactionId }, field) => {
      if (isUuid(transactionId)) return transactionId;
      throw validationError({ field, message: 'must be a UUID' });
    },
    { description: 'Only the entries of this transaction.', type: 'string', format: 'uuid' },
  )
  readonly transactionId: string | null = null;
}

class LedgerCounterparty {
  @ApiEnumProperty(
    ['merchant', 'bank_account', 'wallet'],
    'A payment, a withdrawal, or a transfer between wallets.',
  )
  type: Counterparty['type'];

  @ApiTextProperty(
    'The merchant as supplied, or the other wallet’s name; null for a withdrawal.',
    'Shoprite',
    OR_NULL,
  )
  name: string | null;

  @ApiTextProperty('The account that is paid; null for a transfer between wallets.', '0123456789', OR_NULL)
  accountNumber: string | null;

  @ApiTextProperty('Its bank.', '058', OR_NULL)
  bankCode: string | null;

  @ApiIdProperty('The other wallet of a transfer.', OR_NULL)
  walletId: string | null;
}

class LedgerEntry {
  @ApiIdProperty('The entry.')
  id: string;

  @ApiIdProperty('The wallet whose balance changed.')
  walletId: string;

  @ApiEnumProperty(['topup', 'debit', 'refund'], '`debit` takes, the others give.')
  type: Entry['type'];

  @ApiKoboProperty('Always positive; the type tells the direction.', 105_055, { minimum: 1 })
  amount: number;

  @ApiKoboProperty('The balance right after this entry.', 105_055)
  balanceAfter: number;

  @ApiIdProperty('The payment; null for a top-up.', OR_NULL)
  transactionId: string | null;

  @ApiTextProperty("Top-up: the transfer's reference. Debit and refund: the settlement's.", 'KPY-CA-9f2c1b')
  reference: string;

  @ApiTextProperty(
    "The transfer's narration; null for the others, or when it had none.",
    'Groceries for November',
    OR_NULL,
  )
  narration: string | null;

  @ApiTextProperty('Of a payment: what its key is for; there where its owner said so.', 'Groceries', {
    required: false,
  })
  purpose?: string;

  @ApiEnumProperty(['operator'], 'Only if an operator of the service made the entry.', { required: false })
  source?: 'operator';

  @ApiIdProperty('The case that the operator resolved by it.', { required: false })
  caseId?: string;

  @ApiTimeProperty('When the balance changed.')
  createdAt: Date;

  @ApiObjectProperty(
    LedgerCounterparty,
    'The counterparty of the entry; null for a transfer from outside. Only with `expand=counterparty`.',
    { ...OR_NULL, required: false },
  )
  counterparty?: LedgerCounterparty | null;
}

export class LedgerResponse extends PageOf(LedgerEntry) {}

export function presentLedgerEntry({
  source: _,
  otherWalletId: __,
  purpose,
  caseId,
  ...entry
}: ReadEntry): LedgerEntry {
  return {
    ...entry,
    ...(purpose !== null && { purpose }),
    ...(caseId !== null && { source: 'operator', caseId }),
  };
}
