import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { Email, Text } from '../http/fields.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { SessionUser } from '../identity/identity.contract.js';
import { BusinessService } from './business.service.js';

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
    const { id, ...business } = await this.businesses.onboard(userId, { name, contactEmail, contactPhone });
    return {
      status: 'success',
      data: {
        businessId: id,
        name: business.name,
        contactEmail: business.contactEmail,
        contactPhone: business.contactPhone,
        status: 'active',
        createdAt: business.createdAt,
      },
    };
  }
}
