import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SessionGuard } from '../identity/session.guard.js';
import { ApiKeyGuard, apiKeyOf } from '../wallet/api-key.guard.js';

/** Lets in who carries a wallet's live API key, or else a live session. Throws `INVALID_API_KEY`, `UNAUTHORIZED`. */
@Injectable()
export class SessionOrKeyGuard implements CanActivate {
  constructor(
    private readonly session: SessionGuard,
    private readonly apiKey: ApiKeyGuard,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const hasKey = apiKeyOf(context.switchToHttp().getRequest<FastifyRequest>()) !== undefined;
    return (hasKey ? this.apiKey : this.session).canActivate(context);
  }
}
