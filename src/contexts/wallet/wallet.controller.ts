import { Body, Controller, Get, Param, Post, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { showVersion, VERSION_HEADER } from '../../platform/http/server/versions.js';
import { jsonList } from '../../platform/http/api/json-list.js';
import { IdParam, Operation, WalletIdParam } from '../../platform/http/api/operation.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import type { SessionUser } from '../identity/identity.port.js';
import { AppError } from '../../kernel/errors.js';
import { changedControls, controlsIn } from './controls/controls.domain.js';
import { presentKey, presentWallet, WalletResponse } from './wallet.dto.js';
import { CreatedWalletResponse, CreateWalletRequest, WINDOW_DAYS_DEFAULT } from './wallet-creation.dto.js';
import { ListedWalletResponse, presentListedWallet } from './wallet-list.dto.js';
import { allowlist } from './wallet.domain.js';
import { WalletService } from './wallet.service.js';

@ApiTags('wallets')
@Controller('api/wallets')
@Authenticated()
export class WalletController {
  constructor(private readonly wallets: WalletService) {}

  @Post()
  @Can('wallets.create')
  @Operation({
    id: 'createWallet',
    summary: 'Create a wallet',
    description:
      'Makes the wallet, its bank account and its API key: all or nothing. The key is shown this once. Every setting ' +
      'that a change takes may be given here too: it holds for the first payment and is the first change on record.',
    status: 201,
    answers: CreatedWalletResponse,
    headers: VERSION_HEADER,
    errors: [
      'VALIDATION_ERROR',
      'EXPIRY_IN_PAST',
      'ALLOWLIST_REQUIRED',
      'PERIOD_LIMIT_TOO_LOW',
      'FORBIDDEN',
      'WALLET_LIMIT_REACHED',
      'BANK_UNAVAILABLE',
    ],
  })
  async create(
    @Body() body: CreateWalletRequest,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedWalletResponse> {
    const controls = changedControls(null, controlsIn(body));
    if (body.userId !== session.userId) {
      throw new AppError('FORBIDDEN', 'A wallet can be created for the signed-in user only.');
    }
    const useAllowlist = body.useAllowlist ?? false;
    const created = await this.wallets.create(session, {
      name: body.name,
      rules: {
        spendLimitPerTx: body.spendLimitPerTx,
        spendLimitPeriod: body.spendLimitPeriod,
        periodWindowDays: body.periodWindowDays ?? WINDOW_DAYS_DEFAULT,
        expiry: body.expiry,
        useAllowlist,
        merchantAllowlist: allowlist(useAllowlist, body.merchantAllowlist ?? []),
      },
      controls,
      lowBalanceThreshold: body.lowBalanceThreshold ?? null,
    });
    showVersion(created.wallet, reply);
    const { id, keyPrefix, fullKey, walletId, createdAt } = created.apiKey;
    return {
      success: true,
      data: {
        wallet: presentWallet(created.wallet),
        virtualAccount: created.virtualAccount,
        apiKey: { id, keyPrefix, fullKey, walletId, createdAt },
      },
    };
  }

  @Get(':walletId')
  @WalletIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'getWallet',
    summary: 'Read a wallet',
    description: 'With its bank account, its keys (never in full) and the merchants it has paid.',
    answers: WalletResponse,
    headers: VERSION_HEADER,
    errors: ['WALLET_NOT_FOUND'],
  })
  async get(
    @Param('walletId') walletId: string,
    @Session() { accountId }: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WalletResponse> {
    const found = await this.wallets.get(walletId, accountId);
    showVersion(found.wallet, reply);
    return {
      success: true,
      data: {
        wallet: presentWallet(found.wallet),
        virtualAccount: found.virtualAccount,
        apiKeys: found.apiKeys.map(presentKey),
        merchants: found.merchants.map(({ id, name }) => ({ id, name })),
      },
    };
  }

  @Get('user/:userId')
  @IdParam('userId', 'The signed-in user.')
  @Can('wallets.read')
  @Operation({
    id: 'listWallets',
    summary: 'List the wallets that the signed-in user made',
    description: 'Newest first, as a bare array. `searchWallets` lists all of the business.',
    answers: [ListedWalletResponse],
    errors: ['FORBIDDEN', 'USER_NOT_FOUND'],
  })
  list(@Param('userId') ownerId: string, @Session() session: SessionUser): Promise<StreamableFile> {
    return jsonList(this.listed(ownerId.toLowerCase(), session));
  }

  private async *listed(
    ownerId: string,
    requester: SessionUser,
  ): AsyncGenerator<ListedWalletResponse[], void> {
    for await (const page of this.wallets.listOf(ownerId, requester)) yield page.map(presentListedWallet);
  }
}
