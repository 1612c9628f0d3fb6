import type { VirtualAccount } from '../funding/funding.port.js';
import type { Kobo } from '../../kernel/money.js';

/** A wallet was made. Its bank account was issued before: it is put on record with the wallet, or neither is. */
export class WalletCreated {
  static readonly type = 'wallet.created';
  readonly walletId: string;
  readonly userId: string;
  readonly virtualAccount: VirtualAccount;
  /** The balance below which `wallet.low_balance` is sent; null: it is not sent. */
  readonly lowBalanceThreshold: Kobo | null;

  constructor(payload: WalletCreated) {
    Object.assign(this, payload);
  }
}

/** `CLOSED` is final. Payments from a wallet that is not `ACTIVE` are blocked; every wallet is still credited. */
export type WalletStatus = 'ACTIVE' | 'SUSPENDED' | 'CLOSED';

/** What moved money into or out of a wallet. */
export type Cause = 'payment' | 'withdrawal' | 'wallet-transfer' | 'bank-transfer';

/** A balance fell: by an approved payment, or because its owner took money out. */
export class WalletDebited {
  static readonly type = 'wallet.debited';
  readonly walletId: string;
  readonly amount: Kobo;
  readonly balanceAfter: Kobo;
  /** The number of this change among all of the wallet's: 1, 2, 3 without gaps. */
  readonly seq: number;
  readonly cause: Exclude<Cause, 'bank-transfer'>;
  /** The id of the payment, the withdrawal or the transfer. */
  readonly reference: string;
  readonly narration: string | null;
  /** Of a payment: what its key is for, where the owner said so. */
  readonly purpose: string | null;
  readonly at: Date;

  /** Member by member, as every payment makes one: `Object.assign` takes four times as long. */
  constructor(payload: WalletDebited) {
    this.walletId = payload.walletId;
    this.amount = payload.amount;
    this.balanceAfter = payload.balanceAfter;
    this.seq = payload.seq;
    this.cause = payload.cause;
    this.reference = payload.reference;
    this.narration = payload.narration;
    this.purpose = payload.purpose;
    this.at = payload.at;
  }
}

/** A balance rose: money arrived, or a payment or withdrawal that the bank did not carry out was given back. */
export class WalletCredited {
  static readonly type = 'wallet.credited';
  readonly walletId: string;
  readonly amount: Kobo;
  readonly balanceAfter: Kobo;
  /** The number of this change among all of the wallet's: 1, 2, 3 without gaps. */
  readonly seq: number;
  readonly cause: Cause;
  /** The bank's reference of a transfer that arrived, else the id of the payment, withdrawal or transfer. */
  readonly reference: string;
  readonly narration: string | null;
  readonly at: Date;

  constructor(payload: WalletCredited) {
    Object.assign(this, payload);
  }
}

/** Whether a credit is money that arrived, from outside or from another wallet, and gives nothing back. */
export function isTopup({ cause }: WalletCredited): boolean {
  return cause === 'bank-transfer' || cause === 'wallet-transfer';
}

/** An owner stopped a wallet, let it pay again, or closed it. */
export class WalletStatusChanged {
  static readonly type = 'wallet.status_changed';
  readonly walletId: string;
  readonly before: WalletStatus;
  readonly after: WalletStatus;
  readonly at: Date;

  constructor(payload: WalletStatusChanged) {
    Object.assign(this, payload);
  }
}

/** An owner chose how far back the duplicate-purchase guard of a wallet looks, which the transaction has locked. */
export class DuplicateGuardChosen {
  static readonly type = 'wallet.duplicate-guard-chosen';
  readonly walletId: string;
  /** In minutes; 0: it is off. */
  readonly before: number;
  readonly after: number;

  constructor(payload: DuplicateGuardChosen) {
    Object.assign(this, payload);
  }
}

/**
 * An owner closes a wallet, which is locked: handlers release what they hold of its money, in the same transaction. What
 * the wallet then has is paid out.
 */
export class WalletClosing {
  static readonly type = 'wallet.closing';
  readonly walletId: string;
  readonly userId: string;

  constructor(payload: WalletClosing) {
    Object.assign(this, payload);
  }
}

/** An owner takes money out to a bank account: it was debited, and is to be paid out under the id as reference. */
export class WithdrawalRequested {
  static readonly type = 'withdrawal.requested';
  readonly withdrawalId: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly narration: string;
  readonly at: Date;

  constructor(payload: WithdrawalRequested) {
    Object.assign(this, payload);
  }
}

/** An owner chose the balance below which `wallet.low_balance` is sent; null: it is not sent. */
export class LowBalanceThresholdChosen {
  static readonly type = 'wallet.low-balance-threshold-chosen';
  readonly walletId: string;
  readonly userId: string;
  readonly threshold: Kobo | null;

  constructor(payload: LowBalanceThresholdChosen) {
    Object.assign(this, payload);
  }
}

/** An account became a payee because it is the one that its merchant was first paid at: its holder's name is unknown. */
export class PayeeRemembered {
  static readonly type = 'payee.remembered';
  readonly walletId: string;
  readonly payeeId: string;
  readonly accountNumber: string;
  readonly bankCode: string;

  constructor(payload: PayeeRemembered) {
    Object.assign(this, payload);
  }
}
