import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../../platform/config.js';
import { Answers } from '../../../platform/http/api/answers.js';
import { IdParam, Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { StatusResponse } from '../../../platform/http/api/response-properties.js';
import type { SessionUser } from '../identity.port.js';
import { clearCookie } from '../session-cookie.js';
import { Authenticated, Can, Session } from '../session.guard.js';
import { ApiTotpCode, TotpCode } from '../second-factor.guard.js';
import {
  ChangePasswordRequest,
  ConfirmPasswordResetRequest,
  PasswordResetRequest,
  SessionListResponse,
} from './account.dto.js';
import { AccountService } from './account.service.js';
import { PasswordResetService } from './password-reset.service.js';

@ApiTags('account')
@Controller('v1/auth')
@Answers({ envelope: 'status' })
export class AccountController {
  private readonly secure: boolean;

  constructor(
    private readonly accounts: AccountService,
    private readonly resets: PasswordResetService,
    config: Config,
  ) {
    this.secure = config.NODE_ENV === 'production';
  }

  @Post('password')
  @HttpCode(200)
  @Authenticated()
  @ApiTotpCode()
  @Can('self')
  @Operation({
    id: 'changePassword',
    summary: 'Change the password',
    description: 'Ends all other sessions and every link to reset the password.',
    answers: StatusResponse,
    errors: [
      'VALIDATION_ERROR',
      'WRONG_PASSWORD',
      'TWO_FACTOR_REQUIRED',
      'INVALID_TWO_FACTOR_CODE',
      'RATE_LIMITED',
    ],
  })
  async changePassword(
    @Body() { currentPassword: password, newPassword }: ChangePasswordRequest,
    @Session() session: SessionUser,
    @TotpCode() code: string | undefined,
    @Req() { ip: address }: FastifyRequest,
  ): Promise<StatusResponse> {
    await this.accounts.changePassword(session, { password, address }, newPassword, code);
    return { status: 'success', message: 'The password is changed; all other sessions are ended.' };
  }

  @Post('password-reset')
  @HttpCode(202)
  @Operation({
    id: 'requestPasswordReset',
    summary: 'Ask for a link that sets a new password',
    description:
      'The same answer whether a user has the e-mail or not. The link lives 30 minutes and works once; its second ' +
      'factor, if there is one, is still asked for at login.',
    status: 202,
    answers: StatusResponse,
    errors: ['VALIDATION_ERROR', 'RATE_LIMITED', 'MAIL_UNAVAILABLE'],
  })
  async requestReset(
    @Body() { email }: PasswordResetRequest,
    @Req() { ip }: FastifyRequest,
  ): Promise<StatusResponse> {
    await this.resets.request(email, ip);
    return { status: 'success', message: 'If this e-mail belongs to a user, a link is on its way.' };
  }

  @Post('password-reset/confirm')
  @HttpCode(200)
  @Operation({
    id: 'confirmPasswordReset',
    summary: 'Set a new password with the token of a link',
    description: 'Ends all sessions and every other link. Log in with the new password afterwards.',
    answers: StatusResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_RESET_TOKEN'],
  })
  async confirmReset(@Body() { token, newPassword }: ConfirmPasswordResetRequest): Promise<StatusResponse> {
    await this.resets.confirm(token, newPassword);
    return { status: 'success', message: 'The password is set; log in with it.' };
  }

  @Get('sessions')
  @StrictQuery()
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'listSessions',
    summary: 'List the sessions of the signed-in user',
    answers: SessionListResponse,
  })
  async sessions(@Session() { userId, sessionId }: SessionUser): Promise<SessionListResponse> {
    const sessions = await this.accounts.sessions(userId);
    return {
      status: 'success',
      data: {
        sessions: sessions.map(({ id, createdAt, expiresAt, address, userAgent }) => ({
          id,
          createdAt,
          expiresAt,
          address,
          userAgent,
          current: id === sessionId,
        })),
      },
    };
  }

  @Delete('sessions/:sessionId')
  @Authenticated()
  @IdParam('sessionId', 'The id of a session of the signed-in user.')
  @Can('self')
  @Operation({
    id: 'endSession',
    summary: 'End one session',
    description: 'Its token is refused from now on, everywhere.',
    answers: StatusResponse,
    errors: ['SESSION_NOT_FOUND'],
  })
  async endSession(
    @Param('sessionId') sessionId: string,
    @Session() session: SessionUser,
  ): Promise<StatusResponse> {
    await this.accounts.endSession(session, sessionId);
    return { status: 'success', message: 'The session is ended.' };
  }

  @Post('logout-everywhere')
  @HttpCode(200)
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'logOutEverywhere',
    summary: 'End all sessions',
    description: 'This one included, at once. API keys of wallets stay. Takes no body.',
    answers: StatusResponse,
  })
  async logOutEverywhere(
    @Session() session: SessionUser,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StatusResponse> {
    await this.accounts.endAllSessions(session);
    clearCookie(request, reply, this.secure);
    return { status: 'success', message: 'You are logged out everywhere.' };
  }
}
