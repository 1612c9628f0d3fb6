import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../http/operation.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { SessionUser } from '../identity/identity.contract.js';
import { BusinessAnswer, OnboardingBody } from './business.api.js';
import { BusinessService } from './business.service.js';

@ApiTags('onboarding')
@Controller(['v1/onboarding', 'api/onboarding'])
export class BusinessController {
  constructor(private readonly businesses: BusinessService) {}

  @Post()
  @NeedsSession()
  @Operation({
    id: 'registerBusiness',
    summary: 'Register or update the business of the signed-in user',
    description:
      'The first call of a user without a business makes one and links it to the user and the wallets; each later ' +
      'call updates the same business. Both addresses are the same route.',
    status: 201,
    answers: BusinessAnswer,
    errors: ['VALIDATION_ERROR'],
  })
  async onboard(@Body() body: OnboardingBody, @Session() { userId }: SessionUser): Promise<BusinessAnswer> {
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
