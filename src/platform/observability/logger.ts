import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import type { Config } from '../config.js';

/** What Nest tells of its own start-up, a line for every route: for whoever looks into the wiring. */
const WIRING = /^(InstanceLoader|RoutesResolver|RouterExplorer|NestFactory|NestApplication)$/;

/** Nest's messages as JSON lines on standard output: values are fields, never joined into the text. */
export function pinoLogger(level: Config['LOG_LEVEL']): LoggerService {
  const log = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
  const write =
    (to: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace') =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const details = rest.slice(0, -1);
      if (message instanceof Error) log[to]({ context, err: message });
      else if (typeof message === 'string')
        log[to]({ context, ...(details.length > 0 && { details }) }, message);
      else log[to]({ context, ...(message as object) }, details.map(String).join(' '));
    };
  return {
    fatal: write('fatal'),
    error: write('error'),
    warn: write('warn'),
    log: (message, ...rest: unknown[]) =>
      write(WIRING.test(String(rest.at(-1))) ? 'debug' : 'info')(message, ...rest),
    debug: write('debug'),
    verbose: write('trace'),
  };
}
