import { Body, Controller, Get, Headers, Param, Post, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { type Column, csvDownload } from '../http/csv.js';
import { Amount, Digits, ExactText, Text } from '../http/fields.js';
import { pageRequest, paginated, positiveInteger } from '../http/pagination.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import { shaped } from '../http/validation.pipe.js';
import type { SessionUser } from '../identity/identity.contract.js';
import { invalid, Refusal } from '../shared/errors.js';
import { type Kobo, kobo, nairaFromKobo } from '../shared/money.js';
import { PAGE_SIZE_MAX } from '../shared/page.js';
import { merchantIdentity } from '../shared/text.js';
import { hashApiKey } from '../wallet/wallet.contract.js';
import { blockMessage, compactReason } from './payments.domain.js';
import {
  type HistoryEntry,
  type PaymentResult,
  PaymentsService,
  type SpendingStats,
} from './payments.service.js';
import type { Choice, Transaction } from './payments.store.js';

class PaymentIntentBody {
  @Amount()
  amount: Kobo;

  @Text(3, 200)
  merchantName: string;

  @Digits(10)
  recipientAccountNo: string;

  @Digits(3)
  recipientBankCode: string;

  @IsOptional()
  @ExactText(0, 200)
  reason?: string | null;
}

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
  constructor(private readonly payments: PaymentsService) {}

  @Post()
  @ApiSecurity('apiKey')
  @ApiOperation({ summary: 'Pay: six checks approve or block' })
  async pay(
    @Body() body: unknown,
    @Headers('x-api-key') key: string | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const keyHash = requiredKeyHash(key);
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
  @ApiSecurity('apiKey')
  @ApiOperation({ summary: 'See how a payment of this wallet stands' })
  async get(
    @Param('transactionId') id: string,
    @Headers('x-api-key') key: string | undefined,
  ): Promise<object> {
    return { success: true, data: presentEntry(await this.payments.get(id, requiredKeyHash(key))) };
  }

  /** A bad body is refused only after the key was found good: who has no key learns nothing of the body's rules. */
  private async shapedOrRefused(body: unknown, idempotencyKey: string | undefined, keyHash: Buffer) {
    try {
      if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
        throw invalid({ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' });
      }
      return shaped(PaymentIntentBody, body);
    } catch (error) {
      await this.payments.requireKey(keyHash);
      throw error;
    }
  }
}

@ApiTags('payments')
@Controller()
@NeedsSession()
export class WalletPaymentsController {
  constructor(private readonly payments: PaymentsService) {}

  @Get('api/wallets/:walletId/transactions')
  @ApiOperation({ summary: 'List the attempts to pay from a wallet, with their checks and settlement' })
  async history(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    const request = pageRequest(query);
    const { rows, total } = await this.payments.history(walletId, userId, request, decisionAsked(query));
    return paginated(request, { rows: rows.map(presentEntry), total });
  }

  @Get('api/wallets/:walletId/transactions.csv')
  @ApiOperation({ summary: 'Download all attempts to pay from a wallet as CSV, newest first' })
  download(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<StreamableFile> {
    return csvDownload(`transactions-${walletId}.csv`, CSV, this.payments.everything(walletId, userId));
  }

  @Get('v1/wallets/:walletId/transactions/:transactionId')
  @ApiOperation({ summary: 'Read one attempt to pay, with its checks and settlement' })
  async attempt(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    return {
      success: true,
      data: presentEntry(await this.payments.attempt(walletId, userId, transactionId)),
    };
  }

  @Get('v1/transactions')
  @ApiOperation({ summary: 'List the newest attempts to pay over all wallets' })
  async recent(@Query() query: Record<string, unknown>, @Session() { userId }: SessionUser): Promise<object> {
    const limit = Math.min(positiveInteger(query, 'limit', RECENT_LIMIT_DEFAULT), PAGE_SIZE_MAX);
    const rows = await this.payments.recent(userId, limit);
    return { success: true, data: rows.map((row) => ({ ...present(row), merchant: row.merchant })) };
  }

  @Get('v1/wallets/:walletId/transactions')
  @ApiOperation({ summary: 'List the newest attempts to pay, compactly' })
  async compact(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<object[]> {
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
  @ApiOperation({ summary: 'What a wallet spent in its window and may still spend' })
  stats(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<SpendingStats> {
    return this.payments.stats(walletId, userId);
  }

  @Get('v1/stats')
  @ApiOperation({ summary: 'What each wallet spent in its window and may still spend' })
  async statsOfAll(@Session() { userId }: SessionUser): Promise<object> {
    return { success: true, data: await this.payments.statsOfAll(userId) };
  }

  @Get(['v1/spend-by-day', 'v1/wallets/:walletId/spend-by-day'])
  @ApiOperation({ summary: 'What was spent and blocked in each of the last days, of one wallet or of all' })
  async byDay(
    @Param() { walletId = null }: { walletId?: string | null },
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    const days = positiveInteger(query, 'days', DAYS_DEFAULT);
    if (days > DAYS_MAX) throw invalid({ field: 'days', message: `must be at most ${DAYS_MAX}` });
    const { timeZone = TIME_ZONE_DEFAULT } = query;
    if (typeof timeZone !== 'string' || !/^[A-Za-z][\w+/-]{0,63}$/.test(timeZone)) {
      throw invalid({ field: 'timeZone', message: 'must be the name of a time zone, such as Africa/Lagos' });
    }
    return { success: true, data: await this.payments.byDay(walletId, userId, days, timeZone) };
  }
}

/** The decision that a list is narrowed to; throws `VALIDATION_ERROR` for what is none. */
function decisionAsked({ decision }: Record<string, unknown>): Choice | undefined {
  if (decision === undefined || decision === 'approved' || decision === 'blocked') return decision;
  throw invalid({ field: 'decision', message: 'must be approved or blocked' });
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

function requiredKeyHash(key: string | undefined): Buffer {
  if (!key) throw new Refusal('MISSING_API_KEY', "Send the wallet's API key in the header x-api-key.");
  return hashApiKey(key);
}

/** A blocked attempt is a stored fact first; only here does it become an error. */
function answer({ transaction }: PaymentResult): object {
  const { id, facts, blockReason } = transaction;
  if (blockReason !== null) {
    throw new Refusal(blockReason, blockMessage(facts, transaction, blockReason), { transactionId: id });
  }
  return { success: true, data: { transaction: present(transaction), settlement: { reference: id } } };
}
