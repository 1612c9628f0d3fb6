import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { Operation } from '../../../platform/http/api/operation.js';
import { paginated, PageQuery } from '../../../platform/http/api/pagination.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { OperatorOnly } from '../../identity/operator.guard.js';
import { STEP_UP_ERRORS, StepUp } from '../../identity/second-factor.guard.js';
import { Authenticated, Session } from '../../identity/session.guard.js';
import {
  ActRequestBody,
  ActsQuery,
  ActsResponse,
  OperatorDoneResponse,
  PerformedActResponse,
  presentProposal,
  ProposalsResponse,
} from './acts.dto.js';
import { ActsService, type Performed } from './acts.service.js';
import { ActsStore } from './acts.store.js';
import { OperatorNames } from './operator-names.service.js';

@ApiTags('operator')
@Controller('v1/operator')
@Authenticated()
export class OperatorActsController {
  constructor(
    private readonly acts: ActsService,
    private readonly store: ActsStore,
    private readonly names: OperatorNames,
  ) {}

  @Get('acts')
  @StrictQuery(ActsQuery)
  @OperatorOnly()
  @Operation({
    id: 'listOperatorActs',
    summary: 'List what operators did',
    answers: ActsResponse,
  })
  async list(@Query() query: ActsQuery): Promise<ActsResponse> {
    const { rows, total } = await this.store.page(query.subject, query);
    return paginated(query, { rows: await this.names.acts(rows), total });
  }

  @Post('acts')
  @OperatorOnly()
  @StepUp()
  @Operation({
    id: 'performOperatorAct',
    summary: 'Act as an operator, with a reason',
    description:
      'Money moves by ledger entries that name the case. Above OPERATOR_FOUR_EYES_KOBO the act is proposed, and a second operator confirms it.',
    status: 201,
    answers: PerformedActResponse,
    errors: [
      'VALIDATION_ERROR',
      'OPERATOR_SUBJECT_NOT_FOUND',
      'OPERATOR_ACT_REFUSED',
      'WALLET_NOT_FOUND',
      'USER_NOT_FOUND',
      ...STEP_UP_ERRORS,
    ],
  })
  async perform(
    @Body() { act, subject, reason, walletId, outcome }: ActRequestBody,
    @Session() { userId }: SessionUser,
  ): Promise<PerformedActResponse> {
    const details = { ...(walletId && { walletId }), ...(outcome && { outcome }) };
    return this.presented(await this.acts.perform({ act, subject, reason, details }, userId));
  }

  @Get('proposals')
  @StrictQuery(PageQuery)
  @OperatorOnly()
  @Operation({
    id: 'listOperatorProposals',
    summary: 'List what waits for a second operator',
    description: 'Oldest first.',
    answers: ProposalsResponse,
  })
  async proposals(@Query() query: PageQuery): Promise<ProposalsResponse> {
    const { rows, total } = await this.store.waiting(query);
    return paginated(query, { rows: (await this.names.proposals(rows)).map(presentProposal), total });
  }

  @Post('proposals/:proposalId/confirm')
  @HttpCode(200)
  @OperatorOnly()
  @StepUp()
  @Operation({
    id: 'confirmOperatorProposal',
    summary: 'Do what another operator proposed',
    answers: PerformedActResponse,
    errors: ['OPERATOR_SUBJECT_NOT_FOUND', 'OPERATOR_ACT_REFUSED', 'WALLET_NOT_FOUND', ...STEP_UP_ERRORS],
  })
  async confirm(
    @Param('proposalId') proposalId: string,
    @Session() { userId }: SessionUser,
  ): Promise<PerformedActResponse> {
    return this.presented(await this.acts.confirm(proposalId, userId));
  }

  @Post('proposals/:proposalId/reject')
  @HttpCode(200)
  @OperatorOnly()
  @StepUp()
  @Operation({
    id: 'rejectOperatorProposal',
    summary: 'Reject a proposal, or take back your own',
    answers: OperatorDoneResponse,
    errors: ['OPERATOR_SUBJECT_NOT_FOUND', ...STEP_UP_ERRORS],
  })
  async reject(
    @Param('proposalId') proposalId: string,
    @Session() { userId }: SessionUser,
  ): Promise<OperatorDoneResponse> {
    await this.acts.reject(proposalId, userId);
    return { success: true };
  }

  private async presented({ act, proposal }: Performed): Promise<PerformedActResponse> {
    const [shown = null] = act ? await this.names.acts([act]) : [];
    const [waiting = null] = proposal ? await this.names.proposals([proposal]) : [];
    return { success: true, data: { act: shown, proposal: waiting && presentProposal(waiting) } };
  }
}
