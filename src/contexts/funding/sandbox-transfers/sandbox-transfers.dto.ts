import { ApiField, Amount, Digits } from '../../../platform/http/api/fields.js';
import {
  OR_NULL,
  ApiKoboProperty,
  ApiTextProperty,
  ApiTimeProperty,
  Success,
} from '../../../platform/http/api/response-properties.js';
import type { Kobo } from '../../../kernel/money.js';

export class SandboxTransferRequest {
  @ApiField('The number of a virtual account.', '0000000017')
  @Digits(10)
  accountNumber: string;

  @ApiField('In kobo.', 105_055)
  @Amount()
  amount: Kobo;
}

class SandboxTransfer {
  @ApiTextProperty('The reference of the transfer, as the ledger shows it.', 'SBX-9f2c1b')
  reference: string;

  @ApiTextProperty('Where it went.', '0000000017', { pattern: '^[0-9]{10}$' })
  accountNumber: string;

  @ApiKoboProperty('The amount.', 105_055, { minimum: 1 })
  amount: number;

  @ApiTimeProperty('When it was sent.', OR_NULL)
  sentAt: Date | null;
}

export class SandboxTransferResponse extends Success(SandboxTransfer) {}
