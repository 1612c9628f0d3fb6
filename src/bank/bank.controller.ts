import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Config } from '../config.js';
import { Operation } from '../http/operation.js';
import { NeedsSession } from '../http/session.guard.js';
import { BankInUseAnswer } from './bank.api.js';

@ApiTags('payees')
@Controller('v1/bank')
@NeedsSession()
export class BankController {
  constructor(private readonly config: Config) {}

  @Get()
  @Operation({
    id: 'getBank',
    summary: 'Read which bank moves the money',
    description: 'Where it is the sandbox, no money moves and transfers can be played.',
    answers: BankInUseAnswer,
  })
  get(): BankInUseAnswer {
    return { success: true, data: { provider: this.config.BANK_PROVIDER } };
  }
}
