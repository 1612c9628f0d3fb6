import type { PaymentDetails } from '../payments.events.js';
import type { KeyLimits } from '../../wallet/wallet.port.js';

export interface Intent extends Omit<PaymentDetails, 'amount'> {
  readonly amount: number;
}

/**
 * Inputs of a decision, frozen at decision time and stored with the attempt. Optional members are set only if
 * their rule is on.
 */
export interface Facts {
  readonly status: string;
  /** ISO 8601, as {@link now}. */
  readonly expiry: string;
  readonly now: string;
  readonly spendLimitPerTx: number;
  readonly spendLimitPeriod: number;
  /** Absent on attempts from before it was recorded. */
  readonly periodWindowDays?: number;
  /** Approved and not refunded in the window, before this attempt, in kobo. */
  readonly spent: number;
  readonly balance: number;
  readonly useAllowlist: boolean;
  readonly onAllowlist: boolean;
  /** Held by payments that wait for approval, in kobo; absent: nothing. */
  readonly held?: number;
  /** Above `threshold` a person decides; `pending` payments wait already. */
  readonly approval?: {
    readonly threshold: number;
    readonly ttlMinutes: number;
    readonly pending: number;
    /** Set only if the key has limits: pending payments of its own. */
    readonly pendingOfKey?: number;
  };
  /** Set only if the key has limits. */
  readonly key?: KeyFacts;
  /** Set only if a policy binds merchants to accounts. */
  readonly payee?: PayeeFacts;
  /** Set only if recipients are verified. `unasked` approves nothing. */
  readonly recipient?: 'known' | 'unknown' | 'unasked';
  /** Set only if the key or payee cools off. */
  readonly coolingOff?: CoolingOffFacts;
  readonly duplicateGuard?: DuplicateGuardFacts;
}

export interface DuplicateGuardFacts {
  readonly minutes: number;
  /** Newest payment of the same key, amount and account that was not refunded. */
  readonly last?: { readonly transactionId: string; readonly at: string; readonly isPending?: true };
  /** The payment that the intent repeats on purpose. */
  readonly confirmed?: string;
}

export interface KeyFacts {
  readonly id: string;
  readonly limits: Omit<KeyLimits, 'allowedMerchants'>;
  /** Set only if the key has a list of merchants. */
  readonly onAllowlist?: boolean;
  /** Approved and not refunded over the key's life, before this attempt, in kobo. */
  readonly spent: number;
  readonly payments: number;
  /** Set only if the key has a limit for a period. */
  readonly spentInPeriod?: number;
}

export interface PayeeFacts {
  readonly policy: 'warn' | 'first_use' | 'strict';
  /**
   * `payee`: one of the merchant's accounts. `first`: it has none yet. `other`: it has others.
   * `unregistered`: not by the owner. `full`: no room.
   */
  readonly standing: 'payee' | 'first' | 'other' | 'unregistered' | 'full';
  /** Accounts of the merchant as `bankCode/accountNumber`, at most a few. */
  readonly accounts: readonly string[];
}

/** Limit of one new key or payee while it cools off. */
export interface Cooling {
  /** Cap while it cools off, in kobo. */
  readonly cap: number;
  /** Approved and not refunded before this attempt, in kobo. */
  readonly spent: number;
  /** End of cooling off, ISO 8601; if it has not begun, its end if it begins now. */
  readonly until: string;
  /** Starts at the first approved payment; none yet. */
  readonly isUnbegun?: true;
}

export interface CoolingOffFacts {
  readonly key?: Cooling;
  readonly payee?: Cooling;
}
