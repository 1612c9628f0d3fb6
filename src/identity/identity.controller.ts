import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Operation } from '../http/operation.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import { Done } from '../http/shown.js';
import { LogInBody, SignedInAnswer, SignUpBody } from './identity.api.js';
import type { SessionUser } from './identity.contract.js';
import { IdentityService } from './identity.service.js';
import { LoginLimits } from './login-limits.js';

@ApiTags('auth')
@Controller('v1/auth')
export class IdentityController {
  constructor(
    private readonly identity: IdentityService,
    private readonly limits: LoginLimits,
  ) {}

  @Post('signup')
  @Operation({
    id: 'signUp',
    summary: 'Sign up',
    description: 'Makes the user, for `business` also its business, and a first session.',
    status: 201,
    answers: SignedInAnswer,
    errors: ['VALIDATION_ERROR', 'EMAIL_ALREADY_REGISTERED', 'RATE_LIMITED'],
  })
  async signUp(@Body() body: SignUpBody, @Req() { ip }: FastifyRequest): Promise<SignedInAnswer> {
    await this.limits.signUp(ip);
    return { status: 'success', data: await this.identity.signUp(body) };
  }

  @Post('login')
  @HttpCode(200)
  @Operation({
    id: 'logIn',
    summary: 'Log in',
    description: 'Starts another session. Only failed logins are counted against the rate limit.',
    answers: SignedInAnswer,
    errors: ['VALIDATION_ERROR', 'INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async logIn(
    @Body() { email, password }: LogInBody,
    @Req() { ip }: FastifyRequest,
  ): Promise<SignedInAnswer> {
    const data = await this.limits.login(email, ip, () => this.identity.logIn(email, password));
    return { status: 'success', data };
  }

  @Post('logout')
  @HttpCode(200)
  @NeedsSession()
  @Operation({
    id: 'logOut',
    summary: 'End this session',
    description: 'Ends the session of the token at once; other sessions of the user stay. Takes no body.',
    answers: Done,
  })
  async logOut(@Session() session: SessionUser): Promise<Done> {
    await this.identity.logOut(session);
    return { status: 'success', message: 'You are logged out.' };
  }
}
