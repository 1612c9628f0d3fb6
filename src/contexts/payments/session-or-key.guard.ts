import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
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

/** Who was let in: the wallet of the key, or the user of the session. */
export const KeyOrSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): { walletId: string } | { userId: string } => {
    const { apiKeyWalletId, user } = context
      .switchToHttp()
      .getRequest<FastifyRequest & { apiKeyWalletId?: string; user?: { userId: string } }>();
    if (apiKeyWalletId !== undefined) return { walletId: apiKeyWalletId };
    if (!user) throw new Error('a route reads who was let in without needing anybody');
    return { userId: user.userId };
  },
);
