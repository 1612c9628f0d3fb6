import { ApiKey, Wallet, WalletMerchant } from './contexts/wallet/wallet.entity.js';
import type { EntityClass } from './platform/database/data-source.js';

/** The entity of every table, each from the context that owns it. Those of graphile-worker and TypeORM have none. */
export const ENTITIES: readonly EntityClass[] = [Wallet, ApiKey, WalletMerchant];
