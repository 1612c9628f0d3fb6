import { hash } from 'node:crypto';
import type { Queryable, Tx } from '../../platform/database/tx.js';
import { AppError } from '../../kernel/errors.js';
import { type Kobo, kobo } from '../../kernel/money.js';
import type { BankAccount } from '../bank/name-enquiry.port.js';
import type { WalletControls } from './wallet.events.js';

export interface WalletRules {
  readonly spendLimitPerTx: Kobo;
  readonly spendLimitPeriod: Kobo;
  /** Rolling days of exactly 24 hours. */
  readonly periodWindowDays: number;
}

export interface OwnedWallet extends WalletRules {
  readonly id: string;
  readonly balance: Kobo;
  /** Held for pending payments, in kobo. */
  readonly held: Kobo;
  readonly controls: WalletControls | null;
  readonly status: string;
  /** By the database's clock. */
  readonly expired: boolean;
}

/** Null: all. */
export interface WalletChoice {
  readonly ids: readonly string[] | null;
  /** Part of the name, in lower case. */
  readonly text: string | null;
}

/** Shown to one key's holder. */
export interface KeyWallet extends OwnedWallet {
  readonly name: string;
  readonly expiry: Date;
  readonly useAllowlist: boolean;
  readonly merchantAllowlist: readonly string[];
  readonly key: { readonly purpose: string | null; readonly expiresAt: Date | null };
  /** Set only if the key has limits. */
  readonly limited?: {
    readonly limits: KeyLimits;
    readonly usage: KeyUsage;
    /** When the usage was read, by the database's clock. */
    readonly now: Date;
  };
}

/** With a `historyId`, as limited keys have, only those attempts. */
export interface KeyReader {
  readonly walletId: string;
  readonly historyId: string | null;
}

/** Fixed until the locking transaction ends. */
export interface LockedWallet extends WalletRules {
  readonly id: string;
  readonly status: string;
  readonly expiry: Date;
  readonly balance: Kobo;
  /** Held sum in kobo, and number of pending payments. */
  readonly held: Kobo;
  readonly heldCount: number;
  readonly useAllowlist: boolean;
  /** The database's clock in ms, read after the lock; never before an earlier change. */
  readonly now: Date;
  readonly totals: AttemptTotals;
  readonly controls?: WalletControls;
}

/** Running totals in the wallet's row. */
export interface AttemptTotals {
  readonly attemptCount: number;
  readonly blockedCount: number;
  /** Refunded or not; may exceed exact numbers. */
  readonly spentTotal: bigint;
  readonly window: SpendWindow | null;
}

/** Approved and not refunded, in kobo, until now. */
export interface SpendWindow {
  /** Days of exactly 24 hours. */
  readonly days: number;
  readonly spent: number;
  /** First attempt in the window: the sum holds until it leaves. Null: none. */
  readonly from: Date | null;
}

/** Normalised merchant. */
export interface SpendRequest {
  readonly keyHash: KeyHash;
  readonly merchant: string;
}

/** A week. */
export const APPROVAL_TTL_MINUTES_MAX = 10_080;

/** Narrows what the wallet allows. */
export interface KeyLimits {
  readonly spendLimitPerTx?: Kobo;
  /** Comes with `periodWindowDays`. */
  readonly spendLimitPeriod?: Kobo;
  /** Rolling days of exactly 24 hours. */
  readonly periodWindowDays?: number;
  readonly totalCap?: Kobo;
  readonly maxPayments?: number;
  readonly allowedMerchants?: readonly string[];
  readonly payee?: { readonly accountNumber: string; readonly bankCode: string };
  /** ISO 8601. */
  readonly expiry?: string;
}

/** Read under the wallet's lock. */
export interface KeyUsage {
  /** Refunded or not. */
  readonly spentTotal: bigint;
  readonly paymentCount: number;
  /** Less refunds; at most the largest exact number. */
  readonly spent: number;
  readonly payments: number;
  /** In its window; 0 without one. */
  readonly spentInPeriod: number;
}

/** Optional members of a payment intent that a key can require. */
export type RequiredOfPayment = 'runId' | 'rationale';

export interface SpendingKey {
  readonly id: string;
  readonly purpose: string | null;
  /** Set only if it requires something. */
  readonly requires?: readonly RequiredOfPayment[];
  /** Set only if a rule needs it. */
  readonly createdAt?: Date;
  /** Scopes of known idempotency keys, if more than its own. */
  readonly lineage?: readonly string[] | null;
  /** Set only if the key has limits. */
  readonly limited?: LimitedKeyState;
}

export interface LimitedKeyState {
  /** With `allowedMerchants` only if {@link onAllowlist} is unset. */
  readonly limits: KeyLimits;
  /** Set only if the key has a list of merchants. */
  readonly onAllowlist?: boolean;
  /** Shared with predecessors and successors. */
  readonly historyId: string;
}

export type SpendAccess =
  | { readonly kind: 'no-such-key' }
  | { readonly kind: 'locked-elsewhere'; readonly walletId: string }
  | {
      readonly kind: 'locked';
      readonly wallet: LockedWallet;
      readonly key: SpendingKey;
      readonly onAllowlist: boolean;
    };

/** Held and available; empty without an approval rule and a hold. */
export function holdsOf({ balance, held, controls }: Pick<OwnedWallet, 'balance' | 'held' | 'controls'>): {
  held?: Kobo;
  available?: Kobo;
} {
  if (held === 0 && controls?.approvalThreshold === undefined) return {};
  return { held, available: kobo(balance - held) };
}

export interface KeyLabel {
  readonly id: string;
  /** Safe to display. */
  readonly prefix: string;
  /** Null: the wallet's first key. */
  readonly name: string | null;
}

export abstract class Wallets {
  /** Throws `WALLET_NOT_FOUND`, also for another user's. */
  abstract requireOwned(walletId: string, accountId: string): Promise<OwnedWallet>;

  /** Newest first. */
  abstract ownedBy(accountId: string, choice: WalletChoice): Promise<readonly OwnedWallet[]>;

  /** All wallets if `accountId` is null. */
  abstract idsOwnedBy(accountId: string | null): Promise<readonly string[]>;

  /** Null: all. Throws `WALLET_NOT_FOUND`. */
  async chosenOwned(walletIds: readonly string[] | null, accountId: string): Promise<readonly string[]> {
    const owned = await this.idsOwnedBy(accountId);
    if (walletIds?.some((id) => !owned.includes(id))) {
      throw new AppError('WALLET_NOT_FOUND', 'Wallet not found.');
    }
    return walletIds ?? owned;
  }

  abstract namesOf(walletIds: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** Dead keys too. */
  abstract keyLabels(keyIds: readonly string[], from?: Queryable): Promise<ReadonlyMap<string, KeyLabel>>;

  /** Throws `KEY_NOT_FOUND`, also for another user's. */
  abstract requireOwnedKey(keyId: string, accountId: string): Promise<{ walletId: string; createdAt: Date }>;

  abstract withdrawalTargetsOf(withdrawalIds: readonly string[]): Promise<ReadonlyMap<string, BankAccount>>;

  /** Unknown ids are left out; an owner never changes. */
  abstract ownersOf(walletIds: readonly string[], from: Queryable): Promise<ReadonlyMap<string, string>>;

  /** Throws `INVALID_API_KEY`. */
  abstract requireKey(keyHash: KeyHash): Promise<void>;

  /** Throws `INVALID_API_KEY`, and `RATE_LIMITED` with too many reads waiting. */
  abstract requireReader(keyHash: KeyHash): Promise<KeyReader>;

  /** Throws `INVALID_API_KEY`. */
  abstract ofKey(keyHash: KeyHash): Promise<KeyWallet>;

  /** Rotated or ended by then; its own expiry does not count. */
  abstract keyEndsBy(keyId: string, at: Date): Promise<boolean>;
}

export abstract class SpendableWallets {
  /**
   * Locks in id order until `tx` ends; one result per request, in order. With `wait` waits for wallets locked
   * elsewhere (up to the lock timeout), else reports them.
   */
  abstract lockForSpending(
    requests: readonly SpendRequest[],
    wait: boolean,
    tx: Tx,
  ): Promise<readonly SpendAccess[]>;

  /** Waits for the lock. */
  abstract lockById(walletId: string, tx: Tx): Promise<LockedWallet>;

  /** Keys do not count as used. Consistent only within one snapshot. */
  abstract readUnlocked(requests: readonly SpendRequest[], tx: Tx): Promise<readonly SpendAccess[]>;
}

export function hasApiKeyForm(text: string): boolean {
  return /^apw_live_[\w-]{43}$/.test(text);
}

/** SHA-256 in hex: enough for 256 random bits. */
export type KeyHash = string;

export function hashApiKey(fullKey: string): KeyHash {
  return hash('sha256', fullKey);
}

export function keyHashBytes(keyHash: KeyHash): Buffer {
  return Buffer.from(keyHash, 'hex');
}
