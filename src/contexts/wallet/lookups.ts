import { AppError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/text.js';

/** Normalises an id; text that is no UUID matches no wallet. */
export function idOf(walletId: string): string {
  if (!isUuid(walletId)) throw walletNotFound();
  return walletId.toLowerCase();
}

export function found<Row>(row: Row | null): Row {
  if (!row) throw walletNotFound();
  return row;
}

export function invalidKey(): AppError {
  return new AppError('INVALID_API_KEY', 'Invalid API key.');
}

function walletNotFound(): AppError {
  return new AppError('WALLET_NOT_FOUND', 'Wallet not found.');
}
