import type { PayoutState } from '../bank.port.js';

/** `afterMs` since acceptance, by the database's clock. */
interface Outcome {
  readonly atFirst: PayoutState;
  readonly later?: { readonly afterMs: number; readonly state: PayoutState };
}

/** At any bank; all others succeed at once. */
const MAGIC_ACCOUNTS: Readonly<Record<string, Outcome>> = {
  '9000000001': { atFirst: { kind: 'rejected', reason: 'Invalid account.' } },
  '9000000002': {
    atFirst: { kind: 'accepted' },
    later: { afterMs: 2_000, state: { kind: 'failed', reason: 'The destination bank refused the payout.' } },
  },
  '9000000003': { atFirst: { kind: 'accepted' } },
  '9000000004': {
    atFirst: { kind: 'succeeded' },
    later: {
      afterMs: 2_000,
      state: { kind: 'reversed', reason: 'The destination bank sent the money back.' },
    },
  },
  '9000000005': {
    atFirst: { kind: 'unknown', reason: 'The connection broke before the answer came.' },
    later: { afterMs: 2_000, state: { kind: 'succeeded' } },
  },
};
export const UNKNOWN_ACCOUNT = '9000000001';

/** Undefined if nothing changes later. */
export function laterOutcome(accountNumber: string): Outcome['later'] {
  return MAGIC_ACCOUNTS[accountNumber]?.later;
}

const MADE: PayoutState = { kind: 'succeeded' };

export function stateAfter(accountNumber: string, ageMs: number): PayoutState {
  const outcome = MAGIC_ACCOUNTS[accountNumber];
  if (!outcome) return MADE;
  return outcome.later && ageMs >= outcome.later.afterMs ? outcome.later.state : outcome.atFirst;
}
