import { Module } from '@nestjs/common';
import { WalletModule } from '../wallet/wallet.module.js';
import { GuideController } from './guide.controller.js';
import { McpController } from './mcp.controller.js';
import { BearerKeyGuard, HostGuard } from './mcp.guard.js';

@Module({
  imports: [WalletModule],
  controllers: [McpController, GuideController],
  providers: [HostGuard, BearerKeyGuard],
})
export class AgentsModule {}
