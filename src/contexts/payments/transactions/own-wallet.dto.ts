import {
  ApiEnumProperty,
  ApiBooleanProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiStringsProperty,
  ApiTimeProperty,
  ApiIntegerProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';

const ONLY_IF_SET = { required: false, minimum: 1 } as const;

class OwnPayee {
  @ApiTextProperty('The account.', '0123456789', { pattern: '^[0-9]{10}$' })
  accountNumber: string;

  @ApiTextProperty('The code of its bank.', '044', { pattern: '^[0-9]{3}$' })
  bankCode: string;
}

class OwnWallet {
  @ApiIdProperty('The wallet.')
  id: string;

  @ApiTextProperty('What the wallet is for.', 'Shopping agent')
  name: string;

  @ApiTextProperty('The purpose that the owner gave the key; null without one.', 'Groceries', OR_NULL)
  purpose: string | null;

  @ApiEnumProperty(['ACTIVE', 'SUSPENDED', 'CLOSED'], 'Only an active wallet pays.')
  status: string;

  @ApiKoboProperty('The money in the wallet, with what payments hold of it that wait for approval.', 105_055)
  balance: number;

  @ApiKoboProperty('What of it is not held, and so can be spent.', 105_055)
  available: number;

  @ApiKoboProperty('The most one payment may be.', 50_000, { minimum: 1 })
  spendLimitPerTx: number;

  @ApiKoboProperty('The most that may be spent within the window.', 120_000, { minimum: 1 })
  spendLimitPeriod: number;

  @ApiIntegerProperty('Days of the rolling window, 24 hours each.', 30, { minimum: 1, maximum: 3650 })
  periodWindowDays: number;

  @ApiKoboProperty('Approved and not refunded spend of the window.', 40_000)
  spentThisPeriod: number;

  @ApiKoboProperty('What the limit of the period still leaves.', 80_000)
  remainingAllowance: number;

  @ApiTimeProperty('From then on every payment is blocked.')
  expiry: Date;

  @ApiBooleanProperty('Whether the expiry has passed.', false)
  expired: boolean;

  @ApiTimeProperty('When the key itself expires; null: it does not.', OR_NULL)
  keyExpiresAt: Date | null;

  @ApiBooleanProperty('Whether only the merchants of the allowlist may be paid.', true)
  useAllowlist: boolean;

  @ApiStringsProperty('As the owner supplied it; empty when useAllowlist is false.', ['Shoprite', 'Jumia'])
  merchantAllowlist: readonly string[];

  @ApiKoboProperty(
    'The most the key may spend in its life; only if it has such a limit.',
    100_000,
    ONLY_IF_SET,
  )
  totalCap?: number;

  @ApiIntegerProperty(
    'The most payments the key may make in its life; only if it has such a limit.',
    3,
    ONLY_IF_SET,
  )
  maxPayments?: number;

  @ApiIntegerProperty('How many of them are left.', 2, { required: false, minimum: 0 })
  paymentsLeft?: number;

  @ApiObjectProperty(OwnPayee, 'The only account the key may pay; only if it has such a limit.', {
    required: false,
  })
  payee?: OwnPayee;
}

export class OwnWalletResponse extends Success(OwnWallet) {}
