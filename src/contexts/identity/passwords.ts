import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { WorkQueue } from '../../platform/batching/work-queue.js';

/** OWASP's parameters for argon2id: 19 MiB, two passes. */
const OWASP = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const HASHES_AT_ONCE_MAX = 2;
const HASHES_AT_ONCE = Math.max(1, Math.min(HASHES_AT_ONCE_MAX, availableParallelism() - 1));
const HASHES_WAITING_MAX = 200;

/** Compared with when there is no user. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$5cR2QtLr6f0DLDrh4nhKMA$VBg2bTwL8/Yog5Q/+dFiLfXWNqB28BZi2CPd8Aqo8Gs';

@Injectable()
export class Passwords {
  readonly cost: Readonly<typeof OWASP> = OWASP;
  private readonly hashing = new WorkQueue(HASHES_AT_ONCE, HASHES_WAITING_MAX);

  /** Normalises to NFC. Throws `OVERLOADED`. */
  hash(password: string): Promise<string> {
    return this.hashing.run(() => hash(password.normalize('NFC'), this.cost));
  }

  /** Without `stored`, false in the same time. Throws `OVERLOADED`. */
  async isRight(stored: string | undefined, password: string): Promise<boolean> {
    const composed = password.normalize('NFC');
    const isBehind = (text: string) => this.hashing.run(() => verify(stored ?? DUMMY_HASH, text));
    // Older hashes are of the text as typed; both are always tried.
    const isRight = (await isBehind(composed)) || (composed !== password && (await isBehind(password)));
    return isRight && stored !== undefined;
  }
}
