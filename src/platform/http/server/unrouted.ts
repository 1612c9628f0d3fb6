import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../../kernel/errors.js';
import { requestId } from '../../observability/request-id.js';
import type { RequestLog } from '../../observability/request-log.js';
import { answersAt } from '../api/answers.js';
import { envelopeOf, statusOf } from '../api/error-envelope.filter.js';
import { routePath } from './route-path.js';
import type { Headers } from './security-headers.js';

const LINGER_MS_MAX = 1_000;

type ClientError = Error & { code?: string; rawPacket?: unknown };

const refused = new WeakSet<Socket>();

/** Behind a request under way nothing is sent: the client would take it for that request's answer. */
export function answerUnrouted(
  headers: Headers,
  responseOn: (socket: Socket) => ServerResponse | undefined,
  log?: RequestLog,
) {
  return (error: ClientError, socket: Socket): void => {
    // It would be taken for the next request's answer.
    const isUnasked = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
    if (isUnasked || error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const response = responseOn(socket);
    if (response && isUnderWay(response)) {
      closeBehind(response, socket);
      return;
    }
    const address = error.rawPacket ? addressIn(error.rawPacket) : response?.req.url;
    refuse(socket, refusalFor(error), routePath(address ?? '/'), headers, log);
  };
}

/** Replaces Node's own answers. */
export function answerOddRequests(server: Server, headers: Headers, log?: RequestLog): void {
  server.on('connect', (_: IncomingMessage, socket: Socket) =>
    refuse(socket, badRequest('CONNECT is not supported.'), '/', headers, log),
  );
  // Other expectations are ignored, not refused.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

export function badRequest(message: string): AppError {
  return new AppError('BAD_REQUEST', message);
}

/** Another process takes the request. */
export function shuttingDown(): AppError {
  return new AppError(
    'SHUTTING_DOWN',
    'Nothing was carried out: the service is stopping. Try again shortly.',
    {
      retryAfterSeconds: 2,
    },
  );
}

function refusalFor({ code }: ClientError): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError('HEADERS_TOO_LARGE', 'The address and the headers may have at most 16 KiB together.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new AppError('REQUEST_TIMEOUT', 'The request did not arrive in time; nothing was carried out.');
  }
  return badRequest('This is not a well-formed HTTP/1.1 request.');
}

/** Long enough to find its envelope, else `/`. */
function addressIn(packet: unknown): string {
  const line = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 1_024) : '';
  return /^[A-Z]+ (\S+)/.exec(line)?.[1] ?? '/';
}

function isUnderWay({ req, headersSent, writableFinished }: ServerResponse): boolean {
  return (req.complete || headersSent) && !writableFinished;
}

function closeBehind(response: ServerResponse, socket: Socket): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.destroySoon());
}

function refuse(socket: Socket, refusal: AppError, path: string, headers: Headers, log?: RequestLog): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  const answers = answersAt(path);
  const body = JSON.stringify(envelopeOf(refusal, answers));
  const status = statusOf(refusal.code, answers);
  const id = requestId(undefined);
  log?.refused(id, status, refusal.code);
  const head = {
    ...headers,
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  // Unread bytes would reset the answer away.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS_MAX).unref();
}
