import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestLimits, type SessionUser, twoFactorDemanded } from './identity.port.js';
import { AppError } from '../../kernel/errors.js';
import { GuardErrors } from '../../platform/http/api/operation.js';
import { actAs, readFor } from '../../platform/observability/request-id.js';
import { JwtStrategy, type JwtStrategyOptions } from './jwt.strategy.js';
import { type Act, can, PERMISSIONS, refusalOf, ROLES } from './permissions.port.js';
import { isSameOrigin } from './session-cookie.js';

const ACT = 'act';

type SessionRequest = FastifyRequest & { user?: SessionUser };

/** Admits a live session's token from `Authorization`, else the cookie, of a role in {@link PERMISSIONS}. */
@Injectable()
export class SessionGuard extends AuthGuard('jwt') {
  constructor(
    private readonly strategy: JwtStrategy,
    private readonly reflector: Reflector,
    private readonly limits: RequestLimits,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const request = context.switchToHttp().getRequest<SessionRequest>();
    if (request.user) {
      const { userId, accountId, role, mustSetUpTwoFactor } = request.user;
      await this.limits.admit('user', userId, context.switchToHttp().getResponse<FastifyReply>());
      readFor({ kind: 'user', id: userId });
      actAs({ userId, accountId, address: request.ip });
      const act = this.reflector.get<Act | undefined>(ACT, context.getHandler());
      if (!act) throw new Error('a route takes sessions without @Can');
      if (mustSetUpTwoFactor && act !== 'self') throw twoFactorDemanded();
      if (!can(role, act)) throw new AppError('FORBIDDEN', refusalOf(act));
    }
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

export const Authenticated = () =>
  applyDecorators(UseGuards(SessionGuard), ApiBearerAuth('session'), GuardErrors('session', 'UNAUTHORIZED'));

/** Goes with {@link Authenticated}. */
export const Can = (act: Act) =>
  applyDecorators(
    SetMetadata(ACT, act),
    ApiExtension('x-act', act),
    ...(PERMISSIONS[act].roles.length < ROLES.length
      ? [ApiExtension('x-roles', PERMISSIONS[act].roles), GuardErrors('role', 'FORBIDDEN')]
      : []),
    ...(act === 'self' ? [] : [GuardErrors('two-factor', 'TWO_FACTOR_DEMANDED')]),
  );

export const Session = createParamDecorator((_: unknown, context: ExecutionContext): SessionUser => {
  const { user } = context.switchToHttp().getRequest<SessionRequest>();
  if (!user) throw new Error('a route reads the session without needing one');
  return user;
});
