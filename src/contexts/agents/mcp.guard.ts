import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import {
  getOAuthProtectedResourceMetadataUrl,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/errors.js';
import { Config } from '../../platform/config.js';
import { RequestLimits } from '../identity/identity.port.js';
import { hasApiKeyForm, hashApiKey, Wallets } from '../wallet/wallet.port.js';
import { allowedHosts, mcpAddress } from './public-address.js';

type McpRequest = FastifyRequest & { walletKey?: string };

/**
 * Admits requests for our own host names without a foreign origin, against DNS rebinding. Throws `FORBIDDEN`.
 */
@Injectable()
export class HostGuard implements CanActivate {
  private readonly hosts: string[];

  constructor(config: Config) {
    this.hosts = allowedHosts(config);
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    for (const check of [
      validateHostHeader(headers.host, this.hosts),
      validateOriginHeader(headers.origin, this.hosts),
    ]) {
      if (!check.ok) {
        throw new AppError(
          'FORBIDDEN',
          `${check.message}. The operator lists names in PUBLIC_URL or MCP_ALLOWED_HOSTS.`,
        );
      }
    }
    return true;
  }
}

/**
 * Admits a live API key as bearer. Throws `MISSING_API_KEY` and `INVALID_API_KEY`, with RFC 9728's challenge.
 */
@Injectable()
export class BearerKeyGuard implements CanActivate {
  constructor(
    private readonly config: Config,
    private readonly wallets: Wallets,
    private readonly limits: RequestLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<McpRequest>();
    const { authorization = '', host = '', 'x-api-key': other } = request.headers;
    try {
      const key = keyIn(authorization, other !== undefined);
      const keyHash = hashApiKey(key);
      await this.limits.admit('key', keyHash, http.getResponse<FastifyReply>());
      await this.wallets.requireKey(keyHash);
      request.walletKey = key;
      return true;
    } catch (error) {
      if (error instanceof AppError && /_API_KEY$/.test(error.code)) {
        const metadata = getOAuthProtectedResourceMetadataUrl(mcpAddress(this.config, host));
        const fault = error.code === 'MISSING_API_KEY' ? '' : 'error="invalid_token", ';
        void http
          .getResponse<FastifyReply>()
          .header('www-authenticate', `Bearer ${fault}resource_metadata="${metadata}"`);
      }
      throw error;
    }
  }
}

function keyIn(authorization: string, hasOther: boolean): string {
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined) {
    const instead = hasOther ? ', not in x-api-key' : '';
    throw new AppError(
      'MISSING_API_KEY',
      `Send the wallet's API key as Authorization: Bearer <key>${instead}.`,
    );
  }
  if (!hasApiKeyForm(key)) throw new AppError('INVALID_API_KEY', 'Invalid API key.');
  return key;
}

export const WalletKey = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { walletKey } = context.switchToHttp().getRequest<McpRequest>();
  if (walletKey === undefined) throw new Error('a route reads the key of a request without asking for one');
  return walletKey;
});
