import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { IdempotencyKey, idempotencyKeyOf, REPLAYED_HEADER } from '../../../platform/http/api/idempotency.js';
import { IdParam, Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { PageQuery, paginated } from '../../../platform/http/api/pagination.js';
import { showVersion, VERSION_HEADER } from '../../../platform/http/server/versions.js';
import { STEP_UP_ERRORS, StepUp } from '../../identity/second-factor.guard.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { validationError } from '../../../kernel/errors.js';
import { presentWallet } from '../wallet.dto.js';
import {
  ClosedWalletResponse,
  CloseWalletRequest,
  TransferRequest,
  WalletTransferResponse,
  type WithdrawalView,
  WithdrawalRequest,
  WithdrawalResponse,
  WithdrawalsResponse,
} from './withdrawals.dto.js';
import { WithdrawalsService, type WithdrawalState } from './withdrawals.service.js';

@ApiTags('wallets')
@Controller('api/wallets/:walletId')
@Authenticated()
export class WithdrawalsController {
  constructor(private readonly withdrawals: WithdrawalsService) {}

  @Post('withdrawals')
  @StepUp()
  @WalletIdParam()
  @IdempotencyKey({ required: true })
  @Can('money.move')
  @Operation({
    id: 'withdraw',
    summary: 'Take money out to a bank account',
    description:
      'The balance alone decides: a suspended, expired or closed wallet lets it go too, and no limit of the agent ' +
      'counts it. Not paid by the bank: the money is back in the wallet, once.',
    status: 201,
    answers: WithdrawalResponse,
    headers: REPLAYED_HEADER,
    errors: [
      'VALIDATION_ERROR',
      'INSUFFICIENT_FUNDS',
      'WALLET_NOT_FOUND',
      'IDEMPOTENCY_KEY_REUSED',
      'OUTCOME_UNKNOWN',
      ...STEP_UP_ERRORS,
    ],
  })
  async withdraw(
    @Param('walletId') walletId: string,
    @Body() body: WithdrawalRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WithdrawalResponse> {
    const key = idempotencyKeyOf(idempotencyKey);
    if (key === null) throw validationError({ field: 'Idempotency-Key', message: 'is required' });
    const request = { ...body, narration: body.narration ?? null };
    const { replayed, ...state } = await this.withdrawals.withdraw(walletId, session, request, key);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return { success: true, data: { withdrawal: present(state) } };
  }

  @Get('withdrawals')
  @WalletIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'listWithdrawals',
    summary: 'List what was taken out of a wallet',
    description: 'Newest first.',
    answers: WithdrawalsResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async list(
    @Param('walletId') walletId: string,
    @Query() request: PageQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<WithdrawalsResponse> {
    const { rows, total } = await this.withdrawals.list(walletId, accountId, request);
    return paginated(request, { rows: rows.map(present), total });
  }

  @Get('withdrawals/:withdrawalId')
  @WalletIdParam()
  @IdParam('withdrawalId', 'A withdrawal of the wallet.')
  @Can('wallets.read')
  @Operation({
    id: 'getWithdrawal',
    summary: 'See how a withdrawal stands',
    answers: WithdrawalResponse,
    errors: ['WALLET_NOT_FOUND', 'WITHDRAWAL_NOT_FOUND'],
  })
  async get(
    @Param('walletId') walletId: string,
    @Param('withdrawalId') id: string,
    @Session() { accountId }: SessionUser,
  ): Promise<WithdrawalResponse> {
    const state = await this.withdrawals.get(walletId, accountId, id);
    return { success: true, data: { withdrawal: present(state) } };
  }

  @Post('transfers')
  @StepUp()
  @WalletIdParam()
  @IdempotencyKey({ required: false })
  @Can('money.move')
  @Operation({
    id: 'transferBetweenWallets',
    summary: 'Move money to another wallet of the account',
    description: 'In one commit. The balance alone decides, and no limit of the agent counts it.',
    status: 201,
    answers: WalletTransferResponse,
    headers: REPLAYED_HEADER,
    errors: [
      'VALIDATION_ERROR',
      'INSUFFICIENT_FUNDS',
      'WALLET_NOT_FOUND',
      'WALLET_CLOSED',
      'IDEMPOTENCY_KEY_REUSED',
      'OUTCOME_UNKNOWN',
      ...STEP_UP_ERRORS,
    ],
  })
  async transfer(
    @Param('walletId') walletId: string,
    @Body() body: TransferRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WalletTransferResponse> {
    const request = { ...body, narration: body.narration ?? null };
    const key = idempotencyKeyOf(idempotencyKey);
    const { transfer, replayed } = await this.withdrawals.transfer(walletId, session, request, key);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    const { idempotencyKey: _, fingerprint: __, ...shown } = transfer;
    return { success: true, data: { transfer: shown } };
  }

  @Post('close')
  @StepUp()
  @HttpCode(200)
  @WalletIdParam()
  @ApiBody({ type: CloseWalletRequest, required: false })
  @Can('money.move')
  @Operation({
    id: 'closeWallet',
    summary: 'Close a wallet, for good',
    description:
      'The balance must be 0, or goes to payoutTo. Money that arrives later is still credited, and can be withdrawn. ' +
      'Payments that wait for approval are denied first. Closing a closed wallet does nothing.',
    answers: ClosedWalletResponse,
    headers: VERSION_HEADER,
    errors: [
      'VALIDATION_ERROR',
      'WALLET_NOT_FOUND',
      'WALLET_NOT_EMPTY',
      'OUTCOME_UNKNOWN',
      ...STEP_UP_ERRORS,
    ],
  })
  async close(
    @Param('walletId') walletId: string,
    @Body() { payoutTo }: CloseWalletRequest,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ClosedWalletResponse> {
    const payee = payoutTo ? { ...payoutTo, narration: payoutTo.narration ?? null } : null;
    const { wallet, withdrawal } = await this.withdrawals.close(walletId, session, payee);
    showVersion(wallet, reply);
    return {
      success: true,
      data: { wallet: presentWallet(wallet), withdrawal: withdrawal && present(withdrawal) },
    };
  }
}

function present({ withdrawal, settlement }: WithdrawalState): WithdrawalView {
  const { id, walletId, amount, accountNumber, bankCode, narration, userId, createdAt } = withdrawal;
  return { id, walletId, amount, accountNumber, bankCode, narration, userId, settlement, createdAt };
}
