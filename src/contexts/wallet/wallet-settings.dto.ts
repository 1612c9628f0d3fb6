import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import {
  Amount,
  ApiField,
  BooleanField,
  Nested,
  EnumField,
  Optional,
  IntegerField,
} from '../../platform/http/api/fields.js';
import {
  ApiEnumProperty,
  ApiBooleanProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiIntegerProperty,
} from '../../platform/http/api/response-properties.js';
import type { Kobo } from '../../kernel/money.js';
import { APPROVAL_TTL_MINUTES_MAX } from './wallet.port.js';
import type { CoolingOff, PayeePolicy } from './wallet.events.js';

export const ALLOWLIST_ENTRIES_MAX = 1_000;

const DUPLICATE_GUARD_MINUTES_MAX = 1_440;

const COOLING_OFF_HOURS_MAX = 8_760;
const COOLING_OFF_EXAMPLE = {
  newKeyHours: 24,
  newKeyCap: 2_000_000,
  newPayeeHours: 24,
  newPayeeCap: 2_000_000,
};
const SUGGESTION =
  'The Central Bank of Nigeria allows newly activated apps ₦20,000 (2000000 kobo) in their first 24 hours.';

export class CoolingOffRequest {
  @Optional()
  @ApiField(`How long a key is new, from its creation. ${SUGGESTION}`, 24)
  @IntegerField(1, COOLING_OFF_HOURS_MAX)
  newKeyHours?: number | null;

  @Optional()
  @ApiField(`The most that a new key may pay in all, in kobo; needs newKeyHours. ${SUGGESTION}`, 2_000_000)
  @Amount()
  newKeyCap?: Kobo | null;

  @Optional()
  @ApiField(
    `How long a payee is new: from the first approved payment to its account, or from its registration. ${SUGGESTION}`,
    24,
  )
  @IntegerField(1, COOLING_OFF_HOURS_MAX)
  newPayeeHours?: number | null;

  @Optional()
  @ApiField(
    `The most that a new payee may be paid in all, in kobo; needs newPayeeHours. ${SUGGESTION}`,
    2_000_000,
  )
  @Amount()
  newPayeeCap?: Kobo | null;
}

export class WalletSettingsRequest {
  @ValidateIf((body: WalletSettingsRequest) => body.lowBalanceThreshold != null)
  @ApiField('The balance below which wallet.low_balance is sent, in kobo; null: it is not sent.', 1_000_000)
  @Amount()
  @ApiProperty({ required: false, nullable: true })
  lowBalanceThreshold?: Kobo | null;

  @Optional()
  @ApiField(
    'Within so many minutes the same key does not pay the same amount to the same account again, unless the payment ' +
      'names the first one as confirmSecondPurchase. Null: it does; 0: it does wherever it asks, over MCP too.',
    10,
  )
  @IntegerField(0, DUPLICATE_GUARD_MINUTES_MAX)
  duplicateGuardMinutes?: number | null;

  @Optional()
  @ApiField(
    'Which accounts a merchant may be paid at. `first_use`: the one it was first paid at, and those that are ' +
      'registered as payees; `strict`: registered ones alone; `warn`: any, with `check.warned` in the auditEvents ' +
      'where first_use would block; `off`, and null: any. Blocked: 403 PAYEE_NOT_ALLOWED.',
    'first_use',
  )
  @EnumField('off', 'warn', 'first_use', 'strict')
  payeePolicy?: PayeePolicy | null;

  @Optional()
  @ApiField(
    "Whether the recipient's bank must know the account: it is asked before a payment to an account that is new to " +
      'this service, and again after a day. Not known: 403 PAYEE_NOT_ALLOWED; no answer: 503 BANK_UNAVAILABLE, and ' +
      'nothing is decided.',
    true,
  )
  @BooleanField()
  verifyRecipient?: boolean | null;

  @Optional()
  @ApiField(
    'So much in all, and no more, while a key or a payee is new. Null: no bound.',
    COOLING_OFF_EXAMPLE,
  )
  @Nested(CoolingOffRequest)
  coolingOff?: CoolingOffRequest | null;

  @Optional()
  @ApiField(
    'A payment of more than this, in kobo, that passes all checks waits for approval. Null: none does.',
    5_000_000,
  )
  @Amount()
  approvalThreshold?: Kobo | null;

  @Optional()
  @ApiField('How long a payment waits for approval before it expires. Null: a day.', 1_440)
  @IntegerField(1, APPROVAL_TTL_MINUTES_MAX)
  approvalTtlMinutes?: number | null;

  @Optional()
  @ApiField(
    'Of the payments that wait for approval, those of more than this, in kobo, take the approval of two members. Null: ' +
      'one is enough.',
    50_000_000,
  )
  @Amount()
  secondApprovalAbove?: Kobo | null;
}

class WalletCoolingOff {
  @ApiIntegerProperty('How many hours a key is new.', 24, { minimum: 1, required: false })
  newKeyHours?: number;

  @ApiKoboProperty('The most that a new key may pay in all.', 2_000_000, { minimum: 1, required: false })
  newKeyCap?: number;

  @ApiIntegerProperty('How many hours a payee is new.', 24, { minimum: 1, required: false })
  newPayeeHours?: number;

  @ApiKoboProperty('The most that a new payee may be paid in all.', 2_000_000, {
    minimum: 1,
    required: false,
  })
  newPayeeCap?: number;
}

export class ShownControls {
  @ApiIntegerProperty('The duplicate-purchase guard; there when its owner set it.', 10, {
    minimum: 0,
    required: false,
  })
  duplicateGuardMinutes?: number;

  @ApiEnumProperty(
    ['first_use', 'strict', 'warn', 'off'],
    'Which accounts a merchant may be paid at; there when its owner set it.',
    { required: false },
  )
  payeePolicy?: PayeePolicy;

  @ApiBooleanProperty(
    "Whether the recipient's bank must know the account; there when its owner set it.",
    true,
    {
      required: false,
    },
  )
  verifyRecipient?: boolean;

  @ApiObjectProperty(
    WalletCoolingOff,
    'What new keys and new payees are bound to; there when its owner set it.',
    {
      required: false,
    },
  )
  coolingOff?: CoolingOff;

  @ApiKoboProperty('Above it a payment waits for approval; only present if set.', 5_000_000, {
    minimum: 1,
    required: false,
  })
  approvalThreshold?: number;

  @ApiIntegerProperty('How long it waits; there when its owner set it.', 1_440, {
    minimum: 1,
    required: false,
  })
  approvalTtlMinutes?: number;

  @ApiKoboProperty('Above it two members must approve; there when its owner set it.', 50_000_000, {
    minimum: 1,
    required: false,
  })
  secondApprovalAbove?: number;
}
