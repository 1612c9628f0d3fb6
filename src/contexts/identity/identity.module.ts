import { Global, Module } from '@nestjs/common';
import { BusinessModule } from '../business/business.module.js';
import { Sessions, Users } from './identity.port.js';
import { IdentityController } from './identity.controller.js';
import { IdentityService } from './identity.service.js';
import { IdentityStore } from './identity.store.js';
import { LoginLimits } from './login-limits.js';

/** Global: the guard of every route that needs a session asks for it. */
@Global()
@Module({
  imports: [BusinessModule],
  controllers: [IdentityController],
  providers: [
    IdentityStore,
    IdentityService,
    LoginLimits,
    { provide: Sessions, useExisting: IdentityService },
    { provide: Users, useExisting: IdentityStore },
  ],
  exports: [Sessions, Users],
})
export class IdentityModule {}
