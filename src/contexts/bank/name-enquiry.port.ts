import { AppError } from '../../kernel/errors.js';

export interface BankAccount {
  readonly bankCode: string;
  readonly accountNumber: string;
}

/** `unknown`: no answer, ask again. */
export type ResolvedName =
  | { readonly kind: 'resolved'; readonly accountName: string }
  | { readonly kind: 'not-resolved' }
  | { readonly kind: 'unknown'; readonly reason: string };

export type Standing = 'known' | 'unknown';

export abstract class NameEnquiry {
  /** Cached answer; undefined: the bank must be asked. */
  abstract cached(account: BankAccount): Standing | undefined;

  /**
   * Asks once per account and caches. Throws `BANK_UNAVAILABLE` on timeout, `OVERLOADED` if too many wait.
   */
  abstract verify(account: BankAccount, msMax?: number): Promise<Standing>;

  /** Always asks. */
  abstract resolve(account: BankAccount): Promise<ResolvedName>;

  /** Always asks. Throws `ACCOUNT_NOT_FOUND`, or `BANK_UNAVAILABLE` without an answer. */
  async accountName(account: BankAccount): Promise<string> {
    const name = await this.resolve(account);
    if (name.kind === 'resolved') return name.accountName;
    if (name.kind === 'not-resolved') {
      throw new AppError('ACCOUNT_NOT_FOUND', 'The bank knows no such account.');
    }
    throw new AppError('BANK_UNAVAILABLE', 'The bank did not answer. Try again shortly.', {
      retryAfterSeconds: 5,
    });
  }
}
