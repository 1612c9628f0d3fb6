import { AppError } from '../../../kernel/errors.js';
import { filterMap } from '../../../kernel/mapped.js';
import type { Outcome } from '../../../platform/batching/group-commit.js';
import type { LockedWallet, SpendAccess } from '../../wallet/wallet.port.js';
import type { AttemptsDecided } from '../payments.events.js';
import type { WalletLimitReached } from '../limit-warnings/limit-warnings.domain.js';
import type { DecidedAttempt } from '../spending-wallet.domain.js';
import type { BlockedAttemptLimits, BlockedAttempts } from './blocked-attempts.domain.js';
import {
  PaymentsAggregate,
  type PaymentQuote,
  type PaymentRequest,
  type PaymentResult,
  type RECIPIENT_UNVERIFIED,
} from './payments.aggregate.js';
import { NOTHING_READ, type Readings, readingsByWallet } from './readings.domain.js';

/** The decisions of one transaction, in order of arrival: one aggregate for each locked wallet. */
export class DecisionBatch {
  readonly decided: DecidedAttempt[] = [];
  private readonly wallets = new Map<string, PaymentsAggregate>();
  private readonly readings: ReadonlyMap<string, Readings>;

  constructor(
    readings: readonly Readings[],
    private readonly limit: BlockedAttemptLimits,
  ) {
    this.readings = readingsByWallet(readings);
  }

  decide(request: PaymentRequest, access: SpendAccess): Outcome<PaymentResult | typeof RECIPIENT_UNVERIFIED> {
    if (access.kind !== 'locked') return refusedAccess(access);
    const outcome = this.of(access.wallet).decide(request, access);
    if (!('attempt' in outcome)) return outcome;
    this.decided.push(outcome.attempt);
    return { done: { transaction: outcome.attempt, replayed: false } };
  }

  quote(request: PaymentRequest, access: SpendAccess): Outcome<PaymentQuote> {
    if (access.kind !== 'locked') return refusedAccess(access);
    return this.of(access.wallet).quote(request, access);
  }

  outcomes(): AttemptsDecided[] {
    return filterMap([...this.wallets.values()], (wallet) => wallet.outcome());
  }

  limitsReached(): WalletLimitReached[] {
    return [...this.wallets.values()].flatMap((wallet) => wallet.limitsReached());
  }

  blocked(): BlockedAttempts[] {
    return [...this.wallets.values()].flatMap((wallet) => [...wallet.blocked()]);
  }

  private of(wallet: LockedWallet): PaymentsAggregate {
    const known = this.wallets.get(wallet.id);
    if (known) return known;
    const aggregate = new PaymentsAggregate(wallet, this.readings.get(wallet.id) ?? NOTHING_READ, this.limit);
    this.wallets.set(wallet.id, aggregate);
    return aggregate;
  }
}

function refusedAccess(access: Exclude<SpendAccess, { kind: 'locked' }>) {
  if (access.kind === 'locked-elsewhere') return { rowLocked: access.walletId };
  return { refused: new AppError('INVALID_API_KEY', 'Invalid API key.') };
}
