import { createHmac } from 'node:crypto';
import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../../platform/config.js';
import { Operation } from '../../../platform/http/operation.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Session } from '../../identity/session.guard.js';
import { Wallets } from '../../wallet/wallet.port.js';
import { AppError } from '../../../kernel/errors.js';
import { nairaFromKobo } from '../../../kernel/money.js';
import { SandboxTransferResponse, SandboxTransferRequest } from './sandbox.dto.js';
import { type Collection } from '../bank.port.js';
import { SandboxBank } from './sandbox.service.js';

const DELIVERY_DEADLINE_MS = 10_000;

/** Stands in for the world outside; there is no such route with a real bank. */
@ApiTags('sandbox')
@Controller('v1/sandbox/transfers')
@Authenticated()
export class SandboxController {
  constructor(
    private readonly bank: SandboxBank,
    private readonly wallets: Wallets,
    private readonly config: Config,
  ) {}

  @Post()
  @Operation({
    id: 'simulateTransfer',
    summary: 'Simulate a bank transfer to a virtual account',
    description:
      'Only with the sandbox bank: puts a transfer on its books and reports it by the webhook, as a real bank would. ' +
      'In production only to the accounts of wallets that the user of the session owns.',
    status: 201,
    answers: SandboxTransferResponse,
    errors: ['VALIDATION_ERROR', 'ACCOUNT_NOT_FOUND', 'BANK_UNAVAILABLE'],
  })
  async transfer(
    @Body() { accountNumber, amount }: SandboxTransferRequest,
    @Session() { userId }: SessionUser,
    @Req() { socket }: FastifyRequest,
  ): Promise<SandboxTransferResponse> {
    const walletId = await this.bank.accountReferenceOf(accountNumber);
    if (!walletId || !(await this.mayFund(walletId, userId))) {
      throw new AppError('ACCOUNT_NOT_FOUND', 'The sandbox has issued no account of this number.');
    }
    const collection = await this.bank.collect(accountNumber, amount);
    await this.report(collection, accountNumber, socket.localPort ?? this.config.PORT);
    return {
      success: true,
      data: {
        reference: collection.reference,
        accountNumber,
        amount: collection.amount,
        sentAt: collection.at,
      },
    };
  }

  /** In production money of the sandbox must not reach strangers: their wallets look like accounts that are not there. */
  private async mayFund(walletId: string, userId: string): Promise<boolean> {
    if (this.config.NODE_ENV !== 'production') return true;
    return (await this.wallets.idsOwnedBy(userId)).includes(walletId);
  }

  /** Tells the service over HTTP, signed like the provider signs. What gets lost here, reconciliation finds. */
  private async report(collection: Collection, accountNumber: string, port: number): Promise<void> {
    const data = JSON.stringify({
      reference: collection.reference,
      currency: collection.currency,
      amount: 0,
      fee: 0,
      status: 'success',
      narration: collection.narration,
      virtual_bank_account_details: {
        virtual_bank_account: {
          account_number: accountNumber,
          account_reference: collection.accountReference,
        },
      },
      transaction_date: collection.at,
    }).replace('"amount":0', `"amount":${nairaFromKobo(collection.amount)}`);
    const secret = this.config.WEBHOOK_SECRET;
    const response = await fetch(`http://127.0.0.1:${port}/api/webhooks`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret && { 'x-korapay-signature': createHmac('sha256', secret).update(data).digest('hex') }),
      },
      body: `{"event":"charge.success","data":${data}}`,
      signal: AbortSignal.timeout(DELIVERY_DEADLINE_MS),
    }).catch(() => undefined);
    if (!response?.ok) {
      throw new AppError(
        'BANK_UNAVAILABLE',
        'The transfer is on the books of the sandbox, but its report was not taken; reconciliation will find it.',
      );
    }
  }
}
