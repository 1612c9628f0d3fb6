import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AppError, validationError } from '../../../kernel/errors.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { Operation } from '../../../platform/http/api/operation.js';
import { paginated, PageQuery } from '../../../platform/http/api/pagination.js';
import { FailedJobs } from '../../../platform/jobs/failed-jobs.js';
import { InboundTransfers } from '../../funding/inbound-transfers.port.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { OperatorOnly } from '../../identity/operator.guard.js';
import { Operators } from '../../identity/operators/operators.port.js';
import { Authenticated, Session } from '../../identity/session.guard.js';
import { FailingEndpoints } from '../../notifications/notifications.port.js';
import { Payouts } from '../../settlement/payouts.port.js';
import { OperatedWallets } from '../../wallet/operated-wallets.port.js';
import { OperatorDoneResponse, presentProposal } from '../acts/acts.dto.js';
import { OperatorNames } from '../acts/operator-names.service.js';
import {
  BankWordResponse,
  CasesQuery,
  CasesResponse,
  FailedJobsResponse,
  FailingEndpointsResponse,
  PayoutsQuery,
  PayoutsResponse,
  TransfersQuery,
  TransfersResponse,
} from './cases.dto.js';
import { CasePageResponse } from './case-page.dto.js';
import { CasePages } from './case-page.service.js';
import { FindQuery, FoundResponse, presentWallet } from './find.dto.js';
import { CasesStore } from './cases.store.js';

const FOUND_MAX = 20;

@ApiTags('operator')
@Controller('v1/operator')
@Authenticated()
export class OperatorController {
  constructor(
    private readonly cases: CasesStore,
    private readonly pages: CasePages,
    private readonly names: OperatorNames,
    private readonly transfers: InboundTransfers,
    private readonly payouts: Payouts,
    private readonly jobs: FailedJobs,
    private readonly endpoints: FailingEndpoints,
    private readonly users: Operators,
    private readonly wallets: OperatedWallets,
  ) {}

  @Get('cases')
  @StrictQuery(CasesQuery)
  @OperatorOnly()
  @Operation({
    id: 'listOperatorCases',
    summary: 'List cases',
    description: 'What a person must decide: open ones oldest first.',
    answers: CasesResponse,
  })
  async listCases(@Query() query: CasesQuery): Promise<CasesResponse> {
    const { rows, total } = await this.cases.page(query.state === 'open', query);
    return paginated(query, { rows: await this.names.cases(rows), total });
  }

  @Get('cases/:caseId')
  @OperatorOnly()
  @Operation({
    id: 'getOperatorCase',
    summary: 'Read a case with what belongs to it',
    answers: CasePageResponse,
    errors: ['OPERATOR_SUBJECT_NOT_FOUND'],
  })
  async readCase(@Param('caseId') caseId: string): Promise<CasePageResponse> {
    const page = await this.pages.of(caseId);
    if (page) {
      const { wallet, proposals } = page;
      const shown = { wallet: wallet && presentWallet(wallet), proposals: proposals.map(presentProposal) };
      return { success: true, data: { ...page, ...shown } };
    }
    throw new AppError('OPERATOR_SUBJECT_NOT_FOUND', 'No case has this id.');
  }

  @Post('cases/:caseId/assign')
  @HttpCode(200)
  @OperatorOnly()
  @Operation({
    id: 'assignOperatorCase',
    summary: 'Take a case over',
    description: 'The signed-in operator deals with it from now on.',
    answers: OperatorDoneResponse,
    errors: ['OPERATOR_SUBJECT_NOT_FOUND'],
  })
  async assign(
    @Param('caseId') caseId: string,
    @Session() { userId }: SessionUser,
  ): Promise<OperatorDoneResponse> {
    if (await this.cases.assign(caseId, userId)) return { success: true };
    throw new AppError('OPERATOR_SUBJECT_NOT_FOUND', 'No open case has this id.');
  }

  @Get('transfers')
  @StrictQuery(TransfersQuery)
  @OperatorOnly()
  @Operation({
    id: 'listOperatorTransfers',
    summary: 'List inbound transfers that wait for an operator',
    description: 'Oldest first.',
    answers: TransfersResponse,
  })
  async listTransfers(@Query() query: TransfersQuery): Promise<TransfersResponse> {
    const { totals, ...page } = await this.transfers.page(query.status, query);
    return { ...paginated(query, page), totals };
  }

  @Get('settlements')
  @StrictQuery(PayoutsQuery)
  @OperatorOnly()
  @Operation({
    id: 'listOperatorSettlements',
    summary: 'List payouts by state, or one by its reference',
    answers: PayoutsResponse,
  })
  async listSettlements(@Query() query: PayoutsQuery): Promise<PayoutsResponse> {
    const { state, reference } = query;
    const references =
      reference !== null
        ? [reference]
        : state === 'returned'
          ? await this.cases.subjectsOf('payout-undone-after-success')
          : null;
    const shownState = state ?? (reference === null ? 'open' : null);
    const { totals, ...page } = await this.payouts.page(shownState, references, query);
    return { ...paginated(query, page), totals };
  }

  @Post('settlements/:reference/ask')
  @HttpCode(200)
  @OperatorOnly()
  @Operation({
    id: 'askBankForSettlement',
    summary: 'Ask the bank for a payout now',
    description: 'Its answer is recorded as that of a poll.',
    answers: BankWordResponse,
    errors: ['OPERATOR_SUBJECT_NOT_FOUND', 'BANK_UNAVAILABLE'],
  })
  async ask(@Param('reference') reference: string): Promise<BankWordResponse> {
    const word = await this.payouts.askBank(reference);
    if (word) return { success: true, data: word };
    throw new AppError('OPERATOR_SUBJECT_NOT_FOUND', 'No payout has this reference.');
  }

  @Get('jobs')
  @StrictQuery(PageQuery)
  @OperatorOnly()
  @Operation({
    id: 'listFailedJobs',
    summary: 'List jobs whose last attempt failed',
    description: 'Those given up first.',
    answers: FailedJobsResponse,
  })
  async listJobs(@Query() query: PageQuery): Promise<FailedJobsResponse> {
    return paginated(query, await this.jobs.page(query));
  }

  @Get('endpoints')
  @StrictQuery(PageQuery)
  @OperatorOnly()
  @Operation({
    id: 'listFailingEndpoints',
    summary: 'List webhook endpoints that fail',
    description: 'Those that fail longest first.',
    answers: FailingEndpointsResponse,
  })
  async listEndpoints(@Query() query: PageQuery): Promise<FailingEndpointsResponse> {
    return paginated(query, await this.endpoints.page(query));
  }

  @Get('find')
  @StrictQuery(FindQuery)
  @OperatorOnly()
  @Operation({
    id: 'findUsersAndWallets',
    summary: 'Find users and wallets',
    description: 'By the whole id, e-mail, account number or reference.',
    answers: FoundResponse,
  })
  async find(@Query() { text }: FindQuery): Promise<FoundResponse> {
    if (text === null) throw validationError({ field: 'text', message: 'is required' });
    const named = await this.users.find([text], FOUND_MAX);
    const accounts = named.map(({ accountId }) => accountId);
    const ids = [text, ...accounts, ...(await this.wallets.idsByReference(text, FOUND_MAX))];
    const wallets = await this.wallets.find(ids, FOUND_MAX);
    const users =
      named.length > 0
        ? named
        : await this.users.find(
            wallets.map((w) => w.accountId),
            FOUND_MAX,
          );
    return { success: true, data: { users, wallets: wallets.map(presentWallet) } };
  }
}
