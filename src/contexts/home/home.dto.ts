import { type BlockReason, BLOCK_REASONS } from '../../kernel/errors.js';
import { CountParameter } from '../../platform/http/api/query.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../platform/http/api/response-properties.js';
import type { NewsOutcome } from '../payments/overview.port.js';

const HOME_DAYS_MAX = 31;
const OUTCOMES = ['paid', 'failed', 'blocked'] as const satisfies readonly NewsOutcome[];
const WalletNameProperty = () => ApiTextProperty('Its name.', 'Groceries agent');
const WalletIdProperty = () => ApiIdProperty('The wallet.');

export class HomeQuery {
  @CountParameter(
    HOME_DAYS_MAX,
    'News of so many days; without it, since the last visit of the signed-in user.',
  )
  readonly days?: number;
}

class HomeSum {
  @ApiIntegerProperty('How many.', 3, { minimum: 0 })
  count: number;

  @ApiKoboProperty('Their sum.', 120_000)
  amount: number;
}

export class HomeOutcomes {
  @ApiObjectProperty(HomeSum, 'Approved, neither refunded nor sent back by the bank.')
  paid: HomeSum;

  @ApiObjectProperty(HomeSum, 'Approved, then refunded or sent back by the bank.')
  failed: HomeSum;

  @ApiObjectProperty(HomeSum, 'Blocked, denied or expired.')
  blocked: HomeSum;
}

class HomeReason extends HomeSum {
  @ApiEnumProperty(BLOCK_REASONS, 'Why.')
  blockReason: BlockReason;
}

class HomeWallet extends HomeOutcomes {
  @WalletIdProperty()
  walletId: string;

  @WalletNameProperty()
  walletName: string;
}

class HomeKey extends HomeWallet {
  @ApiIdProperty('The key.')
  keyId: string;

  @ApiTextProperty('Its name; null: the key that came with the wallet.', 'Groceries', OR_NULL)
  keyName: string | null;
}

class HomeRepeats extends HomeSum {
  @WalletIdProperty()
  walletId: string;

  @ApiIdProperty('The key that asked; null: attempts older than key tracking.', OR_NULL)
  keyId: string | null;

  @WalletNameProperty()
  walletName: string;

  @ApiTextProperty(
    'Name of the key that asked; null: the key that came with the wallet.',
    'Groceries',
    OR_NULL,
  )
  keyName: string | null;

  @ApiTextProperty('The merchant.', 'Shoprite')
  merchantName: string;

  @ApiEnumProperty(OUTCOMES, 'What became of them.')
  outcome: NewsOutcome;

  @ApiEnumProperty(BLOCK_REASONS, 'Why they were blocked; else null.', OR_NULL)
  blockReason: BlockReason | null;

  @ApiIdProperty('The last of them.')
  lastId: string;

  @ApiTimeProperty('When the last of them was requested.')
  lastAt: Date;
}

class HomeUnusual extends HomeSum {
  @ApiEnumProperty(
    ['day', 'account', 'burst'],
    '`day`: the last 24 hours spent three times the usual day or more. `account`: the account was not paid in the 28 days before. `burst`: ten payments or more were blocked within 15 minutes.',
  )
  kind: 'day' | 'account' | 'burst';

  @WalletIdProperty()
  walletId: string;

  @WalletNameProperty()
  walletName: string;

  @ApiKoboProperty('Mean of the 28 days before; there for a `day`.', 40_000, { required: false })
  usual?: number;

  @ApiTextProperty('There for an `account`.', 'Shoprite', { required: false })
  merchantName?: string;

  @ApiIdProperty('The last payment to an `account`.', { required: false })
  lastId?: string;

  @ApiIdProperty('The key of a `burst`.', { required: false })
  keyId?: string;

  @ApiTextProperty('Its name; null: the key that came with the wallet.', 'Groceries', {
    required: false,
    nullable: true,
  })
  keyName?: string | null;
}

class HomeLimit {
  @WalletIdProperty()
  walletId: string;

  @WalletNameProperty()
  walletName: string;

  @ApiKoboProperty('Spent in the window.', 96_000)
  spent: number;

  @ApiIntegerProperty('Held by payments that wait for approval, in kobo.', 0)
  held: number;

  @ApiKoboProperty('The limit of the window.', 120_000)
  limit: number;

  @ApiIntegerProperty('Its length.', 30, { minimum: 1 })
  days: number;
}

class HomeLowBalance {
  @WalletIdProperty()
  walletId: string;

  @WalletNameProperty()
  walletName: string;

  @ApiKoboProperty('The balance.', 4_000)
  balance: number;

  @ApiKoboProperty('It is below this.', 50_000)
  threshold: number;
}

class HomeEndpoint {
  @ApiIdProperty('The endpoint.')
  id: string;

  @ApiTextProperty('Its host.', 'example.com')
  host: string;

  @ApiTextProperty('Why it is paused; null: deliveries are tried.', 'no answer for 5 days', OR_NULL)
  pausedReason: string | null;

  @ApiTimeProperty('Since when each delivery failed; null where that is not known.', OR_NULL)
  failingSince: Date | null;
}

class HomeReturned {
  @ApiIdProperty('The payment.')
  id: string;

  @WalletIdProperty()
  walletId: string;

  @WalletNameProperty()
  walletName: string;

  @ApiTextProperty('The merchant.', 'Shoprite')
  merchantName: string;

  @ApiKoboProperty('The amount, which is not refunded yet.', 40_000)
  amount: number;

  @ApiTimeProperty('When it was requested.')
  createdAt: Date;
}

class HomeReturnedWithdrawal {
  @ApiIdProperty('The withdrawal.')
  id: string;

  @WalletIdProperty()
  walletId: string;

  @WalletNameProperty()
  walletName: string;

  @ApiKoboProperty('The amount, which is not refunded yet.', 40_000)
  amount: number;

  @ApiTextProperty('The account that it was paid to.', '0123456789')
  accountNumber: string;

  @ApiTextProperty('Its bank.', '058')
  bankCode: string;

  @ApiTimeProperty('When it was requested.')
  createdAt: Date;
}

export class HomeView {
  @ApiTimeProperty('Begin of the news.')
  from: Date;

  @ApiTimeProperty('Their end.')
  to: Date;

  @ApiBooleanProperty('They begin with the last visit.', true)
  isSinceVisit: boolean;

  @ApiBooleanProperty('They begin later than was asked for, as there are too many.', false)
  isCut: boolean;

  @ApiObjectProperty(HomeOutcomes, 'All of them, by time of request.')
  total: HomeOutcomes;

  @ApiListProperty(HomeReason, 'Blocked ones by reason, the most frequent first.')
  reasons: readonly HomeReason[];

  @ApiListProperty(HomeWallet, 'By wallet, those that spent most first.')
  wallets: readonly HomeWallet[];

  @ApiListProperty(HomeKey, 'By key, those that spent most first.')
  keys: readonly HomeKey[];

  @ApiListProperty(HomeRepeats, 'Payments alike together, the newest first.')
  repeats: readonly HomeRepeats[];

  @ApiListProperty(HomeUnusual, 'What is unusual.')
  unusual: readonly HomeUnusual[];

  @ApiListProperty(HomeLimit, 'Wallets that used 80 % of their limit or more, the fullest first.')
  limits: readonly HomeLimit[];

  @ApiListProperty(HomeLowBalance, 'Wallets below their alert, the lowest first.')
  lowBalances: readonly HomeLowBalance[];

  @ApiListProperty(HomeEndpoint, 'Webhook endpoints that fail or are paused by the service.')
  endpoints: readonly HomeEndpoint[];

  @ApiListProperty(HomeReturned, 'Payouts that the bank sent back, while they are being resolved.')
  returned: readonly HomeReturned[];

  @ApiListProperty(
    HomeReturnedWithdrawal,
    'Withdrawals that the bank sent back, while they are being resolved: of the last 200 within 90 days.',
  )
  returnedWithdrawals: readonly HomeReturnedWithdrawal[];
}

export class HomeResponse extends Success(HomeView) {}
