import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/errors.js';
import { GuardErrors } from '../../platform/http/api/operation.js';
import { type SessionUser, TwoFactor } from './identity.port.js';
import { Can } from './session.guard.js';

/** Throws `FORBIDDEN` unless an operator with two-factor authentication asks. Runs behind the session guard. */
@Injectable()
class OperatorGuard implements CanActivate {
  constructor(private readonly twoFactor: TwoFactor) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user } = context.switchToHttp().getRequest<FastifyRequest & { user?: SessionUser }>();
    if (!user?.isOperator) throw new AppError('FORBIDDEN', 'Operators of the service alone may do this.');
    if (!(await this.twoFactor.isOn(user.userId))) {
      throw new AppError('FORBIDDEN', 'Turn on two-factor authentication first: operators need it.');
    }
    return true;
  }
}

/** In place of `@Can`: an operator may, whatever the role in an account. */
export const OperatorOnly = () =>
  applyDecorators(
    Can('self'),
    UseGuards(OperatorGuard),
    ApiExtension('x-operator', true),
    GuardErrors('operator', 'FORBIDDEN'),
  );
