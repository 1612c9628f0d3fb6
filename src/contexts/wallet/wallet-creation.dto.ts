import {
  Amount,
  ApiField,
  BooleanField,
  Instant,
  Name,
  NameList,
  Optional,
  Uuid,
  IntegerField,
} from '../../platform/http/api/fields.js';
import { ApiObjectProperty, Success } from '../../platform/http/api/response-properties.js';
import type { Kobo } from '../../kernel/money.js';
import { NewApiKey, VirtualAccountView, WalletView } from './wallet.dto.js';
import { ALLOWLIST_ENTRIES_MAX, WalletSettingsRequest } from './wallet-settings.dto.js';

export const WINDOW_DAYS_DEFAULT = 30;

export class CreateWalletRequest extends WalletSettingsRequest {
  @ApiField('What the wallet is for.', 'Shopping agent')
  @Name(1, 100)
  name: string;

  @ApiField('The signed-in user.', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f')
  @Uuid()
  userId: string;

  @ApiField('The most one payment may be, in kobo; at most spendLimitPeriod.', 50_000)
  @Amount()
  spendLimitPerTx: Kobo;

  @ApiField('The most that may be spent within the window, in kobo.', 120_000)
  @Amount()
  spendLimitPeriod: Kobo;

  @Optional()
  @ApiField('Days of the rolling window, 24 hours each.', 30, { default: WINDOW_DAYS_DEFAULT })
  @IntegerField(1, 3650)
  periodWindowDays?: number | null;

  @ApiField(
    'ISO 8601, in the future; without a zone it is UTC. From then on every payment is blocked.',
    '2027-03-01T00:00:00Z',
  )
  @Instant()
  expiry: Date;

  @Optional()
  @ApiField('Whether only the merchants of the allowlist may be paid.', true, { default: false })
  @BooleanField()
  useAllowlist?: boolean | null;

  @Optional()
  @ApiField(
    'At least one entry when useAllowlist is true. Compared regardless of case and of spaces around and between words.',
    ['Shoprite', 'Jumia'],
  )
  @NameList(1, 200, ALLOWLIST_ENTRIES_MAX)
  merchantAllowlist?: string[] | null;
}

class CreatedWallet {
  @ApiObjectProperty(WalletView, 'The new wallet; its balance is 0.')
  wallet: WalletView;

  @ApiObjectProperty(VirtualAccountView, 'Money that is transferred here is credited to the wallet.')
  virtualAccount: VirtualAccountView;

  @ApiObjectProperty(NewApiKey, 'The key of the agent.')
  apiKey: NewApiKey;
}

export class CreatedWalletResponse extends Success(CreatedWallet) {}
