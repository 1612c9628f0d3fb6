import { randomBytes } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { validationError, AppError } from '../../kernel/errors.js';
import { answerError } from './error-envelope.filter.js';
import { indexRoutes } from './routes.js';

const BODY_BYTES_MAX = 64 * 1024;
const JSON_DEPTH_MAX = 32;
/** As much as Node takes for a whole head: an id of any length is looked at like any other, after the session. */
const PATH_PART_MAX = 16 * 1024;

/** Tells the requests of this process from those of any other; a UUID for each would cost more than its parsing. */
const PROCESS_ID = randomBytes(6).toString('hex');
let requests = 0;

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as received: what a signature was made over. */
    rawBody?: Buffer;
  }
}

/** The HTTP server: every body, header and wait is bounded, and JSON is the only body it reads. */
export function fastifyAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_BYTES_MAX,
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

function readJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
    const encoding = request.headers['content-encoding'];
    if ((charset && !/^utf-?8$/i.test(charset)) || (encoding && encoding !== 'identity')) {
      done(new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send plain JSON in UTF-8, not compressed.'));
      return;
    }
    request.rawBody = body;
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    let text: string;
    try {
      text = utf8.decode(body);
    } catch {
      done(validationError({ field: 'body', message: 'is not valid UTF-8' }));
      return;
    }
    if (depthOf(text) > JSON_DEPTH_MAX) {
      done(validationError({ field: 'body', message: `is nested more than ${JSON_DEPTH_MAX} levels deep` }));
      return;
    }
    void parse(request, text, (error, value: unknown) => {
      done(error && validationError({ field: 'body', message: 'malformed JSON' }), value);
    });
  });
}

/** The deepest nesting of a JSON text, counted before it is parsed: recursion must have a bound. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, (depth += 1));
    else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
  return deepest;
}
