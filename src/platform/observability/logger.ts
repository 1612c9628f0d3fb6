import type { LoggerService } from '@nestjs/common';
import { Logger, type Params, PinoLogger } from 'nestjs-pino';
import { type DestinationStream, type Logger as Pino, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { LogSettings } from './log-settings.js';
import { LineBuffer } from './line-buffer.js';
import { currentRequestId } from './request-id.js';
import { RequestLog } from './request-log.js';

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

/** Later lines are lost. */
const UNREAD_BYTES_MAX = 16 * 1024 * 1024;

let lastMs = 0;
let lastTime = '';

function isoTime(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastTime;
}

/** Asynchronous; flushed at the end of the process. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, maxLength: UNREAD_BYTES_MAX });
  const buffer = new LineBuffer(output);
  process.once('exit', () => buffer.flushSync());
  return buffer;
}

/** JSON lines with the request's id, read when a line is written. */
export function pinoLogger(
  level: LogSettings['LOG_LEVEL'],
  output: DestinationStream = standardOutput(),
): LoggerService {
  const options: LoggerOptions = {
    level,
    base: undefined,
    timestamp: isoTime,
    serializers: { err: (error: unknown) => (Error.isError(error) ? toldOf(error) : error) },
  };
  const mixin = (): object => {
    const requestId = currentRequestId();
    return requestId === undefined ? {} : { requestId };
  };
  const params: Params = { pinoHttp: { logger: pino({ ...options, mixin }, output) } };
  return new ServiceLogger(new PinoLogger(params), params, pino(options, output));
}

/** Undefined for other loggers. */
export function requestLogOf(
  logger: LoggerService | false,
  { LOG_APPROVED_SAMPLE }: Pick<LogSettings, 'LOG_APPROVED_SAMPLE'>,
): RequestLog | undefined {
  return logger instanceof ServiceLogger ? new RequestLog(logger.lines, LOG_APPROVED_SAMPLE) : undefined;
}

class ServiceLogger extends Logger {
  constructor(
    logger: PinoLogger,
    params: Params,
    readonly lines: Pino,
  ) {
    super(logger, params);
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!this.lines.isLevelEnabled('info')) return;
    if (WIRING.test(String(rest.at(-1)))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}
