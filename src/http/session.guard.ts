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
import { Sessions, type SessionUser } from '../identity/identity.contract.js';
import { Refusal } from '../shared/errors.js';

type SessionRequest = FastifyRequest & { session?: SessionUser };

/** Lets a request in that carries a live session's token; throws `UNAUTHORIZED` otherwise. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SessionRequest>();
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const session = token && (await this.sessions.authenticate(token));
    if (!session) {
      throw new Refusal(
        'UNAUTHORIZED',
        'Sign in first: send a valid session token as Authorization: Bearer <token>.',
      );
    }
    request.session = session;
    return true;
  }
}

/** The route needs a session token. */
export const NeedsSession = () => applyDecorators(UseGuards(SessionGuard), ApiBearerAuth('session'));

/** The session that the guard found. */
export const Session = createParamDecorator((_: unknown, context: ExecutionContext): SessionUser => {
  const { session } = context.switchToHttp().getRequest<SessionRequest>();
  if (!session) throw new Error('a route reads the session without needing one');
  return session;
});
