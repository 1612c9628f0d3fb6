import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdParam, Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { STEP_UP_ERRORS, StepUp } from '../../identity/second-factor.guard.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import type { SessionUser } from '../../identity/identity.port.js';
import {
  CreatedKeyResponse,
  CreateKeyRequest,
  KeyResponse,
  KeysResponse,
  RenameKeyRequest,
  requiredIn,
  type WalletKey,
} from './keys.dto.js';
import { KeysService, type KeyState } from './keys.service.js';

const KeyIdParam = () => IdParam('keyId', 'A key of the wallet.');

@ApiTags('wallets')
@WalletIdParam()
@Controller('api/wallets/:walletId/keys')
@Authenticated()
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Post()
  @StepUp()
  @Can('keys.manage')
  @Operation({
    id: 'createKey',
    summary: 'Create an API key, or rotate',
    description:
      'The key is shown this once. When the answer is lost, look in the list for a key that you never saw, and ask for ' +
      'one that takes its place: replaces with its id, graceSeconds 0, and inheritAge where you had asked for it. ' +
      'With graceSeconds the key takes the place of others, which end after their grace. Limits ' +
      'only narrow what the wallet allows; they never change, and a key that takes the place of another has its own.',
    status: 201,
    answers: CreatedKeyResponse,
    errors: [
      'VALIDATION_ERROR',
      'WALLET_NOT_FOUND',
      'KEY_NOT_FOUND',
      'WALLET_CLOSED',
      'KEY_LIMIT_REACHED',
      ...STEP_UP_ERRORS,
    ],
  })
  async create(
    @Param('walletId') walletId: string,
    @Body() body: CreateKeyRequest,
    @Session() session: SessionUser,
  ): Promise<CreatedKeyResponse> {
    const { fullKey, ...key } = await this.keys.create(walletId, session, {
      name: body.name,
      expiresAt: body.expiresAt ?? null,
      graceSeconds: body.graceSeconds ?? null,
      replaces: body.replaces ?? null,
      inheritAge: body.inheritAge ?? false,
      limits: body.limits ?? null,
      purpose: body.purpose ?? null,
      requires: requiredIn(body),
      secondApprovalAbove: body.secondApprovalAbove ?? null,
    });
    return { success: true, data: { apiKey: { ...present(key), fullKey } } };
  }

  @Get()
  @Can('wallets.read')
  @Operation({
    id: 'listKeys',
    summary: 'List the API keys of a wallet',
    description: 'Never in full; newest first, the dead ones included.',
    answers: KeysResponse,
    errors: ['WALLET_NOT_FOUND'],
  })
  async list(
    @Param('walletId') walletId: string,
    @Session() { accountId }: SessionUser,
  ): Promise<KeysResponse> {
    return { success: true, data: (await this.keys.list(walletId, accountId)).map(present) };
  }

  @Patch(':keyId')
  @KeyIdParam()
  @Can('keys.manage')
  @Operation({
    id: 'renameKey',
    summary: 'Give an API key another name',
    answers: KeyResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'KEY_NOT_FOUND'],
  })
  async rename(
    @Param('walletId') walletId: string,
    @Param('keyId') keyId: string,
    @Body() { name }: RenameKeyRequest,
    @Session() session: SessionUser,
  ): Promise<KeyResponse> {
    return {
      success: true,
      data: { apiKey: present(await this.keys.rename(walletId, session, keyId, name)) },
    };
  }

  @Delete(':keyId')
  @KeyIdParam()
  @Can('keys.manage')
  @Operation({
    id: 'revokeKey',
    summary: 'End an API key at once',
    description: 'It pays nothing that begins after the answer. Ending it again does nothing.',
    answers: KeyResponse,
    errors: ['WALLET_NOT_FOUND', 'KEY_NOT_FOUND'],
  })
  async revoke(
    @Param('walletId') walletId: string,
    @Param('keyId') keyId: string,
    @Session() session: SessionUser,
  ): Promise<KeyResponse> {
    return { success: true, data: { apiKey: present(await this.keys.revoke(walletId, session, keyId)) } };
  }
}

function present(key: KeyState): WalletKey {
  const { id, walletId, name, keyPrefix, status, expiresAt, lastUsedAt, revokedAt, createdAt } = key;
  const { purpose, requires, limits, left } = key;
  return {
    id,
    walletId,
    name,
    keyPrefix,
    status,
    expiresAt,
    lastUsedAt,
    revokedAt,
    createdAt,
    ...(key.madeByUserId !== null && { createdBy: key.madeByUserId }),
    ...(purpose !== null && { purpose }),
    ...(requires?.includes('runId') && { requireRunId: true }),
    ...(requires?.includes('rationale') && { requireRationale: true }),
    ...(key.secondApprovalAbove !== null && { secondApprovalAbove: key.secondApprovalAbove }),
    ...(limits && { limits, left: left ?? {} }),
  };
}
