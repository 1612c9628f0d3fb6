import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../kernel/errors.js';
import type { Reader } from '../observability/request-id.js';

export const READS_WAITING_MAX = 50;
/** Delay of a refusal, in milliseconds, for clients that ignore `Retry-After`. */
const REFUSAL_MS = 250;

export type Leave = () => void;

export function placeIn(limit: LimitFunction): Promise<Leave> {
  return new Promise((entered) => {
    void limit(() => new Promise<void>((leave) => entered(leave)));
  });
}

export class ReadShares {
  private readonly shares = new Map<string, LimitFunction>();

  /** Reads at once, of all readers together. */
  constructor(private readonly places: number) {}

  /** Throws as {@link assertRoom}. */
  async enter(readers: readonly Reader[]): Promise<Leave> {
    if (this.isFull(readers)) throw await tooMany();
    const shares = readers.map((reader) => [reader.id, this.shareOf(reader)] as const);
    const taken: Leave[] = [];
    for (const [, share] of shares) taken.push(await placeIn(share));
    return () => {
      for (const leave of taken) leave();
      for (const [id, share] of shares) {
        // The place just left still counts.
        if (share.activeCount <= 1 && share.pendingCount === 0) this.shares.delete(id);
      }
    };
  }

  /** Throws `RATE_LIMITED` if {@link READS_WAITING_MAX} reads of a reader wait. */
  async assertRoom(readers: readonly Reader[]): Promise<void> {
    if (this.isFull(readers)) throw await tooMany();
  }

  private isFull(readers: readonly Reader[]): boolean {
    return readers.some(({ id }) => (this.shares.get(id)?.pendingCount ?? 0) >= READS_WAITING_MAX);
  }

  /** A quarter for a user, half of that for an API key. */
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
