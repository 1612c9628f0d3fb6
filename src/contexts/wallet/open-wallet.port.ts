import { AppError } from '../../kernel/errors.js';

/** Throws `WALLET_CLOSED`. */
export function assertOpen({ status }: { readonly status: string }): void {
  if (status === 'CLOSED') throw new AppError('WALLET_CLOSED', 'The wallet is permanently closed.');
}

/** Throws `FORBIDDEN`. */
export function assertReleased({ suspendedByOperator }: { readonly suspendedByOperator: boolean }): void {
  if (!suspendedByOperator) return;
  throw new AppError(
    'FORBIDDEN',
    'An operator of the service suspended this wallet. Write to the service: only an operator can resume it.',
  );
}
