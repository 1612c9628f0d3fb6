import { mapped } from '../../kernel/mapped.js';
import type { KeyHash, SpendRequest } from './wallet.port.js';

/** The keys of requests, each once. */
export interface RequestKeys {
  readonly hashes: readonly KeyHash[];
  /** Of each of these the first request that came with it. */
  readonly firsts: readonly number[];
  /** Of each request its key's number: 1 for the first. */
  readonly numbers: readonly number[];
}

/** The keys that these requests came with. */
export function keysOf(requests: readonly SpendRequest[]): RequestKeys {
  const known = new Map<KeyHash, number>();
  const hashes: KeyHash[] = [];
  const firsts: number[] = [];
  let number = 0;
  const numbers = mapped(requests, ({ keyHash }, i) => {
    // Neighbours often have the same key: it is sought only where it changes.
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
