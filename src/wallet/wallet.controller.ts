import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsOptional } from 'class-validator';
import { Amount, Instant, Text, Uuid, Whole } from '../http/fields.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { SessionUser } from '../identity/identity.contract.js';
import { Refusal } from '../shared/errors.js';
import type { Kobo } from '../shared/money.js';
import { allowlist } from './wallet.domain.js';
import { type WalletDetails, WalletService } from './wallet.service.js';
import type { ApiKeyRow } from './wallet.store.js';

const ALLOWLIST_ENTRIES_MAX = 1_000;
const WINDOW_DAYS_DEFAULT = 30;

class CreateWalletBody {
  @Text(1, 100)
  name: string;

  @Uuid()
  userId: string;

  @Amount()
  spendLimitPerTx: Kobo;

  @Amount()
  spendLimitPeriod: Kobo;

  @IsOptional()
  @Whole(1, 3650)
  periodWindowDays?: number | null;

  @Instant()
  expiry: Date;

  @IsOptional()
  @IsBoolean({ message: '$property must be true or false' })
  useAllowlist?: boolean | null;

  @IsOptional()
  @IsArray({ message: '$property must be a list' })
  @ArrayMaxSize(ALLOWLIST_ENTRIES_MAX, {
    message: `$property must have at most ${ALLOWLIST_ENTRIES_MAX} entries`,
  })
  @Text(1, 200, { each: true })
  merchantAllowlist?: string[] | null;
}

@ApiTags('wallets')
@Controller('api/wallets')
@NeedsSession()
export class WalletController {
  constructor(private readonly wallets: WalletService) {}

  @Post()
  @ApiOperation({ summary: 'Create a wallet' })
  async create(@Body() body: CreateWalletBody, @Session() { userId }: SessionUser): Promise<object> {
    if (body.userId !== userId) {
      throw new Refusal('FORBIDDEN', 'A wallet can be created for the signed-in user only.');
    }
    const useAllowlist = body.useAllowlist ?? false;
    const created = await this.wallets.create(userId, body.name, {
      spendLimitPerTx: body.spendLimitPerTx,
      spendLimitPeriod: body.spendLimitPeriod,
      periodWindowDays: body.periodWindowDays ?? WINDOW_DAYS_DEFAULT,
      expiry: body.expiry,
      useAllowlist,
      merchantAllowlist: allowlist(useAllowlist, body.merchantAllowlist ?? []),
    });
    const { id, keyPrefix, fullKey, walletId, createdAt } = created.apiKey;
    return {
      success: true,
      data: {
        wallet: presentWallet(created),
        virtualAccount: created.virtualAccount,
        apiKey: { id, keyPrefix, fullKey, walletId, createdAt },
      },
    };
  }

  @Get(':walletId')
  @ApiOperation({ summary: 'Read a wallet' })
  async get(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<object> {
    const found = await this.wallets.get(walletId, userId);
    return {
      success: true,
      data: {
        wallet: presentWallet(found),
        virtualAccount: found.virtualAccount,
        apiKeys: found.apiKeys.map(presentKey),
        merchants: found.merchants,
      },
    };
  }

  @Get('user/:userId')
  @ApiOperation({ summary: 'List the wallets of the signed-in user' })
  async list(@Param('userId') ownerId: string, @Session() { userId }: SessionUser): Promise<object[]> {
    const wallets = await this.wallets.listOf(ownerId.toLowerCase(), userId);
    return wallets.map((each) => {
      const { expiresAt: _, apiKeyHash: __, ...wallet } = presentWallet(each);
      return { ...wallet, virtualAccount: each.virtualAccount, apiKeys: each.apiKeys.map(presentKey) };
    });
  }
}

function presentWallet({ wallet }: WalletDetails) {
  return {
    id: wallet.id,
    name: wallet.name,
    userId: wallet.userId,
    businessId: wallet.businessId,
    balance: wallet.balance,
    spendLimitPerTx: wallet.spendLimitPerTx,
    spendLimitPeriod: wallet.spendLimitPeriod,
    periodWindowDays: wallet.periodWindowDays,
    expiry: wallet.expiry,
    expiresAt: wallet.expired ? wallet.expiry : null,
    useAllowlist: wallet.useAllowlist,
    merchantAllowlist: wallet.merchantAllowlist,
    status: wallet.status,
    apiKeyHash: null,
    createdAt: wallet.createdAt,
    updatedAt: wallet.updatedAt,
  };
}

function presentKey({ id, keyPrefix, createdAt }: ApiKeyRow) {
  return { id, keyPrefix, createdAt };
}
