import type { BlockReason } from '../../../kernel/errors.js';
import type { Facts, Intent } from './facts.port.js';

/** Condition that lets a failed check pass by waiting alone. */
export type PassesWhen =
  /** A time, ISO 8601. */
  | { readonly until: string }
  /** Spend leaves a window of so many `days`, the wallet's or the key's own, until at most `room` of it is left. */
  | {
      readonly spendOf: 'wallet' | 'key';
      readonly days: number;
      readonly room: number;
      /** The facts once only `spent` is left in that window. */
      after(facts: Facts, spent: number): Facts;
    };

export interface Check {
  readonly blockedAs: BlockReason;
  /** Tells checks that block with the same code apart. */
  readonly variant?: string;
  /** Title of the condition. */
  readonly title: string;
  /** Title of a payment that it blocked. */
  readonly blockTitle: string;
  passes(facts: Facts, intent: Intent): boolean;
  /** Notes a warning although the check passes. */
  warns?(facts: Facts): boolean;
  compared(facts: Facts, intent: Intent): Readonly<Record<string, string | number>>;
  message(facts: Facts, intent: Intent): string;
  /** Null, or no such member: waiting alone never helps. */
  passesWhen?(facts: Facts, intent: Intent): PassesWhen | null;
}
