import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdParam, Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import type { SessionUser } from '../identity.port.js';
import { STEP_UP_ERRORS, StepUp } from '../second-factor.guard.js';
import { Authenticated, Can, Session } from '../session.guard.js';
import { type Invitation, InvitationsService } from './invitations.service.js';
import {
  AcceptInvitationRequest,
  ChangeRoleRequest,
  DemandResponse,
  DemandTwoFactorRequest,
  GoneResponse,
  InvitationResponse,
  InvitationsResponse,
  type InvitationView,
  InviteRequest,
  JoinedResponse,
  MemberResponse,
  MembershipResponse,
  MembersResponse,
} from './members.dto.js';
import { MembersService } from './members.service.js';

@ApiTags('members')
@Controller('v1')
@Authenticated()
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly invitations: InvitationsService,
  ) {}

  @Get('membership')
  @Can('self')
  @Operation({
    id: 'getMembership',
    summary: 'Read your role, and what it allows',
    answers: MembershipResponse,
  })
  async membership(@Session() session: SessionUser): Promise<MembershipResponse> {
    return { success: true, data: await this.members.membershipOf(session) };
  }

  @Get('members')
  @StrictQuery()
  @Can('members.read')
  @Operation({
    id: 'listMembers',
    summary: 'List the members of the business',
    answers: MembersResponse,
  })
  async list(@Session() { accountId }: SessionUser): Promise<MembersResponse> {
    return { success: true, data: await this.members.list(accountId) };
  }

  @Patch('members/:memberId')
  @StepUp()
  @IdParam('memberId', 'The id of a user who is a member.')
  @Can('members.manage')
  @Operation({
    id: 'changeMemberRole',
    summary: 'Give a member another role',
    description: 'Holds for the next request of that member. One owner remains at least.',
    answers: MemberResponse,
    errors: ['VALIDATION_ERROR', 'MEMBER_NOT_FOUND', 'LAST_OWNER', ...STEP_UP_ERRORS],
  })
  async changeRole(
    @Param('memberId') userId: string,
    @Body() { role }: ChangeRoleRequest,
    @Session() session: SessionUser,
  ): Promise<MemberResponse> {
    return { success: true, data: { member: await this.members.changeRole(session, userId, role) } };
  }

  @Put('members/two-factor')
  @StepUp()
  @Can('members.manage')
  @Operation({
    id: 'demandTwoFactor',
    summary: 'Demand two-factor authentication of all members, or stop that',
    description:
      'Holds for the next request of every member: without an authenticator app or a passkey, all but their own login ' +
      'answers 403 TWO_FACTOR_DEMANDED, and event streams end. API keys go on paying. Takes a second factor of your own.',
    answers: DemandResponse,
    errors: ['VALIDATION_ERROR', 'TWO_FACTOR_NOT_ENABLED', ...STEP_UP_ERRORS],
  })
  async demandTwoFactor(
    @Body() { demanded }: DemandTwoFactorRequest,
    @Session() session: SessionUser,
  ): Promise<DemandResponse> {
    await this.members.demandTwoFactor(session, demanded);
    return { success: true, data: { demanded } };
  }

  @Delete('members/:memberId')
  @IdParam('memberId', 'The id of a user who is a member.')
  @Can('members.manage')
  @Operation({
    id: 'removeMember',
    summary: 'Remove a member',
    description:
      'Ends every session of that user at once. What the user made stays with the business, keys included: replace ' +
      'those that the user has seen.',
    answers: GoneResponse,
    errors: ['MEMBER_NOT_FOUND', 'LAST_OWNER'],
  })
  async remove(@Param('memberId') userId: string, @Session() session: SessionUser): Promise<GoneResponse> {
    await this.members.remove(session, userId);
    return { success: true, data: { id: userId } };
  }

  @Post('membership/leave')
  @HttpCode(200)
  @Can('self')
  @Operation({
    id: 'leaveBusiness',
    summary: 'Leave the business',
    description: 'Ends every session of the user, who has an empty account afterwards.',
    answers: GoneResponse,
    errors: ['LAST_OWNER'],
  })
  async leave(@Session() session: SessionUser): Promise<GoneResponse> {
    await this.members.remove(session, session.userId);
    return { success: true, data: { id: session.userId } };
  }

  @Get('invitations')
  @StrictQuery()
  @Can('members.read')
  @Operation({
    id: 'listInvitations',
    summary: 'List open invitations',
    answers: InvitationsResponse,
  })
  async listInvitations(@Session() { accountId }: SessionUser): Promise<InvitationsResponse> {
    return { success: true, data: (await this.invitations.list(accountId)).map(present) };
  }

  @Post('invitations')
  @StepUp()
  @Can('members.manage')
  @Operation({
    id: 'inviteMember',
    summary: 'Invite somebody to the business by e-mail',
    description: 'The link is good for 7 days. Inviting an address again mails another link, with this role.',
    status: 201,
    answers: InvitationResponse,
    errors: [
      'VALIDATION_ERROR',
      'BUSINESS_REQUIRED',
      'ALREADY_MEMBER',
      'MEMBER_LIMIT_REACHED',
      'MAIL_UNAVAILABLE',
      ...STEP_UP_ERRORS,
    ],
  })
  async invite(
    @Body() { email, role }: InviteRequest,
    @Session() session: SessionUser,
  ): Promise<InvitationResponse> {
    const invitation = await this.invitations.invite(session, email, role);
    return { success: true, data: { invitation: present(invitation) } };
  }

  @Post('invitations/:invitationId/resend')
  @HttpCode(200)
  @IdParam('invitationId', 'An open invitation.')
  @Can('members.manage')
  @Operation({
    id: 'resendInvitation',
    summary: 'Mail another link, good for 7 days again',
    answers: InvitationResponse,
    errors: ['INVITATION_NOT_FOUND', 'ALREADY_MEMBER', 'MAIL_UNAVAILABLE', 'RATE_LIMITED'],
  })
  async resend(
    @Param('invitationId') id: string,
    @Session() session: SessionUser,
  ): Promise<InvitationResponse> {
    return { success: true, data: { invitation: present(await this.invitations.resend(session, id)) } };
  }

  @Delete('invitations/:invitationId')
  @IdParam('invitationId', 'An open invitation.')
  @Can('members.manage')
  @Operation({
    id: 'revokeInvitation',
    summary: 'Take an invitation back',
    description: 'None of its links works any more.',
    answers: GoneResponse,
    errors: ['INVITATION_NOT_FOUND'],
  })
  async revoke(@Param('invitationId') id: string, @Session() session: SessionUser): Promise<GoneResponse> {
    await this.invitations.revoke(session, id);
    return { success: true, data: { id } };
  }

  @Post('invitations/accept')
  @HttpCode(200)
  @Can('self')
  @Operation({
    id: 'acceptInvitation',
    summary: 'Become a member of the business that invited',
    description:
      'The signed-in user must have the e-mail that was invited, and no account with wallets or members.',
    answers: JoinedResponse,
    errors: [
      'VALIDATION_ERROR',
      'FORBIDDEN',
      'INVITATION_NOT_FOUND',
      'ALREADY_MEMBER',
      'ACCOUNT_NOT_EMPTY',
      'MEMBER_LIMIT_REACHED',
    ],
  })
  async accept(
    @Body() { token }: AcceptInvitationRequest,
    @Session() session: SessionUser,
  ): Promise<JoinedResponse> {
    return { success: true, data: { role: await this.invitations.accept(session, token) } };
  }
}

function present(invitation: Invitation): InvitationView {
  const { id, email, role, invitedBy, createdAt, expiresAt, isExpired } = invitation;
  return { id, email, role, invitedBy, createdAt, expiresAt, isExpired };
}
