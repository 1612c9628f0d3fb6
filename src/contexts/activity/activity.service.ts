import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { DOWNLOAD_PAGE_SIZE } from '../../platform/batching/pages.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { InTransaction } from '../../platform/events/events.js';
import { currentActor, currentRequestId } from '../../platform/observability/request-id.js';
import { AccountActed, InvitationExpired, SecurityChanged } from '../identity/identity.events.js';
import { type Actor, Users } from '../identity/identity.port.js';
import { ApprovalDecided } from '../payments/payments.events.js';
import { Wallets } from '../wallet/wallet.port.js';
import type { Activity } from './activity.entity.js';
import { ActivityLog } from './activity.port.js';
import { type ActivityFilter, ActivityStore } from './activity.store.js';

/** Operators stay unnamed to owners. */
const OPERATOR = 'operator';

/** One line an act, in its transaction. */
@Injectable()
export class ActivityService implements ActivityLog {
  constructor(
    private readonly store: ActivityStore,
    private readonly users: Users,
    private readonly wallets: Wallets,
    private readonly database: Database,
  ) {}

  list(accountId: string, filter: ActivityFilter, request: PageRequest): Promise<Page<Activity>> {
    return this.store.page(accountId, filter, request);
  }

  all(accountId: string, filter: ActivityFilter): AsyncGenerator<readonly Activity[], void> {
    return this.store.all(accountId, filter, DOWNLOAD_PAGE_SIZE);
  }

  async recordExport({ accountId, userId }: Actor, file: string): Promise<void> {
    const act = new AccountActed({ accountId, userId, act: 'export.downloaded', subject: file });
    await this.database.transaction((tx) => this.record([act], tx));
  }

  @InTransaction(AccountActed)
  async record(acts: readonly AccountActed[], tx: Tx): Promise<void> {
    if (acts.length === 0) return;
    const emails = await this.users.emailsOf([...new Set(acts.map(({ userId }) => userId))], tx);
    const here = currentActor()?.address ?? null;
    await this.store.add(
      acts.map(({ accountId, userId, act, subject, before, after, address, isByOperator }) => ({
        accountId,
        id: newId(),
        userId: isByOperator ? null : userId,
        actor: isByOperator ? OPERATOR : (emails.get(userId) ?? null),
        act,
        subject: subject ?? null,
        before: before ?? null,
        after: after ?? null,
        address: isByOperator ? null : (address ?? here),
        requestId: currentRequestId() ?? null,
      })),
      tx,
    );
  }

  @InTransaction(InvitationExpired)
  async recordExpired(invitations: readonly InvitationExpired[], tx: Tx): Promise<void> {
    if (invitations.length === 0) return;
    const by = { userId: null, actor: null, address: null, requestId: null, after: null };
    await this.store.add(
      invitations.map(({ accountId, invitationId, email, role }) => ({
        ...by,
        accountId,
        id: newId(),
        act: 'member.invitation-expired',
        subject: invitationId,
        before: { email, role },
      })),
      tx,
    );
  }

  @InTransaction(SecurityChanged)
  async recordSecurity(changes: readonly SecurityChanged[], tx: Tx): Promise<void> {
    const acts: AccountActed[] = [];
    for (const { userId, change, passkey } of changes) {
      const accountId = await this.users.accountOf(userId, tx);
      const of = passkey ? { subject: passkey.id, after: { name: passkey.name } } : { subject: userId };
      acts.push(new AccountActed({ accountId, userId, act: `security.${change}`, ...of }));
    }
    await this.record(acts, tx);
  }

  @InTransaction(ApprovalDecided)
  async recordApprovals(decisions: readonly ApprovalDecided[], tx: Tx): Promise<void> {
    const decided = decisions.filter(({ decidedBy }) => decidedBy !== null);
    if (decided.length === 0) return;
    const accounts = await this.wallets.ownersOf([...new Set(decided.map(({ walletId }) => walletId))], tx);
    await this.record(
      decided.map(
        ({ walletId, transactionId, outcome, decidedBy, note, details }) =>
          new AccountActed({
            accountId: accounts.get(walletId) as string,
            userId: decidedBy as string,
            act: `payment.${outcome}`,
            subject: transactionId,
            before: { status: 'pending' },
            after: {
              status: outcome,
              walletId,
              amount: details.amount,
              merchantName: details.merchantName,
              ...(note !== null && { note }),
            },
          }),
      ),
      tx,
    );
  }
}
