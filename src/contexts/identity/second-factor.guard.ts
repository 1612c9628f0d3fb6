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
import { PASSKEY_TEXT_MAX } from './identity.domain.js';
import { secondFactorRequired, TwoFactor, type SessionUser } from './identity.port.js';

const HEADER = 'x-totp-code';
const PASSKEY_HEADER = 'x-passkey';

/** A proof that is sent is always checked. Runs behind the session guard. */
@Injectable()
class StepUpGuard implements CanActivate {
  constructor(private readonly twoFactor: TwoFactor) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: SessionUser }>();
    if (!request.user) throw new Error('a route asks for a second factor without a session');
    if (!(await this.twoFactor.stepUp(request.user, proofOf(request)))) throw secondFactorRequired();
    return true;
  }
}

function proofOf({ headers }: FastifyRequest): string | undefined {
  const proof = headers[PASSKEY_HEADER] ?? headers[HEADER];
  return typeof proof === 'string' && proof.length <= PASSKEY_TEXT_MAX ? proof : undefined;
}

export const ApiTotpCode = (
  description = 'A code of the authenticator app, or a recovery code: needed when two-factor authentication is on. Good once.',
) =>
  applyDecorators(
    ApiHeader({
      name: HEADER,
      required: false,
      description,
      schema: { type: 'string', maxLength: 64, examples: ['492039'] },
    }),
    ApiHeader({
      name: PASSKEY_HEADER,
      required: false,
      description:
        'In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once.',
      schema: { type: 'string', maxLength: PASSKEY_TEXT_MAX },
    }),
  );

export const STEP_UP_ERRORS = ['TWO_FACTOR_REQUIRED', 'INVALID_TWO_FACTOR_CODE', 'RATE_LIMITED'] as const;

/** Routes that need it for some bodies use `@TotpCode()` and the `TwoFactor` port. */
export const StepUp = () => applyDecorators(UseGuards(StepUpGuard), ApiStepUpCode());

export const ApiStepUpCode = () =>
  ApiTotpCode(
    'A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session ' +
      'gave none within the last ten minutes. Good once, and then for ten minutes.',
  );

/** Code or passkey, unchecked. */
export const TotpCode = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined =>
  proofOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
