import type { LockedWallet } from '../../wallet/wallet.port.js';
import type { Check } from '../checks/check.domain.js';
import type { Facts, Intent } from '../checks/facts.port.js';

/** An optional check, made only if the owner asked for it. */
export interface Rule extends Check {
  /** False: the rule is off, and nothing else of it is called. */
  applies(facts: Facts): boolean;
  /** Facts that need nothing but the wallet's controls and the request; none if the rule is off. */
  factsOf?(controls: NonNullable<LockedWallet['controls']>, request: RuleRequest): Partial<Facts>;
}

/** An intent, and the bank's word on its recipient; absent: the bank was not asked. */
export type RuleRequest = Intent & { readonly recipient?: 'known' | 'unknown' };
