import { PENDING_LIMIT } from './approval/approval-rule.domain.js';
import { COOLING_OFF } from './cooling-off/cooling-off.domain.js';
import { DUPLICATE_GUARD } from './duplicate-guard/duplicate-guard.domain.js';
import { KEY_LIMITS } from './key-limits/key-limits.domain.js';
import { PAYEE_RULES } from './payees/payees.domain.js';
import type { LockedWallet } from '../../wallet/wallet.port.js';
import type { Facts } from '../checks/facts.port.js';
import type { Rule, RuleRequest } from './rule.domain.js';

/** The rules that owners can ask for, after the six checks and in this order. Several may share a code. */
export const RULES: readonly Rule[] = [
  ...KEY_LIMITS,
  ...PAYEE_RULES,
  COOLING_OFF,
  DUPLICATE_GUARD,
  PENDING_LIMIT,
];

/** Facts of all rules that read nothing. */
export function ruleFactsOf(
  controls: NonNullable<LockedWallet['controls']>,
  request: RuleRequest,
): Partial<Facts> {
  return RULES.reduce<Partial<Facts>>(
    (facts, rule) => ({ ...facts, ...rule.factsOf?.(controls, request) }),
    {},
  );
}
