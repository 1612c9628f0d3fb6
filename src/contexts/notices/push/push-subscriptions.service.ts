import { Injectable } from '@nestjs/common';
import { AppError, validationError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events, InTransaction } from '../../../platform/events/events.js';
import { urlProblem } from '../../../platform/security/outbound-url.js';
import { AddressGuard } from '../../../platform/security/safe-address.js';
import { AccountActed, SessionsEnded } from '../../identity/identity.events.js';
import { type SessionUser, Users } from '../../identity/identity.port.js';
import { authProblem, keyProblem } from './push.domain.js';
import type { PushSubscription } from './push.entity.js';
import { PushKeys } from './push-keys.service.js';
import { type NewSubscription, PushStore } from './push.store.js';

export type GivenSubscription = Pick<NewSubscription, 'endpoint' | 'p256dh' | 'auth' | 'device'>;

@Injectable()
export class PushSubscriptions {
  constructor(
    private readonly store: PushStore,
    private readonly keys: PushKeys,
    private readonly guard: AddressGuard,
    private readonly users: Users,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  async publicKey(): Promise<string> {
    return (await this.keys.current()).publicKey;
  }

  list(userId: string): Promise<PushSubscription[]> {
    return this.store.of(userId);
  }

  async add(session: SessionUser, given: GivenSubscription): Promise<PushSubscription> {
    await this.requireSound(given);
    const { userId, sessionId, accountId } = session;
    const { id: keyId } = await this.keys.current();
    return this.database.transaction(async (tx) => {
      if (!(await this.users.holdSession(sessionId, tx)))
        throw new AppError('UNAUTHORIZED', 'This session has ended. Sign in again.');
      const before = await this.store.of(userId, tx);
      const added = await this.store.add({ userId, sessionId, keyId, ...given }, tx);
      if (!added)
        throw validationError({ field: 'endpoint', message: 'belongs to the browser of somebody else' });
      if (!before.some(({ id }) => id === added.id)) {
        const acted = { accountId, userId, act: 'push.added', subject: added.id };
        await this.events.publish([new AccountActed({ ...acted, after: { device: given.device } })], tx);
      }
      return added;
    });
  }

  async remove({ userId, accountId }: SessionUser, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!isUuid(id) || !(await this.store.remove(userId, id, tx)))
        throw new AppError('PUSH_SUBSCRIPTION_NOT_FOUND', 'No browser of yours has this id.');
      await this.events.publish(
        [new AccountActed({ accountId, userId, act: 'push.removed', subject: id })],
        tx,
      );
    });
  }

  @InTransaction(SessionsEnded)
  async sessionsEnded(events: readonly SessionsEnded[], tx: Tx): Promise<void> {
    for (const { userId, sessionId, kept } of events)
      await this.store.endSessions(userId, sessionId, kept, tx);
  }

  private async requireSound({ endpoint, p256dh, auth }: GivenSubscription): Promise<void> {
    const problem =
      urlProblem(endpoint, !this.guard.allowPrivate) ??
      (await this.guard.problem(new URL(endpoint).hostname));
    const fields = [
      { field: 'endpoint', message: problem },
      { field: 'p256dh', message: keyProblem(p256dh) },
      { field: 'auth', message: authProblem(auth) },
    ].flatMap(({ field, message }) => (message === null ? [] : [{ field, message }]));
    if (fields.length > 0) throw validationError(...fields);
  }
}
