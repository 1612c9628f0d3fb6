import { type Span, SpanStatusCode } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../../../kernel/text.js';
import { isTraced, startRequestSpan, withSpan } from '../../observability/tracing.js';

/** A span for each request except those for health; it ends with the answer. */
export function traceRequests(server: FastifyInstance): void {
  if (!isTraced) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  server.addHook('onRequest', (request, { raw }, done) => {
    const { method, routeOptions, headers } = request;
    const route = routeOptions.url;
    const span = route?.startsWith('/health/')
      ? undefined
      : startRequestSpan(route === undefined ? method : `${method} ${route}`, headers);
    if (span) {
      spans.set(request, span);
      raw.on('close', () => end(span, request, raw));
    }
    done();
  });
  server.addHook('preHandler', (request, _, done) => {
    const span = spans.get(request);
    if (span) withSpan(span, done);
    else done();
  });
}

function end(span: Span, request: FastifyRequest, raw: FastifyReply['raw']): void {
  const { notes, method, routeOptions, params } = request;
  const { walletId = (params as { walletId?: string } | undefined)?.walletId } = notes ?? {};
  const status = raw.headersSent ? raw.statusCode : undefined;
  span.setAttributes({
    'http.request.method': method,
    // The address may hold secrets.
    'http.route': routeOptions.url,
    'http.response.status_code': status,
    'wallet.request_id': notes?.id,
    'wallet.id': isUuid(walletId) ? walletId : undefined,
    'wallet.transaction_id': notes?.transactionId,
    'wallet.decision': notes?.decision,
    'wallet.error_code': notes?.code,
  });
  if (status === undefined || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
