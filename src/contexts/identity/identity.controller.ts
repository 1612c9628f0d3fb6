import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../platform/config.js';
import { Answers } from '../../platform/http/api/answers.js';
import { Operation } from '../../platform/http/api/operation.js';
import { ApiSessionCookie, clearCookie, setSessionCookie } from './session-cookie.js';
import { Authenticated, Can, Session } from './session.guard.js';
import { StatusResponse } from '../../platform/http/api/response-properties.js';
import { LogInRequest, SessionResponse, SignedInResponse, SignUpRequest } from './identity.dto.js';
import { type SessionUser, TwoFactor } from './identity.port.js';
import { IdentityService } from './identity.service.js';
import type { Client } from './identity.store.js';
import { LoginLimits } from './login-limits.js';
import { MembersService } from './members/members.service.js';

const USER_AGENT_LENGTH_MAX = 300;

@ApiTags('auth')
@Controller('v1/auth')
@Answers({ envelope: 'status' })
export class IdentityController {
  private readonly secure: boolean;

  constructor(
    private readonly identity: IdentityService,
    private readonly members: MembersService,
    private readonly twoFactor: TwoFactor,
    private readonly limits: LoginLimits,
    config: Config,
  ) {
    this.secure = config.NODE_ENV === 'production';
  }

  @Post('signup')
  @ApiSessionCookie()
  @Operation({
    id: 'signUp',
    summary: 'Sign up',
    description: 'Makes the user, for `business` also its business, and a first session.',
    status: 201,
    answers: SignedInResponse,
    errors: ['VALIDATION_ERROR', 'EMAIL_ALREADY_REGISTERED', 'RATE_LIMITED'],
  })
  async signUp(
    @Body() body: SignUpRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInResponse> {
    await this.limits.signUp(request.ip);
    const data = await this.identity.signUp(body, clientOf(request));
    setSessionCookie(request, reply, data.token, this.secure);
    return { status: 'success', data };
  }

  @Post('login')
  @ApiSessionCookie()
  @HttpCode(200)
  @Operation({
    id: 'logIn',
    summary: 'Log in',
    description: 'Starts another session. Only failed logins are counted against the rate limit.',
    answers: SignedInResponse,
    errors: [
      'VALIDATION_ERROR',
      'INVALID_CREDENTIALS',
      'TWO_FACTOR_REQUIRED',
      'INVALID_TWO_FACTOR_CODE',
      'RATE_LIMITED',
    ],
  })
  async logIn(
    @Body() body: LogInRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInResponse> {
    const client = clientOf(request);
    const data = await this.limits.password(body.email, client.address, () =>
      this.identity.logIn(body, client),
    );
    setSessionCookie(request, reply, data.token, this.secure);
    return { status: 'success', data };
  }

  @Post('logout')
  @HttpCode(200)
  @Authenticated()
  @Can('self')
  @Operation({
    id: 'logOut',
    summary: 'End this session',
    description: 'Ends the session of the token at once; other sessions of the user stay. Takes no body.',
    answers: StatusResponse,
  })
  async logOut(
    @Session() session: SessionUser,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StatusResponse> {
    await this.identity.logOut(session);
    clearCookie(request, reply, this.secure);
    return { status: 'success', message: 'You are logged out.' };
  }

  @Get('session')
  @Authenticated()
  @Can('self')
  @Operation({ id: 'getSession', summary: 'Read who is signed in', answers: SessionResponse })
  async whoIsSignedIn(@Session() session: SessionUser): Promise<SessionResponse> {
    const [user, membership, hasTwoFactor] = await Promise.all([
      this.identity.user(session.userId),
      this.members.membershipOf(session),
      this.twoFactor.isOn(session.userId),
    ]);
    return { status: 'success', data: { user, membership, hasTwoFactor } };
  }
}

export function clientOf({ ip, headers }: FastifyRequest): Client {
  return { address: ip, userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAX) ?? null };
}
