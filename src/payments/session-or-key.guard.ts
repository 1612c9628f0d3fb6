import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SessionGuard } from '../http/session.guard.js';
import { hashApiKey, Wallets } from '../wallet/wallet.contract.js';

/** Lets in who carries a wallet's live API key, or else a live session. Throws `INVALID_API_KEY`, `UNAUTHORIZED`. */
@Injectable()
export class SessionOrKeyGuard implements CanActivate {
  constructor(
    private readonly wallets: Wallets,
    private readonly sessions: SessionGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const key = context.switchToHttp().getRequest<FastifyRequest>().headers['x-api-key'];
    if (typeof key !== 'string' || key === '') return this.sessions.canActivate(context);
    await this.wallets.requireKey(hashApiKey(key));
    return true;
  }
}
