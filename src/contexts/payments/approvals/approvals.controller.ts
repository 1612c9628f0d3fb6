import { applyDecorators, Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { Answers } from '../../../platform/http/api/answers.js';
import { IdParam, Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { paginated } from '../../../platform/http/api/pagination.js';
import { note } from '../../../platform/observability/request-id.js';
import { STEP_UP_ERRORS, StepUp } from '../../identity/second-factor.guard.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import type { SessionUser } from '../../identity/identity.port.js';
import {
  ApprovalResponse,
  ApprovalsResponse,
  ApprovalsQuery,
  DecideApprovalRequest,
  presentApproval,
} from './approvals.dto.js';
import type { OwnerDecision } from './approvals.domain.js';
import { ApprovalsService } from './approvals.service.js';

const ApprovalIdParam = () =>
  IdParam('approvalId', 'The id of an approval, which is also that of its payment.');

@ApiTags('approvals')
@Controller('v1/approvals')
// The wallet's state conflicts, not the owner's rights.
@Answers({ status: { WALLET_INACTIVE: 409, WALLET_EXPIRED: 409 } })
@Authenticated()
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Get()
  @StrictQuery(ApprovalsQuery)
  @Can('wallets.read')
  @Operation({
    id: 'listApprovals',
    summary: 'List approvals',
    description: 'Payments that need or needed approval, of all wallets of the account.',
    answers: ApprovalsResponse,
    errors: ['WALLET_NOT_FOUND'],
  })
  async list(
    @Query() query: ApprovalsQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<ApprovalsResponse> {
    const { rows, total } = await this.approvals.list(accountId, query, query);
    return paginated(query, { rows: rows.map(presentApproval), total });
  }

  @Get(':approvalId')
  @ApprovalIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'getApproval',
    summary: 'Read one approval',
    answers: ApprovalResponse,
    errors: ['APPROVAL_NOT_FOUND'],
  })
  async get(
    @Param('approvalId') id: string,
    @Session() { accountId }: SessionUser,
  ): Promise<ApprovalResponse> {
    return { success: true, data: { approval: presentApproval(await this.approvals.get(id, accountId)) } };
  }

  @Post(':approvalId/approve')
  @StepUp()
  @Can('payments.approve')
  @Decision({
    id: 'approvePayment',
    summary: 'Approve a pending payment',
    description:
      'The wallet is debited and the bank is instructed to pay. The wallet must be active and not expired; otherwise the ' +
      'payment stays pending. Approving again answers the same; what was denied or has expired can not be approved. ' +
      'Above `secondApprovalAbove` of the key, or of the wallet as it was at the request or is now, two members approve, neither of ' +
      'whom made the key that asked.',
    errors: ['WALLET_INACTIVE', 'WALLET_EXPIRED', 'REQUESTER_CANNOT_APPROVE', ...STEP_UP_ERRORS],
  })
  approve(
    @Param('approvalId') id: string,
    @Body() body: DecideApprovalRequest,
    @Session() session: SessionUser,
  ): Promise<ApprovalResponse> {
    return this.decide(id, session, 'approved', body.note);
  }

  @Post(':approvalId/deny')
  @Can('payments.approve')
  @Decision({
    id: 'denyPayment',
    summary: 'Deny a pending payment',
    description:
      'It is blocked with APPROVAL_DENIED, and what it held can be spent again. Denying again answers the same; what ' +
      'was approved or has expired can not be denied.',
    errors: [],
  })
  deny(
    @Param('approvalId') id: string,
    @Body() body: DecideApprovalRequest,
    @Session() session: SessionUser,
  ): Promise<ApprovalResponse> {
    return this.decide(id, session, 'denied', body.note);
  }

  private async decide(
    id: string,
    session: SessionUser,
    decision: OwnerDecision,
    text?: string | null,
  ): Promise<ApprovalResponse> {
    const decided = await this.approvals.decide(id, session, decision, text ?? null);
    const { walletId, amount, requestId } = decided.transaction;
    note({ walletId, transactionId: id, decision, amount, paymentRequestId: requestId ?? undefined });
    return { success: true, data: { approval: presentApproval(decided) } };
  }
}

function Decision({
  errors,
  ...described
}: Pick<Parameters<typeof Operation>[0], 'id' | 'summary' | 'description' | 'errors'>) {
  return applyDecorators(
    HttpCode(200),
    ApprovalIdParam(),
    ApiBody({ type: DecideApprovalRequest, required: false }),
    Operation({
      ...described,
      answers: ApprovalResponse,
      errors: [
        'VALIDATION_ERROR',
        'APPROVAL_NOT_FOUND',
        'APPROVAL_ALREADY_DECIDED',
        ...(errors ?? []),
        'OUTCOME_UNKNOWN',
      ],
    }),
  );
}
