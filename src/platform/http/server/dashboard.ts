import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFixed } from './fixed-answer.js';
import { FixedFiles } from './fixed-files.js';
import type { Headers } from './security-headers.js';

/** Unknown addresses here are answered by the API. */
const NOT_THE_DASHBOARD =
  /^\/(api|v1|health|docs|assets|openapi\.json|mcp|metrics|version|register|authorize|token|\.well-known)([/?]|$)/;

const IMMUTABLE = 'public, max-age=31536000, immutable';
const NO_CACHE = 'no-cache';
const INDEX = 'index.html';

/** Null if not built. */
function builtDashboard(): string | null {
  const folders = ['../../../../dashboard', '../../../../dist/dashboard'].map((path) =>
    join(import.meta.dirname, path),
  );
  return folders.find((folder) => existsSync(join(folder, 'assets'))) ?? null;
}

/** Null if not built. */
export function dashboardFont(folder: string | null = builtDashboard()): string | null {
  const font =
    folder && readdirSync(join(folder, 'assets')).find((file) => /^inter-basic-.*\.woff2$/.test(file));
  return font ? `/assets/${font}` : null;
}

/** Serves the dashboard at `/`. Other addresses are its screens, for browsers that ask for a page. */
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
