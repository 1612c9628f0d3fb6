import type { Limits } from './keys.js';
import type { Settings } from './wallet.js';

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const BANK = '058';
export const ACCOUNTS = ['0000000011', '0000000022'] as const;
/** An account that its bank does not know. */
export const UNKNOWN_ACCOUNT = '9000000001';
export const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

/** What is to become different of a wallet, and which version its editor has seen. */
export interface Patch {
  readonly do: 'change';
  /** A time in it is counted from the step. */
  readonly change: Partial<Settings>;
  readonly seen: 'nothing' | 'this version' | 'an older version';
}
export interface Payment {
  readonly amount: number;
  readonly to: string;
  /** It names the last payment of the same kind as the one that it repeats on purpose. */
  readonly confirms: boolean;
}
export interface NewKey {
  readonly do: 'make key';
  /** A time in them is counted from the step. */
  readonly limits: Limits;
  /** Which keys it takes the place of. */
  readonly replaces: 'none' | 'all' | 'one';
  readonly graceSeconds: number;
  readonly inheritsAge: boolean;
  readonly nth: number;
}
export type Step =
  | { readonly do: 'top up'; readonly amount: number }
  | {
      readonly do: 'pay';
      readonly payments: readonly Payment[];
      readonly merchant: string;
      readonly nthKey: number;
      /** What the requests ask of the duplicate-purchase guard, where its owner did not choose. */
      readonly guardMinutes: number | null;
    }
  | { readonly do: 'decide'; readonly nth: number; readonly word: 'approve' | 'deny' }
  | { readonly do: 'withdraw'; readonly amount: number | 'all' }
  | { readonly do: 'transfer'; readonly amount: number; readonly isOut: boolean }
  | Patch
  | { readonly do: 'suspend' }
  /** Every wallet of the owner. */
  | { readonly do: 'suspend all' }
  | { readonly do: 'resume' }
  | { readonly do: 'close'; readonly hasPayout: boolean }
  | NewKey
  | { readonly do: 'revoke key'; readonly nth: number }
  | { readonly do: 'register'; readonly merchant: string; readonly accountNumber: string }
  | { readonly do: 'remove payee'; readonly nth: number }
  | { readonly do: 'wait'; readonly ms: number };
