import type { KeyLimits } from '../../wallet/wallet.port.js';

/** What an agent asks for, after its fields were checked. `merchant` is the merchant's identity. */
export interface Intent {
  readonly amount: number;
  readonly merchant: string;
  readonly merchantName: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly reason: string | null;
}

/**
 * What was looked at to decide an attempt, as it stood at the moment of the decision; stored with every attempt, and
 * enough to decide it again. The optional members are there only where the owner asked for the rule they belong to.
 */
export interface Facts {
  readonly status: string;
  /** ISO 8601, like {@link now}. */
  readonly expiry: string;
  readonly now: string;
  readonly spendLimitPerTx: number;
  readonly spendLimitPeriod: number;
  /** Absent of attempts from before it was noted. */
  readonly periodWindowDays?: number;
  /** Approved and not refunded spend in the window, before this attempt. */
  readonly spent: number;
  readonly balance: number;
  readonly useAllowlist: boolean;
  readonly onAllowlist: boolean;
  /** What payments hold of the balance that wait for a person; absent: nothing. */
  readonly held?: number;
  /** Above the threshold a person decides, within so many minutes; so many payments wait already. */
  readonly approval?: {
    readonly threshold: number;
    readonly ttlMinutes: number;
    readonly pending: number;
    /** Set only if the key has limits: how many of them are its own. */
    readonly pendingOfKey?: number;
  };
  /** Of a key with limits. */
  readonly key?: KeyFacts;
  /** Of a wallet whose policy binds merchants to accounts. */
  readonly payee?: PayeeFacts;
  /** Whether its bank knows the recipient's account, where it must; nothing is approved on `unasked`. */
  readonly recipient?: 'known' | 'unknown' | 'unasked';
  /** Of a key or a payee that cools off. */
  readonly coolingOff?: CoolingOffFacts;
  /** Where the duplicate-purchase guard is on. */
  readonly duplicateGuard?: DuplicateGuardFacts;
}

/** What the duplicate-purchase guard looks at. */
export interface DuplicateGuardFacts {
  /** So far back it looks. */
  readonly minutes: number;
  /** The newest payment of the same key, amount and account that was not refunded. */
  readonly last?: { readonly transactionId: string; readonly at: string; readonly isPending?: true };
  /** The payment that the intent says it repeats on purpose. */
  readonly confirmed?: string;
}

/** What is looked at of a key with limits. */
export interface KeyFacts {
  readonly id: string;
  readonly limits: Omit<KeyLimits, 'allowedMerchants'>;
  /** There where the key has a list of merchants. */
  readonly onAllowlist?: boolean;
  /** Approved and not refunded over the key's life, before this attempt. */
  readonly spent: number;
  readonly payments: number;
  /** The same of its window, where it has one. */
  readonly spentInPeriod?: number;
}

/** What is looked at of a payment from a wallet whose policy binds merchants to accounts. */
export interface PayeeFacts {
  readonly policy: 'warn' | 'first_use' | 'strict';
  /**
   * `payee`: the account is one of the merchant's. `first`: the merchant has none yet, and would get this one. `other`:
   * it has others. `unregistered`: the owner did not register it. `full`: the wallet can have no more payees.
   */
  readonly standing: 'payee' | 'first' | 'other' | 'unregistered' | 'full';
  /** Where the merchant may be paid, as `bankCode/accountNumber`; the first few of them. */
  readonly accounts: readonly string[];
}

/** What one new key, or one new payee, may still be paid with, and until when. */
export interface Cooling {
  /** The most in all while it cools off, in kobo. */
  readonly cap: number;
  /** Of that: approved and not refunded before this attempt. */
  readonly spent: number;
  /** When it has cooled off, ISO 8601; where it has not begun, when it will have if it begins now. */
  readonly until: string;
  /** It begins with the first payment that is approved, which there was none of: it does not end by itself. */
  readonly isUnbegun?: true;
}

/** The key and the payee of a payment, as far as they cool off. */
export interface CoolingOffFacts {
  readonly key?: Cooling;
  readonly payee?: Cooling;
}
