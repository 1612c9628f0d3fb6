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
    private readonly log: Pick<LoggerService, 'error' | 'warn'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Writes `error` with its stack unless one of its kind was written lately; answers whether it did. */
  error(error: unknown, message: string): boolean {
    const leftOut = this.turn(`${message} ${kindOf(error)}`);
    if (leftOut === undefined) return false;
    this.log.error({ err: error, ...(leftOut > 0 && { leftOut }) }, message);
    return true;
  }

  /** The same for a warning, in one line without a stack. Lines that differ in their numbers alone are of one kind. */
  warn(message: string): boolean {
    return this.line('warn', message);
  }

  /** An error in one line without a stack, like a warning. */
  errorLine(message: string): boolean {
    return this.line('error', message);
  }

  private line(level: 'error' | 'warn', message: string): boolean {
    const leftOut = this.turn(message.replace(/\d+/g, '#'));
    if (leftOut === undefined) return false;
    if (leftOut > 0) this.log[level]({ leftOut }, message);
    else this.log[level](message);
    return true;
  }

  /** How many of this kind were left out since the last one that was written; undefined when it is not its turn. */
  private turn(kind: string): number | undefined {
    const last = this.kinds.get(kind);
    const at = this.now();
    if (last && at - last.at < QUIET_MS) {
      last.leftOut += 1;
      return undefined;
    }
    this.kinds.set(kind, { at, leftOut: 0 });
    return last?.leftOut ?? 0;
  }
}

function kindOf(error: unknown): string {
  if (!Error.isError(error)) return String(error).slice(0, 200);
  return `${error.name} ${(error as NodeJS.ErrnoException).code ?? error.message.slice(0, 200)}`;
}
