import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers } from '../../platform/http/api/answers.js';
import { IdParam, Operation } from '../../platform/http/api/operation.js';
import { Can } from '../identity/session.guard.js';
import { KeyOrSession, NeedsKeyOrSession } from '../payments/session-or-key.guard.js';
import { KeySetResponse, ReceiptResponse } from './receipts.dto.js';
import { type ReceiptReader, ReceiptsService } from './receipts.service.js';

@ApiTags('payments')
@Controller()
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get('api/payment-intent/:transactionId/receipt')
  @Answers({ envelope: 'success' })
  @NeedsKeyOrSession()
  @IdParam('transactionId', 'The id of an attempt, approved or blocked.')
  @Can('wallets.read')
  @Operation({
    id: 'getReceipt',
    summary: 'Get a signed receipt of an attempt',
    description:
      'With a key of the wallet or a session of its owner. Anyone can check a receipt without asking the service, by ' +
      'the keys of `/.well-known/jwks.json`: it is a JWT signed with EdDSA, which any JOSE library verifies. ' +
      '`node scripts/verify-receipt.mjs receipt.jws jwks.json` does, with a receipt that the dashboard downloaded or ' +
      'with this answer.',
    answers: ReceiptResponse,
    errors: ['TRANSACTION_NOT_FOUND', 'OVERLOADED'],
  })
  async receipt(
    @Param('transactionId') id: string,
    @KeyOrSession() reader: ReceiptReader,
  ): Promise<ReceiptResponse> {
    return { success: true, data: await this.receipts.receiptOf(id, reader) };
  }

  @Get('.well-known/jwks.json')
  @Header('cache-control', 'public, max-age=300')
  @Operation({
    id: 'getReceiptKeys',
    summary: 'Get the public keys of receipts',
    description:
      'A JSON Web Key Set of every key that ever signed, with its begin, its end and whether it was revoked: old ' +
      'receipts stay valid unless their key was.',
    answers: KeySetResponse,
    errors: ['OVERLOADED'],
  })
  async keys(): Promise<KeySetResponse> {
    return { keys: await this.receipts.publicKeys() };
  }
}
