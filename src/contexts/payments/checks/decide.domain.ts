import type { BlockReason } from '../../../kernel/errors.js';
import { RULES } from '../rules/rules.domain.js';
import type { Check } from './check.domain.js';
import type { Facts, Intent } from './facts.port.js';
import { CHECKS } from './six-checks.domain.js';

/** In order. */
export function checksOf(facts: Facts): Check[] {
  return [...CHECKS, ...RULES.filter((rule) => rule.applies(facts))];
}

/** Null if all pass. */
export function firstFailed(facts: Facts, intent: Intent): BlockReason | null {
  const fails = (check: Check) => !check.passes(facts, intent);
  return (CHECKS.find(fails) ?? RULES.find((rule) => rule.applies(facts) && fails(rule)))?.blockedAs ?? null;
}

export interface AuditEvent {
  readonly type: string;
  /** ISO 8601. */
  readonly at: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

/** Picks the rule that these facts fail, if several share a code. */
function blockerOf(facts: Facts, intent: Intent, blockReason: BlockReason): Check | undefined {
  const withCode = checksOf(facts).filter(({ blockedAs }) => blockedAs === blockReason);
  return withCode.find((check) => !check.passes(facts, intent)) ?? withCode[0];
}

/** All that apply if approved, else up to the failing one. */
export function checkEvents(facts: Facts, intent: Intent, blockReason: BlockReason | null): AuditEvent[] {
  const blocker = blockReason === null ? undefined : blockerOf(facts, intent, blockReason);
  const events: AuditEvent[] = [];
  for (const check of checksOf(facts)) {
    events.push({
      type: check === blocker ? 'check.failed' : check.warns?.(facts) ? 'check.warned' : 'check.passed',
      at: facts.now,
      detail: { check: check.blockedAs, ...check.compared(facts, intent) },
    });
    if (check === blocker) break;
  }
  return events;
}

const OWNER_DECISION_MESSAGES: Partial<Record<BlockReason, string>> = {
  APPROVAL_DENIED: 'The owner of the wallet denied the payment.',
  APPROVAL_EXPIRED: 'The payment was not approved in time.',
};

/** Equal facts give equal words. */
export function blockMessage(facts: Facts, intent: Intent, blockReason: BlockReason): string {
  return (
    blockerOf(facts, intent, blockReason)?.message(facts, intent) ??
    OWNER_DECISION_MESSAGES[blockReason] ??
    blockReason
  );
}

/** Numbers behind a block; undefined for the six checks. */
export function blockDetails(
  facts: Facts,
  intent: Intent,
  blockReason: BlockReason,
): Readonly<Record<string, string | number>> | undefined {
  if (CHECKS.some(({ blockedAs }) => blockedAs === blockReason)) return undefined;
  return blockerOf(facts, intent, blockReason)?.compared(facts, intent);
}

const compactOf = new Map<BlockReason, string>(CHECKS.map(({ blockedAs, compact }) => [blockedAs, compact]));

/** Name of a block in the compact list (`merchant_not_in_allowlist`). */
export function compactReason(blockReason: BlockReason): string {
  return compactOf.get(blockReason) ?? blockReason.toLowerCase();
}
