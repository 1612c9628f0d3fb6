import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SessionGuard } from '../identity/session.guard.js';
import { Sessions } from '../identity/identity.port.js';
import { hashApiKey, Wallets } from '../wallet/wallet.port.js';

/** Lets in who carries a wallet's live API key, or else a live session. Throws `INVALID_API_KEY`, `UNAUTHORIZED`. */
@Injectable()
export class SessionOrKeyGuard implements CanActivate {
  private readonly session: SessionGuard;

  constructor(
    private readonly wallets: Wallets,
    sessions: Sessions,
  ) {
    this.session = new SessionGuard(sessions);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const key = context.switchToHttp().getRequest<FastifyRequest>().headers['x-api-key'];
    if (typeof key !== 'string' || key === '') return this.session.canActivate(context);
    await this.wallets.requireKey(hashApiKey(key));
    return true;
  }
}
