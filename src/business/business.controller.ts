import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { Email, Text } from '../http/fields.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { SessionUser } from '../identity/identity.contract.js';
import { BusinessService } from './business.service.js';
import type { BusinessRow } from './business.store.js';

class OnboardingBody {
  @Text(2, 200)
  businessName: string;

  @Email()
  contactEmail: string;

  /** E.164 is recommended, not required. */
  @IsOptional()
  @Text(1, 50)
  contactPhone?: string | null;
}

@ApiTags('onboarding')
@Controller(['v1/onboarding', 'api/onboarding'])
export class BusinessController {
  constructor(private readonly businesses: BusinessService) {}

  @Post()
  @NeedsSession()
  @ApiOperation({ summary: 'Register or update the business of the signed-in user' })
  async onboard(@Body() body: OnboardingBody, @Session() { userId }: SessionUser): Promise<object> {
    const { businessName: name, contactEmail, contactPhone = null } = body;
    const business = await this.businesses.onboard(userId, { name, contactEmail, contactPhone });
    return { status: 'success', data: present(business) };
  }
}

@ApiTags('onboarding')
@Controller('v1/business')
export class OwnBusinessController {
  constructor(private readonly businesses: BusinessService) {}

  @Get()
  @NeedsSession()
  @ApiOperation({ summary: 'Read the business of the signed-in user; null when there is none' })
  async get(@Session() { userId }: SessionUser): Promise<object> {
    const business = await this.businesses.of(userId);
    return { success: true, data: business && present(business) };
  }
}

function present({ id, name, contactEmail, contactPhone, createdAt }: BusinessRow) {
  return { businessId: id, name, contactEmail, contactPhone, status: 'active', createdAt };
}
