import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

export type Headers = Readonly<Record<string, string>>;

/** The security headers of each part of the service. */
export interface SecurityHeaders {
  /** Answers that are no pages: nothing in them may run or be framed, and no cache may keep them. */
  readonly api: Headers;
  readonly reference: Headers;
  readonly dashboard: Headers;
}

const HSTS_SECONDS = 365 * 24 * 60 * 60;

/** Scripts and data come from this origin alone, and nothing inline runs. */
const PAGE_DIRECTIVES = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // Styles may stand inline: the component library writes its theme into a style element.
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/**
 * The headers of helmet, asked of it once: they are the same for every answer, and asking again for each would cost
 * more than the rest of a request. HSTS is said only where the service is reached by https.
 */
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
