import { AppError } from '../../../kernel/errors.js';
import { type Kobo, kobo } from '../../../kernel/money.js';
import { sha256 } from '../../../kernel/sha256.js';

interface Funds {
  readonly balance: Kobo;
  readonly held: Kobo;
}

export function availableOf({ balance, held }: Funds): Kobo {
  return kobo(balance - held);
}

/** Throws `INSUFFICIENT_FUNDS`. */
export function assertFunds(wallet: Funds, amount: Kobo): void {
  const available = availableOf(wallet);
  if (amount > 0 && amount <= available) return;
  const { held } = wallet;
  const rest =
    held > 0
      ? `what is left of it (${available} kobo; ${held} are held for approvals)`
      : `the balance (${available} kobo)`;
  throw new AppError(
    'INSUFFICIENT_FUNDS',
    amount === 0
      ? `The balance is ${wallet.balance} kobo${held > 0 ? ', all of it held for approvals' : ''}.`
      : `The amount ${amount} is more than ${rest}.`,
  );
}

/** Throws `IDEMPOTENCY_KEY_REUSED`. */
export function assertSameRequest(
  first: { readonly fingerprint: Buffer | null },
  fingerprint: Buffer | null,
): void {
  if (fingerprint && first.fingerprint?.equals(fingerprint)) return;
  throw new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for another request. Nothing was carried out now: look at what that request did first.',
  );
}

export function fingerprintOf(fields: readonly unknown[]): Buffer {
  return sha256(JSON.stringify(fields));
}
