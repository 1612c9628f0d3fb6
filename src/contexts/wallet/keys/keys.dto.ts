import { ApiField, Flag, Instant, Optional, Text, Uuid, Whole } from '../../../platform/http/fields.js';
import {
  OR_NULL,
  ApiChoiceProperty,
  ApiIdProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  Success,
} from '../../../platform/http/shown.js';
import { ApiProperty } from '@nestjs/swagger';

const GRACE_SECONDS_MAX = 30 * 24 * 60 * 60;
const NAME_MAX = 100;

export class CreateKeyRequest {
  @ApiField('Who or what uses the key.', 'Shopping agent, production')
  @Text(1, NAME_MAX)
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
  @Whole(0, GRACE_SECONDS_MAX)
  graceSeconds?: number | null;

  @Optional()
  @ApiField(
    'The one key that is replaced; without it graceSeconds is for every key that pays.',
    '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  )
  @Uuid()
  replaces?: string | null;

  @Optional()
  @ApiField(
    'For a rotation while the wallet has coolingOff: whether the key takes over the age of the oldest key that it ' +
      'replaces, and what that one paid while it was new. Without it the key is new.',
    true,
  )
  @Flag()
  inheritAge?: boolean | null;
}

export class RenameKeyRequest {
  @ApiField('Who or what uses the key.', 'Shopping agent, production')
  @Text(1, NAME_MAX)
  name: string;
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

  @ApiChoiceProperty(['active', 'expired', 'revoked'], 'Only an active key pays.')
  status: 'active' | 'expired' | 'revoked';

  @ApiTimeProperty('From then on it pays nothing; null: it does not expire.', OR_NULL)
  expiresAt: Date | null;

  @ApiTimeProperty('When it last paid or tried to, some seconds late; null: never.', OR_NULL)
  lastUsedAt: Date | null;

  @ApiTimeProperty('When it was ended; null: it was not.', OR_NULL)
  revokedAt: Date | null;

  @ApiTimeProperty('When it was made.')
  createdAt: Date;
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

export class KeysResponse {
  @ApiProperty({ type: 'boolean', enum: [true], example: true })
  success: true;

  @ApiListProperty(WalletKey, 'Newest first, the dead ones included.')
  data: readonly WalletKey[];
}
