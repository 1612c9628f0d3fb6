import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { GuardErrors } from '../../platform/http/api/operation.js';
import { SessionGuard } from '../identity/session.guard.js';
import { ApiKeyGuard, requestKey } from '../wallet/api-key.guard.js';
import type { KeyReader } from '../wallet/wallet.port.js';

/**
 * Admits a live API key in `x-api-key` or as bearer, else a live session. Throws `INVALID_API_KEY`,
 * `UNAUTHORIZED`.
 */
@Injectable()
class SessionOrKeyGuard implements CanActivate {
  constructor(
    private readonly session: SessionGuard,
    private readonly apiKey: ApiKeyGuard,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const hasKey = requestKey(context.switchToHttp().getRequest<FastifyRequest>()) !== undefined;
    return (hasKey ? this.apiKey : this.session).canActivate(context);
  }
}

export const NeedsKeyOrSession = () =>
  applyDecorators(
    UseGuards(SessionOrKeyGuard),
    ApiBearerAuth('session'),
    ApiSecurity('apiKey'),
    ApiSecurity('bearerKey'),
    GuardErrors('key-or-session', 'UNAUTHORIZED', 'INVALID_API_KEY'),
  );

/** Reader of the key, or the session's user. */
export const KeyOrSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): KeyReader | { accountId: string } => {
    const { keyReader, user } = context
      .switchToHttp()
      .getRequest<FastifyRequest & { keyReader?: KeyReader; user?: { accountId: string } }>();
    if (keyReader) return keyReader;
    if (!user) throw new Error('a route reads the caller but requires neither a key nor a session');
    return { accountId: user.accountId };
  },
);
