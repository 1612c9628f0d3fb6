import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { overloaded } from '../../platform/batching/group-commit.js';

/** argon2id (the package's default) with OWASP's parameters: 19 MiB, two passes. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing takes a core for tens of milliseconds: a few at once, and a bounded queue, so that it starves nobody. */
const HASHES_AT_ONCE = 2;
const HASHES_WAITING_MAX = 200;
const limit = pLimit(HASHES_AT_ONCE);

function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (limit.pendingCount >= HASHES_WAITING_MAX) return Promise.reject(overloaded());
  return limit(work);
}

/** A salted hash of `password`. Throws `OVERLOADED` when too many wait. */
export function hashPassword(password: string): Promise<string> {
  return bounded(() => hash(password, OPTIONS));
}

let dummyHash: Promise<string> | undefined;

/** Whether `password` is the one behind `stored`; without one it answers false in the same time. */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  dummyHash ??= hashPassword('the password of nobody');
  const against = stored ?? (await dummyHash);
  return (await bounded(() => verify(against, password, OPTIONS))) && stored !== undefined;
}
