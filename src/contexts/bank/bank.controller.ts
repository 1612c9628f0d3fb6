import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Config } from '../../platform/config.js';
import { Operation } from '../../platform/http/api/operation.js';
import { Authenticated, Can } from '../identity/session.guard.js';
import { BankInUseResponse } from './bank.dto.js';

@ApiTags('payees')
@Controller('v1/bank')
@Authenticated()
export class BankController {
  constructor(private readonly config: Config) {}

  @Get()
  @Can('wallets.read')
  @Operation({
    id: 'getBank',
    summary: 'Read which bank moves the money',
    description: 'Where it is the sandbox, no money moves and transfers can be simulated.',
    answers: BankInUseResponse,
  })
  get(): BankInUseResponse {
    return { success: true, data: { provider: this.config.BANK_PROVIDER } };
  }
}
