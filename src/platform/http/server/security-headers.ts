import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

export type Headers = Readonly<Record<string, string>>;

export interface SecurityHeaders {
  /** Nothing runs, is framed or cached. */
  readonly api: Headers;
  readonly reference: Headers;
  readonly dashboard: Headers;
}

const HSTS_SECONDS = 365 * 24 * 60 * 60;

/** This origin only, nothing inline. */
const PAGE_DIRECTIVES = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // The component library needs inline styles.
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/** Computed once. HSTS only behind https. */
export async function securityHeaders(isHttps: boolean): Promise<SecurityHeaders> {
  const common: FastifyHelmetOptions = {
    frameguard: { action: 'deny' },
    strictTransportSecurity: isHttps && { maxAge: HSTS_SECONDS, includeSubDomains: false },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  };
  const page: FastifyHelmetOptions = {
    ...common,
    contentSecurityPolicy: { useDefaults: false, directives: PAGE_DIRECTIVES },
  };
  const [api, pages] = await Promise.all([
    headersOf({
      ...common,
      crossOriginOpenerPolicy: false,
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
    }),
    headersOf(page),
  ]);
  const permissions = 'camera=(), geolocation=(), microphone=(), payment=()';
  return {
    api: { ...api, 'cache-control': 'no-store' },
    reference: pages,
    dashboard: { ...pages, 'permissions-policy': permissions },
  };
}

async function headersOf(options: FastifyHelmetOptions): Promise<Headers> {
  const probe: FastifyInstance = new FastifyAdapter().getInstance();
  const bare = Object.keys((await probe.inject('/')).headers);
  const asked: FastifyInstance = new FastifyAdapter().getInstance();
  await asked.register(helmet, options);
  const { headers } = await asked.inject('/');
  await Promise.all([probe.close(), asked.close()]);
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !bare.includes(name))
      .map(([name, value]) => [name, String(value)]),
  );
}
