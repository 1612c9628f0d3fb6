import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFixed } from './fixed-answer.js';
import { FixedFiles } from './fixed-files.js';
import type { Headers } from './security-headers.js';

/** What belongs to the API and its pages: an unknown address there is answered as the API answers it. */
const NOT_THE_DASHBOARD =
  /^\/(api|v1|health|docs|assets|openapi\.json|mcp|metrics|register|authorize|token|\.well-known)([/?]|$)/;

/** The names of built files hold a hash of their content, so they never change; the page that names them may. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const NO_CACHE = 'no-cache';
const INDEX = 'index.html';

/** Where the build puts the dashboard, seen from the built service or from its sources; null when it isn't built. */
function builtDashboard(): string | null {
  const folders = ['../../../../dashboard', '../../../../dist/dashboard'].map((path) =>
    join(import.meta.dirname, path),
  );
  return folders.find((folder) => existsSync(join(folder, 'assets'))) ?? null;
}

/** The address of the dashboard's typeface, for pages beside it; null when it isn't built. */
export function dashboardFont(folder: string | null = builtDashboard()): string | null {
  const font =
    folder && readdirSync(join(folder, 'assets')).find((file) => /^inter-basic-.*\.woff2$/.test(file));
  return font ? `/assets/${font}` : null;
}

/**
 * Serves the dashboard at `/`. Every address that is neither a file nor part of the API is a screen of it, so that
 * a link to a screen works; only a browser that asks for a page gets one.
 */
export function serveDashboard(
  server: FastifyInstance,
  headers: Headers = {},
  folder: string | null = builtDashboard(),
): void {
  if (!folder) return;
  const pages = new FixedFiles(folder);
  const assets = new FixedFiles(join(folder, 'assets'));
  const send = (files: FixedFiles, name: string, request: FastifyRequest, reply: FastifyReply) => {
    const file = files.find(name, request.headers['accept-encoding']);
    if (!file) {
      reply.callNotFound();
      return reply;
    }
    if (file.encoding) void reply.header('content-encoding', file.encoding);
    void reply
      .headers(headers)
      .header('cache-control', files === assets ? IMMUTABLE : NO_CACHE)
      .header('vary', 'accept-encoding')
      .type(file.type);
    return sendFixed(request, reply, file.body);
  };
  for (const name of pages.names) {
    server.get(`/${name}`, (request, reply) => send(pages, name, request, reply));
  }
  server.get('/', (request, reply) => send(pages, INDEX, request, reply));
  // One route for the hundred files there: one for each is a tenth of what a start of the service costs.
  server.get('/assets/*', (request, reply) =>
    send(assets, (request.params as { '*': string })['*'], request, reply),
  );
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404 && isScreen(request)) void send(pages, INDEX, request, reply);
    else done();
  });
}

function isScreen({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return (headers.accept ?? '').includes('text/html') && !NOT_THE_DASHBOARD.test(url);
}
