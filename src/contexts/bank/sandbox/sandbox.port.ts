import type { Kobo } from '../../../kernel/money.js';
import type { Collection } from '../bank.port.js';

/** Provided only with the sandbox bank. */
export abstract class SandboxTransfers {
  /** Null: not issued here. */
  abstract accountReferenceOf(accountNumber: string): Promise<string | null>;

  /** Throws `BANK_UNAVAILABLE` if not taken. */
  abstract collect(accountNumber: string, amount: Kobo): Promise<Collection>;
}
