import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AppError } from '../../../kernel/errors.js';
import { Config } from '../../../platform/config.js';
import { Operation } from '../../../platform/http/api/operation.js';
import { SandboxTransfers } from '../../bank/sandbox/sandbox.port.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { Wallets } from '../../wallet/wallet.port.js';
import { SandboxTransferRequest, SandboxTransferResponse } from './sandbox-transfers.dto.js';

@ApiTags('sandbox')
@Controller('v1/sandbox/transfers')
@Authenticated()
export class SandboxTransfersController {
  constructor(
    private readonly sandbox: SandboxTransfers,
    private readonly wallets: Wallets,
    private readonly config: Config,
  ) {}

  @Post()
  @Can('sandbox.fund')
  @Operation({
    id: 'simulateTransfer',
    summary: 'Simulate a bank transfer to a virtual account',
    description:
      'Only with the sandbox bank: puts a transfer on its books and reports it by the webhook, as a real bank would. ' +
      'In production only to wallets of the account.',
    status: 201,
    answers: SandboxTransferResponse,
    errors: ['VALIDATION_ERROR', 'ACCOUNT_NOT_FOUND', 'BANK_UNAVAILABLE'],
  })
  async transfer(
    @Body() { accountNumber, amount }: SandboxTransferRequest,
    @Session() { accountId }: SessionUser,
  ): Promise<SandboxTransferResponse> {
    const walletId = await this.sandbox.accountReferenceOf(accountNumber);
    if (!walletId || !(await this.mayFund(walletId, accountId))) {
      throw new AppError('ACCOUNT_NOT_FOUND', 'The sandbox has issued no account of this number.');
    }
    const { reference, at: sentAt } = await this.sandbox.collect(accountNumber, amount);
    return { success: true, data: { reference, accountNumber, amount, sentAt } };
  }

  /** In production strangers' wallets look like unknown accounts. */
  private async mayFund(walletId: string, accountId: string): Promise<boolean> {
    if (this.config.NODE_ENV !== 'production') return true;
    return (await this.wallets.idsOwnedBy(accountId)).includes(walletId);
  }
}
