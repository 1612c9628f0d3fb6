import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../kernel/errors.js';
import type { Reader } from '../observability/request-id.js';

/** Reads of one reader that may wait for its share at once. */
export const READS_WAITING_MAX = 50;
/** How long a refusal is held back, in milliseconds: a client that ignores `Retry-After` asks no faster. */
const REFUSAL_MS = 250;

/** Gives back a place that was taken. */
export type Leave = () => void;

/** Waits for a place among those of `limit`. */
export function placeIn(limit: LimitFunction): Promise<Leave> {
  return new Promise((entered) => {
    void limit(() => new Promise<void>((leave) => entered(leave)));
  });
}

/** What each reader, a user or an API key, may take of the places for reads at once. */
export class ReadShares {
  /** Of those that read right now. */
  private readonly shares = new Map<string, LimitFunction>();

  /** `places`: how many reads there can be at once, of all readers together. */
  constructor(private readonly places: number) {}

  /** Takes a place in the share of each of these readers. Throws as {@link assertRoom} does. */
  async enter(readers: readonly Reader[]): Promise<Leave> {
    if (this.isFull(readers)) throw await tooMany();
    const shares = readers.map((reader) => [reader.id, this.shareOf(reader)] as const);
    const taken: Leave[] = [];
    for (const [, share] of shares) taken.push(await placeIn(share));
    return () => {
      for (const leave of taken) leave();
      for (const [id, share] of shares) {
        // The place that was just left still counts.
        if (share.activeCount <= 1 && share.pendingCount === 0) this.shares.delete(id);
      }
    };
  }

  /** Throws `RATE_LIMITED` where {@link READS_WAITING_MAX} reads wait for the share of one of these readers. */
  async assertRoom(readers: readonly Reader[]): Promise<void> {
    if (this.isFull(readers)) throw await tooMany();
  }

  private isFull(readers: readonly Reader[]): boolean {
    return readers.some(({ id }) => (this.shares.get(id)?.pendingCount ?? 0) >= READS_WAITING_MAX);
  }

  /** A quarter for a user, and half of that for each API key, so that none takes all of its owner's. */
  private shareOf({ kind, id }: Reader): LimitFunction {
    let share = this.shares.get(id);
    if (!share) {
      share = pLimit(Math.ceil(this.places / (kind === 'user' ? 4 : 8)));
      this.shares.set(id, share);
    }
    return share;
  }
}

async function tooMany(): Promise<AppError> {
  await sleep(REFUSAL_MS);
  return new AppError(
    'RATE_LIMITED',
    'Nothing was carried out: you are reading too much at once. Try again shortly.',
    { retryAfterSeconds: 1 },
  );
}
