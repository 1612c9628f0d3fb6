import type { LoggerService } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const KINDS_MAX = 100;
const QUIET_MS = 10_000;

/**
 * Writes an error of each kind at most once in ten seconds, and with the next one how many were left out: an outage
 * fails every request in the same way, and must not fill the disk with it.
 */
export class LimitedLog {
  private readonly kinds = new LRUCache<string, { at: number; leftOut: number }>({ max: KINDS_MAX });

  constructor(
    private readonly log: Pick<LoggerService, 'error'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Writes `error` with its stack unless one of its kind was written lately; answers whether it did. */
  error(error: unknown, message: string): boolean {
    const kind = `${message} ${kindOf(error)}`;
    const last = this.kinds.get(kind);
    const at = this.now();
    if (last && at - last.at < QUIET_MS) {
      last.leftOut += 1;
      return false;
    }
    this.kinds.set(kind, { at, leftOut: 0 });
    this.log.error({ err: error, ...(last && last.leftOut > 0 && { leftOut: last.leftOut }) }, message);
    return true;
  }
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 200);
  return `${error.name} ${(error as NodeJS.ErrnoException).code ?? error.message.slice(0, 200)}`;
}
