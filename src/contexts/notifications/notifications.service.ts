import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { isoText } from '../../kernel/time.js';
import type { Tx } from '../../platform/database/tx.js';
import { InTransaction, Prefetch } from '../../platform/events/events.js';
import { currentTraceParent } from '../../platform/observability/tracing.js';
import { WalletFunded } from '../funding/funding.events.js';
import {
  ApprovalDecided,
  ApprovalRequested,
  LimitWarned,
  PaymentApproved,
  PaymentBlocked,
} from '../payments/payments.events.js';
import { SettlementReversed, SettlementSucceeded } from '../settlement/settlement.events.js';
import { WalletCredited, WalletDebited, WalletStatusChanged } from '../wallet/wallet.events.js';
import { LowBalanceThresholds } from '../wallet/low-balance/low-balance.port.js';
import { type Attempt, attemptData, type OfWallet } from './attempt-data.js';
import { DeliveryStore, type NewDelivery } from './deliveries/deliveries.store.js';
import { Dispatcher } from './deliveries/dispatcher.js';
import { Subscriptions } from './endpoints/subscriptions.service.js';
import {
  type AttemptData,
  type AttemptEventName,
  bodyOf,
  crosses,
  type EventData,
  type EventName,
} from './notifications.domain.js';
import { PayingKeys } from './paying-keys.service.js';

@Injectable()
export class NotificationsService {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly deliveries: DeliveryStore,
    private readonly thresholds: LowBalanceThresholds,
    private readonly dispatcher: Dispatcher,
    private readonly keys: PayingKeys,
  ) {}

  @InTransaction(WalletFunded)
  async walletsFunded(events: readonly WalletFunded[], tx: Tx): Promise<void> {
    await this.enqueue(
      'wallet.funded',
      events,
      ({ walletId, amountCredited, newBalance, currency, fundedAt }) => ({
        walletId,
        amountCredited,
        newBalance,
        currency,
        fundedAt,
      }),
      tx,
    );
  }

  @Prefetch(PaymentApproved)
  async prefetch(walletIds: readonly string[], tx: Tx): Promise<void> {
    const wallets = walletIds.map((walletId) => ({ walletId }));
    await this.subscriptions.endpointsFor('payment.approved', wallets, tx);
  }

  @InTransaction(PaymentApproved)
  async paymentsApproved(events: readonly PaymentApproved[], tx: Tx): Promise<void> {
    await this.enqueueAttempts(
      'payment.approved',
      events,
      (event) => ({ approvedAt: isoText(event.at) }),
      tx,
    );
  }

  @InTransaction(PaymentBlocked)
  async paymentsBlocked(events: readonly PaymentBlocked[], tx: Tx): Promise<void> {
    await this.enqueueAttempts(
      'payment.blocked',
      events,
      (event) => ({
        blockReason: event.blockReason,
        message: event.message,
        blockedAt: event.at.toISOString(),
      }),
      tx,
    );
  }

  @InTransaction(ApprovalRequested)
  async approvalsRequested(events: readonly ApprovalRequested[], tx: Tx): Promise<void> {
    await this.enqueueAttempts(
      'approval.requested',
      events,
      (event) => ({
        requestedAt: event.at.toISOString(),
        expiresAt: event.expiresAt.toISOString(),
      }),
      tx,
    );
  }

  @InTransaction(ApprovalDecided)
  async approvalsDecided(events: readonly ApprovalDecided[], tx: Tx): Promise<void> {
    await this.enqueueAttempts(
      'approval.decided',
      events,
      (event) => ({
        outcome: event.outcome,
        decidedById: event.decidedBy,
        note: event.note,
        decidedAt: event.at.toISOString(),
      }),
      tx,
    );
  }

  @InTransaction(SettlementSucceeded)
  async paymentsSettled(events: readonly SettlementSucceeded[], tx: Tx): Promise<void> {
    await this.enqueue(
      'payment.settled',
      events,
      ({ reference: transactionId, walletId, amount, at }) => ({
        transactionId,
        walletId,
        amount,
        currency: 'NGN',
        settledAt: at,
      }),
      tx,
    );
  }

  @InTransaction(SettlementReversed)
  async paymentsReturned(events: readonly SettlementReversed[], tx: Tx): Promise<void> {
    await this.enqueue(
      'payment.returned',
      events.filter(({ isWithdrawal }) => !isWithdrawal),
      ({ reference: transactionId, walletId, amount, reason, at }) => ({
        transactionId,
        walletId,
        amount,
        currency: 'NGN',
        reason,
        returnedAt: at,
      }),
      tx,
    );
  }

  /** A credit caused by a payment is its refund. */
  @InTransaction(WalletCredited)
  async paymentsRefunded(events: readonly WalletCredited[], tx: Tx): Promise<void> {
    const refunds = events.filter(({ cause }) => cause === 'payment');
    await this.enqueue(
      'payment.refunded',
      refunds,
      ({ reference: transactionId, walletId, amount, balanceAfter, at }) => ({
        transactionId,
        walletId,
        amountRefunded: amount,
        newBalance: balanceAfter,
        currency: 'NGN',
        refundedAt: at.toISOString(),
      }),
      tx,
    );
  }

  /** Reads thresholds only for wallets with a subscriber. */
  @InTransaction(WalletDebited)
  async balancesFell(events: readonly WalletDebited[], tx: Tx): Promise<void> {
    const endpointsOf = await this.subscriptions.endpointsFor('wallet.low_balance', events, tx);
    if (!endpointsOf) return;
    const subscribed = events.filter(({ walletId }) => endpointsOf(walletId).length > 0);
    if (subscribed.length === 0) return;
    const thresholds = await this.thresholds.ofMany(
      [...new Set(subscribed.map(({ walletId }) => walletId))],
      tx,
    );
    const low = subscribed.flatMap((event) => {
      const threshold = thresholds.get(event.walletId);
      return threshold !== undefined && crosses(threshold, event.amount, event.balanceAfter)
        ? [
            {
              event,
              threshold,
              walletId: event.walletId,
              requestId: event.requestId,
              traceParent: event.traceParent,
            },
          ]
        : [];
    });
    await this.enqueue(
      'wallet.low_balance',
      low,
      ({ threshold, event: { walletId, balanceAfter, cause, reference, at } }) => ({
        walletId,
        threshold,
        newBalance: balanceAfter,
        currency: 'NGN',
        transactionId: cause === 'payment' ? reference : null,
        reachedAt: at.toISOString(),
      }),
      tx,
    );
  }

  @InTransaction(LimitWarned)
  async limitsReached(events: readonly LimitWarned[], tx: Tx): Promise<void> {
    await this.enqueue(
      'wallet.limit_warning',
      events,
      ({ walletId, keyId, budget, percent, limit, spent, days: periodWindowDays, at }) => ({
        walletId,
        keyId,
        budget,
        percent,
        limit,
        spent,
        currency: 'NGN',
        periodWindowDays,
        reachedAt: at.toISOString(),
      }),
      tx,
    );
  }

  @InTransaction(WalletStatusChanged)
  async statusesChanged(events: readonly WalletStatusChanged[], tx: Tx): Promise<void> {
    await this.enqueue(
      'wallet.status_changed',
      events,
      ({ walletId, before: previousStatus, after: status, at }) => ({
        walletId,
        previousStatus,
        status,
        changedAt: at.toISOString(),
      }),
      tx,
    );
  }

  private async enqueueAttempts<Name extends AttemptEventName, E extends Attempt>(
    event: Name,
    events: readonly E[],
    dataOf: (event: E) => Omit<EventData[Name], keyof AttemptData>,
    tx: Tx,
  ): Promise<void> {
    const endpointsOf = await this.subscriptions.endpointsFor(event, events, tx);
    const sent = endpointsOf ? events.filter(({ walletId }) => endpointsOf(walletId).length > 0) : [];
    if (sent.length === 0) return;
    const keys = await this.keys.labelsOf(
      sent.flatMap(({ keyId }) => keyId ?? []),
      tx,
    );
    const whole = (each: E) => {
      const data = { ...attemptData(each, keys.get(each.keyId ?? '')), ...dataOf(each) };
      return data as unknown as EventData[Name];
    };
    this.send(event, sent, whole, endpointsOf, tx);
  }

  private async enqueue<Name extends EventName, E extends OfWallet>(
    event: Name,
    events: readonly E[],
    dataOf: (event: E) => EventData[Name],
    tx: Tx,
  ): Promise<void> {
    this.send(event, events, dataOf, await this.subscriptions.endpointsFor(event, events, tx), tx);
  }

  private send<Name extends EventName, E extends OfWallet>(
    event: Name,
    events: readonly E[],
    dataOf: (event: E) => EventData[Name],
    endpointsOf: ((walletId: string) => readonly string[]) | null,
    tx: Tx,
  ): void {
    if (!endpointsOf) return;
    const deliveries = events.flatMap((each): NewDelivery[] => {
      const { walletId, requestId = null, traceParent = currentTraceParent() } = each;
      const endpointIds = endpointsOf(walletId);
      if (endpointIds.length === 0) return [];
      const message = {
        eventId: newId(),
        event,
        walletId,
        body: bodyOf(event, dataOf(each)),
        isTest: false,
        requestId,
        traceParent,
      };
      return endpointIds.map((endpointId) => ({ ...message, id: newId(), endpointId }));
    });
    if (deliveries.length === 0) return;
    this.deliveries.add(deliveries, tx);
    tx.afterCommit(() => this.dispatcher.wake());
  }
}
