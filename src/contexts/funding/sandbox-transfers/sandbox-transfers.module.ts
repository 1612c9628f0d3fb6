import { Module } from '@nestjs/common';
import { WalletModule } from '../../wallet/wallet.module.js';
import { SandboxTransfersController } from './sandbox-transfers.controller.js';

/** Only with the sandbox bank. */
@Module({ imports: [WalletModule], controllers: [SandboxTransfersController] })
export class SandboxTransfersModule {}
