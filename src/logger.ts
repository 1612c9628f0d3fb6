import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import type { Config } from './config.js';

/** Nest's messages as JSON lines on standard output: values are fields, never joined into the text. */
export function pinoLogger(level: Config['LOG_LEVEL']): LoggerService {
  const log = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
  const write =
    (to: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace') =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const details = rest.slice(0, -1);
      if (message instanceof Error) log[to]({ context, err: message });
      else if (typeof message === 'object') log[to]({ context, ...message }, String(details[0] ?? ''));
      else log[to]({ context, ...(details.length > 0 && { details }) }, String(message));
    };
  return {
    fatal: write('fatal'),
    error: write('error'),
    warn: write('warn'),
    log: write('info'),
    debug: write('debug'),
    verbose: write('trace'),
  };
}
