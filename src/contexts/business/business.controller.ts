import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers } from '../../platform/http/api/answers.js';
import { Operation } from '../../platform/http/api/operation.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import type { SessionUser } from '../identity/identity.port.js';
import {
  type BusinessView,
  BusinessResponse,
  OnboardingRequest,
  OwnBusinessResponse,
} from './business.dto.js';
import { BusinessService } from './business.service.js';
import type { Business } from './business.entity.js';

@ApiTags('onboarding')
@Controller(['v1/onboarding', 'api/onboarding'])
@Answers({
  envelope: 'status',
})
export class BusinessController {
  constructor(private readonly businesses: BusinessService) {}

  @Post()
  @Authenticated()
  @Can('business.change')
  @Operation({
    id: 'registerBusiness',
    summary: 'Register or update the business of the signed-in user',
    description:
      'The first call of a user without a business makes one and links it to the user and the wallets; each later ' +
      'call updates the same business. Both addresses are the same route.',
    status: 201,
    answers: BusinessResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async onboard(@Body() body: OnboardingRequest, @Session() session: SessionUser): Promise<BusinessResponse> {
    const { businessName: name, contactEmail, contactPhone = null } = body;
    const business = await this.businesses.onboard(session, { name, contactEmail, contactPhone });
    return { status: 'success', data: present(business) };
  }
}

@ApiTags('onboarding')
@Controller('v1/business')
export class OwnBusinessController {
  constructor(private readonly businesses: BusinessService) {}

  @Get()
  @Authenticated()
  @Can('wallets.read')
  @Operation({
    id: 'getBusiness',
    summary: 'Read the business of the signed-in user',
    description: '`data` is null for a user without a business.',
    answers: OwnBusinessResponse,
  })
  async get(@Session() { accountId }: SessionUser): Promise<OwnBusinessResponse> {
    const business = await this.businesses.of(accountId);
    return { success: true, data: business && present(business) };
  }
}

function present({ id, name, contactEmail, contactPhone, createdAt }: Business): BusinessView {
  return { businessId: id, name, contactEmail, contactPhone, status: 'active', createdAt };
}
