import type { BlockReason } from '../payments.events.js';
import type { Facts, Intent } from './facts.port.js';

/** What makes a check pass without any action of the owner. */
export type Wait =
  /** A time, ISO 8601: from then on. */
  | { readonly until: string }
  /** Spend leaves a window of so many `days`, the wallet's or the key's own, until at most `room` of it is left. */
  | {
      readonly spendOf: 'wallet' | 'key';
      readonly days: number;
      readonly room: number;
      /** The facts once only `spent` is left in that window. */
      after(facts: Facts, spent: number): Facts;
    };

/** One question that is asked of the facts. */
export interface Check {
  readonly blockedAs: BlockReason;
  passes(facts: Facts, intent: Intent): boolean;
  /** Whether it is to be noted, though the check passes. */
  warns?(facts: Facts): boolean;
  /** The numbers that were compared. */
  compared(facts: Facts, intent: Intent): Readonly<Record<string, string | number>>;
  /** Why the attempt was blocked, and what would pass. */
  message(facts: Facts, intent: Intent): string;
  /** What to wait for where it fails; null when waiting alone never helps, as where there is no such member. */
  waits?(facts: Facts, intent: Intent): Wait | null;
}
