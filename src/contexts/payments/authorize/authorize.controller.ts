import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REPLAYED_HEADER } from '../../../platform/http/api/idempotency.js';
import { Answers } from '../../../platform/http/api/answers.js';
import { Operation } from '../../../platform/http/api/operation.js';
import { paginated } from '../../../platform/http/api/pagination.js';
import { validateDto } from '../../../platform/http/api/validation.pipe.js';
import { note, type RequestNotes } from '../../../platform/observability/request-id.js';
import { currentTraceParent } from '../../../platform/observability/tracing.js';
import { type BlockReason, AppError, BLOCK_REASONS, validationError } from '../../../kernel/errors.js';
import { assertPayable, Bank } from '../../bank/bank.port.js';
import { ApiKeyHash, apiKeyHashOf, NeedsApiKey, ReaderOfKey } from '../../wallet/api-key.guard.js';
import type { KeyHash, KeyReader } from '../../wallet/wallet.port.js';
import { AttemptsInTimeQuery } from '../transactions/attempt-filters.dto.js';
import {
  presentDetails,
  presentEntry,
  TransactionsResponse,
  TransactionResponse,
} from '../transactions/transactions.dto.js';
import { TransactionsService } from '../transactions/transactions.service.js';
import { GUARD_MINUTES_MAX } from '../rules/duplicate-guard/duplicate-guard.domain.js';
import { blockDetails, blockMessage } from '../checks/decide.domain.js';
import { decisionOf } from '../payments.domain.js';
import type { Transaction } from '../payments.port.js';
import { presentAttempt, type WaitingFor, waitingFor } from '../payments.dto.js';
import { judgements } from './advice.domain.js';
import { AdviceService } from './advice.service.js';
import {
  detailsIn,
  type ApprovedTransaction,
  DUPLICATE_GUARD_HEADER,
  type PaymentHeaders,
  PaymentIntentRequest,
  PaymentResponse,
  PendingPaymentResponse,
  QuoteResponse,
} from './authorize.dto.js';
import { AuthorizeService } from './authorize.service.js';
import type { PaymentRequest } from './payments.aggregate.js';

@ApiTags('payments')
@Controller('api/payment-intent')
// The plural is a likely slip.
@Answers({ envelope: 'success', at: ['api/payment-intent', 'api/payment-intents'] })
export class PaymentIntentController {
  constructor(
    private readonly payments: AuthorizeService,
    private readonly advice: AdviceService,
    private readonly history: TransactionsService,
    private readonly bank: Bank,
  ) {}

  @Post()
  @NeedsApiKey('when-locking', 'payment')
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes a repetition safe: the payment is carried out at most once per wallet and Idempotency-Key. Each API key ' +
      'with limits has Idempotency-Keys of its own, which the API key that replaces it takes over.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$', examples: ['order-1843'] },
  })
  @ApiHeader(DUPLICATE_GUARD_HEADER)
  @ApiBody({ type: PaymentIntentRequest })
  @Operation({
    id: 'pay',
    summary: 'Pay: six checks approve or block',
    description:
      'Authenticated with the API key of the wallet. The checks run in this order and the first that fails decides: ' +
      'the wallet is active, it is not expired, the amount is within the limit of one payment, it is within what ' +
      'the period leaves, the merchant is on the allowlist (if one is used), the balance suffices. Every attempt is ' +
      'stored. Approved: the wallet is debited and the bank is instructed to pay. Blocked: nothing moves. What the owner ' +
      'asked for beyond these comes after them: limits of the key, the payee, cooling off, approval. Where payments ' +
      'above a threshold wait for approval, one that passes is answered 202: its amount is held until the owner ' +
      'approves it, denies it, or it expires. Poll it, or listen to `approval.decided`.',
    status: 201,
    answers: PaymentResponse,
    headers: REPLAYED_HEADER,
    errors: [
      'VALIDATION_ERROR',
      ...BLOCK_REASONS,
      'IDEMPOTENCY_KEY_REUSED',
      'RATE_LIMITED',
      'OVERLOADED',
      'OUTCOME_UNKNOWN',
      'BANK_UNAVAILABLE',
    ],
  })
  @ApiResponse({
    status: 202,
    type: PendingPaymentResponse,
    headers: REPLAYED_HEADER,
    description: 'It waits for approval.',
  })
  async pay(
    // Reads headers and body itself: Nest's parameter pipes cost a dozen promises a payment.
    @Req() httpRequest: FastifyRequest<{ Headers: PaymentHeaders }>,
    // Nest would inspect a reply for streams first.
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const keyHash = apiKeyHashOf(httpRequest);
    const { 'idempotency-key': idempotencyKey, 'duplicate-guard-minutes': guardMinutes } =
      httpRequest.headers;
    const request = await this.shapedOrRefused(httpRequest.body, idempotencyKey, keyHash, guardMinutes);
    const asked = requestOf(request, guardMinutes, keyHash, idempotencyKey ?? null, httpRequest.id);
    const { transaction, replayed } = await this.payments.pay(asked);
    noteDecision(httpRequest.notes, transaction, replayed);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    const { approval } = waitingFor(transaction);
    if (approval) {
      void reply.status(202).send(pending(transaction, approval));
      return;
    }
    if (transaction.blockReason === null) {
      void reply.send(approved(transaction));
      return;
    }
    throw await this.refusal(transaction, transaction.blockReason, replayed ? asked : null);
  }

  @Post('quote')
  @HttpCode(200)
  @NeedsApiKey('when-locking')
  @ApiHeader(DUPLICATE_GUARD_HEADER)
  @ApiBody({ type: PaymentIntentRequest })
  @Operation({
    id: 'quote',
    summary: 'See whether a payment would pass now, and if not, what would',
    description:
      'The same body, the same checks and the same reading as a payment, all of them to the end; nothing is stored, ' +
      'held or moved, and another payment may come first. Always 200: `decision` says what a payment would be.',
    answers: QuoteResponse,
    errors: ['VALIDATION_ERROR', 'OVERLOADED', 'BANK_UNAVAILABLE'],
  })
  async quote(
    @Body() body: unknown,
    @ApiKeyHash() keyHash: KeyHash,
    @Headers('duplicate-guard-minutes') guardMinutes: string | undefined,
  ): Promise<QuoteResponse> {
    const request = await this.shapedOrRefused(body, undefined, keyHash, guardMinutes);
    const intent = requestOf(request, guardMinutes, keyHash, null);
    const quote = await this.payments.quote(intent);
    const { facts, blockReason } = quote;
    note({ walletId: quote.walletId });
    const advice =
      blockReason === null
        ? { maxAmountNow: this.advice.maxAmountOf(facts, intent), earliestPassAt: null, hint: null }
        : await this.advice.of({ ...quote, intent, transactionId: null });
    return {
      success: true,
      data: {
        decision: decisionOf(quote),
        blockReason,
        message: blockReason && blockMessage(facts, intent, blockReason),
        checks: judgements(facts, intent),
        at: facts.now,
        balanceAfter: quote.balanceAfter,
        ...advice,
      },
    };
  }

  @Get()
  @NeedsApiKey()
  @Operation({
    id: 'listPayments',
    summary: "List this wallet's attempts to pay",
    description:
      'Approved and blocked attempts, newest first, as the history shows them. A key with limits sees its own, and ' +
      'those of the keys with limits that it replaced.',
    answers: TransactionsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async list(
    @Query() query: AttemptsInTimeQuery,
    @ReaderOfKey() reader: KeyReader,
  ): Promise<TransactionsResponse> {
    const { rows, total } = await this.history.ofKey(reader, query, query);
    return paginated(query, { rows: rows.map(presentEntry), total });
  }

  @Get(':transactionId')
  @NeedsApiKey()
  @ApiParam({
    name: 'transactionId',
    description: 'The id of an attempt of the wallet, approved, blocked or pending.',
    schema: { type: 'string', format: 'uuid' },
    example: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  })
  @Operation({
    id: 'getPayment',
    summary: 'See how a payment of this wallet stands',
    description: 'The attempt as the history shows it, for the agent that made it.',
    answers: TransactionResponse,
    errors: ['TRANSACTION_NOT_FOUND'],
  })
  async get(
    @Param('transactionId') id: string,
    @ReaderOfKey() reader: KeyReader,
  ): Promise<TransactionResponse> {
    return { success: true, data: presentDetails(await this.history.get(id, reader)) };
  }

  /** `repeatedBy`: the request that replays it. */
  private async refusal(
    transaction: Transaction,
    blockReason: BlockReason,
    repeatedBy: PaymentRequest | null,
  ): Promise<AppError> {
    const { id: transactionId, facts } = transaction;
    const details = blockDetails(facts, transaction, blockReason);
    const advice = repeatedBy
      ? await this.advice.anew(repeatedBy, blockReason)
      : await this.advice.of({ ...transaction, transactionId, intent: transaction });
    return new AppError(blockReason, blockMessage(facts, transaction, blockReason), {
      transactionId,
      ...(details && { details }),
      advice,
      ...(repeatedBy && { replayed: true }),
    });
  }

  /** Checks the key before the body: a caller without a key learns nothing of the body's rules. */
  private shapedOrRefused(
    body: unknown,
    idempotencyKey: string | undefined,
    keyHash: KeyHash,
    guardMinutes: string | undefined,
  ): PaymentIntentRequest | Promise<never> {
    try {
      if (guardMinutes !== undefined && !isGuardMinutes(guardMinutes)) {
        throw validationError({
          field: 'Duplicate-Guard-Minutes',
          message: `must be a whole number from 1 to ${GUARD_MINUTES_MAX}`,
        });
      }
      if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
        throw validationError({
          field: 'Idempotency-Key',
          message: 'must be 1 to 255 visible ASCII characters',
        });
      }
      const intent = validateDto(PaymentIntentRequest, body);
      assertPayable(intent.amount, this.bank.capabilities);
      return intent;
    } catch (error) {
      return this.payments.requireKey(keyHash).then(() => {
        throw error;
      });
    }
  }
}

function requestOf(
  request: PaymentIntentRequest,
  guardMinutes: string | undefined,
  keyHash: KeyHash,
  idempotencyKey: string | null,
  requestId: string | null = null,
): PaymentRequest {
  return {
    ...detailsIn(request),
    confirmSecondPurchase: request.confirmSecondPurchase ?? null,
    guardMinutesAsked: guardMinutes === undefined ? undefined : Number(guardMinutes),
    keyHash,
    idempotencyKey,
    requestId,
    traceParent: currentTraceParent(),
  };
}

function noteDecision(notes: RequestNotes | null, transaction: Transaction, replayed: boolean): void {
  if (!notes) return;
  notes.walletId = transaction.walletId;
  notes.transactionId = transaction.id;
  notes.decision = decisionOf(transaction);
  notes.amount = transaction.amount;
  if (replayed) {
    notes.isReplayed = true;
    notes.paymentRequestId = transaction.requestId ?? undefined;
  }
  notes.onDecided?.();
}

function pending(transaction: Transaction, approval: WaitingFor): PendingPaymentResponse {
  const shown = presentAttempt(transaction);
  return {
    success: true,
    data: { transaction: { ...shown, decision: 'pending', blockReason: null }, approval },
  };
}

function approved(transaction: Transaction): PaymentResponse {
  return {
    success: true,
    data: {
      transaction: presentAttempt(transaction) as ApprovedTransaction,
      settlement: { reference: transaction.id },
    },
  };
}

function isGuardMinutes(text: string): boolean {
  return /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= GUARD_MINUTES_MAX;
}
