import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../../platform/http/api/operation.js';
import { ApiKeyHash, NeedsApiKey } from '../../wallet/api-key.guard.js';
import type { KeyHash } from '../../wallet/wallet.port.js';
import { TransactionsService } from './transactions.service.js';
import { ownRules } from './own-wallet.domain.js';
import { OwnWalletResponse } from './own-wallet.dto.js';

@ApiTags('payments')
@Controller('api/wallet')
export class OwnWalletController {
  constructor(private readonly history: TransactionsService) {}

  @Get()
  @NeedsApiKey('when-locking')
  @Operation({
    id: 'getOwnWallet',
    summary: 'Read the wallet of the key: its balance, its limits and what they leave',
    description:
      'For the agent that pays from it. Nothing of the owner is shown. Of each limit that the wallet and the key have, ' +
      'the narrower one is shown.',
    answers: OwnWalletResponse,
  })
  async get(@ApiKeyHash() keyHash: KeyHash): Promise<OwnWalletResponse> {
    const { key, ...wallet } = await this.history.walletOfKey(keyHash);
    const rules = ownRules(wallet);
    return {
      success: true,
      data: {
        id: wallet.id,
        name: wallet.name,
        purpose: key.purpose,
        status: wallet.status,
        balance: wallet.balance,
        available: wallet.balance - wallet.held,
        spendLimitPerTx: rules.spendLimitPerTx,
        spendLimitPeriod: rules.spendLimitPeriod,
        periodWindowDays: rules.periodWindowDays,
        spentThisPeriod: rules.spentThisPeriod,
        remainingAllowance: rules.remainingAllowance,
        expiry: rules.expiry,
        expired: rules.expired,
        keyExpiresAt: key.expiresAt,
        useAllowlist: rules.useAllowlist,
        merchantAllowlist: rules.merchantAllowlist,
        ...rules.ofKey,
      },
    };
  }
}
