import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Sessions, type SessionUser } from './identity.port.js';
import { AppError } from '../../kernel/errors.js';
import { cookieToken, isSameOrigin } from './session-cookie.js';

type SessionRequest = FastifyRequest & { session?: SessionUser };

/**
 * Lets a request in that carries a live session's token: in `Authorization`, or without that header in the cookie.
 * Throws `UNAUTHORIZED` otherwise, and `FORBIDDEN` when another site makes a browser send its cookie.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SessionRequest>();
    const { authorization } = request.headers;
    const token =
      authorization === undefined ? cookieToken(request) : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    const session = token && (await this.sessions.authenticate(token));
    if (!session) {
      throw new AppError(
        'UNAUTHORIZED',
        'Sign in first: send a valid session token as Authorization: Bearer <token>.',
      );
    }
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    if (changes && authorization === undefined && !isSameOrigin(request)) {
      throw new AppError('FORBIDDEN', 'This request came from another site.');
    }
    request.session = session;
    return true;
  }
}

/** The route needs a session token. */
export const Authenticated = () => applyDecorators(UseGuards(SessionGuard), ApiBearerAuth('session'));

/** The session that the guard found. */
export const Session = createParamDecorator((_: unknown, context: ExecutionContext): SessionUser => {
  const { session } = context.switchToHttp().getRequest<SessionRequest>();
  if (!session) throw new Error('a route reads the session without needing one');
  return session;
});
