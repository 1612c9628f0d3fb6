import { Global, Module } from '@nestjs/common';
import { WalletModule } from '../wallet/wallet.module.js';
import { ActivityController } from './activity.controller.js';
import { ActivityLog } from './activity.port.js';
import { ActivityRetention } from './activity-retention.service.js';
import { ActivityService } from './activity.service.js';
import { ActivityStore } from './activity.store.js';

@Global()
@Module({
  imports: [WalletModule],
  controllers: [ActivityController],
  providers: [
    ActivityStore,
    ActivityService,
    ActivityRetention,
    { provide: ActivityLog, useExisting: ActivityService },
  ],
  exports: [ActivityLog],
})
export class ActivityModule {}
