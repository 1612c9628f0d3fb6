import { EventOf } from '../../kernel/event.js';
import type { WalletVirtualAccount } from '../funding/funding.port.js';
import type { Kobo } from '../../kernel/money.js';

export class WalletCreated extends EventOf<{
  readonly walletId: string;
  readonly userId: string;
  readonly virtualAccount: WalletVirtualAccount;
}>('wallet.created') {}

/** `CLOSED` is permanent. Only `ACTIVE` wallets pay; every wallet is credited. */
export type WalletStatus = 'ACTIVE' | 'SUSPENDED' | 'CLOSED';

export type Cause = 'payment' | 'withdrawal' | 'wallet-transfer' | 'bank-transfer';

/** By an approved payment or the owner. */
export class WalletDebited {
  static readonly type = 'wallet.debited';
  readonly walletId: string;
  readonly amount: Kobo;
  readonly balanceAfter: Kobo;
  /** Place in the wallet's ledger: 1, 2, 3 … without gaps. */
  readonly seq: number;
  readonly cause: Exclude<Cause, 'bank-transfer'>;
  readonly reference: string;
  readonly narration: string | null;
  readonly purpose: string | null;
  readonly at: Date;
  readonly requestId?: string | null | undefined;
  readonly traceParent?: string | null | undefined;

  /** Assigned one by one: `Object.assign` is four times as slow. */
  constructor(payload: WalletDebited) {
    this.walletId = payload.walletId;
    this.amount = payload.amount;
    this.balanceAfter = payload.balanceAfter;
    this.seq = payload.seq;
    this.cause = payload.cause;
    this.requestId = payload.requestId;
    this.traceParent = payload.traceParent;
    this.reference = payload.reference;
    this.narration = payload.narration;
    this.purpose = payload.purpose;
    this.at = payload.at;
  }
}

/** Money arrived, or was given back. */
export class WalletCredited extends EventOf<{
  readonly walletId: string;
  readonly amount: Kobo;
  readonly balanceAfter: Kobo;
  /** Place in the wallet's ledger: 1, 2, 3 … without gaps. */
  readonly seq: number;
  readonly cause: Cause;
  /** The bank's reference, or the id of the payment, withdrawal or transfer. */
  readonly reference: string;
  readonly narration: string | null;
  readonly at: Date;
  /** Set if an operator credits, for this case. */
  readonly caseId?: string | null;
  readonly requestId?: string | null;
  readonly traceParent?: string | null;
}>('wallet.credited') {}

export function isTopup({ cause }: WalletCredited): boolean {
  return cause === 'bank-transfer' || cause === 'wallet-transfer';
}

export class WalletStatusChanged extends EventOf<{
  readonly walletId: string;
  readonly before: WalletStatus;
  readonly after: WalletStatus;
  readonly at: Date;
}>('wallet.status_changed') {}

/** Optional controls; absent members are off. */
export interface WalletControls {
  /** Minutes; 0: off even if a request asks. */
  readonly duplicateGuardMinutes?: number;
  /** In kobo: above it a person decides. */
  readonly approvalThreshold?: Kobo;
  readonly approvalTtlMinutes?: number;
  /** In kobo: above it two members approve. */
  readonly secondApprovalAbove?: Kobo;
  readonly payeePolicy?: PayeePolicy;
  readonly verifyRecipient?: boolean;
  readonly coolingOff?: CoolingOff;
}

/**
 * `strict`: registered accounts. `first_use`: the first paid one too. `warn`: any, noted where `first_use`
 * would block.
 */
export type PayeePolicy = 'off' | 'warn' | 'first_use' | 'strict';

/** Caps in kobo; hours and cap come together. */
export interface CoolingOff {
  /** From its creation. */
  readonly newKeyHours?: number;
  readonly newKeyCap?: Kobo;
  /** From its first approved payment or registration. */
  readonly newPayeeHours?: number;
  readonly newPayeeCap?: Kobo;
}

/** Under the wallet's lock. Null: none. */
export class WalletControlsChanged extends EventOf<{
  readonly walletId: string;
  readonly before: WalletControls | null;
  readonly after: WalletControls | null;
}>('wallet.controls-changed') {}

/** Under the wallet's lock. The first key comes with {@link WalletCreated}. */
export class ApiKeyAdded extends EventOf<{
  readonly walletId: string;
  readonly keyId: string;
  readonly isLimited: boolean;
  /** Replaced key whose age and cooling-off spend it takes over; null: none. */
  readonly inheritsFrom: string | null;
}>('api-key.added') {}

/** The owner registered a payee. */
export class PayeeRegistered extends EventOf<{
  readonly walletId: string;
  readonly payeeId: string;
  readonly merchantName: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly accountName: string | null;
}>('payee.registered') {}

/** Release holds in this transaction. The wallet is locked; the rest is paid out. */
export class WalletClosing extends EventOf<{
  readonly walletId: string;
  readonly userId: string;
}>('wallet.closing') {}

/** Debited; to be paid out under the id as reference. */
export class WithdrawalRequested extends EventOf<{
  readonly withdrawalId: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly narration: string;
  readonly at: Date;
}>('withdrawal.requested') {}
