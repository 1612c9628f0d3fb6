import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { Email, ExactText } from '../http/fields.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { AccountType, SessionUser } from './identity.contract.js';
import { IdentityService, type SignedIn } from './identity.service.js';
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
  constructor(
    private readonly identity: IdentityService,
    private readonly limits: LoginLimits,
  ) {}

  @Post('signup')
  @ApiOperation({ summary: 'Sign up' })
  async signUp(@Body() body: SignUpBody, @Req() { ip }: FastifyRequest): Promise<Success<SignedIn>> {
    await this.limits.signUp(ip);
    return { status: 'success', data: await this.identity.signUp(body) };
  }

  @Post('login')
  @HttpCode(200)
  @ApiOperation({ summary: 'Log in' })
  async logIn(
    @Body() { email, password }: LogInBody,
    @Req() { ip }: FastifyRequest,
  ): Promise<Success<SignedIn>> {
    const data = await this.limits.login(email, ip, () => this.identity.logIn(email, password));
    return { status: 'success', data };
  }

  @Post('logout')
  @HttpCode(200)
  @NeedsSession()
  @ApiOperation({ summary: 'End this session' })
  async logOut(@Session() session: SessionUser): Promise<{ status: 'success'; message: string }> {
    await this.identity.logOut(session);
    return { status: 'success', message: 'You are logged out.' };
  }
}
