import type { WalletKey } from './api/types.js';

/** What a key is called; the one that came with the wallet has no name until it is given one. */
export function nameOfKey({ name }: Pick<WalletKey, 'name'>): string {
  return name ?? 'First key';
}
