import type { LoggerService } from '@nestjs/common';
import { Logger, type Params, PinoLogger } from 'nestjs-pino';
import { pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config.js';
import { currentRequestId } from './request-id.js';

/** What Nest tells of its own start-up, a line for every route: for whoever looks into the wiring. */
const WIRING = /^(InstanceLoader|RoutesResolver|RouterExplorer|NestFactory|NestApplication)$/;

/**
 * Nest's messages as JSON lines on standard output, each with the id of the request it belongs to. Values are fields,
 * never joined into the text. Nothing is made for a request that has nothing to say: the id is read as a line is
 * written.
 */
export function pinoLogger(level: Config['LOG_LEVEL']): LoggerService {
  const logger = pino({
    level,
    base: undefined,
    timestamp: stdTimeFunctions.isoTime,
    mixin: () => {
      const requestId = currentRequestId();
      return requestId === undefined ? {} : { requestId };
    },
  });
  const params: Params = { pinoHttp: { logger } };
  return new ServiceLogger(new PinoLogger(params), params);
}

class ServiceLogger extends Logger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (WIRING.test(String(rest.at(-1)))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}
