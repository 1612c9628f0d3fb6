import { PageOf } from '../http/pagination.js';
import { OR_NULL, ShownChoice, ShownId, ShownKobo, ShownText, ShownTime } from '../http/shown.js';
import type { LedgerEntry as Entry } from './ledger.store.js';

export class LedgerEntry {
  @ShownId('The entry.')
  id: string;

  @ShownId('The wallet whose balance changed.')
  walletId: string;

  @ShownChoice(['topup', 'debit', 'refund'], '`debit` takes, the others give.')
  type: Entry['type'];

  @ShownKobo('Always positive; the type tells the direction.', 105_055, { minimum: 1 })
  amount: number;

  @ShownKobo('The balance right after this entry.', 105_055)
  balanceAfter: number;

  @ShownId('The payment; null for a top-up.', OR_NULL)
  transactionId: string | null;

  @ShownText("Top-up: the transfer's reference. Debit and refund: the settlement's.", 'KPY-CA-9f2c1b')
  reference: string;

  @ShownText(
    "The transfer's narration; null for the others, or when it had none.",
    'Groceries for November',
    OR_NULL,
  )
  narration: string | null;

  @ShownTime('When the balance changed.')
  createdAt: Date;
}

export class LedgerPage extends PageOf(LedgerEntry) {}
