import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../../platform/http/api/answers.js';
import { IdParam, Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { StatusResponse } from '../../../platform/http/api/response-properties.js';
import { AccountService } from '../account/account.service.js';
import { type SessionUser, TwoFactor } from '../identity.port.js';
import { clientOf } from '../identity.controller.js';
import { IdentityService } from '../identity.service.js';
import { LoginLimits } from '../login-limits.js';
import { ApiTotpCode, STEP_UP_ERRORS, StepUp, TotpCode } from '../second-factor.guard.js';
import { Authenticated, Can, Session } from '../session.guard.js';
import { PasskeyProofs } from './passkey-proofs.service.js';
import {
  BeginPasskeyRequest,
  PasskeyChallengeResponse,
  PasskeyRegistrationResponse,
  PasskeysResponse,
  type PasskeyView,
  RegisteredPasskeyResponse,
  RegisterPasskeyRequest,
  RenamedPasskeyResponse,
  RenamePasskeyRequest,
  SignInChallengeRequest,
} from './passkeys.dto.js';
import type { Passkey } from './passkeys.entity.js';
import { PasskeysService } from './passkeys.service.js';

const PasskeyId = () => IdParam('passkeyId', 'The id of a passkey of the signed-in user.');

@ApiTags('account')
@Controller('v1/auth')
@Answers({ envelope: 'status' })
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly proofs: PasskeyProofs,
    private readonly accounts: AccountService,
    private readonly identity: IdentityService,
    private readonly limits: LoginLimits,
    private readonly twoFactor: TwoFactor,
  ) {}

  @Get('passkeys')
  @StrictQuery()
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'listPasskeys',
    summary: 'List your passkeys',
    answers: PasskeysResponse,
  })
  async list(@Session() { userId }: SessionUser): Promise<PasskeysResponse> {
    const passkeys = (await this.passkeys.list(userId)).map(present);
    return { status: 'success', data: { origin: this.passkeys.origin, passkeys } };
  }

  @Post('passkeys/registration')
  @HttpCode(200)
  @StepUp()
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'beginPasskey',
    summary: 'Begin to register a passkey',
    description: 'Answers what the browser makes the passkey from; `POST /v1/auth/passkeys` registers it.',
    answers: PasskeyRegistrationResponse,
    errors: ['VALIDATION_ERROR', 'WRONG_PASSWORD', 'PASSKEY_LIMIT_REACHED', ...STEP_UP_ERRORS],
  })
  async begin(
    @Body() { currentPassword: password }: BeginPasskeyRequest,
    @Session() session: SessionUser,
    @Req() { ip: address }: FastifyRequest,
  ): Promise<PasskeyRegistrationResponse> {
    await this.accounts.requirePassword(session.userId, { password, address });
    return { status: 'success', data: { options: await this.passkeys.begin(session) } };
  }

  @Post('passkeys')
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'registerPasskey',
    summary: 'Register a passkey',
    description:
      'From then on it is a second factor wherever a code of an authenticator app is. With the first second factor of ' +
      'the user come ten recovery codes.',
    status: 201,
    answers: RegisteredPasskeyResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_PASSKEY', 'PASSKEY_LIMIT_REACHED'],
  })
  async register(
    @Body() { name, credential }: RegisterPasskeyRequest,
    @Session() session: SessionUser,
  ): Promise<RegisteredPasskeyResponse> {
    const { passkey, recoveryCodes } = await this.passkeys.register(session, name, credential);
    return { status: 'success', data: { passkey: present(passkey), recoveryCodes } };
  }

  @Patch('passkeys/:passkeyId')
  @PasskeyId()
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'renamePasskey',
    summary: 'Rename a passkey',
    answers: RenamedPasskeyResponse,
    errors: ['VALIDATION_ERROR', 'PASSKEY_NOT_FOUND'],
  })
  async rename(
    @Param('passkeyId') passkeyId: string,
    @Body() { name }: RenamePasskeyRequest,
    @Session() session: SessionUser,
  ): Promise<RenamedPasskeyResponse> {
    const passkey = await this.passkeys.rename(session, passkeyId, name);
    return { status: 'success', data: { passkey: present(passkey) } };
  }

  @Delete('passkeys/:passkeyId')
  @PasskeyId()
  @Authenticated()
  @ApiTotpCode()
  @Can('self')
  @Operation({
    id: 'removePasskey',
    summary: 'Remove a passkey',
    description:
      'Takes a proof of its own. With the last passkey, and no authenticator app, two-factor authentication ends.',
    answers: StatusResponse,
    errors: ['PASSKEY_NOT_FOUND', ...STEP_UP_ERRORS],
  })
  async remove(
    @Param('passkeyId') passkeyId: string,
    @Session() session: SessionUser,
    @TotpCode() proof: string | undefined,
  ): Promise<StatusResponse> {
    await this.twoFactor.verify(session, proof);
    await this.passkeys.remove(session.userId, passkeyId);
    return { status: 'success', message: 'The passkey is removed.' };
  }

  @Post('passkeys/challenge')
  @HttpCode(200)
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'challengePasskey',
    summary: 'Get a challenge for your passkeys',
    description: 'For this session. The answer of a passkey goes into the header x-passkey. Takes no body.',
    answers: PasskeyChallengeResponse,
    errors: ['PASSKEY_NOT_FOUND', 'RATE_LIMITED'],
  })
  async challenge(@Session() session: SessionUser): Promise<PasskeyChallengeResponse> {
    return { status: 'success', data: { options: await this.proofs.challenge(session) } };
  }

  @Post('login/passkey')
  @HttpCode(200)
  @Operation({
    id: 'challengeSignIn',
    summary: 'Get a challenge for the passkeys of a login',
    description: 'For `passkey` of the login. Only failed ones are counted against the rate limit of logins.',
    answers: PasskeyChallengeResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_CREDENTIALS', 'PASSKEY_NOT_FOUND', 'RATE_LIMITED'],
  })
  async challengeSignIn(
    @Body() { email, password }: SignInChallengeRequest,
    @Req() request: FastifyRequest,
  ): Promise<PasskeyChallengeResponse> {
    const client = clientOf(request);
    const userId = await this.limits.password(email, client.address, () =>
      this.identity.requirePassword(email, password, client),
    );
    return { status: 'success', data: { options: await this.proofs.challenge({ userId, sessionId: null }) } };
  }
}

function present({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyView {
  return { id, name, createdAt, lastUsedAt };
}
