import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../http/operation.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { SessionUser } from '../identity/identity.contract.js';
import { Refusal } from '../shared/errors.js';
import {
  type ApiKey,
  CreatedWalletAnswer,
  CreateWalletBody,
  ListedWallet,
  type Wallet,
  WalletAnswer,
  WINDOW_DAYS_DEFAULT,
} from './wallet.api.js';
import { allowlist } from './wallet.domain.js';
import { type WalletDetails, WalletService } from './wallet.service.js';
import type { ApiKeyRow } from './wallet.store.js';

@ApiTags('wallets')
@Controller('api/wallets')
@NeedsSession()
export class WalletController {
  constructor(private readonly wallets: WalletService) {}

  @Post()
  @Operation({
    id: 'createWallet',
    summary: 'Create a wallet',
    description:
      'Makes the wallet, its bank account and its API key: all or nothing. The key is shown this once.',
    status: 201,
    answers: CreatedWalletAnswer,
    errors: [
      'VALIDATION_ERROR',
      'EXPIRY_IN_PAST',
      'ALLOWLIST_REQUIRED',
      'PERIOD_LIMIT_TOO_LOW',
      'FORBIDDEN',
      'BANK_UNAVAILABLE',
    ],
  })
  async create(
    @Body() body: CreateWalletBody,
    @Session() { userId }: SessionUser,
  ): Promise<CreatedWalletAnswer> {
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
  @WalletIdParam()
  @Operation({
    id: 'getWallet',
    summary: 'Read a wallet',
    description: 'With its bank account, its keys (never in full) and the merchants it has paid.',
    answers: WalletAnswer,
    errors: ['WALLET_NOT_FOUND'],
  })
  async get(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<WalletAnswer> {
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
  @ApiParam({
    name: 'userId',
    description: 'The signed-in user.',
    schema: { type: 'string', format: 'uuid' },
    example: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  })
  @Operation({
    id: 'listWallets',
    summary: 'List the wallets of the signed-in user',
    description: 'Newest first, as a bare array.',
    answers: [ListedWallet],
    errors: ['FORBIDDEN', 'USER_NOT_FOUND'],
  })
  async list(@Param('userId') ownerId: string, @Session() { userId }: SessionUser): Promise<ListedWallet[]> {
    const wallets = await this.wallets.listOf(ownerId.toLowerCase(), userId);
    return wallets.map((each) => {
      const { expiresAt: _, apiKeyHash: __, ...wallet } = presentWallet(each);
      return { ...wallet, virtualAccount: each.virtualAccount, apiKeys: each.apiKeys.map(presentKey) };
    });
  }
}

function presentWallet({ wallet }: WalletDetails): Wallet {
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

function presentKey({ id, keyPrefix, createdAt }: ApiKeyRow): ApiKey {
  return { id, keyPrefix, createdAt };
}
