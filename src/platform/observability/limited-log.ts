import type { LoggerService } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const KINDS_MAX = 100;
const QUIET_MS = 10_000;

/** Logs each kind of error once in ten seconds, with the number left out. */
export class LimitedLog {
  private readonly kinds = new LRUCache<string, { at: number; leftOut: number }>({ max: KINDS_MAX });

  constructor(
    private readonly log: Pick<LoggerService, 'error' | 'warn'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** With its stack. True if written. */
  error(error: unknown, message: string): boolean {
    const leftOut = this.turn(`${message} ${kindOf(error)}`);
    if (leftOut === undefined) return false;
    this.log.error({ err: error, ...(leftOut > 0 && { leftOut }) }, message);
    return true;
  }

  /** One line; lines that differ in numbers are one kind. */
  warn(message: string): boolean {
    return this.line('warn', message);
  }

  /** One line. */
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

  /** Undefined: not yet. */
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
