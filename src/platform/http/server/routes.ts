import type { FastifyInstance } from 'fastify';

interface Route {
  readonly method: string;
  readonly path: RegExp;
}

const routesOf = new WeakMap<object, Route[]>();

export function indexRoutes(server: FastifyInstance): void {
  const routes: Route[] = [];
  routesOf.set(server.server, routes);
  server.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const path = new RegExp(`^${url.replace(/\/$/, '').replace(/:[^/]+/g, '[^/]+')}/?$`);
    for (const each of [method].flat()) routes.push({ method: each, path });
  });
}

/** Sorted; empty for an unknown path. */
export function allowedMethods(server: FastifyInstance, path: string): string[] {
  const routes = routesOf.get(server.server) ?? [];
  return [...new Set(routes.filter((route) => route.path.test(path)).map(({ method }) => method))].sort();
}
