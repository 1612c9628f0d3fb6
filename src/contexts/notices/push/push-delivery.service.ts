import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LimitedLog } from '../../../platform/observability/limited-log.js';
import { Users } from '../../identity/identity.port.js';
import { concerns, SEPARATE_MAX } from '../notices.domain.js';
import type { Notice } from '../notices.entity.js';
import { messageOf, PUSHES_PER_HOUR_MAX, RETRY_SECONDS } from './push.domain.js';
import type { PushSubscription } from './push.entity.js';
import { PushKeys } from './push-keys.service.js';
import { PushSender } from './push-sender.js';
import { PushStore } from './push.store.js';

const FAN_OUT = 'notices.push';
const PUSH = 'notices.push-to-browser';

interface Push {
  readonly subscriptionId: string;
  readonly noticeIds: readonly string[];
  readonly failures: number;
}

@Injectable()
export class PushDelivery implements OnApplicationShutdown {
  private readonly log = new LimitedLog(new Logger('push'));

  constructor(
    private readonly store: PushStore,
    private readonly keys: PushKeys,
    private readonly sender: PushSender,
    private readonly users: Users,
    private readonly jobs: Jobs,
    private readonly database: Database,
  ) {
    jobs.define<{ readonly userId: string }>(FAN_OUT, ({ userId }) => this.fanOut(userId));
    jobs.define<Push>(PUSH, (push) => this.push(push));
  }

  onApplicationShutdown(): Promise<void> {
    return this.sender.close();
  }

  subscribersAmong(userIds: readonly string[], tx: Tx): Promise<ReadonlySet<string>> {
    return this.store.subscribersAmong(userIds, tx);
  }

  schedule(userId: string, tx: Tx, delaySeconds = 0): void {
    this.jobs.schedule(tx, FAN_OUT, { userId }, { delaySeconds, key: `${FAN_OUT} ${userId}` });
  }

  private async fanOut(userId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { used, renewsInSeconds } = await this.store.budgetOf(userId, tx);
      const left = PUSHES_PER_HOUR_MAX - used;
      if (left <= 0) {
        this.schedule(userId, tx, renewsInSeconds);
        return;
      }
      const due = await this.store.takeDue(userId, tx);
      if (due.length === 0) return;
      const messages = due.length > Math.min(SEPARATE_MAX, left) ? [due] : due.map((id) => [id]);
      for (const { id: subscriptionId } of await this.store.of(userId, tx))
        for (const noticeIds of messages) this.scheduleOne({ subscriptionId, noticeIds, failures: 0 }, 0, tx);
      await this.store.spend(userId, messages.length, tx);
    });
  }

  private scheduleOne(push: Push, delaySeconds: number, tx: Tx): void {
    const { subscriptionId, noticeIds, failures } = push;
    const key = `${PUSH} ${subscriptionId} ${noticeIds[0]} ${failures}`;
    this.jobs.schedule(tx, PUSH, push, { delaySeconds, key });
  }

  private async push(push: Push): Promise<void> {
    const subscription = await this.store.find(push.subscriptionId);
    if (!subscription) return;
    const notices = await this.concerning(subscription, push.noticeIds);
    const timeZone = await this.users.timeZoneOf(notices[0]?.accountId ?? subscription.userId);
    const message = messageOf(notices, await databaseNow(this.database), timeZone);
    const key = await this.keys.byId(subscription.keyId);
    if (!message || !key) return;
    const pushed = await this.sender.send(subscription, key, message);
    if (pushed.kind === 'sent') return;
    if (pushed.kind === 'gone') {
      await this.store.drop(subscription.id);
      return;
    }
    const { why, retryAfterSeconds } = pushed;
    const wait = retryAfterSeconds === null ? undefined : RETRY_SECONDS[push.failures];
    const { host } = new URL(subscription.endpoint);
    this.log.warn(`a push to ${host} is ${wait === undefined ? 'given up' : 'sent again later'}: ${why}`);
    if (wait === undefined) return;
    const again = { ...push, failures: push.failures + 1 };
    const delay = Math.max(wait, retryAfterSeconds ?? 0);
    await this.database.transaction((tx) => this.scheduleOne(again, delay, tx));
  }

  /** Still open, and the user's to act on. */
  private async concerning({ userId }: PushSubscription, ids: readonly string[]): Promise<Notice[]> {
    const notices = await this.store.noticesOf(userId, ids);
    const members = await this.users.membersOf([...new Set(notices.map(({ accountId }) => accountId))]);
    const memberships = members.filter((each) => each.userId === userId && !each.mustSetUpTwoFactor);
    return notices.filter((notice) => memberships.some((its) => concerns(notice, its)));
  }
}
