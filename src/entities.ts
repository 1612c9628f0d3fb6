import { Business } from './contexts/business/business.entity.js';
import { PasswordReset, RateLimit, Session, User } from './contexts/identity/identity.entity.js';
import { RecoveryCode, TwoFactorSecret } from './contexts/identity/two-factor/two-factor.entity.js';
import { ApiKey, Wallet, WalletMerchant } from './contexts/wallet/wallet.entity.js';
import type { EntityClass } from './platform/database/data-source.js';

/** The entity of every table, each from the context that owns it. Those of graphile-worker and TypeORM have none. */
export const ENTITIES: readonly EntityClass[] = [
  User,
  Session,
  PasswordReset,
  TwoFactorSecret,
  RecoveryCode,
  RateLimit,
  Business,
  Wallet,
  ApiKey,
  WalletMerchant,
];
