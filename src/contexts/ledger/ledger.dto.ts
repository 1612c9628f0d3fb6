import { PageOf } from '../../platform/http/pagination.js';
import {
  OR_NULL,
  ApiChoiceProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiTextProperty,
  ApiTimeProperty,
} from '../../platform/http/shown.js';
import type { LedgerEntry as Entry } from './ledger.store.js';

class LedgerEntry {
  @ApiIdProperty('The entry.')
  id: string;

  @ApiIdProperty('The wallet whose balance changed.')
  walletId: string;

  @ApiChoiceProperty(['topup', 'debit', 'refund'], '`debit` takes, the others give.')
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

  @ApiTimeProperty('When the balance changed.')
  createdAt: Date;
}

export class LedgerPage extends PageOf(LedgerEntry) {}
