import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { isUuid } from '../../kernel/text.js';
import type { SessionUser } from './identity.port.js';
import { IdentityStore } from './identity.store.js';
import { cookieToken } from './session-cookie.js';

/** How session tokens are signed, and by whom: no other algorithm or issuer is taken. */
export const TOKEN_ALGORITHM = 'HS256';
export const TOKEN_ISSUER = 'agent-payment-wallet';

/** What {@link JwtStrategy.authenticate} is told beside what passport tells it. */
export interface JwtStrategyOptions {
  /** The strategy of the application that the request came to. */
  readonly strategy: JwtStrategy;
}

/** Reads the session token of a request, checks its signature, and asks the database whether its session lives. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    secret: KeyObject,
    private readonly store: IdentityStore,
    isHttps: boolean,
  ) {
    super({
      // Its types know text and bytes; it hands on what it is given.
      secretOrKey: secret as unknown as Buffer,
      algorithms: [TOKEN_ALGORITHM],
      issuer: TOKEN_ISSUER,
      jwtFromRequest: (request: FastifyRequest) => tokenOf(request, isHttps) ?? null,
    } satisfies StrategyOptionsWithoutRequest);
  }

  /**
   * Passport keeps one strategy of a name for the whole process: that of the application that started last. So the
   * guard names the strategy of its own application, and what passport prepared for this request (`success`, `fail`,
   * `error`) is handed to that one.
   */
  override authenticate(...[request, options]: Parameters<Strategy['authenticate']>): void {
    const { strategy } = options as JwtStrategyOptions;
    const own = Object.assign(Object.create(strategy) as JwtStrategy, this);
    super.authenticate.call(own, request, options);
  }

  /** The session that the token names, or null when it has ended or the token could not be one of ours. */
  async validate(claims: { sub?: unknown; jti?: unknown; exp?: unknown }): Promise<SessionUser | null> {
    const { sub, jti, exp } = claims;
    if (!isUuid(sub) || !isUuid(jti) || typeof exp !== 'number') return null;
    const session = await this.store.findSession(jti, sub);
    return session ? { userId: sub, sessionId: jti, isOperator: session.isOperator } : null;
  }
}

/** The token in `Authorization`; the cookie's only without that header, whatever it holds. */
function tokenOf(request: FastifyRequest, isHttps: boolean): string | undefined {
  const { authorization } = request.headers;
  return authorization === undefined
    ? cookieToken(request, isHttps)
    : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}
