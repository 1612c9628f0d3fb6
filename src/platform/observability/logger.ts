import type { LoggerService } from '@nestjs/common';
import { Logger, type Params, PinoLogger } from 'nestjs-pino';
import { type DestinationStream, type LoggerOptions, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { Config } from '../config.js';
import { currentRequestId } from './request-id.js';

/** What Nest tells of its own start-up, a line for every route: of use only when the wiring is looked into. */
const WIRING = /^(InstanceLoader|RoutesResolver|RouterExplorer|NestFactory|NestApplication)$/;

/**
 * What a line tells of an error beside its kind, message and stack. PostgreSQL's `detail` quotes the row that it refused,
 * with account numbers and hashes of passwords, and TypeORM's errors carry the parameters of their statement.
 */
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

/**
 * Nest's messages as JSON lines on standard output, each with the id of the request it belongs to. Values are fields,
 * never joined into the text. Nothing is made for a request that has nothing to say: the id is read as a line is
 * written.
 */
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
