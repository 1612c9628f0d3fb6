import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { WorkQueue } from '../../platform/batching/work-queue.js';

/** argon2id (the package's default) with OWASP's parameters: 19 MiB, two passes. */
const OWASP = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashing takes a core for tens of milliseconds, and one of the four threads that files and DNS need too: at most two
 * at once, a core always left to payments, and a bounded queue.
 */
const HASHES_AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
const HASHES_WAITING_MAX = 200;

/** The hash of a random password, at the cost of {@link OWASP}: compared with where there is no user. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$5cR2QtLr6f0DLDrh4nhKMA$VBg2bTwL8/Yog5Q/+dFiLfXWNqB28BZi2CPd8Aqo8Gs';

/** Hashes passwords, and compares them with their hashes. */
@Injectable()
export class Passwords {
  /** Of each new hash; a stored one is compared at the cost that it was made with. */
  readonly cost: Readonly<typeof OWASP> = OWASP;
  private readonly hashing = new WorkQueue(HASHES_AT_ONCE, HASHES_WAITING_MAX);

  /** A salted hash of `password` in NFC: keyboards compose letters differently. Throws `OVERLOADED` when too many wait. */
  hash(password: string): Promise<string> {
    return this.hashing.run(() => hash(password.normalize('NFC'), this.cost));
  }

  /**
   * Whether `password` is the one behind `stored`; without one it answers false in the same time. Throws `OVERLOADED`
   * when too many wait.
   */
  async isRight(stored: string | undefined, password: string): Promise<boolean> {
    const composed = password.normalize('NFC');
    const isBehind = (text: string) => this.hashing.run(() => verify(stored ?? DUMMY_HASH, text));
    // Older hashes were made of what was typed. Whether there is a user changes nothing: what fails costs two tries.
    const isRight = (await isBehind(composed)) || (composed !== password && (await isBehind(password)));
    return isRight && stored !== undefined;
  }
}
