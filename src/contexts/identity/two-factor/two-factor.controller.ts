import { Body, Controller, Delete, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../../platform/http/api/answers.js';
import { Operation } from '../../../platform/http/api/operation.js';
import { StatusResponse } from '../../../platform/http/api/response-properties.js';
import { AccountService } from '../account/account.service.js';
import type { SessionUser } from '../identity.port.js';
import { ApiStepUpCode, ApiTotpCode, STEP_UP_ERRORS, TotpCode } from '../second-factor.guard.js';
import { Authenticated, Can, Session } from '../session.guard.js';
import {
  ConfirmTwoFactorRequest,
  RecoveryCodesResponse,
  SetUpTwoFactorRequest,
  TwoFactorResponse,
  TwoFactorSetUpResponse,
} from './two-factor.dto.js';
import { TwoFactorService } from './two-factor.service.js';

@ApiTags('account')
@Controller('v1/auth/two-factor')
@Answers({ envelope: 'status' })
export class TwoFactorController {
  constructor(
    private readonly twoFactor: TwoFactorService,
    private readonly accounts: AccountService,
  ) {}

  @Get()
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'getTwoFactor',
    summary: 'See whether two-factor authentication is on',
    answers: TwoFactorResponse,
  })
  async state(@Session() { userId }: SessionUser): Promise<TwoFactorResponse> {
    return { status: 'success', data: await this.twoFactor.state(userId) };
  }

  @Post()
  @ApiStepUpCode()
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'setUpTwoFactor',
    summary: 'Begin to set up two-factor authentication',
    description:
      'Answers a secret for an authenticator app. It is on once a code of the app confirmed it; until then another ' +
      'set-up replaces this one.',
    status: 201,
    answers: TwoFactorSetUpResponse,
    errors: ['VALIDATION_ERROR', 'WRONG_PASSWORD', 'TWO_FACTOR_ALREADY_ENABLED', ...STEP_UP_ERRORS],
  })
  async setUp(
    @Body() { currentPassword: password }: SetUpTwoFactorRequest,
    @Session() session: SessionUser,
    @TotpCode() proof: string | undefined,
    @Req() { ip: address }: FastifyRequest,
  ): Promise<TwoFactorSetUpResponse> {
    await this.accounts.requirePassword(session.userId, { password, address });
    return { status: 'success', data: await this.twoFactor.setUp(session, proof) };
  }

  @Post('confirm')
  @HttpCode(200)
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'confirmTwoFactor',
    summary: 'Turn two-factor authentication on',
    description: 'With a code of the app. Answers ten recovery codes, this once; former ones end.',
    answers: RecoveryCodesResponse,
    errors: [
      'VALIDATION_ERROR',
      'INVALID_TWO_FACTOR_CODE',
      'TWO_FACTOR_NOT_ENABLED',
      'TWO_FACTOR_ALREADY_ENABLED',
      'RATE_LIMITED',
    ],
  })
  async confirm(
    @Body() { code }: ConfirmTwoFactorRequest,
    @Session() { userId }: SessionUser,
  ): Promise<RecoveryCodesResponse> {
    return { status: 'success', data: { recoveryCodes: await this.twoFactor.confirm(userId, code) } };
  }

  @Post('recovery-codes')
  @HttpCode(200)
  @Authenticated()
  @ApiTotpCode()
  @Can('self')
  @Operation({
    id: 'renewRecoveryCodes',
    summary: 'Get new recovery codes',
    description: 'In the place of those that are left. Takes no body.',
    answers: RecoveryCodesResponse,
    errors: ['TWO_FACTOR_REQUIRED', 'INVALID_TWO_FACTOR_CODE', 'TWO_FACTOR_NOT_ENABLED', 'RATE_LIMITED'],
  })
  async renew(
    @Session() session: SessionUser,
    @TotpCode() proof: string | undefined,
  ): Promise<RecoveryCodesResponse> {
    await this.twoFactor.verify(session, proof);
    const recoveryCodes = await this.twoFactor.renewRecoveryCodes(session.userId);
    return { status: 'success', data: { recoveryCodes } };
  }

  @Delete()
  @Authenticated()
  @ApiTotpCode()
  @Can('self')
  @Operation({
    id: 'disableTwoFactor',
    summary: 'Turn two-factor authentication off',
    description: 'Removes the authenticator app. With passkeys it stays on: remove them, too.',
    answers: StatusResponse,
    errors: ['TWO_FACTOR_REQUIRED', 'INVALID_TWO_FACTOR_CODE', 'TWO_FACTOR_NOT_ENABLED', 'RATE_LIMITED'],
  })
  async disable(
    @Session() session: SessionUser,
    @TotpCode() proof: string | undefined,
  ): Promise<StatusResponse> {
    await this.twoFactor.verify(session, proof);
    await this.twoFactor.disable(session.userId);
    const isOn = await this.twoFactor.isOn(session.userId);
    const message = isOn ? 'The app is removed; passkeys stay.' : 'Two-factor authentication is off.';
    return { status: 'success', message };
  }
}
