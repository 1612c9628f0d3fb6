import fastifyCookie from '@fastify/cookie';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { IncomingMessage, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Metrics } from '../../observability/metrics.js';
import { requestId, RequestNotes, withNotes } from '../../observability/request-id.js';
import type { RequestLog } from '../../observability/request-log.js';
import { compressReads } from './compression.js';
import { Connections } from './connections.js';
import { trustProxy, type TrustedProxies } from '../../security/trusted-proxies.js';
import { answerError } from '../api/error-envelope.filter.js';
import { passFilesOn } from './file-body.js';
import { dropTypeOfEmptyBody, readJsonOnly } from './json-body.js';
import { countRequests } from './request-metrics.js';
import { traceRequests } from './request-spans.js';
import { indexRoutes } from './routes.js';
import type { Headers } from './security-headers.js';
import { answerOddRequests, answerUnrouted, badRequest, shuttingDown } from './unrouted.js';

const BODY_BYTES_MAX = 64 * 1024;
/** As large as Node's limit of a head: long ids are judged behind the session. */
const PATH_PART_MAX = 16 * 1024;

/** Milliseconds. */
export interface ServerTimes {
  /** From the first byte, or the connection, to the end of the head. */
  readonly headMsMax: number;
  readonly requestMsMax: number;
  readonly checkMs: number;
  readonly idleMsMax: number;
  readonly unreadMsMax: number;
}

/** Gives a request up within 17 s. */
export const SERVER_TIMES: ServerTimes = {
  headMsMax: 10_000,
  requestMsMax: 15_000,
  checkMs: 2_000,
  idleMsMax: 620_000,
  unreadMsMax: 30_000,
};
/** Announced idle time is shorter by this. */
const IDLE_MARGIN_MS = 5_000;

export interface ServerOptions {
  /** For answers without their own. */
  readonly headers?: Headers;
  readonly connectionsMax?: number;
  /** Trusted proxies. */
  readonly proxies?: TrustedProxies;
  readonly times?: ServerTimes;
  readonly metrics?: Metrics;
  readonly requestLog?: RequestLog | undefined;
}

const CONNECTIONS_MAX = 5_000;
const READY_PATH = '/health/ready';

/**
 * Last milliseconds of a drain, in which connections are kept again: one not accepted when listening ends is
 * lost.
 */
const LAST_DRAIN_MS = 1_000;

/** Can be stopped without losing a request. */
export class HttpAdapter extends FastifyAdapter {
  /** Requests are served, and `/health/ready` is 503. */
  isDraining = false;
  /** Unless draining, and at the end of that. */
  keepsConnections = true;
  /** Requests are refused; those under way finish. */
  isStopping = false;
  connections: Connections | undefined;

  async drain(ms: number): Promise<void> {
    this.isDraining = true;
    this.keepsConnections = false;
    await sleep(Math.max(0, ms - LAST_DRAIN_MS));
    this.keepsConnections = true;
    await sleep(Math.min(ms, LAST_DRAIN_MS));
  }

  // eslint-disable-next-line @typescript-eslint/no-misused-promises -- Nest waits for it, whatever its types say
  override async beforeClose(): Promise<void> {
    this.isDraining = true;
    await this.connections?.stopListening();
    this.keepsConnections = false;
    await this.connections?.letGo();
    this.isStopping = true;
    super.beforeClose();
  }
}

export function fastifyAdapter({
  headers = {},
  connectionsMax = CONNECTIONS_MAX,
  proxies = 'off',
  times = SERVER_TIMES,
  metrics = new Metrics(),
  requestLog,
}: ServerOptions = {}): HttpAdapter {
  const options: FastifyHttpOptions<Server> & { skipMiddie: boolean } = {
    http: {
      // Refused below, in its family's envelope.
      requireHostHeader: false,
      headersTimeout: times.headMsMax,
      connectionsCheckingInterval: times.checkMs,
    },
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: trustProxy(proxies),
    requestTimeout: times.requestMsMax,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    skipMiddie: true,
    genReqId: ({ headers: sent }: IncomingMessage) => requestId(sent['x-request-id']),
    routerOptions: { maxParamLength: PATH_PART_MAX, ignoreTrailingSlash: true },
    clientErrorHandler: answerUnrouted(headers, (socket) => connections.responseOn(socket), requestLog),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      begin(request, reply);
      void reply.headers(headers).header('x-request-id', request.id);
      answerError(error, request, reply);
    },
  };
  const begin = (request: FastifyRequest, reply: FastifyReply): void => {
    request.notes = new RequestNotes(request.id);
    requestLog?.follow(request, reply);
  };
  const keepAlive = `timeout=${Math.floor((times.idleMsMax - IDLE_MARGIN_MS) / 1_000)}`;
  const headersWhenKept = { ...headers, 'keep-alive': keepAlive };
  const adapter = new HttpAdapter(options);
  const server: FastifyInstance = adapter.getInstance();
  // One timer a connection. Set here, as Fastify takes 0 for its default.
  server.server.keepAliveTimeout = 0;
  const connections = new Connections(server.server, { max: connectionsMax, ...times });
  adapter.connections = connections;
  server.decorateRequest('notes', null);
  answerOddRequests(server.server, headers, requestLog);
  indexRoutes(server);
  compressReads(server);
  countRequests(server, metrics);
  readJsonOnly(server);
  void server.register(fastifyCookie, { hook: false });
  server.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    const isKept = reply.raw.shouldKeepAlive && adapter.keepsConnections;
    void reply.headers(isKept ? headersWhenKept : headers).header('x-request-id', request.id);
    if (!adapter.keepsConnections) void reply.header('connection', 'close');
    if (adapter.isStopping || (adapter.isDraining && request.routeOptions.url === READY_PATH)) {
      answerError(shuttingDown(), request, reply);
      return;
    }
    const hosts = hostsOf(request.raw);
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      void reply.removeHeader('keep-alive').header('connection', 'close');
      answerError(badRequest(`The header Host ${hosts > 1 ? 'came twice' : 'is missing'}.`), request, reply);
    } else {
      dropTypeOfEmptyBody(request.raw);
      done();
    }
  });
  passFilesOn(server);
  // The body is read in the connection's own context.
  server.addHook('preHandler', (request, _, done) => withNotes(request.notes as RequestNotes, done));
  traceRequests(server);
  return adapter;
}

/** Node shows the first Host only, while a proxy may have used another. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
