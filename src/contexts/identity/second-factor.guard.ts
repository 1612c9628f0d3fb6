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
import { secondFactorRequired, TwoFactor, type SessionUser } from './identity.port.js';

const HEADER = 'x-totp-code';

/**
 * A code that is sent is always judged and used up. Throws `TWO_FACTOR_REQUIRED`, `INVALID_TWO_FACTOR_CODE`,
 * `RATE_LIMITED`. Runs behind the session guard.
 */
@Injectable()
class StepUpGuard implements CanActivate {
  constructor(private readonly twoFactor: TwoFactor) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: SessionUser }>();
    if (!request.user) throw new Error('a route asks for a second factor without a session');
    if (!(await this.twoFactor.stepUp(request.user, totpCodeOf(request)))) throw secondFactorRequired();
    return true;
  }
}

function totpCodeOf({ headers }: FastifyRequest): string | undefined {
  const code = headers[HEADER];
  return typeof code === 'string' ? code : undefined;
}

export const ApiTotpCode = (
  description = 'A code of the authenticator app, or a recovery code: needed when two-factor authentication is on. Good once.',
) =>
  ApiHeader({
    name: HEADER,
    required: false,
    description,
    schema: { type: 'string', maxLength: 64, examples: ['492039'] },
  });

export const STEP_UP_ERRORS = ['TWO_FACTOR_REQUIRED', 'INVALID_TWO_FACTOR_CODE', 'RATE_LIMITED'] as const;

/** Routes that need it for some bodies use `@TotpCode()` and the `TwoFactor` port. */
export const StepUp = () => applyDecorators(UseGuards(StepUpGuard), ApiStepUpCode());

export const ApiStepUpCode = () =>
  ApiTotpCode(
    'A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session ' +
      'gave none within the last ten minutes. Good once, and then for ten minutes.',
  );

/** Unchecked. */
export const TotpCode = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined =>
  totpCodeOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
