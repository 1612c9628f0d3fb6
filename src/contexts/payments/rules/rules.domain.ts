import { PENDING_LIMIT } from './approval/approval-rule.domain.js';
import { COOLING_OFF } from './cooling-off/cooling-off.domain.js';
import { DUPLICATE_GUARD } from './duplicate-guard/duplicate-guard.domain.js';
import { KEY_LIMITS } from './key-limits/key-limits.domain.js';
import { PAYEE_RULES } from './payees/payees.domain.js';
import type { Rule } from './rule.domain.js';

/** The rules that owners can ask for, after the six checks and in this order. A code may have several of them. */
export const RULES: readonly Rule[] = [
  ...KEY_LIMITS,
  ...PAYEE_RULES,
  COOLING_OFF,
  DUPLICATE_GUARD,
  PENDING_LIMIT,
];
