import {
  ApiChoiceProperty,
  ApiFlagProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiTextProperty,
  ApiTextsProperty,
  ApiTimeProperty,
  ApiWholeProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/shown.js';

class OwnWallet {
  @ApiIdProperty('The wallet.')
  id: string;

  @ApiTextProperty('What the wallet is for.', 'Shopping agent')
  name: string;

  @ApiTextProperty('The purpose that the owner gave the key; null without one.', 'Groceries', OR_NULL)
  purpose: string | null;

  @ApiChoiceProperty(['ACTIVE', 'SUSPENDED', 'CLOSED'], 'Only an active wallet pays.')
  status: string;

  @ApiKoboProperty('The money in the wallet, with what payments hold of it that wait for approval.', 105_055)
  balance: number;

  @ApiKoboProperty('What of it is not held, and so can be spent.', 105_055)
  available: number;

  @ApiKoboProperty('The most one payment may be.', 50_000, { minimum: 1 })
  spendLimitPerTx: number;

  @ApiKoboProperty('The most that may be spent within the window.', 120_000, { minimum: 1 })
  spendLimitPeriod: number;

  @ApiWholeProperty('Days of the rolling window, 24 hours each.', 30, { minimum: 1, maximum: 3650 })
  periodWindowDays: number;

  @ApiKoboProperty('Approved and not refunded spend of the window.', 40_000)
  spentThisPeriod: number;

  @ApiKoboProperty('What the limit of the period still leaves.', 80_000)
  remainingAllowance: number;

  @ApiTimeProperty('From then on every payment is blocked.')
  expiry: Date;

  @ApiFlagProperty('Whether the expiry has passed.', false)
  expired: boolean;

  @ApiTimeProperty('When the key itself expires; null: it does not.', OR_NULL)
  keyExpiresAt: Date | null;

  @ApiFlagProperty('Whether only the merchants of the allowlist may be paid.', true)
  useAllowlist: boolean;

  @ApiTextsProperty('As the owner supplied it; empty when useAllowlist is false.', ['Shoprite', 'Jumia'])
  merchantAllowlist: readonly string[];
}

export class OwnWalletResponse extends Success(OwnWallet) {}
