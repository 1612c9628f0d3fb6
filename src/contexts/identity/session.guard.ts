import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { SessionUser } from './identity.port.js';
import { AppError } from '../../kernel/errors.js';
import { readFor } from '../../platform/observability/request-id.js';
import { JwtStrategy, type JwtStrategyOptions } from './jwt.strategy.js';
import { isSameOrigin } from './session-cookie.js';

type SessionRequest = FastifyRequest & { user?: SessionUser };

/**
 * Admits a live session's token from `Authorization`, else the cookie. Throws `UNAUTHORIZED`, and `FORBIDDEN`
 * for another site's request.
 */
@Injectable()
export class SessionGuard extends AuthGuard('jwt') {
  constructor(private readonly strategy: JwtStrategy) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const request = context.switchToHttp().getRequest<SessionRequest>();
    if (request.user) readFor({ kind: 'user', id: request.user.userId });
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    if (changes && request.headers.authorization === undefined && !isSameOrigin(request)) {
      throw new AppError('FORBIDDEN', 'This request came from another site.');
    }
    return true;
  }

  override getAuthenticateOptions(): JwtStrategyOptions {
    return { strategy: this.strategy };
  }

  override handleRequest<User>(error: Error | null, session: User | false | null): User {
    if (error) throw error;
    if (!session) {
      throw new AppError(
        'UNAUTHORIZED',
        'Sign in first: send a valid session token as Authorization: Bearer <token>.',
      );
    }
    return session;
  }
}

export const Authenticated = () => applyDecorators(UseGuards(SessionGuard), ApiBearerAuth('session'));

export const Session = createParamDecorator((_: unknown, context: ExecutionContext): SessionUser => {
  const { user } = context.switchToHttp().getRequest<SessionRequest>();
  if (!user) throw new Error('a route reads the session without needing one');
  return user;
});
