import { type DynamicModule, Global, Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { Config } from '../../platform/config.js';
import { BusinessModule } from '../business/business.module.js';
import { Users } from './identity.port.js';
import { IdentityController } from './identity.controller.js';
import { IdentityService } from './identity.service.js';
import { IdentityStore } from './identity.store.js';
import { JwtStrategy, TOKEN_ALGORITHM, TOKEN_ISSUER } from './jwt.strategy.js';
import { LoginLimits } from './login-limits.js';
import { SessionGuard } from './session.guard.js';

/** Global: the guard of every route that needs a session asks for it. */
@Global()
@Module({})
export class IdentityModule {
  /** `jwtSecret` signs the session tokens. */
  static with(jwtSecret: string): DynamicModule {
    return {
      module: IdentityModule,
      imports: [
        BusinessModule,
        JwtModule.register({
          secret: jwtSecret,
          signOptions: { issuer: TOKEN_ISSUER, algorithm: TOKEN_ALGORITHM },
        }),
      ],
      controllers: [IdentityController],
      providers: [
        IdentityStore,
        IdentityService,
        LoginLimits,
        {
          provide: JwtStrategy,
          useFactory: (store: IdentityStore, config: Config) =>
            new JwtStrategy(jwtSecret, store, config.NODE_ENV === 'production'),
          inject: [IdentityStore, Config],
        },
        SessionGuard,
        { provide: Users, useExisting: IdentityStore },
      ],
      exports: [JwtStrategy, SessionGuard, Users],
    };
  }
}
