import type { BlockReason } from '../../../kernel/errors.js';
import { RULES } from '../rules/rules.domain.js';
import type { Check } from './check.domain.js';
import { CHECKS } from './six-checks.domain.js';

export const SIX_CHECKS = CHECKS.map(({ blockedAs }) => blockedAs);

const ALL: readonly Check[] = [...CHECKS, ...RULES];

/** By code, or `code.variant`. */
export const CHECK_TITLES = Object.fromEntries(
  ALL.map(({ blockedAs, variant, title }) => [
    variant === undefined ? blockedAs : `${blockedAs}.${variant}`,
    title,
  ]),
);

export const BLOCK_TITLES: Readonly<Partial<Record<BlockReason, string>>> = {
  ...Object.fromEntries(ALL.map(({ blockedAs, blockTitle }) => [blockedAs, blockTitle])),
  APPROVAL_DENIED: 'Approval denied',
  APPROVAL_EXPIRED: 'Approval expired',
};
