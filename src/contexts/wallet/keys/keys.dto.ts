import {
  Amount,
  ApiField,
  BooleanField,
  Instant,
  Name,
  Nested,
  Optional,
  Uuid,
  IntegerField,
} from '../../../platform/http/api/fields.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ListOf,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { ApiProperty } from '@nestjs/swagger';
import { type Kobo } from '../../../kernel/money.js';
import type { RequiredOfPayment } from '../wallet.port.js';
import { KeyPayee, NewKeyLimits } from './key-limits.dto.js';

const GRACE_SECONDS_MAX = 30 * 24 * 60 * 60;
const NAME_MAX = 100;
const PURPOSE_MAX = 200;

export class CreateKeyRequest {
  @ApiField('Who or what uses the key.', 'Shopping agent, production')
  @Name(1, NAME_MAX)
  name: string;

  @Optional()
  @ApiField('From then on the key pays nothing; without it the key does not expire.', '2027-03-01T00:00:00Z')
  @Instant()
  expiresAt?: Date | null;

  @Optional()
  @ApiField(
    'Rotation: for so long the keys that this one replaces live on; 0 ends them at once, for a leak. ' +
      'Without it the key replaces none.',
    3_600,
  )
  @IntegerField(0, GRACE_SECONDS_MAX)
  graceSeconds?: number | null;

  @Optional()
  @ApiField(
    'The one key that is replaced, which needs graceSeconds; without it graceSeconds is for every key that pays.',
    '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  )
  @Uuid()
  replaces?: string | null;

  @Optional()
  @ApiField(
    'For a rotation while the wallet has coolingOff: whether the key takes over the age of the oldest key that it ' +
      'replaces, and what that one paid while it was new. Refused where none that pays is replaced. Without it the ' +
      'key is new.',
    true,
  )
  @BooleanField()
  inheritAge?: boolean | null;

  @Optional()
  @ApiField(
    'What the key may do within what the wallet may. What is absent is not narrowed; the rules of the wallet hold too.',
    { spendLimitPerTx: 20_000, totalCap: 100_000 },
  )
  @Nested(NewKeyLimits)
  limits?: NewKeyLimits | null;

  @Optional()
  @ApiField('What the key is for: stands with each of its payments.', 'Groceries for November')
  @Name(1, PURPOSE_MAX)
  purpose?: string | null;

  @Optional()
  @ApiField('Whether each payment must bring a runId; else it is refused before any check.', true)
  @BooleanField()
  requireRunId?: boolean | null;

  @Optional()
  @ApiField('Whether each payment must bring a rationale; else it is refused before any check.', true)
  @BooleanField()
  requireRationale?: boolean | null;

  @Optional()
  @ApiField(
    'A payment by the key that waits for approval takes two members above it, in kobo. The lower one of key and wallet counts.',
    1_000_000,
  )
  @Amount()
  secondApprovalAbove?: Kobo | null;
}

export function requiredIn({ requireRunId, requireRationale }: CreateKeyRequest): RequiredOfPayment[] {
  return [...(requireRunId ? ['runId' as const] : []), ...(requireRationale ? ['rationale' as const] : [])];
}

export class RenameKeyRequest {
  @ApiField('Who or what uses the key.', 'Shopping agent, production')
  @Name(1, NAME_MAX)
  name: string;
}

const ONLY_IF_SET = { required: false, minimum: 1 } as const;

class KeyLimits {
  @ApiKoboProperty('The most one payment may be.', 20_000, ONLY_IF_SET)
  spendLimitPerTx?: number;

  @ApiKoboProperty('The most the key may spend within its window.', 60_000, ONLY_IF_SET)
  spendLimitPeriod?: number;

  @ApiIntegerProperty('Days of that rolling window, 24 hours each.', 7, ONLY_IF_SET)
  periodWindowDays?: number;

  @ApiKoboProperty('The most the key may spend in its life.', 100_000, ONLY_IF_SET)
  totalCap?: number;

  @ApiIntegerProperty('The most payments the key may make in its life.', 3, ONLY_IF_SET)
  maxPayments?: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'The only merchants the key may pay.',
    example: ['Shoprite'],
    required: false,
  })
  allowedMerchants?: readonly string[];

  @ApiIntegerProperty(
    'How many these are; in their place, in the list of keys, where those of keys that pay no more would take too much room.',
    100,
    ONLY_IF_SET,
  )
  allowedMerchantsCount?: number;

  @ApiObjectProperty(KeyPayee, 'The only account the key may pay.', { required: false })
  payee?: KeyPayee;

  @ApiTimeProperty('From then on the key is blocked.', { required: false })
  expiry?: string;
}

class KeyLeft {
  @ApiKoboProperty('Of the limit for the window, now.', 45_000, { required: false })
  spendLimitPeriod?: number;

  @ApiKoboProperty('Of the cap over the life of the key.', 80_000, { required: false })
  totalCap?: number;

  @ApiIntegerProperty('Of the payments in the life of the key.', 2, { required: false, minimum: 0 })
  maxPayments?: number;
}

export class WalletKey {
  @ApiIdProperty('The key.')
  id: string;

  @ApiIdProperty('The wallet that the key pays from.')
  walletId: string;

  @ApiTextProperty(
    'Who or what uses it; null for the key that came with the wallet.',
    'Shopping agent',
    OR_NULL,
  )
  name: string | null;

  @ApiTextProperty('The first 16 characters, safe to display.', 'apw_live_Zm9vYmF')
  keyPrefix: string;

  @ApiEnumProperty(['active', 'expired', 'revoked'], 'Only an active key pays.')
  status: 'active' | 'expired' | 'revoked';

  @ApiTimeProperty('From then on it pays nothing; null: it does not expire.', OR_NULL)
  expiresAt: Date | null;

  @ApiTimeProperty('When it last paid or tried to, some seconds late; null: never.', OR_NULL)
  lastUsedAt: Date | null;

  @ApiTimeProperty('When it was ended; null: it was not.', OR_NULL)
  revokedAt: Date | null;

  @ApiTimeProperty('When it was made.')
  createdAt: Date;

  @ApiIdProperty('The user who made it; absent of the key that came with the wallet, and of old ones.', {
    required: false,
  })
  createdBy?: string;

  @ApiTextProperty('What it is for; there when its owner said so.', 'Groceries for November', {
    required: false,
  })
  purpose?: string;

  @ApiBooleanProperty('There when each of its payments must bring a runId.', true, { required: false })
  requireRunId?: boolean;

  @ApiBooleanProperty('There when each of its payments must bring a rationale.', true, { required: false })
  requireRationale?: boolean;

  @ApiKoboProperty('There when its payments that wait take two members above it.', 1_000_000, ONLY_IF_SET)
  secondApprovalAbove?: number;

  @ApiObjectProperty(KeyLimits, 'What it may do within what the wallet may; there when it has limits.', {
    required: false,
  })
  limits?: KeyLimits;

  @ApiObjectProperty(KeyLeft, 'What is left of those limits that payments use up; there with them.', {
    required: false,
  })
  left?: KeyLeft;
}

export class CreatedKey extends WalletKey {
  @ApiTextProperty(
    'The whole key. It is shown here and never again: only its hash is kept.',
    'apw_live_Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZmdoaWo',
    { pattern: '^apw_live_[A-Za-z0-9_-]{43}$' },
  )
  fullKey: string;
}

class CreatedKeyData {
  @ApiObjectProperty(CreatedKey, 'The new key.')
  apiKey: CreatedKey;
}

class KeyData {
  @ApiObjectProperty(WalletKey, 'The key as it is now.')
  apiKey: WalletKey;
}

export class CreatedKeyResponse extends Success(CreatedKeyData) {}
export class KeyResponse extends Success(KeyData) {}

export class KeysResponse extends ListOf(WalletKey, 'Newest first, the dead ones included.') {}
