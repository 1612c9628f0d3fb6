import { About, Amount, Digits } from '../http/fields.js';
import { OR_NULL, ShownChoice, ShownKobo, ShownText, ShownTime, Success } from '../http/shown.js';
import type { Config } from '../config.js';
import type { Kobo } from '../shared/money.js';

export class SandboxTransferBody {
  @About('The number of a virtual account.', '0000000017')
  @Digits(10)
  accountNumber: string;

  @About('In kobo.', 105_055)
  @Amount()
  amount: Kobo;
}

export class SandboxTransfer {
  @ShownText('The reference of the transfer, as the ledger shows it.', 'SBX-9f2c1b')
  reference: string;

  @ShownText('Where it went.', '0000000017', { pattern: '^[0-9]{10}$' })
  accountNumber: string;

  @ShownKobo('The amount.', 105_055, { minimum: 1 })
  amount: number;

  @ShownTime('When it was sent.', OR_NULL)
  sentAt: Date | null;
}

export class SandboxTransferAnswer extends Success(SandboxTransfer) {}

export class BankInUse {
  @ShownChoice(['sandbox', 'kora'], 'The bank of this service.')
  provider: Config['BANK_PROVIDER'];
}

export class BankInUseAnswer extends Success(BankInUse) {}
