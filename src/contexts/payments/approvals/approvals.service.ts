import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { isUnavailable, outcomeUnknown } from '../../../platform/database/failures.js';
import type { Queryable, Tx } from '../../../platform/database/tx.js';
import { Events, InTransaction } from '../../../platform/events/events.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { currentTraceParent } from '../../../platform/observability/tracing.js';
import { AppError, validationError } from '../../../kernel/errors.js';
import { kobo } from '../../../kernel/money.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { AccountActed } from '../../identity/identity.events.js';
import { type Actor, Users } from '../../identity/identity.port.js';
import { Settlements, type SettlementStatus } from '../../settlement/settlement.port.js';
import { type ApprovalRule, ApprovalRules } from '../../wallet/approval-rules.port.js';
import { WalletClosing } from '../../wallet/wallet.events.js';
import { type LockedWallet, SpendableWallets, Wallets } from '../../wallet/wallet.port.js';
import { attemptOf, paymentStatus } from '../payments.domain.js';
import { blockMessage } from '../checks/decide.domain.js';
import { ApprovalDecided, type ApprovalStatus, PaymentApproved, PaymentBlocked } from '../payments.events.js';
import { PaymentsStore } from '../payments.store.js';
import { RuleRecordsService } from '../rules/rule-records.service.js';
import {
  type ApprovalSort,
  type OwnerDecision,
  requesterApproves,
  type Review,
  type ReviewedTransaction,
  ruleOn,
} from './approvals.domain.js';
import { ApprovalsStore, type Ending } from './approvals.store.js';

const EXPIRE_EVERY_MS = 1_000;
const EXPIRING_WALLETS_MAX = 100;

export interface ApprovalsFilter {
  readonly walletId?: string | undefined;
  readonly status?: ApprovalStatus | undefined;
  readonly sort: ApprovalSort;
}

/** Writes outcome, hold, debit and settlement in one transaction, under the wallet's lock. */
@Injectable()
export class ApprovalsService {
  private readonly log = new Logger(ApprovalsService.name);

  constructor(
    private readonly store: ApprovalsStore,
    private readonly payments: PaymentsStore,
    private readonly rules: RuleRecordsService,
    private readonly approvalRules: ApprovalRules,
    private readonly wallets: Wallets,
    private readonly users: Users,
    private readonly spendable: SpendableWallets,
    private readonly settlements: Settlements,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
  ) {
    jobs.every(EXPIRE_EVERY_MS, () => this.expireDue());
  }

  /** Returns one page. Throws `WALLET_NOT_FOUND` and `VALIDATION_ERROR`. */
  async list(
    accountId: string,
    { walletId, status, sort }: ApprovalsFilter,
    request: PageRequest,
  ): Promise<Page<Review>> {
    if (sort === 'expiresAt' && status !== 'pending') {
      throw validationError({ field: 'sort', message: 'expiresAt needs status=pending' });
    }
    const ids =
      walletId === undefined
        ? await this.wallets.idsOwnedBy(accountId)
        : [(await this.wallets.requireOwned(walletId, accountId)).id];
    const { rows, total } = await this.store.page(ids, status, sort, request);
    return { rows: await this.withNames(await this.reviewsOf(rows)), total };
  }

  /** Throws `APPROVAL_NOT_FOUND`, also for another account's. */
  async get(id: string, accountId: string): Promise<Review> {
    const found = await this.find(id, accountId);
    const [review] = await this.withNames([await this.reviewOf(found)]);
    return { ...(review as Review), paidBefore: await this.store.paidBefore(found) };
  }

  private async withNames(reviews: readonly Review[]): Promise<Review[]> {
    const keyIds = new Set(reviews.flatMap(({ transaction: { keyId } }) => keyId ?? []));
    const userIds = new Set(
      reviews.flatMap(({ transaction: { approvalDecidedBy } }) => approvalDecidedBy ?? []),
    );
    const keys = keyIds.size > 0 ? await this.wallets.keyLabels([...keyIds]) : null;
    const emails = userIds.size > 0 ? await this.users.emailsOf([...userIds], this.database.reads) : null;
    return reviews.map((review) => {
      const key = keys?.get(review.transaction.keyId ?? '');
      const decidedByEmail = emails?.get(review.transaction.approvalDecidedBy ?? '');
      return { ...review, ...(key && { key }), ...(decidedByEmail !== undefined && { decidedByEmail }) };
    });
  }

  private async find(id: string, accountId: string): Promise<ReviewedTransaction> {
    const found = await this.store.find(id);
    const owners = found && (await this.wallets.ownersOf([found.walletId], this.database));
    if (!found || owners?.get(found.walletId) !== accountId) {
      throw new AppError('APPROVAL_NOT_FOUND', 'Approval not found.');
    }
    return found;
  }

  /**
   * Pays or blocks what waited; repeating a decision returns its result. Throws `APPROVAL_NOT_FOUND`,
   * `APPROVAL_ALREADY_DECIDED` (also after expiry), and, while it stays pending, `WALLET_INACTIVE` and
   * `WALLET_EXPIRED`. Above `secondApprovalAbove` the first of two approvals leaves it pending, and who made the key
   * that asked gets `REQUESTER_CANNOT_APPROVE`.
   */
  async decide(id: string, actor: Actor, decision: OwnerDecision, note: string | null): Promise<Review> {
    const { accountId, userId } = actor;
    const { walletId } = await this.find(id, accountId);
    const { outcome, refusal, decided } = await this.database.transaction(async (tx) => {
      const wallet = await this.spendable.lockById(walletId, tx);
      await this.users.assertMay(actor, 'payments.approve', tx);
      const transaction = await this.store.findLocked(id, walletId, tx);
      const ruling = ruleOn(transaction, decision, wallet);
      const { outcome } = ruling;
      if (outcome === null) return { ...ruling, decided: transaction };
      if (outcome === 'approved' && !(await this.isApprovedByEnough(transaction, actor, tx))) {
        return { outcome: null, refusal: null, decided: transaction };
      }
      const by = outcome === 'expired' ? NO_DECISION : { decidedBy: userId, note };
      await this.end(wallet, [{ transaction, outcome, at: wallet.now, ...by }], tx);
      return { ...ruling, decided: await this.store.findLocked(id, walletId, tx) };
    });
    // Thrown after the commit: an expiry found on the way must be kept.
    if (refusal) throw refusal;
    return outcome
      ? { transaction: decided, status: paymentStatus(decided, null) }
      : this.reviewOfRepeated(decided);
  }

  /** Counts members who may still approve, each once. */
  private async isApprovedByEnough(
    transaction: ReviewedTransaction,
    { accountId, userId }: Actor,
    tx: Tx,
  ): Promise<boolean> {
    const { id, walletId, amount } = transaction;
    const [{ secondAbove, requesterId }] = (await this.approvalRules.of([transaction], tx)) as [ApprovalRule];
    if (amount <= (secondAbove ?? Infinity)) return true;
    if (requesterId === userId) throw requesterApproves();
    const { isNew, all } = await this.store.vote(id, walletId, userId, tx);
    const others = all.filter((by) => by !== requesterId);
    if ((await this.users.allowedAmong(accountId, others, 'payments.approve', tx)).length > 1) return true;
    if (!isNew) return false;
    const after = { walletId, amount };
    const acted = { accountId, userId, act: 'payment.first-approved', subject: id, after };
    await this.events.publish([new AccountActed(acted)], tx);
    return false;
  }

  /** A failed read must not deny a decision that was made before. */
  private async reviewOfRepeated(transaction: ReviewedTransaction): Promise<Review> {
    try {
      return await this.reviewOf(transaction, this.database);
    } catch (error) {
      throw isUnavailable(error) ? outcomeUnknown() : error;
    }
  }

  private async reviewOf(transaction: ReviewedTransaction, from?: Queryable): Promise<Review> {
    const [review] = await this.reviewsOf([transaction], from);
    return review as Review;
  }

  private async reviewsOf(rows: readonly ReviewedTransaction[], from?: Queryable): Promise<Review[]> {
    const approved = rows.filter(({ approval }) => approval === 'approved');
    const settled =
      approved.length > 0
        ? await this.settlements.statusesOf(
            approved.map(({ id }) => id),
            from,
          )
        : new Map<string, SettlementStatus>();
    const pending = rows.filter(({ approval }) => approval === 'pending');
    const votes = await this.store.votesOn(pending, from);
    const rules = await this.approvalRules.of(pending, from ?? this.database.reads);
    const ruleOf = new Map(pending.map(({ id }, i) => [id, rules[i] as ApprovalRule]));
    return rows.map((transaction) => {
      const approvedBy = votes.get(transaction.id);
      const status = paymentStatus(transaction, settled.get(transaction.id) ?? null);
      const rule = ruleOf.get(transaction.id);
      return {
        transaction,
        status,
        ...(approvedBy && { approvedBy }),
        ...(rule && transaction.amount > (rule.secondAbove ?? Infinity) && { byTwo: rule }),
      };
    });
  }

  async expireDue(): Promise<void> {
    for (const walletId of await this.store.walletsDue(EXPIRING_WALLETS_MAX)) {
      try {
        const expired = await this.database.transaction((tx) => this.expireOf(walletId, tx));
        for (const { id: transactionId, amount, requestId } of expired)
          this.log.log(
            { requestId, transactionId, walletId, amount, code: 'APPROVAL_EXPIRED' },
            'payment expired',
          );
      } catch (error) {
        this.log.warn(`approvals of the wallet ${walletId} could not expire yet: ${String(error)}`);
      }
    }
  }

  private async expireOf(walletId: string, tx: Tx): Promise<readonly ReviewedTransaction[]> {
    const wallet = await this.spendable.lockById(walletId, tx);
    const due = await this.store.pendingOf(walletId, wallet.now, tx);
    await this.end(
      wallet,
      due.map((transaction) => ({ transaction, outcome: 'expired', at: wallet.now, ...NO_DECISION })),
      tx,
    );
    return due;
  }

  /** Frees the whole balance of closed wallets. */
  @InTransaction(WalletClosing)
  async denyAll(closings: readonly WalletClosing[], tx: Tx): Promise<void> {
    for (const { walletId, userId } of closings) {
      const wallet = await this.spendable.lockById(walletId, tx);
      const pending = await this.store.pendingOf(walletId, null, tx);
      await this.end(
        wallet,
        pending.map((transaction) => ({
          transaction,
          ...(wallet.now < transaction.approvalExpiresAt
            ? { outcome: 'denied', decidedBy: userId, note: 'The wallet was closed.' }
            : { outcome: 'expired', ...NO_DECISION }),
          at: wallet.now,
        })),
        tx,
      );
    }
  }

  /** `tx` has locked the wallet. */
  private async end(wallet: LockedWallet, endings: readonly Ending[], tx: Tx): Promise<void> {
    if (endings.length === 0) return;
    await this.store.end(endings, tx);
    const [paid, refused] = [
      endings.filter(({ outcome }) => outcome === 'approved'),
      endings.filter(({ outcome }) => outcome !== 'approved'),
    ];
    const released = refused.map(({ transaction: { walletId, id: transactionId } }) => ({
      walletId,
      transactionId,
    }));
    this.payments.addRefunds(released, tx);
    this.rules.release(released, tx);
    await this.events.publish(
      endings.map(
        ({ transaction, outcome, at, decidedBy, note }) =>
          new ApprovalDecided({
            ...attemptNow(transaction),
            outcome,
            at,
            decidedBy,
            note,
          }),
      ),
      tx,
    );
    await this.events.publish(approvals(wallet, paid), tx);
    await this.rules.approve(wallet, paid, tx);
    await this.events.publish(refused.map(refusal), tx);
  }
}

const NO_DECISION = { decidedBy: null, note: null };

/** In the trace of the decision. */
function attemptNow(transaction: ReviewedTransaction) {
  return attemptOf({ ...transaction, traceParent: currentTraceParent() });
}

function approvals({ balance }: LockedWallet, endings: readonly Ending[]): PaymentApproved[] {
  let left = balance;
  return endings.map(({ transaction, at }) => {
    left = kobo(left - transaction.amount);
    return new PaymentApproved({ ...attemptNow(transaction), at, balanceAfter: left });
  });
}

function refusal({ transaction, outcome, at }: Ending): PaymentBlocked {
  const blockReason = outcome === 'denied' ? 'APPROVAL_DENIED' : 'APPROVAL_EXPIRED';
  const message = blockMessage(transaction.facts, transaction, blockReason);
  return new PaymentBlocked({ ...attemptNow(transaction), at, blockReason, message });
}
