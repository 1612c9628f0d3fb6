import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { TwoFactor, type SessionUser } from './identity.port.js';
import { Authenticated } from './session.guard.js';

const HEADER = 'x-totp-code';

/**
 * Asks the signed-in user for the second factor again, where one is on: a code in `x-totp-code`, which is used up.
 * Throws `TWO_FACTOR_REQUIRED`, `INVALID_TWO_FACTOR_CODE`, `RATE_LIMITED`. Runs behind the session guard.
 */
@Injectable()
export class SecondFactorGuard implements CanActivate {
  constructor(private readonly twoFactor: TwoFactor) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: SessionUser }>();
    if (!request.user) throw new Error('a route asks for a second factor without a session');
    await this.twoFactor.verify(request.user.userId, totpCodeOf(request));
    return true;
  }
}

function totpCodeOf({ headers }: FastifyRequest): string | undefined {
  const code = headers[HEADER];
  return typeof code === 'string' ? code : undefined;
}

/** Describes the header that the code is sent in. */
export const ApiTotpCode = () =>
  ApiHeader({
    name: HEADER,
    required: false,
    description:
      'A code of the authenticator app, or a recovery code: needed when two-factor authentication is on. Good once.',
    schema: { type: 'string', maxLength: 64, examples: ['492039'] },
  });

/**
 * The route needs a session and, where the user has one, the second factor. Such a route lists `TWO_FACTOR_REQUIRED`,
 * `INVALID_TWO_FACTOR_CODE` and `RATE_LIMITED` among its errors. A code is used up also when the body turns out to be
 * wrong; a route that minds that takes `@TotpCode()` and asks the `TwoFactor` port itself.
 */
export const AuthenticatedTwice = () =>
  applyDecorators(Authenticated(), UseGuards(SecondFactorGuard), ApiTotpCode());

/** The code that the request carries, not looked at yet. */
export const TotpCode = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined =>
  totpCodeOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
