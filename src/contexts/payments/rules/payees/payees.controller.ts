import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Bank, type BankName } from '../../../bank/bank.port.js';
import { NameEnquiry } from '../../../bank/name-enquiry.port.js';
import { Operation } from '../../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../../platform/http/api/strict-query.js';
import { PayableBankResponse, ResolveRequest, ResolvedAccountResponse } from './payees.dto.js';
import { Can } from '../../../identity/session.guard.js';
import { NeedsKeyOrSession } from '../../session-or-key.guard.js';

/** Milliseconds. */
const BANKS_KEPT_MS = 60 * 60_000;

@ApiTags('payees')
@Controller('v1')
@NeedsKeyOrSession()
export class PayeesController {
  private banks: { readonly list: readonly BankName[]; readonly until: number } | undefined;

  constructor(
    private readonly bank: Bank,
    private readonly names: NameEnquiry,
  ) {}

  @Get('banks')
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'listBanks',
    summary: 'List the banks that can be paid to',
    description: 'With a session token or an API key; a bare array.',
    answers: [PayableBankResponse],
    errors: ['BANK_UNAVAILABLE'],
  })
  async list(): Promise<readonly PayableBankResponse[]> {
    if (!this.banks || this.banks.until < performance.now()) {
      this.banks = { list: await this.bank.listBanks(), until: performance.now() + BANKS_KEPT_MS };
    }
    return this.banks.list;
  }

  @Post('accounts/resolve')
  @HttpCode(200)
  @Can('wallets.read')
  @Operation({
    id: 'resolveAccount',
    summary: 'Ask for the name behind an account',
    description:
      'With a session token or an API key. Recommended before a payment: a completed transfer can not be recalled.',
    answers: ResolvedAccountResponse,
    errors: ['VALIDATION_ERROR', 'ACCOUNT_NOT_FOUND', 'BANK_UNAVAILABLE'],
  })
  async resolve(@Body() account: ResolveRequest): Promise<ResolvedAccountResponse> {
    return { accountName: await this.names.accountName(account) };
  }
}
