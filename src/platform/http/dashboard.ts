import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Headers } from './security-headers.js';

/** What belongs to the API and its pages: an unknown address there is answered as the API answers it. */
const NOT_THE_DASHBOARD =
  /^\/(api|v1|health|docs|assets|openapi\.json|mcp|metrics|register|authorize|token|\.well-known)([/?]|$)/;

/** The names of built files hold a hash of their content, so they never change; the page that names them may. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const NO_CACHE = 'no-cache';

/** Where the build puts the dashboard, seen from the built service or from its sources; null when it isn't built. */
function builtDashboard(): string | null {
  const folders = ['../../../dashboard', '../../../dist/dashboard'].map((path) =>
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
export async function serveDashboard(
  server: FastifyInstance,
  headers: Headers = {},
  folder: string | null = builtDashboard(),
): Promise<void> {
  if (!folder) return;
  const shared: Pick<FastifyStaticOptions, 'preCompressed' | 'cacheControl' | 'setHeaders'> = {
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = path.includes(`${sep}assets${sep}`);
      void reply.header('cache-control', isHashed ? IMMUTABLE : NO_CACHE);
      for (const [name, value] of Object.entries(headers)) void reply.header(name, value);
    },
  };
  const globIgnore = ['**/*.br', '**/*.gz', '**/.*', 'assets/**'];
  await server.register(fastifyStatic, { ...shared, root: folder, wildcard: false, globIgnore });
  // One route for the hundred files there: one for each is a tenth of what a start of the service costs.
  await server.register(fastifyStatic, {
    ...shared,
    root: join(folder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    dotfiles: 'ignore',
    allowedPath: (path) => !/(\.br|\.gz|\/)$/.test(path),
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404 && isScreen(request)) void reply.sendFile('index.html');
    else done();
  });
}

function isScreen({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return (headers.accept ?? '').includes('text/html') && !NOT_THE_DASHBOARD.test(url);
}
