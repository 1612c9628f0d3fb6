import {
  Amount,
  AmountOrAll,
  ApiField,
  Digits,
  NairaAlone,
  Nested,
  Optional,
  Text,
  Uuid,
} from '../../../platform/http/api/fields.js';
import { PageOf } from '../../../platform/http/api/pagination.js';
import {
  OR_NULL,
  ApiEnumProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { OptionalBody } from '../../../platform/http/api/validation.pipe.js';
import type { Kobo } from '../../../kernel/money.js';
import type { SettlementStatus } from '../../settlement/settlement.port.js';
import { WalletView } from '../wallet.dto.js';

const NARRATION_MAX = 200;
const STATUSES = ['pending', 'processing', 'succeeded', 'failed', 'reversed'];

class PayeeRequest {
  @ApiField('The account that is to be paid.', '0123456789')
  @Digits(10)
  accountNumber: string;

  @ApiField('Its bank.', '058')
  @Digits(3)
  bankCode: string;

  @Optional()
  @ApiField('What the recipient is told.', 'Back to the office account')
  @Text(1, NARRATION_MAX)
  narration?: string | null;
}

export class WithdrawalRequest extends PayeeRequest {
  @ApiField('How much, in kobo; `all` is the balance without what is held for approvals.', 250_000)
  @AmountOrAll()
  amount: Kobo | 'all';

  @NairaAlone()
  currency?: 'NGN' | null;
}

export class TransferRequest {
  @ApiField('Another wallet of yours.', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e60')
  @Uuid()
  toWalletId: string;

  @ApiField('How much, in kobo.', 250_000)
  @Amount()
  amount: Kobo;

  @Optional()
  @ApiField('Kept with the ledger entries.', 'Budget for December')
  @Text(1, NARRATION_MAX)
  narration?: string | null;

  @NairaAlone()
  currency?: 'NGN' | null;
}

@OptionalBody()
export class CloseWalletRequest {
  @Optional()
  @ApiField('Where the balance goes. Required unless it is 0.', {
    accountNumber: '0123456789',
    bankCode: '058',
  })
  @Nested(PayeeRequest)
  payoutTo?: PayeeRequest | null;
}

class WithdrawalSettlement {
  @ApiIdProperty('The reference under which the bank is asked; the id of the withdrawal.')
  reference: string;

  @ApiEnumProperty(
    STATUSES,
    '`failed`: the money is back in the wallet. `reversed`: the bank sent it back, and it is in the wallet once `refundedAt` is there.',
  )
  status: SettlementStatus;

  @ApiTimeProperty('When the bank sent the transfer back. There when it is `reversed`.', { required: false })
  reversedAt?: string;

  @ApiTimeProperty(
    'When the wallet got the money back; null while that is being resolved. There when it is `reversed`.',
    {
      required: false,
      nullable: true,
    },
  )
  refundedAt?: string | null;
}

export class WithdrawalView {
  @ApiIdProperty('The withdrawal; the `reference` of its ledger entries.')
  id: string;

  @ApiIdProperty('The wallet that was debited.')
  walletId: string;

  @ApiKoboProperty('How much was taken out.', 250_000, { minimum: 1 })
  amount: number;

  @ApiTextProperty('The account that is paid.', '0123456789', { pattern: '^[0-9]{10}$' })
  accountNumber: string;

  @ApiTextProperty('Its bank.', '058', { pattern: '^[0-9]{3}$' })
  bankCode: string;

  @ApiTextProperty('What the recipient is told.', 'Back to the office account', OR_NULL)
  narration: string | null;

  @ApiIdProperty('Who took it out.')
  userId: string;

  @ApiObjectProperty(WithdrawalSettlement, 'How the money is moving.')
  settlement: WithdrawalSettlement;

  @ApiTimeProperty('When the wallet was debited.')
  createdAt: Date;
}

class MadeWithdrawal {
  @ApiObjectProperty(WithdrawalView, 'The withdrawal.')
  withdrawal: WithdrawalView;
}

export class WithdrawalResponse extends Success(MadeWithdrawal) {}
export class WithdrawalsResponse extends PageOf(WithdrawalView) {}

class ClosedWallet {
  @ApiObjectProperty(WalletView, 'The wallet as it is now.')
  wallet: WalletView;

  @ApiObjectProperty(WithdrawalView, 'What its balance left by; null where it was 0.', OR_NULL)
  withdrawal: WithdrawalView | null;
}

export class ClosedWalletResponse extends Success(ClosedWallet) {}

export class WalletTransferView {
  @ApiIdProperty('The transfer; the `reference` of its two ledger entries.')
  id: string;

  @ApiIdProperty('The wallet that was debited.')
  fromWalletId: string;

  @ApiIdProperty('The wallet that was credited.')
  toWalletId: string;

  @ApiKoboProperty('How much.', 250_000, { minimum: 1 })
  amount: number;

  @ApiTextProperty('Kept with the ledger entries.', 'Budget for December', OR_NULL)
  narration: string | null;

  @ApiIdProperty('Who moved it.')
  userId: string;

  @ApiTimeProperty('When it was moved.')
  createdAt: Date;
}

class MadeTransfer {
  @ApiObjectProperty(WalletTransferView, 'The transfer.')
  transfer: WalletTransferView;
}

export class WalletTransferResponse extends Success(MadeTransfer) {}
