import { Injectable } from '@nestjs/common';
import { isoText } from '../../kernel/time.js';
import { databaseNow } from '../../platform/database/clock.js';
import { Database } from '../../platform/database/database.js';
import { AfterCommit } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { type BankAccount, NameEnquiry } from '../bank/name-enquiry.port.js';
import { Users } from '../identity/identity.port.js';
import { ApprovalDecided, ApprovalRequested, LimitWarned } from '../payments/payments.events.js';
import { Payments, recipientOf, Transactions } from '../payments/payments.port.js';
import {
  ReturnRefunded,
  SettlementFailed,
  SettlementReversed,
  WithdrawalFailed,
} from '../settlement/settlement.events.js';
import { Wallets } from '../wallet/wallet.port.js';
import type { News, NoticeParts } from './notices.domain.js';
import { NoticesService } from './notices.service.js';

const REMIND = 'notices.remind';
const HOUR_MS = 60 * 60_000;

interface OfWallet {
  readonly walletId: string;
}

interface Reminder extends OfWallet {
  readonly accountId: string;
  readonly transactionId: string;
  readonly parts: NoticeParts;
}

const requestKey = (transactionId: string) => `approval.requested ${transactionId}`;

/** After the commit: never holds up a payment. */
@Injectable()
export class PaymentNews {
  constructor(
    private readonly notices: NoticesService,
    private readonly wallets: Wallets,
    private readonly payments: Payments,
    private readonly transactions: Transactions,
    private readonly names: NameEnquiry,
    private readonly users: Users,
    private readonly jobs: Jobs,
    private readonly database: Database,
  ) {
    jobs.define<Reminder>(REMIND, (reminder) => this.remind(reminder));
  }

  @AfterCommit(ApprovalRequested)
  async approvalsRequested(events: readonly ApprovalRequested[]): Promise<void> {
    const { of, nameOf } = await this.walletsOf(events);
    for (const { transactionId, walletId, details, purpose, expiresAt } of events) {
      const accountId = of(walletId);
      const { transaction } = await this.transactions.ofUser(transactionId, accountId);
      const { keyId } = transaction;
      const key = keyId === null ? undefined : (await this.wallets.keyLabels([keyId])).get(keyId);
      const recipient = recipientOf(details);
      const accountName = await this.holderOf(recipient);
      const parts: NoticeParts = {
        amount: details.amount,
        merchantName: details.merchantName,
        ...recipient,
        walletName: nameOf(walletId),
        expiresAt: isoText(new Date(expiresAt)),
        ...(accountName !== null && { accountName }),
        ...(key && { keyName: key.name ?? key.prefix }),
        ...(purpose !== null && { purpose }),
        ...(details.reason !== null && { reason: details.reason }),
        ...(transaction.facts.approval && { limit: transaction.facts.approval.threshold }),
      };
      await this.notices.tell([
        {
          kind: 'approval.requested',
          accountId,
          key: requestKey(transactionId),
          walletId,
          subjectId: transactionId,
          parts,
        },
      ]);
      await this.scheduleReminder({ accountId, walletId, transactionId, parts }, new Date(expiresAt));
      // It may have been decided meanwhile.
      const { transaction: now } = await this.transactions.ofUser(transactionId, accountId);
      if (now.approval !== null && now.approval !== 'pending')
        await this.notices.end(accountId, requestKey(transactionId), now.approval, null);
    }
  }

  @AfterCommit(ApprovalDecided)
  async approvalsDecided(events: readonly ApprovalDecided[]): Promise<void> {
    const { of, nameOf } = await this.walletsOf(events);
    for (const { transactionId, walletId, details, outcome, decidedBy } of events) {
      const accountId = of(walletId);
      const by = decidedBy === null ? null : await this.users.emailOf(decidedBy);
      for (const key of [requestKey(transactionId), `approval.expiring ${transactionId}`])
        await this.notices.end(accountId, key, outcome, by);
      const parts: NoticeParts = {
        amount: details.amount,
        merchantName: details.merchantName,
        walletName: nameOf(walletId),
        outcome,
        ...(by !== null && { by }),
      };
      await this.notices.tell([
        {
          kind: 'approval.decided',
          accountId,
          key: `approval.decided ${transactionId}`,
          walletId,
          subjectId: transactionId,
          parts,
          except: decidedBy,
        },
      ]);
    }
  }

  @AfterCommit(LimitWarned)
  async limitsReached(events: readonly LimitWarned[]): Promise<void> {
    const { of, nameOf } = await this.walletsOf(events);
    const labels = await this.wallets.keyLabels(events.flatMap(({ keyId }) => keyId ?? []));
    await this.notices.tell(
      events.map(({ walletId, keyId, budget, percent, limit, spent, at }): News => {
        const key = keyId === null ? undefined : labels.get(keyId);
        return {
          kind: 'wallet.limit_warning',
          accountId: of(walletId),
          key: `wallet.limit_warning ${keyId ?? walletId} ${budget} ${percent} ${String(at)}`,
          walletId,
          subjectId: keyId,
          parts: {
            walletName: nameOf(walletId),
            percent,
            limit,
            amount: spent,
            ...(key && { keyName: key.name ?? key.prefix }),
          },
        };
      }),
    );
  }

  @AfterCommit(SettlementFailed)
  async payoutsFailed(events: readonly SettlementFailed[]): Promise<void> {
    await this.tellOfPayouts('payment.failed', events);
  }

  @AfterCommit(WithdrawalFailed)
  async withdrawalsFailed(events: readonly WithdrawalFailed[]): Promise<void> {
    await this.tellOfPayouts(
      'payment.failed',
      events.map((event) => ({ ...event, reference: event.withdrawalId })),
    );
  }

  @AfterCommit(SettlementReversed)
  async payoutsReturned(events: readonly SettlementReversed[]): Promise<void> {
    await this.tellOfPayouts('payment.returned', events);
  }

  @AfterCommit(ReturnRefunded)
  async returnsRefunded(events: readonly ReturnRefunded[]): Promise<void> {
    const { of } = await this.walletsOf(events);
    for (const { reference, walletId } of events) {
      await this.notices.end(of(walletId), `payment.returned ${reference}`, 'refunded', null);
    }
  }

  private async tellOfPayouts(
    kind: 'payment.failed' | 'payment.returned',
    payouts: readonly (OfWallet & {
      readonly reference: string;
      readonly amount: number;
      readonly reason: string;
    })[],
  ): Promise<void> {
    const { of, nameOf } = await this.walletsOf(payouts);
    const payees = await this.payments.payeesOf(payouts.map(({ reference }) => reference));
    await this.notices.tell(
      payouts.map(({ reference, walletId, amount, reason }): News => {
        const payee = payees.get(reference);
        return {
          kind,
          accountId: of(walletId),
          key: `${kind} ${reference}`,
          walletId,
          subjectId: reference,
          parts: { amount, reason: sentence(reason), walletName: nameOf(walletId), ...payee },
        };
      }),
    );
  }

  private async scheduleReminder(reminder: Reminder, expiresAt: Date): Promise<void> {
    const waitMs = expiresAt.getTime() - HOUR_MS - (await databaseNow(this.database)).getTime();
    // The request itself says so.
    if (waitMs <= 0) return;
    const when = { delaySeconds: waitMs / 1_000, key: `${REMIND} ${reminder.transactionId}` };
    await this.database.transaction((tx) => this.jobs.schedule(tx, REMIND, reminder, when));
  }

  private async remind({ accountId, walletId, transactionId, parts }: Reminder): Promise<void> {
    const { transaction } = await this.transactions.ofUser(transactionId, accountId);
    if (transaction.approval !== 'pending') return;
    await this.notices.tell([
      {
        kind: 'approval.expiring',
        accountId,
        key: `approval.expiring ${transactionId}`,
        walletId,
        subjectId: transactionId,
        parts,
      },
    ]);
  }

  /** Null: unknown now. */
  private async holderOf(account: BankAccount): Promise<string | null> {
    try {
      const name = await this.names.resolve(account);
      return name.kind === 'resolved' ? name.accountName : null;
    } catch {
      return null;
    }
  }

  private async walletsOf(events: readonly OfWallet[]) {
    const ids = [...new Set(events.map(({ walletId }) => walletId))];
    const accounts = await this.wallets.ownersOf(ids, this.database);
    const names = await this.wallets.namesOf(ids);
    return {
      of: (walletId: string): string => {
        const accountId = accounts.get(walletId);
        if (accountId === undefined) throw new Error(`the wallet ${walletId} does not exist`);
        return accountId;
      },
      nameOf: (walletId: string): string => names.get(walletId) ?? 'the wallet',
    };
  }
}

function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
