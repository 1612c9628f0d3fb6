import { type DynamicModule, Global, Module } from '@nestjs/common';
import { JwtModule, JwtSecretRequestType } from '@nestjs/jwt';
import type { Config } from '../../platform/config.js';
import { type Masters, sealingMasters } from '../../platform/security/masters.js';
import { SecretBox } from '../../platform/security/secret-box.js';
import { AccountController } from './account/account.controller.js';
import { AccountService } from './account/account.service.js';
import { TimeZoneController } from './account/time-zone.controller.js';
import { TimeZoneService } from './account/time-zone.service.js';
import { PasswordResetService } from './account/password-reset.service.js';
import { RequestLimits, Sessions, TwoFactor, Users } from './identity.port.js';
import { IdentityController } from './identity.controller.js';
import { IdentityService } from './identity.service.js';
import { IdentityStore } from './identity.store.js';
import { JwtStrategy, TOKEN_ALGORITHM, TOKEN_ISSUER } from './jwt.strategy.js';
import { GuessCounters } from './guess-counter.js';
import { LoginLimits } from './login-limits.js';
import { InvitationExpiry } from './members/invitation-expiry.service.js';
import { InvitationsService } from './members/invitations.service.js';
import { InvitationsStore } from './members/invitations.store.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { MembersStore } from './members/members.store.js';
import { Operators } from './operators/operators.port.js';
import { OperatorsStore } from './operators/operators.store.js';
import { PasskeyProofs } from './passkeys/passkey-proofs.service.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { PasskeysStore } from './passkeys/passkeys.store.js';
import { RelyingParty } from './passkeys/relying-party.js';
import { Passwords } from './passwords.js';
import { SharedRequestLimits } from './request-limits.service.js';
import { RequestWindowsStore } from './request-windows.store.js';
import { SessionGuard } from './session.guard.js';
import { TokenSecrets } from './token-secrets.js';
import { TwoFactorController } from './two-factor/two-factor.controller.js';
import { TwoFactorSecrets } from './two-factor/two-factor-secrets.service.js';
import { TwoFactorService } from './two-factor/two-factor.service.js';
import { TwoFactorStore } from './two-factor/two-factor.store.js';

@Global()
@Module({})
export class IdentityModule {
  /** `sessions` sign the tokens, and encrypt what has no key of its own. */
  static with(config: Config, sessions: Masters): DynamicModule {
    const secrets = new TokenSecrets(sessions);
    const { TWO_FACTOR_ENCRYPTION_KEY: own, TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS: previous } = config;
    return {
      module: IdentityModule,
      imports: [
        JwtModule.register({
          secretOrKeyProvider: (type, token) =>
            type === JwtSecretRequestType.VERIFY
              ? secrets.of(typeof token === 'string' ? token : '')
              : secrets.newest,
          signOptions: { issuer: TOKEN_ISSUER, algorithm: TOKEN_ALGORITHM },
        }),
      ],
      controllers: [
        IdentityController,
        AccountController,
        TimeZoneController,
        TwoFactorController,
        PasskeysController,
        MembersController,
      ],
      providers: [
        IdentityStore,
        Passwords,
        IdentityService,
        GuessCounters,
        LoginLimits,
        AccountService,
        PasswordResetService,
        TimeZoneService,
        MembersStore,
        InvitationsStore,
        MembersService,
        InvitationsService,
        InvitationExpiry,
        TwoFactorStore,
        TwoFactorService,
        TwoFactorSecrets,
        PasskeysStore,
        RelyingParty,
        PasskeyProofs,
        PasskeysService,
        {
          provide: SecretBox,
          useValue: new SecretBox(sealingMasters(own, previous, sessions), 'two-factor secrets, v1'),
        },
        { provide: TwoFactor, useExisting: TwoFactorService },
        {
          provide: JwtStrategy,
          useFactory: (store: IdentityStore) =>
            new JwtStrategy(secrets, store, config.NODE_ENV === 'production'),
          inject: [IdentityStore],
        },
        RequestWindowsStore,
        { provide: RequestLimits, useClass: SharedRequestLimits },
        SessionGuard,
        { provide: Users, useExisting: IdentityStore },
        { provide: Operators, useClass: OperatorsStore },
        { provide: Sessions, useExisting: IdentityStore },
      ],
      exports: [JwtStrategy, SessionGuard, TwoFactor, Users, Sessions, Operators, RequestLimits],
    };
  }
}
