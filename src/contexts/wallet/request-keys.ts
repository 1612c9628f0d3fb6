import { mapped } from '../../kernel/mapped.js';
import type { KeyHash, SpendRequest } from './wallet.port.js';

export interface RequestKeys {
  readonly hashes: readonly KeyHash[];
  readonly firsts: readonly number[];
  /** Number of each request's key, from 1. */
  readonly numbers: readonly number[];
}

export function keysOf(requests: readonly SpendRequest[]): RequestKeys {
  const known = new Map<KeyHash, number>();
  const hashes: KeyHash[] = [];
  const firsts: number[] = [];
  let number = 0;
  const numbers = mapped(requests, ({ keyHash }, i) => {
    // Neighbours often share a key.
    if (hashes[number - 1] === keyHash) return number;
    number = known.get(keyHash) ?? hashes.push(keyHash);
    if (number > firsts.length) {
      firsts.push(i);
      known.set(keyHash, number);
    }
    return number;
  });
  return { hashes, firsts, numbers };
}
