import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../observability/metrics.js';

interface Tally {
  readonly labels: { readonly method: string; readonly route: string; readonly status: number };
  count: number;
  seconds: number;
}

/** Adds two numbers a request. */
export function countRequests(server: FastifyInstance, metrics: Metrics): void {
  if (!metrics.isOn) return;
  const tallies = new Map<string, Tally>();
  server.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const { statusCode: status } = reply;
    const route = request.routeOptions.url ?? 'none';
    const key = `${method} ${status} ${route}`;
    let tally = tallies.get(key);
    if (!tally) tallies.set(key, (tally = { labels: { method, route, status }, count: 0, seconds: 0 }));
    tally.count += 1;
    tally.seconds += reply.elapsedTime / 1_000;
    done();
  });
  const shown = (figure: 'count' | 'seconds') => () =>
    [...tallies.values()].map((tally) => ({ value: tally[figure], labels: tally.labels }));
  metrics.total('apw_http_requests_total', 'Answered requests', shown('count'));
  metrics.total('apw_http_request_seconds_total', 'Seconds that answers took', shown('seconds'));
}
