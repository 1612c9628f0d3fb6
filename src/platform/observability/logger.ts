import type { LoggerService } from '@nestjs/common';
import { Logger, type Params, PinoLogger } from 'nestjs-pino';
import { type DestinationStream, type LoggerOptions, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { Config } from '../config.js';
import { currentRequestId } from './request-id.js';

/** Nest's start-up lines, one a route. */
const WIRING = /^(InstanceLoader|RoutesResolver|RouterExplorer|NestFactory|NestApplication)$/;

/** Fields logged of an error. PostgreSQL's `detail` and TypeORM's parameters hold personal data. */
const TOLD = new Set(
  'code syscall address port hostname severity table column constraint routine'.split(' '),
);

function toldOf(error: Error): object {
  const { type, message, stack, ...rest } = stdSerializers.err(error);
  const told = Object.fromEntries(Object.entries(rest).filter(([name]) => TOLD.has(name)));
  const aggregateErrors =
    error instanceof AggregateError && error.errors.filter((each) => Error.isError(each)).map(toldOf);
  return { type, message, stack, ...told, ...(aggregateErrors && { aggregateErrors }) };
}

/** JSON lines on standard output with the request's id, read when a line is written. */
export function pinoLogger(level: Config['LOG_LEVEL'], output?: DestinationStream): LoggerService {
  const options: LoggerOptions = {
    level,
    base: undefined,
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => (Error.isError(error) ? toldOf(error) : error) },
    mixin: () => {
      const requestId = currentRequestId();
      return requestId === undefined ? {} : { requestId };
    },
  };
  const logger = output ? pino(options, output) : pino(options);
  const params: Params = { pinoHttp: { logger } };
  return new ServiceLogger(new PinoLogger(params), params);
}

class ServiceLogger extends Logger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (WIRING.test(String(rest.at(-1)))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}
