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
 * Asks the signed-in user for the second factor, where one is on and this session gave none within the last ten minutes.
 * A code that is sent is judged in any case, used up, and starts the ten minutes anew. Throws `TWO_FACTOR_REQUIRED`,
 * `INVALID_TWO_FACTOR_CODE`, `RATE_LIMITED`. Runs behind the session guard.
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

/** Describes the header that the code is sent in. */
export const ApiTotpCode = (
  description = 'A code of the authenticator app, or a recovery code: needed when two-factor authentication is on. Good once.',
) =>
  ApiHeader({
    name: HEADER,
    required: false,
    description,
    schema: { type: 'string', maxLength: 64, examples: ['492039'] },
  });

/** The errors of a route that asks for the second factor. */
export const STEP_UP_ERRORS = ['TWO_FACTOR_REQUIRED', 'INVALID_TWO_FACTOR_CODE', 'RATE_LIMITED'] as const;

/**
 * The route moves money or weakens what protects it: it needs the second factor, given at most ten minutes ago in this
 * session. It lists {@link STEP_UP_ERRORS}. A route that needs it for some bodies only takes `@TotpCode()` and asks the
 * `TwoFactor` port itself.
 */
export const StepUp = () => applyDecorators(UseGuards(StepUpGuard), ApiStepUpCode());

/** Describes the header that the code of a step-up is sent in. */
export const ApiStepUpCode = () =>
  ApiTotpCode(
    'A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session ' +
      'gave none within the last ten minutes. Good once, and then for ten minutes.',
  );

/** The code that the request carries, not looked at yet. */
export const TotpCode = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined =>
  totpCodeOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
