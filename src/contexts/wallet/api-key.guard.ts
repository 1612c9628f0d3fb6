import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/errors.js';
import { GuardErrors } from '../../platform/http/api/operation.js';
import { RequestLimits } from '../identity/identity.port.js';
import { hasApiKeyForm, hashApiKey, type KeyHash, type KeyReader, Wallets } from './wallet.port.js';

export type KeyProof = 'at-once' | 'when-locking';

interface KeyUse {
  readonly proof: KeyProof;
  readonly counts: 'key' | 'payment';
}

const USE = 'api-key-use';

type Handler = ReturnType<ExecutionContext['getHandler']>;

type KeyRequest = FastifyRequest & { apiKeyHash?: KeyHash; keyReader?: KeyReader };

/**
 * Admits a live API key in `x-api-key`, else as bearer. Throws `MISSING_API_KEY`, `INVALID_API_KEY`, and what
 * {@link RequestLimits} throws. With `when-locking` the route's locking statement checks it: no cache that
 * lets a revoked key pay.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly uses = new WeakMap<Handler, KeyUse>();

  constructor(
    private readonly wallets: Wallets,
    private readonly reflector: Reflector,
    private readonly limits: RequestLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<KeyRequest>();
    const key = requestKey(request);
    if (key === undefined) {
      const { authorization } = request.headers;
      throw new AppError(
        'MISSING_API_KEY',
        authorization
          ? 'The header Authorization holds no API key. Send it as Authorization: Bearer apw_live_…, or in x-api-key.'
          : "Send the wallet's API key in the header x-api-key.",
      );
    }
    const keyHash = (request.apiKeyHash = hashOnce(key, request.raw.socket));
    const { proof, counts } = this.useOf(context.getHandler());
    const admitted = this.limits.admit(counts, keyHash, context.switchToHttp().getResponse<FastifyReply>());
    const prove = () => proof === 'when-locking' || this.prove(request, keyHash);
    return admitted ? admitted.then(prove) : prove();
  }

  private useOf(handler: Handler): KeyUse {
    let use = this.uses.get(handler);
    if (!use) {
      use = this.reflector.get<KeyUse | undefined>(USE, handler) ?? { proof: 'at-once', counts: 'key' };
      this.uses.set(handler, use);
    }
    return use;
  }

  private async prove(request: KeyRequest, keyHash: KeyHash): Promise<boolean> {
    request.keyReader = await this.wallets.requireReader(keyHash);
    return true;
  }
}

const lastKeys = new WeakMap<object, { readonly key: string; readonly hash: KeyHash }>();

/**
 * Hashes once a connection. Throws `INVALID_API_KEY` for text without a key's form; a hash may not be live.
 */
function hashOnce(key: string, connection: object): KeyHash {
  const last = lastKeys.get(connection);
  if (last?.key === key) return last.hash;
  if (!hasApiKeyForm(key)) throw new AppError('INVALID_API_KEY', 'Invalid API key.');
  const hash = hashApiKey(key);
  lastKeys.set(connection, { key, hash });
  return hash;
}

/** The key in `x-api-key` (empty: none) or the bearer token, unless that is a session's. */
export function requestKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  return /^Bearer +(apw_\S*)$/i.exec(headers.authorization ?? '')?.[1];
}

/** `counts`: to which of {@link RequestLimits}. */
export const NeedsApiKey = (proof: KeyProof = 'at-once', counts: KeyUse['counts'] = 'key') =>
  applyDecorators(
    UseGuards(ApiKeyGuard),
    SetMetadata(USE, { proof, counts } satisfies KeyUse),
    ApiSecurity('apiKey'),
    ApiSecurity('bearerKey'),
    GuardErrors('key', 'MISSING_API_KEY', 'INVALID_API_KEY'),
  );

/** Hash of a key that may not be live, for `when-locking`. */
export const ApiKeyHash = createParamDecorator((_: unknown, context: ExecutionContext): KeyHash =>
  apiKeyHashOf(context.switchToHttp().getRequest()),
);

export function apiKeyHashOf({ apiKeyHash }: KeyRequest): KeyHash {
  if (!apiKeyHash) throw new Error('a route reads the API key without needing one');
  return apiKeyHash;
}

export const ReaderOfKey = createParamDecorator((_: unknown, context: ExecutionContext): KeyReader => {
  const { keyReader } = context.switchToHttp().getRequest<KeyRequest>();
  if (!keyReader) throw new Error('the route reads under a key but lacks the ApiKeyGuard');
  return keyReader;
});
