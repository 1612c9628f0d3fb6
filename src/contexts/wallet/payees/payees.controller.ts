import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdParam, Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { PageQuery, paginated } from '../../../platform/http/api/pagination.js';
import { ApiStepUpCode, STEP_UP_ERRORS, StepUp, TotpCode } from '../../identity/second-factor.guard.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { type SessionUser, TwoFactor } from '../../identity/identity.port.js';
import { PayeeResponse, PayeesResponse, RegisterPayeeRequest, type WalletPayee } from './payees.dto.js';
import type { Payee } from './payees.entity.js';
import { PAYEES_MAX, WHOLE_WALLET } from './payees.port.js';
import { WalletPayeesService } from './payees.service.js';

@ApiTags('payees')
@WalletIdParam()
@Controller('api/wallets/:walletId/payees')
@Authenticated()
export class WalletPayeesController {
  constructor(
    private readonly payees: WalletPayeesService,
    private readonly twoFactor: TwoFactor,
  ) {}

  @Post()
  @StepUp()
  @Can('payees.manage')
  @Operation({
    id: 'registerPayee',
    summary: 'Register an account that a merchant may be paid at',
    description:
      'The bank is asked for the name behind the account; an account that it does not know is refused. Registering a ' +
      'payee again does nothing; one that came by its first use becomes a registered one. A merchant may have ' +
      `several accounts; a wallet can have ${PAYEES_MAX} payees. Holds for the very next payment, as far as the ` +
      "wallet's `payeePolicy` looks at payees.",
    status: 201,
    answers: PayeeResponse,
    errors: [
      'VALIDATION_ERROR',
      'WALLET_NOT_FOUND',
      'ACCOUNT_NOT_FOUND',
      'WALLET_CLOSED',
      'PAYEE_LIMIT_REACHED',
      'BANK_UNAVAILABLE',
      ...STEP_UP_ERRORS,
    ],
  })
  async register(
    @Param('walletId') walletId: string,
    @Body() account: RegisterPayeeRequest,
    @Session() session: SessionUser,
  ): Promise<PayeeResponse> {
    return {
      success: true,
      data: { payee: present(await this.payees.register(walletId, session, account)) },
    };
  }

  @Get()
  @Can('wallets.read')
  @Operation({
    id: 'listPayees',
    summary: 'List the payees of a wallet',
    description:
      'Those that were registered, and those that were remembered by their first use; newest first.',
    answers: PayeesResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async list(
    @Param('walletId') walletId: string,
    @Query() request: PageQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<PayeesResponse> {
    const { rows, total } = await this.payees.list(walletId, accountId, request);
    return paginated(request, { rows: rows.map(present), total });
  }

  @Delete(':payeeId')
  @ApiStepUpCode()
  @IdParam('payeeId', 'A payee of the wallet.')
  @Can('payees.manage')
  @Operation({
    id: 'removePayee',
    summary: 'Remove a payee',
    description:
      'Holds for the very next payment. Under `first_use` a merchant without payees is bound again by the next ' +
      'approved payment to it: with two-factor authentication on, removing one then needs a code.',
    answers: PayeeResponse,
    errors: ['WALLET_NOT_FOUND', 'PAYEE_NOT_FOUND', ...STEP_UP_ERRORS],
  })
  async remove(
    @Param('walletId') walletId: string,
    @Param('payeeId') payeeId: string,
    @Session() session: SessionUser,
    @TotpCode() code: string | undefined,
  ): Promise<PayeeResponse> {
    const mayWeaken = await this.twoFactor.stepUp(session, code);
    const payee = await this.payees.remove(walletId, session, payeeId, mayWeaken);
    return { success: true, data: { payee: present(payee) } };
  }
}

function present(payee: Payee): WalletPayee {
  return {
    id: payee.id,
    walletId: payee.walletId,
    merchant: payee.merchant,
    merchantName: payee.merchantName,
    accountNumber: payee.accountNumber,
    bankCode: payee.bankCode,
    accountName: payee.accountName,
    origin: payee.origin,
    firstTransactionId: payee.firstTransactionId,
    createdAt: payee.createdAt,
    ...(payee.historyId !== WHOLE_WALLET && { keyId: payee.historyId }),
  };
}
