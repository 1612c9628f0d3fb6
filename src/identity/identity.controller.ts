import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config.js';
import { Email, ExactText } from '../http/fields.js';
import { clearCookie, keepInCookie } from '../http/session-cookie.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { AccountType, SessionUser } from './identity.contract.js';
import { IdentityService, type SignedIn, type User } from './identity.service.js';
import { LoginLimits } from './login-limits.js';

class SignUpBody {
  @Email()
  email: string;

  @ExactText(6, 200)
  password: string;

  @IsIn(['developer', 'business'], { message: '$property must be developer or business' })
  accountType: AccountType;
}

class LogInBody {
  @Email()
  email: string;

  @ExactText(1, 200)
  password: string;
}

interface Success<T> {
  readonly status: 'success';
  readonly data: T;
}

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
  @ApiOperation({ summary: 'Sign up' })
  async signUp(
    @Body() body: SignUpBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<SignedIn>> {
    await this.limits.signUp(request.ip);
    const data = await this.identity.signUp(body);
    keepInCookie(request, reply, data.token, this.secure);
    return { status: 'success', data };
  }

  @Post('login')
  @HttpCode(200)
  @ApiOperation({ summary: 'Log in' })
  async logIn(
    @Body() { email, password }: LogInBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<SignedIn>> {
    const data = await this.limits.login(email, request.ip, () => this.identity.logIn(email, password));
    keepInCookie(request, reply, data.token, this.secure);
    return { status: 'success', data };
  }

  @Post('logout')
  @HttpCode(200)
  @NeedsSession()
  @ApiOperation({ summary: 'End this session' })
  async logOut(
    @Session() session: SessionUser,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ status: 'success'; message: string }> {
    await this.identity.logOut(session);
    clearCookie(request, reply, this.secure);
    return { status: 'success', message: 'You are logged out.' };
  }

  @Get('session')
  @NeedsSession()
  @ApiOperation({ summary: 'Read who is signed in' })
  async whoIsSignedIn(@Session() { userId }: SessionUser): Promise<Success<{ user: User }>> {
    return { status: 'success', data: { user: await this.identity.user(userId) } };
  }
}
