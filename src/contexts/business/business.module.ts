import { Module } from '@nestjs/common';
import { Businesses } from './business.port.js';
import { BusinessController, OwnBusinessController } from './business.controller.js';
import { BusinessService } from './business.service.js';
import { BusinessStore } from './business.store.js';

@Module({
  controllers: [BusinessController, OwnBusinessController],
  providers: [BusinessStore, BusinessService, { provide: Businesses, useExisting: BusinessStore }],
  exports: [Businesses],
})
export class BusinessModule {}
