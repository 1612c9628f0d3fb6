import { Body, Controller, Get, Headers, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { PageQuery, paginated } from '../../../platform/http/api/pagination.js';
import {
  expectedVersion,
  showVersion,
  TakesVersion,
  VERSION_HEADER,
} from '../../../platform/http/server/versions.js';
import { ApiStepUpCode, STEP_UP_ERRORS, StepUp, TotpCode } from '../../identity/second-factor.guard.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { type SessionUser, TwoFactor } from '../../identity/identity.port.js';
import { presentWallet } from '../wallet.dto.js';
import {
  ChangedWalletResponse,
  ChangeWalletRequest,
  ResumedWalletsResponse,
  ResumeWalletsRequest,
  SuspendedWalletsResponse,
  type WalletChangeView,
  WalletChangesResponse,
} from './controls.dto.js';
import type { ListedChange } from './controls.store.js';
import { controlsIn } from './controls.domain.js';
import { ControlsService, type OwnersWallet, type SettingsChange } from './controls.service.js';

@ApiTags('wallets')
@Controller()
@Authenticated()
export class ControlsController {
  constructor(
    private readonly controls: ControlsService,
    private readonly twoFactor: TwoFactor,
  ) {}

  @Patch('api/wallets/:walletId')
  @WalletIdParam()
  @TakesVersion()
  @ApiStepUpCode()
  @Can('wallets.change')
  @Operation({
    id: 'changeWallet',
    summary: 'Change a wallet',
    description:
      'Name, limits, window, expiry, allowlist, threshold and controls; what is absent stays. The rules and errors are those of ' +
      'creation. The change holds for the very next payment. With two-factor authentication on, one that weakens a ' +
      'safeguard or raises a limit needs a code.',
    answers: ChangedWalletResponse,
    headers: VERSION_HEADER,
    errors: [
      'VALIDATION_ERROR',
      'EXPIRY_IN_PAST',
      'ALLOWLIST_REQUIRED',
      'PERIOD_LIMIT_TOO_LOW',
      'WALLET_NOT_FOUND',
      'VERSION_CONFLICT',
      'WALLET_CLOSED',
      'WALLET_LIMIT_REACHED',
      ...STEP_UP_ERRORS,
    ],
  })
  async change(
    @Param('walletId') walletId: string,
    @Body() { version, ...change }: ChangeWalletRequest,
    @Headers('if-match') ifMatch: string | undefined,
    @Session() session: SessionUser,
    @TotpCode() code: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedWalletResponse> {
    const expected = expectedVersion(ifMatch, version ?? null);
    const settings = given(change);
    const terms = { version: expected, mayWeaken: await this.twoFactor.stepUp(session, code) };
    return shown(await this.controls.change(walletId, session, settings, terms), reply);
  }

  @Post('api/wallets/:walletId/suspend')
  @HttpCode(200)
  @WalletIdParam()
  @Can('wallets.suspend')
  @Operation({
    id: 'suspendWallet',
    summary: 'Suspend a wallet',
    description:
      'Its payments are blocked from now on; it is still credited. Suspending it again does nothing.',
    answers: ChangedWalletResponse,
    headers: VERSION_HEADER,
    errors: ['WALLET_NOT_FOUND', 'WALLET_CLOSED'],
  })
  async suspend(
    @Param('walletId') walletId: string,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedWalletResponse> {
    return shown(await this.controls.suspend(walletId, session), reply);
  }

  @Post('api/wallets/:walletId/resume')
  @StepUp()
  @HttpCode(200)
  @WalletIdParam()
  @Can('wallets.change')
  @Operation({
    id: 'resumeWallet',
    summary: 'Let a suspended wallet pay again',
    description: 'Resuming an active wallet does nothing.',
    answers: ChangedWalletResponse,
    headers: VERSION_HEADER,
    errors: ['WALLET_NOT_FOUND', 'WALLET_CLOSED', ...STEP_UP_ERRORS],
  })
  async resume(
    @Param('walletId') walletId: string,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedWalletResponse> {
    return shown(await this.controls.resume(walletId, session), reply);
  }

  @Post('v1/wallets/suspend-all')
  @HttpCode(200)
  @Can('wallets.suspend')
  @Operation({
    id: 'suspendAllWallets',
    summary: 'Suspend every active wallet of the account',
    description: 'Stops all payments in one step: every active wallet is suspended, or none.',
    answers: SuspendedWalletsResponse,
  })
  async suspendAll(@Session() session: SessionUser): Promise<SuspendedWalletsResponse> {
    const walletIds = await this.controls.suspendAll(session);
    return { success: true, data: { suspended: walletIds.length, walletIds } };
  }

  @Post('v1/wallets/resume')
  @StepUp()
  @HttpCode(200)
  @Can('wallets.change')
  @Operation({
    id: 'resumeWallets',
    summary: 'Let several suspended wallets pay again',
    description:
      'All or none, with one code of the second factor. The answer of `suspendAllWallets` names the wallets that it ' +
      'suspended. Resuming an active wallet does nothing.',
    answers: ResumedWalletsResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'WALLET_CLOSED', ...STEP_UP_ERRORS],
  })
  async resumeAll(
    @Body() body: ResumeWalletsRequest,
    @Session() session: SessionUser,
  ): Promise<ResumedWalletsResponse> {
    const walletIds = await this.controls.resumeAll(body.walletIds, session);
    return { success: true, data: { resumed: walletIds.length, walletIds } };
  }

  @Get('api/wallets/:walletId/changes')
  @WalletIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'listWalletChanges',
    summary: 'List what was changed of a wallet',
    description: 'Who changed what, when, with what it was before and after; newest first.',
    answers: WalletChangesResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async changes(
    @Param('walletId') walletId: string,
    @Query() request: PageQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<WalletChangesResponse> {
    const { rows, total } = await this.controls.changesOf(walletId, accountId, request);
    return paginated(request, { rows: rows.map(presentChange), total });
  }
}

function presentChange({ omitted, ...change }: ListedChange): WalletChangeView {
  return { ...change, ...(omitted && { omitted }) };
}

function shown(wallet: OwnersWallet, reply: FastifyReply): ChangedWalletResponse {
  showVersion(wallet, reply);
  return { success: true, data: { wallet: presentWallet(wallet) } };
}

/** Null means absent, except for the threshold and the controls, which it removes. */
function given({ lowBalanceThreshold, ...change }: Omit<ChangeWalletRequest, 'version'>): SettingsChange {
  const controls = controlsIn(change);
  const settings = Object.entries(change).filter(([name, value]) => value != null && !(name in controls));
  return {
    ...Object.fromEntries(settings),
    controls,
    ...(lowBalanceThreshold !== undefined && { lowBalanceThreshold }),
  };
}
