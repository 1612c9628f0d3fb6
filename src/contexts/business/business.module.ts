import { Global, Module } from '@nestjs/common';
import { Businesses } from '../identity/identity.port.js';
import { BusinessController, OwnBusinessController } from './business.controller.js';
import { BusinessService } from './business.service.js';
import { BusinessStore } from './business.store.js';

/** Global: identity, which lies below, asks for `Businesses`. */
@Global()
@Module({
  controllers: [BusinessController, OwnBusinessController],
  providers: [BusinessStore, BusinessService, { provide: Businesses, useExisting: BusinessStore }],
  exports: [Businesses],
})
export class BusinessModule {}
