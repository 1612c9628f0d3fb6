import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config.js';
import { Operation } from '../http/operation.js';
import { AsksForCookie, clearCookie, keepInCookie } from '../http/session-cookie.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import { Done } from '../http/shown.js';
import { LogInBody, SessionAnswer, SignedInAnswer, SignUpBody } from './identity.api.js';
import type { SessionUser } from './identity.contract.js';
import { IdentityService } from './identity.service.js';
import { LoginLimits } from './login-limits.js';

@ApiTags('auth')
@Controller('v1/auth')
export class IdentityController {
  private readonly secure: boolean;

  constructor(
    private readonly identity: IdentityService,
    private readonly limits: LoginLimits,
    config: Config,
  ) {
    this.secure = config.NODE_ENV === 'production';
  }

  @Post('signup')
  @AsksForCookie()
  @Operation({
    id: 'signUp',
    summary: 'Sign up',
    description: 'Makes the user, for `business` also its business, and a first session.',
    status: 201,
    answers: SignedInAnswer,
    errors: ['VALIDATION_ERROR', 'EMAIL_ALREADY_REGISTERED', 'RATE_LIMITED'],
  })
  async signUp(
    @Body() body: SignUpBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInAnswer> {
    await this.limits.signUp(request.ip);
    const data = await this.identity.signUp(body);
    keepInCookie(request, reply, data.token, this.secure);
    return { status: 'success', data };
  }

  @Post('login')
  @AsksForCookie()
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
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInAnswer> {
    const data = await this.limits.login(email, request.ip, () => this.identity.logIn(email, password));
    keepInCookie(request, reply, data.token, this.secure);
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
  async logOut(
    @Session() session: SessionUser,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Done> {
    await this.identity.logOut(session);
    clearCookie(request, reply, this.secure);
    return { status: 'success', message: 'You are logged out.' };
  }

  @Get('session')
  @NeedsSession()
  @Operation({ id: 'getSession', summary: 'Read who is signed in', answers: SessionAnswer })
  async whoIsSignedIn(@Session() { userId }: SessionUser): Promise<SessionAnswer> {
    return { status: 'success', data: { user: await this.identity.user(userId) } };
  }
}
