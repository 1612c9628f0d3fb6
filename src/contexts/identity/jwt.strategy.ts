import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { isUuid } from '../../kernel/text.js';
import type { SessionUser } from './identity.port.js';
import { IdentityStore } from './identity.store.js';
import { cookieToken } from './session-cookie.js';
import type { TokenSecrets } from './token-secrets.js';

export const TOKEN_ALGORITHM = 'HS256';
export const TOKEN_ISSUER = 'agent-payment-wallet';

export interface JwtStrategyOptions {
  readonly strategy: JwtStrategy;
}

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    secrets: TokenSecrets,
    private readonly store: IdentityStore,
    isHttps: boolean,
  ) {
    super({
      // The types allow text and bytes only.
      secretOrKeyProvider: (_, token: string, done) => done(null, secrets.of(token) as unknown as Buffer),
      algorithms: [TOKEN_ALGORITHM],
      issuer: TOKEN_ISSUER,
      jwtFromRequest: (request: FastifyRequest) => tokenOf(request, isHttps) ?? null,
    } satisfies StrategyOptionsWithoutRequest);
  }

  /** Passport keeps one strategy a process, so the guard names its own. */
  override authenticate(...[request, options]: Parameters<Strategy['authenticate']>): void {
    const { strategy } = options as JwtStrategyOptions;
    const own = Object.assign(Object.create(strategy) as JwtStrategy, this);
    super.authenticate.call(own, request, options);
  }

  /** Null if the session ended or the token is not ours. */
  async validate(claims: { sub?: unknown; jti?: unknown; exp?: unknown }): Promise<SessionUser | null> {
    const { sub, jti, exp } = claims;
    if (!isUuid(sub) || !isUuid(jti) || typeof exp !== 'number') return null;
    const session = await this.store.findSession(jti, sub);
    return session ? { userId: sub, sessionId: jti, ...session } : null;
  }
}

/** Header first; the cookie only without it. */
function tokenOf(request: FastifyRequest, isHttps: boolean): string | undefined {
  const { authorization } = request.headers;
  return authorization === undefined
    ? cookieToken(request, isHttps)
    : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}
