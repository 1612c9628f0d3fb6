import { hash } from 'node:crypto';
import type { Queryable, Tx } from '../../platform/database/tx.js';
import { type Kobo, kobo } from '../../kernel/money.js';

/** A wallet's rules, as another context reads them. */
export interface WalletRules {
  readonly spendLimitPerTx: Kobo;
  readonly spendLimitPeriod: Kobo;
  /** Days of exactly 24 hours; the window rolls. */
  readonly periodWindowDays: number;
}

/** A wallet as its owner may see it. */
export interface OwnedWallet extends WalletRules {
  readonly id: string;
  readonly balance: Kobo;
  /** What payments hold of it that wait for a person. */
  readonly held: Kobo;
  readonly controls: WalletControls | null;
  readonly status: string;
  /** Whether the expiry has passed by the database's clock. */
  readonly expired: boolean;
}

/** Which wallets of a user are meant; null: all. */
export interface WalletChoice {
  readonly ids: readonly string[] | null;
  /** Part of the name, in lower case. */
  readonly text: string | null;
}

/** A wallet as a client with one of its keys may see it: nothing of its owner, and of no other key. */
export interface KeyWallet extends OwnedWallet {
  readonly name: string;
  readonly expiry: Date;
  readonly useAllowlist: boolean;
  /** As the owner supplied it. */
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

/** Whose attempts a key may read: all of its wallet, or with a `historyId`, as keys with limits have, only those. */
export interface KeyReader {
  readonly walletId: string;
  readonly historyId: string | null;
}

/** The state that a payment is decided on; it can't change until the transaction that locked it ends. */
export interface LockedWallet extends WalletRules {
  readonly id: string;
  readonly status: string;
  readonly expiry: Date;
  readonly balance: Kobo;
  /** What payments hold of it that wait for a person, and how many. */
  readonly held: Kobo;
  readonly heldCount: number;
  readonly useAllowlist: boolean;
  /** The database's clock in whole milliseconds, read after the lock: never before an earlier change of this wallet. */
  readonly now: Date;
  readonly totals: AttemptTotals;
  readonly controls?: WalletControls;
}

/**
 * Where a wallet's attempts to pay stand. Kept in its row: written with every decision by `AttemptsDecided`, and read
 * with the lock.
 */
export interface AttemptTotals {
  readonly attemptCount: number;
  readonly blockedCount: number;
  /** All the wallet ever spent, refunded or not; past what a number holds exactly. */
  readonly spentTotal: bigint;
  readonly window: SpendWindow | null;
}

/** Approved and not refunded spend of a time that ends now. */
export interface SpendWindow {
  /** Days of exactly 24 hours. */
  readonly days: number;
  readonly spent: number;
  /** The first attempt in it: the sum holds until that one leaves. Null when there is none. */
  readonly from: Date | null;
}

/** Who wants to spend, and where: the SHA-256 of the API key, and the merchant's identity. */
export interface SpendRequest {
  readonly keyHash: KeyHash;
  readonly merchant: string;
}

/** The longest that a payment can wait for a person, in minutes: a week. */
export const APPROVAL_TTL_MINUTES_MAX = 10_080;

/**
 * What the owner of a wallet asked for beyond the rules of creation. A member that is absent was not asked for; of a
 * wallet without any there is no such object at all.
 */
export interface WalletControls {
  /** So long the same key pays the same amount to the same account once only; 0: never, wherever it is asked. */
  readonly duplicateGuardMinutes?: number;
  /** A person decides on a payment of more than this. */
  readonly approvalThreshold?: Kobo;
  /** How long it waits for one. */
  readonly approvalTtlMinutes?: number;
  /** Which accounts a merchant may be paid at. */
  readonly payeePolicy?: PayeePolicy;
  /** The bank of the recipient must know the account. */
  readonly verifyRecipient?: boolean;
  readonly coolingOff?: CoolingOff;
}

/**
 * `first_use`: the account that a merchant was first paid at, and those that the owner registered. `strict`: those that
 * the owner registered. `warn`: any, but it is noted where `first_use` would block.
 */
export type PayeePolicy = 'off' | 'warn' | 'first_use' | 'strict';

/** So much in all, in kobo, while a key or a payee is new. Hours and cap of each are there together. */
export interface CoolingOff {
  /** Of a key: from its creation. */
  readonly newKeyHours?: number;
  readonly newKeyCap?: Kobo;
  /** Of a payee: from the first approved payment to it, or from its registration. */
  readonly newPayeeHours?: number;
  readonly newPayeeCap?: Kobo;
}

/** What one key may do, within what its wallet may. A member that is absent narrows nothing. */
export interface KeyLimits {
  readonly spendLimitPerTx?: Kobo;
  /** Within any `periodWindowDays`, which are there with it. */
  readonly spendLimitPeriod?: Kobo;
  /** Days of exactly 24 hours; the window rolls. */
  readonly periodWindowDays?: number;
  /** Over the key's whole life. */
  readonly totalCap?: Kobo;
  readonly maxPayments?: number;
  /** As supplied, trimmed. */
  readonly allowedMerchants?: readonly string[];
  /** The only account that may be paid. */
  readonly payee?: { readonly accountNumber: string; readonly bankCode: string };
  /** ISO 8601: from then on nothing is paid. */
  readonly expiry?: string;
}

/** Where a key with limits stands, read under its wallet's lock: kept by `LimitedKeyPaid` and by refunds. */
export interface KeyUsage {
  /** All it ever spent and how often, refunded or not. */
  readonly spentTotal: bigint;
  readonly paymentCount: number;
  /** What of that was not given back. No limit is past what a number holds exactly, nor need this be. */
  readonly spent: number;
  readonly payments: number;
  /** The same of its window; 0 without one. */
  readonly spentInPeriod: number;
}

/** The key that an intent came with. */
export interface SpendingKey {
  readonly id: string;
  /** What the owner says it is for. */
  readonly purpose: string | null;
  /** There where the wallet has {@link WalletControls} or the key has limits or a purpose; else it is not needed. */
  readonly createdAt?: Date;
  /** Scopes whose idempotency keys it knows, if there are more than its own: a wallet's id, or a history's. */
  readonly lineage?: readonly string[] | null;
  /** Set only if the key has limits. */
  readonly limited?: LimitedKeyState;
}

/** What a key with limits is held against. */
export interface LimitedKeyState {
  /** With `allowedMerchants` only where {@link onAllowlist} is not set. */
  readonly limits: KeyLimits;
  readonly usage: KeyUsage;
  /** Whether the request goes to one of its merchants; set only if it has some. */
  readonly onAllowlist?: boolean;
  /** Names its attempts and those of the limited keys that it replaced, or that replaced it. */
  readonly historyId: string;
}

/** What locking found for one {@link SpendRequest}. */
export type SpendAccess =
  | { readonly kind: 'no-such-key' }
  | { readonly kind: 'held-elsewhere'; readonly walletId: string }
  | {
      readonly kind: 'locked';
      readonly wallet: LockedWallet;
      readonly key: SpendingKey;
      readonly onAllowlist: boolean;
    };

/** What is held of a wallet, and what it can spend; nothing for a wallet without an approval rule and without a hold. */
export function holdsOf({ balance, held, controls }: Pick<OwnedWallet, 'balance' | 'held' | 'controls'>): {
  held?: Kobo;
  available?: Kobo;
} {
  if (held === 0 && controls?.approvalThreshold === undefined) return {};
  return { held, available: kobo(balance - held) };
}

/** An account at a bank. */
export interface BankAccount {
  readonly accountNumber: string;
  readonly bankCode: string;
}

/** A key as it is named beside what it paid. */
export interface KeyLabel {
  readonly id: string;
  /** Its first characters, safe to display. */
  readonly prefix: string;
  /** Null: the key that came with the wallet. */
  readonly name: string | null;
}

/** The wallets, as the other contexts may use them. */
export abstract class Wallets {
  /** The wallet, when `userId` owns it. Throws one and the same `WALLET_NOT_FOUND` for every other id. */
  abstract requireOwned(walletId: string, userId: string): Promise<OwnedWallet>;

  /** The wallets a user owns and that are meant, newest first. */
  abstract ownedBy(userId: string, choice: WalletChoice): Promise<readonly OwnedWallet[]>;

  /** The wallets a user owns; every wallet there is when `userId` is null. */
  abstract idsOwnedBy(userId: string | null): Promise<readonly string[]>;

  /** What each of these wallets is called, by wallet id. */
  abstract namesOf(walletIds: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** What each of these keys is called, by key id, the dead ones too. */
  abstract keyLabels(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyLabel>>;

  /** The wallet of a key, and when it was made. Throws one and the same `KEY_NOT_FOUND` unless `userId` owns it. */
  abstract requireOwnedKey(keyId: string, userId: string): Promise<{ walletId: string; createdAt: Date }>;

  /** Where these withdrawals go, by the withdrawal's id. */
  abstract withdrawalTargetsOf(withdrawalIds: readonly string[]): Promise<ReadonlyMap<string, BankAccount>>;

  /** Who owns each of these wallets, by wallet id: an owner never changes. Unknown ids are left out. */
  abstract ownersOf(walletIds: readonly string[], from: Queryable): Promise<ReadonlyMap<string, string>>;

  /** Throws `INVALID_API_KEY` unless there is a live key with this SHA-256. */
  abstract requireKey(keyHash: KeyHash): Promise<void>;

  /** What it may read, which the request then does in its name. Throws `RATE_LIMITED` too: it has too many reads waiting. */
  abstract requireReader(keyHash: KeyHash): Promise<KeyReader>;

  /** What the live key with this SHA-256 may know of its wallet. Throws `INVALID_API_KEY` when there is none. */
  abstract ofKey(keyHash: KeyHash): Promise<KeyWallet>;
}

/** The wallets on the payment path. */
export abstract class SpendableWallets {
  /**
   * Locks the wallets that the keys belong to, in the order of their ids, until `tx` ends; one access for each
   * request, in the order of the requests. A wallet whose row another transaction holds is waited for when
   * `wait` is set (up to the lock timeout), else left and reported as held elsewhere.
   */
  abstract lockForSpending(
    requests: readonly SpendRequest[],
    wait: boolean,
    tx: Tx,
  ): Promise<readonly SpendAccess[]>;

  /** Locks the wallet until `tx` ends, and waits for the transaction that holds it. Throws an Error if there is none. */
  abstract lockById(walletId: string, tx: Tx): Promise<LockedWallet>;

  /**
   * The same without locks, and without the keys counting as used: none is held elsewhere, and all of it may change
   * the next moment. What is read beside it belongs to the same moment only in a transaction of one snapshot.
   */
  abstract lookForSpending(requests: readonly SpendRequest[], tx: Tx): Promise<readonly SpendAccess[]>;
}

/** Whether `text` has the form of an API key. Text without it belongs to no wallet: the database need not be asked. */
export function hasApiKeyForm(text: string): boolean {
  return /^apw_live_[\w-]{43}$/.test(text);
}

/**
 * The SHA-256 of an API key in hexadecimal digits: what a key is known by once it has arrived. A plain hash is right for a
 * secret of 256 random bits. A text, since what is known of keys is looked up by it several times a payment.
 */
export type KeyHash = string;

export function hashApiKey(fullKey: string): KeyHash {
  return hash('sha256', fullKey);
}

/** The hash as it is stored. */
export function keyHashBytes(keyHash: KeyHash): Buffer {
  return Buffer.from(keyHash, 'hex');
}
