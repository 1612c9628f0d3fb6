import { Body, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { Bank, type BankName } from '../bank/bank.contract.js';
import { Digits } from '../http/fields.js';
import { Refusal } from '../shared/errors.js';
import { SessionOrKeyGuard } from './session-or-key.guard.js';

const BANKS_KEPT_MS = 60 * 60_000;

class ResolveBody {
  @Digits(10)
  accountNumber: string;

  @Digits(3)
  bankCode: string;
}

/** Who can be paid: the banks, and the name behind an account. */
@ApiTags('payees')
@Controller('v1')
@UseGuards(SessionOrKeyGuard)
@ApiBearerAuth('session')
@ApiSecurity('apiKey')
export class PayeesController {
  private banks: { readonly list: readonly BankName[]; readonly until: number } | undefined;

  constructor(private readonly bank: Bank) {}

  @Get('banks')
  @ApiOperation({ summary: 'List the banks that can be paid to' })
  async list(): Promise<readonly BankName[]> {
    if (!this.banks || this.banks.until < Date.now()) {
      this.banks = { list: await this.bank.listBanks(), until: Date.now() + BANKS_KEPT_MS };
    }
    return this.banks.list;
  }

  @Post('accounts/resolve')
  @HttpCode(200)
  @ApiOperation({ summary: 'Ask for the name behind an account' })
  async resolve(@Body() account: ResolveBody): Promise<{ accountName: string }> {
    const name = await this.bank.resolveAccount(account);
    if (name.kind === 'resolved') return { accountName: name.accountName };
    if (name.kind === 'not-resolved') {
      throw new Refusal('ACCOUNT_NOT_FOUND', 'The bank knows no such account.');
    }
    throw new Refusal('BANK_UNAVAILABLE', 'The bank did not answer. Try again shortly.', {
      retryAfterSeconds: 5,
    });
  }
}
