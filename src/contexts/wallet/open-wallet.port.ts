import { AppError } from '../../kernel/errors.js';

/** Throws `WALLET_CLOSED`. */
export function assertOpen({ status }: { readonly status: string }): void {
  if (status === 'CLOSED') throw new AppError('WALLET_CLOSED', 'The wallet is permanently closed.');
}
