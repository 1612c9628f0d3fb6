import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import {
  Amount,
  ApiField,
  BooleanField,
  Instant,
  Name,
  NameList,
  Optional,
  Uuids,
  IntegerField,
} from '../../../platform/http/api/fields.js';
import { PageOf } from '../../../platform/http/api/pagination.js';
import {
  ApiBooleanProperty,
  ApiIdProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiStringsProperty,
  ApiTimeProperty,
  ApiIntegerProperty,
  Success,
} from '../../../platform/http/api/response-properties.js';
import type { Kobo } from '../../../kernel/money.js';
import { WalletView } from '../wallet.dto.js';
import { WALLETS_MAX } from '../wallet.domain.js';
import { ALLOWLIST_ENTRIES_MAX, WalletSettingsRequest } from '../wallet-settings.dto.js';

export class ChangeWalletRequest extends WalletSettingsRequest {
  @Optional()
  @ApiField('What the wallet is for.', 'Shopping agent')
  @Name(1, 100)
  name?: string | null;

  @Optional()
  @ApiField('The most one payment may be, in kobo; at most spendLimitPeriod.', 50_000)
  @Amount()
  spendLimitPerTx?: Kobo | null;

  @Optional()
  @ApiField('The most that may be spent within the window, in kobo.', 120_000)
  @Amount()
  spendLimitPeriod?: Kobo | null;

  @Optional()
  @ApiField('Days of the rolling window, 24 hours each.', 30)
  @IntegerField(1, 3650)
  periodWindowDays?: number | null;

  @Optional()
  @ApiField('In the future; without a zone it is UTC.', '2027-03-01T00:00:00Z')
  @Instant()
  expiry?: Date | null;

  @Optional()
  @ApiField('Whether only the merchants of the allowlist may be paid; false empties the allowlist.', true)
  @BooleanField()
  useAllowlist?: boolean | null;

  @Optional()
  @ApiField('The whole new allowlist. Dropped where useAllowlist is false.', ['Shoprite', 'Jumia'])
  @NameList(1, 200, ALLOWLIST_ENTRIES_MAX)
  merchantAllowlist?: string[] | null;

  @Optional()
  @ApiField('The version that the change is meant for; 409 VERSION_CONFLICT when it is another by now.', 3)
  @IntegerField(1, 2_147_483_647)
  version?: number | null;
}

class ChangedWallet {
  @ApiObjectProperty(WalletView, 'The wallet as it is now.')
  wallet: WalletView;
}

export class ChangedWalletResponse extends Success(ChangedWallet) {}

class SuspendedWallets {
  @ApiIntegerProperty('How many wallets were suspended.', 2, { minimum: 0 })
  suspended: number;

  @ApiStringsProperty('Their ids.', ['019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f'])
  walletIds: readonly string[];
}

export class SuspendedWalletsResponse extends Success(SuspendedWallets) {}

const WalletIds = () => (target: object, property: string) => {
  const message = `$property must be a list of 1 to ${WALLETS_MAX} wallet ids`;
  ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    minItems: 1,
    maxItems: WALLETS_MAX,
  })(target, property);
  Uuids()(target, property);
  ArrayMaxSize(WALLETS_MAX, { message })(target, property);
  ArrayMinSize(1, { message })(target, property);
  IsArray({ message })(target, property);
};

export class ResumeWalletsRequest {
  @ApiField('Which wallets.', ['019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f'])
  @WalletIds()
  walletIds: string[];
}

class ResumedWallets {
  @ApiIntegerProperty('How many of them were suspended.', 2, { minimum: 0 })
  resumed: number;

  @ApiStringsProperty('Their ids.', ['019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f'])
  walletIds: readonly string[];
}

export class ResumedWalletsResponse extends Success(ResumedWallets) {}

export class WalletChangeView {
  @ApiIdProperty('The change.')
  id: string;

  @ApiIdProperty('The wallet.')
  walletId: string;

  @ApiIdProperty('Who made it.')
  userId: string;

  @ApiTextProperty('What was done.', 'updated')
  action: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The fields that changed, as they were.',
    example: { spendLimitPerTx: 50_000 },
  })
  before: object;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The same fields, as they became.',
    example: { spendLimitPerTx: 75_000 },
  })
  after: object;

  @ApiBooleanProperty(
    'There where `before` and `after` are left out, since the page would hold too much: ask for fewer a page.',
    true,
    { required: false },
  )
  omitted?: boolean;

  @ApiTimeProperty('When it was made.')
  createdAt: Date;
}

export class WalletChangesResponse extends PageOf(WalletChangeView) {}
