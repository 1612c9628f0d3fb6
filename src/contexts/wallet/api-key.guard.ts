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
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/errors.js';
import { hasApiKeyForm, hashApiKey, type KeyHash, type KeyReader, Wallets } from './wallet.port.js';

/** When it is proven that the key is live: by the guard, or by the statement that locks the wallet. */
export type KeyProof = 'at-once' | 'when-locking';

const PROOF = 'api-key-proof';

type Handler = ReturnType<ExecutionContext['getHandler']>;

type KeyRequest = FastifyRequest & { apiKeyHash?: KeyHash; keyReader?: KeyReader };

/**
 * Lets a request in that carries a wallet's API key in `x-api-key`, or without that header as `Authorization: Bearer`.
 * Throws `MISSING_API_KEY` without one, and `INVALID_API_KEY` for text without the form of a key, before anything else
 * of the request is looked at.
 *
 * The guard asks the database whether the key is live, and throws `INVALID_API_KEY` if not. A route that takes its key
 * `when-locking` is let in with the key's hash alone and proves it in the statement that locks the wallet: a payment
 * then costs no round trip for its key, and no cache lets a revoked key pay.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  /** What was looked up of the routes: their metadata stays as it is. */
  private readonly proofs = new WeakMap<Handler, KeyProof>();

  constructor(
    private readonly wallets: Wallets,
    private readonly reflector: Reflector,
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
    request.apiKeyHash = hashOnce(key, request.raw.socket);
    return this.proofOf(context.getHandler()) === 'when-locking' || this.prove(request, request.apiKeyHash);
  }

  private proofOf(handler: Handler): KeyProof {
    let proof = this.proofs.get(handler);
    if (!proof) this.proofs.set(handler, (proof = this.reflector.get<KeyProof>(PROOF, handler)));
    return proof;
  }

  private async prove(request: KeyRequest, keyHash: KeyHash): Promise<boolean> {
    request.keyReader = await this.wallets.requireReader(keyHash);
    return true;
  }
}

/** Of each connection the last key that came over it and had the form of one, with its hash. */
const lastKeys = new WeakMap<object, { readonly key: string; readonly hash: KeyHash }>();

/**
 * The hash of a key; throws `INVALID_API_KEY` for text without the form of one. An agent sends the same key with every
 * request, so that it is hashed once a connection, which keeps it until it closes. Whether it is live is another question,
 * and asked each time.
 */
function hashOnce(key: string, connection: object): KeyHash {
  const last = lastKeys.get(connection);
  if (last?.key === key) return last.hash;
  if (!hasApiKeyForm(key)) throw new AppError('INVALID_API_KEY', 'Invalid API key.');
  const hash = hashApiKey(key);
  lastKeys.set(connection, { key, hash });
  return hash;
}

/**
 * The API key that a request carries, in `x-api-key` (an empty one counts as none) or as its bearer token; undefined
 * where it carries none. Only what begins like a key is one: any other bearer token is a session's, a bad one too.
 */
export function requestKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  return /^Bearer +(apw_\S*)$/i.exec(headers.authorization ?? '')?.[1];
}

/** The route needs a wallet's API key. */
export const NeedsApiKey = (proof: KeyProof = 'at-once') =>
  applyDecorators(
    UseGuards(ApiKeyGuard),
    SetMetadata(PROOF, proof),
    ApiSecurity('apiKey'),
    ApiSecurity('bearerKey'),
  );

/** The hash of the request's key, live or not: for routes that take it `when-locking`. */
export const ApiKeyHash = createParamDecorator((_: unknown, context: ExecutionContext): KeyHash =>
  apiKeyHashOf(context.switchToHttp().getRequest()),
);

/** The same, where the route has the request. */
export function apiKeyHashOf({ apiKeyHash }: KeyRequest): KeyHash {
  if (!apiKeyHash) throw new Error('a route reads the API key without needing one');
  return apiKeyHash;
}

/** What the request's live key may read. */
export const ReaderOfKey = createParamDecorator((_: unknown, context: ExecutionContext): KeyReader => {
  const { keyReader } = context.switchToHttp().getRequest<KeyRequest>();
  if (!keyReader) throw new Error('the route reads under a key but lacks the ApiKeyGuard');
  return keyReader;
});
