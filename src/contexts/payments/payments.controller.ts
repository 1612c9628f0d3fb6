import {
  applyDecorators,
  Body,
  Controller,
  Get,
  Headers,
  Param,
  Post,
  Query,
  Res,
  type StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiHeader, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Column, csvDownload } from '../../platform/http/csv.js';
import { Operation, WalletIdParam } from '../../platform/http/operation.js';
import { Paged, pageRequest, paginated, positiveInteger } from '../../platform/http/pagination.js';
import { assertPayable, Bank } from '../bank/bank.port.js';
import { Authenticated, Session } from '../identity/session.guard.js';
import { validateDto } from '../../platform/http/validation.pipe.js';
import type { SessionUser } from '../identity/identity.port.js';
import { validationError, AppError } from '../../kernel/errors.js';
import { kobo, nairaFromKobo } from '../../kernel/money.js';
import { PAGE_SIZE_MAX } from '../../kernel/page.js';
import { merchantIdentity } from '../../kernel/text.js';
import { ApiKeyHash, KeyWalletId, NeedsApiKey } from '../wallet/api-key.guard.js';
import {
  CompactTransaction,
  DaysResponse,
  PaymentResponse,
  PaymentIntentRequest,
  RecentResponse,
  TransactionResponse,
  TransactionPage,
  WalletStats,
  WalletsStatsResponse,
} from './payments.dto.js';
import { blockMessage, compactReason } from './payments.domain.js';
import { type HistoryEntry, type PaymentResult, PaymentsService } from './payments.service.js';
import type { DecisionFilter, Transaction } from './payments.store.js';

const COMPACT_LIMIT_DEFAULT = 20;
const RECENT_LIMIT_DEFAULT = 10;
const DAYS_DEFAULT = 30;
const DAYS_MAX = 366;
const TIME_ZONE_DEFAULT = 'Africa/Lagos';

const CSV: readonly Column<HistoryEntry>[] = [
  { name: 'id', of: ({ transaction }) => transaction.id },
  { name: 'created_at', of: ({ transaction }) => transaction.createdAt },
  { name: 'decision', of: ({ transaction }) => decisionOf(transaction.blockReason) },
  { name: 'block_reason', of: ({ transaction }) => transaction.blockReason },
  { name: 'amount_ngn', of: ({ transaction }) => nairaFromKobo(kobo(transaction.amount)) },
  { name: 'amount_kobo', of: ({ transaction }) => transaction.amount },
  { name: 'merchant_name', of: ({ transaction }) => transaction.merchantName },
  { name: 'recipient_account_no', of: ({ transaction }) => transaction.recipientAccountNo },
  { name: 'recipient_bank_code', of: ({ transaction }) => transaction.recipientBankCode },
  { name: 'reason', of: ({ transaction }) => transaction.reason },
  { name: 'settlement_status', of: ({ settlement }) => settlement?.status ?? null },
  { name: 'settlement_reference', of: ({ settlement }) => settlement?.reference ?? null },
];

@ApiTags('payments')
@Controller('api/payment-intent')
export class PaymentIntentController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly bank: Bank,
  ) {}

  @Post()
  @NeedsApiKey('when-locking')
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'Makes a repetition safe: the payment is carried out at most once per wallet and key.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$', examples: ['order-1843'] },
  })
  @ApiBody({ type: PaymentIntentRequest })
  @Operation({
    id: 'pay',
    summary: 'Pay: six checks approve or block',
    description:
      'Authenticated with the API key of the wallet. The checks run in this order and the first that fails decides: ' +
      'the wallet is active, it is not expired, the amount is within the limit of one payment, it is within what ' +
      'the period leaves, the merchant is on the allowlist (if one is used), the balance suffices. Every attempt is ' +
      'stored. Approved: the wallet is debited and the bank is told to pay. Blocked: nothing moves.',
    status: 201,
    answers: PaymentResponse,
    errors: [
      'VALIDATION_ERROR',
      'MISSING_API_KEY',
      'INVALID_API_KEY',
      'INSUFFICIENT_FUNDS',
      'WALLET_INACTIVE',
      'WALLET_EXPIRED',
      'SPEND_LIMIT_PER_TX_EXCEEDED',
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
      'MERCHANT_NOT_ALLOWED',
      'IDEMPOTENCY_KEY_REUSED',
      'OVERLOADED',
      'OUTCOME_UNKNOWN',
    ],
  })
  async pay(
    @Body() body: unknown,
    @ApiKeyHash() keyHash: Buffer,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentResponse> {
    const intent = await this.shapedOrRefused(body, idempotencyKey, keyHash);
    const result = await this.payments.pay({
      keyHash,
      idempotencyKey: idempotencyKey ?? null,
      amount: intent.amount,
      merchant: merchantIdentity(intent.merchantName),
      merchantName: intent.merchantName,
      recipientAccountNo: intent.recipientAccountNo,
      recipientBankCode: intent.recipientBankCode,
      reason: intent.reason ?? null,
    });
    if (result.replayed) void reply.header('idempotency-replayed', 'true');
    return answer(result);
  }

  @Get(':transactionId')
  @NeedsApiKey()
  @ApiParam({
    name: 'transactionId',
    description: 'The id of an attempt of the wallet, approved or blocked.',
    schema: { type: 'string', format: 'uuid' },
    example: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  })
  @Operation({
    id: 'getPayment',
    summary: 'See how a payment of this wallet stands',
    description: 'The attempt as the history shows it, for the agent that made it.',
    answers: TransactionResponse,
    errors: ['MISSING_API_KEY', 'INVALID_API_KEY', 'TRANSACTION_NOT_FOUND'],
  })
  async get(
    @Param('transactionId') id: string,
    @KeyWalletId() walletId: string,
  ): Promise<TransactionResponse> {
    return { success: true, data: presentEntry(await this.payments.get(id, walletId)) };
  }

  /** A bad body is refused only after the key was found good: who has no key learns nothing of the body's rules. */
  private async shapedOrRefused(body: unknown, idempotencyKey: string | undefined, keyHash: Buffer) {
    try {
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
      await this.payments.requireKey(keyHash);
      throw error;
    }
  }
}

/** The route takes `days` and `timeZone`. */
const ByDay = () =>
  applyDecorators(
    ApiQuery({
      name: 'days',
      required: false,
      description: 'How many days, today included.',
      schema: { type: 'integer', minimum: 1, maximum: DAYS_MAX, default: DAYS_DEFAULT },
    }),
    ApiQuery({
      name: 'timeZone',
      required: false,
      description: 'Where a day begins at midnight.',
      schema: { type: 'string', default: TIME_ZONE_DEFAULT },
    }),
  );

@ApiTags('payments')
@Controller()
@Authenticated()
export class WalletPaymentsController {
  constructor(private readonly payments: PaymentsService) {}

  @Get('api/wallets/:walletId/transactions')
  @ApiQuery({
    name: 'decision',
    required: false,
    description: 'Only these attempts; the totals are theirs.',
    schema: { type: 'string', enum: ['approved', 'blocked'] },
  })
  @WalletIdParam()
  @Paged()
  @Operation({
    id: 'listTransactions',
    summary: 'List the attempts to pay from a wallet, with their checks and settlement',
    description: 'Approved and blocked attempts, newest first.',
    answers: TransactionPage,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async history(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<TransactionPage> {
    const request = pageRequest(query);
    const { rows, total } = await this.payments.history(walletId, userId, request, decisionAsked(query));
    return paginated(request, { rows: rows.map(presentEntry), total });
  }

  @Get('api/wallets/:walletId/transactions.csv')
  @WalletIdParam()
  @Operation({
    id: 'downloadTransactions',
    summary: 'Download the attempts to pay from a wallet as CSV',
    description: 'All attempts, newest first. Text that a spreadsheet would run gets an apostrophe in front.',
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND'],
  })
  download(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<StreamableFile> {
    return csvDownload(`transactions-${walletId}.csv`, CSV, this.payments.exportHistory(walletId, userId));
  }

  @Get('v1/wallets/:walletId/transactions/:transactionId')
  @WalletIdParam()
  @ApiParam({
    name: 'transactionId',
    description: 'The id of the attempt.',
    schema: { type: 'string', format: 'uuid' },
  })
  @Operation({
    id: 'getTransaction',
    summary: 'Read one attempt to pay, with its checks and settlement',
    answers: TransactionResponse,
    errors: ['WALLET_NOT_FOUND', 'TRANSACTION_NOT_FOUND'],
  })
  async attempt(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Session() { userId }: SessionUser,
  ): Promise<TransactionResponse> {
    return {
      success: true,
      data: presentEntry(await this.payments.attempt(walletId, userId, transactionId)),
    };
  }

  @Get('v1/transactions')
  @ApiQuery({
    name: 'limit',
    required: false,
    description: `How many; more than ${PAGE_SIZE_MAX} counts as ${PAGE_SIZE_MAX}.`,
    schema: { type: 'integer', minimum: 1, default: RECENT_LIMIT_DEFAULT },
  })
  @Operation({
    id: 'listRecentTransactions',
    summary: 'List the newest attempts to pay over all wallets',
    answers: RecentResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async recent(
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<RecentResponse> {
    const limit = Math.min(positiveInteger(query, 'limit', RECENT_LIMIT_DEFAULT), PAGE_SIZE_MAX);
    const rows = await this.payments.recent(userId, limit);
    return { success: true, data: rows.map((row) => ({ ...present(row), merchant: row.merchant })) };
  }

  @Get('v1/wallets/:walletId/transactions')
  @WalletIdParam()
  @ApiQuery({
    name: 'limit',
    required: false,
    description: `How many; more than ${PAGE_SIZE_MAX} counts as ${PAGE_SIZE_MAX}.`,
    schema: { type: 'integer', minimum: 1, default: COMPACT_LIMIT_DEFAULT },
  })
  @Operation({
    id: 'listCompactTransactions',
    summary: 'List the newest attempts to pay, compactly',
    description: 'Approved and blocked attempts, newest first, as a bare array.',
    answers: [CompactTransaction],
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async compact(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<CompactTransaction[]> {
    const pageSize = Math.min(positiveInteger(query, 'limit', COMPACT_LIMIT_DEFAULT), PAGE_SIZE_MAX);
    const { rows } = await this.payments.list(walletId, userId, { page: 1, pageSize });
    return rows.map(({ amount, merchant, blockReason, reason, createdAt }) => ({
      amount,
      merchant,
      decision: decisionOf(blockReason),
      reason: blockReason ? compactReason(blockReason) : reason,
      createdAt,
    }));
  }

  @Get('v1/wallets/:walletId/stats')
  @WalletIdParam()
  @Operation({
    id: 'getWalletStats',
    summary: 'Read what a wallet spent in its window and may still spend',
    answers: WalletStats,
    errors: ['WALLET_NOT_FOUND'],
  })
  stats(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<WalletStats> {
    return this.payments.stats(walletId, userId);
  }

  @Get('v1/stats')
  @Operation({
    id: 'listWalletStats',
    summary: 'Read what each wallet spent in its window and may still spend',
    answers: WalletsStatsResponse,
  })
  async statsOfAll(@Session() { userId }: SessionUser): Promise<WalletsStatsResponse> {
    return { success: true, data: await this.payments.statsOfAll(userId) };
  }

  @Get('v1/spend-by-day')
  @ByDay()
  @Operation({
    id: 'listSpendByDay',
    summary: 'Read what all wallets spent, and how many attempts were blocked, in each of the last days',
    description: 'Oldest first, the day that is under way included. Refunded spend does not count.',
    answers: DaysResponse,
    errors: ['VALIDATION_ERROR'],
  })
  byDay(@Query() query: Record<string, unknown>, @Session() { userId }: SessionUser): Promise<DaysResponse> {
    return this.days(null, userId, query);
  }

  @Get('v1/wallets/:walletId/spend-by-day')
  @WalletIdParam()
  @ByDay()
  @Operation({
    id: 'listWalletSpendByDay',
    summary: 'Read what a wallet spent, and how many attempts were blocked, in each of the last days',
    description: 'Oldest first, the day that is under way included. Refunded spend does not count.',
    answers: DaysResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  byDayOfWallet(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<DaysResponse> {
    return this.days(walletId, userId, query);
  }

  private async days(
    walletId: string | null,
    userId: string,
    query: Record<string, unknown>,
  ): Promise<DaysResponse> {
    const days = positiveInteger(query, 'days', DAYS_DEFAULT);
    if (days > DAYS_MAX) throw validationError({ field: 'days', message: `must be at most ${DAYS_MAX}` });
    const { timeZone = TIME_ZONE_DEFAULT } = query;
    if (typeof timeZone !== 'string' || !/^[A-Za-z][\w+/-]{0,63}$/.test(timeZone)) {
      throw validationError({
        field: 'timeZone',
        message: 'must be the name of a time zone, such as Africa/Lagos',
      });
    }
    return { success: true, data: await this.payments.byDay(walletId, userId, days, timeZone) };
  }
}

/** The decision that a list is narrowed to; throws `VALIDATION_ERROR` for what is none. */
function decisionAsked({ decision }: Record<string, unknown>): DecisionFilter | undefined {
  if (decision === undefined || decision === 'approved' || decision === 'blocked') return decision;
  throw validationError({ field: 'decision', message: 'must be approved or blocked' });
}

function decisionOf(blockReason: string | null): 'approved' | 'blocked' {
  return blockReason === null ? 'approved' : 'blocked';
}

function present(transaction: Transaction) {
  return {
    id: transaction.id,
    walletId: transaction.walletId,
    amount: transaction.amount,
    merchantName: transaction.merchantName,
    recipientAccountNo: transaction.recipientAccountNo,
    recipientBankCode: transaction.recipientBankCode,
    decision: decisionOf(transaction.blockReason),
    reason: transaction.reason,
    blockReason: transaction.blockReason,
    createdAt: transaction.createdAt,
  };
}

function presentEntry({ transaction, settlement, auditEvents }: HistoryEntry) {
  return { ...present(transaction), merchant: transaction.merchant, auditEvents, settlement };
}

/** A blocked attempt is a stored fact first; only here does it become an error. */
function answer({ transaction }: PaymentResult): PaymentResponse {
  const { id, facts, blockReason } = transaction;
  if (blockReason !== null) {
    throw new AppError(blockReason, blockMessage(facts, transaction, blockReason), { transactionId: id });
  }
  return {
    success: true,
    data: {
      transaction: { ...present(transaction), decision: 'approved', blockReason },
      settlement: { reference: id },
    },
  };
}
