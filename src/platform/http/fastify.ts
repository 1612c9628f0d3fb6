import { randomBytes } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { trustProxy, type TrustedProxies } from '../security/trusted-proxies.js';
import { answerError } from './error-envelope.filter.js';
import { readJsonOnly } from './json-body.js';
import { indexRoutes } from './routes.js';

const BODY_BYTES_MAX = 64 * 1024;
/** As much as Node takes for a whole head: an id of any length is looked at like any other, after the session. */
const PATH_PART_MAX = 16 * 1024;

/** Tells the requests of this process from those of any other; a UUID for each would cost more than its parsing. */
const PROCESS_ID = randomBytes(6).toString('hex');
let requests = 0;

/** The HTTP server: every body, header and wait is bounded, and JSON is the only body it reads. */
export function fastifyAdapter(proxies: TrustedProxies = 'off'): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: trustProxy(proxies),
    requestTimeout: 15_000,
    keepAliveTimeout: 65_000,
    connectionTimeout: 70_000,
    forceCloseConnections: 'idle',
    genReqId: () => `${PROCESS_ID}-${(requests += 1).toString(36)}`,
    routerOptions: { maxParamLength: PATH_PART_MAX },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      answerError(error, request, reply);
    },
  });
  const server: FastifyInstance = adapter.getInstance();
  indexRoutes(server);
  readJsonOnly(server);
  return adapter;
}
