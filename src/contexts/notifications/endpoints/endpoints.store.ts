import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { AppError } from '../../../kernel/errors.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { EventName } from '../notifications.domain.js';
import type { SealedSecrets } from '../../../platform/security/unopenable.js';
import { activeSecrets, type SealedSecret } from './endpoints.domain.js';
import { WebhookEndpoint } from './endpoints.entity.js';

/** What an owner says of an endpoint. */
export type EndpointSettings = Pick<WebhookEndpoint, 'url' | 'events' | 'walletIds' | 'description'>;

/** An endpoint as its owner sees it. */
export type Endpoint = EndpointSettings &
  Pick<WebhookEndpoint, 'id' | 'status' | 'disabledReason' | 'disabledAt' | 'createdAt'>;

/** Which events of which wallets an endpoint gets. `walletIds` null: those of all wallets of its owner. */
export interface Subscription {
  readonly endpointId: string;
  readonly userId: string;
  readonly events: readonly EventName[];
  readonly walletIds: readonly string[] | null;
}

const NOW = (): string => `date_trunc('milliseconds', clock_timestamp())`;

@Injectable()
export class EndpointStore {
  constructor(private readonly database: Database) {}

  /** Holds the user's endpoints against others that would be added at the same time; answers how many there are. */
  async countForAdding(userId: string, tx: Tx): Promise<number> {
    await this.lockUser(userId, tx);
    return tx.repository(WebhookEndpoint).countBy({ userId, deletedAt: IsNull() });
  }

  /** Whatever else takes this lock for the user waits until `tx` ends. */
  async lockUser(userId: string, tx: Tx): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhook endpoints of ' || $1::text, 0))`, [
      userId,
    ]);
  }

  async add(
    id: string,
    userId: string,
    settings: EndpointSettings,
    secrets: readonly SealedSecret[],
    tx: Tx,
  ): Promise<Endpoint> {
    const endpoints = tx.repository(WebhookEndpoint);
    await endpoints.insert({ id, userId, ...settings, secrets, createdAt: NOW });
    return endpoints.findOneByOrFail({ id });
  }

  /** One page, newest first. */
  async list(userId: string, { page, pageSize }: PageRequest): Promise<Page<Endpoint>> {
    const [rows, total] = await this.database.repository(WebhookEndpoint).findAndCount({
      where: { userId, deletedAt: IsNull() },
      order: { id: 'DESC' },
      skip: (page - 1) * pageSize,
      take: pageSize,
    });
    return { rows, total };
  }

  /** Throws `WEBHOOK_ENDPOINT_NOT_FOUND`, the same whether there is none or it is another user's. */
  async require(id: string, userId: string, tx?: Tx): Promise<Endpoint> {
    const endpoints = (tx ?? this.database).repository(WebhookEndpoint);
    const found = isUuid(id) ? await endpoints.findOneBy({ id, userId, deletedAt: IsNull() }) : null;
    if (!found) throw new AppError('WEBHOOK_ENDPOINT_NOT_FOUND', 'No webhook endpoint of yours has this id.');
    return found;
  }

  /** The same, with its row locked until `tx` ends. */
  async requireLocked(id: string, userId: string, tx: Tx): Promise<Endpoint> {
    const found = isUuid(id)
      ? await tx.repository(WebhookEndpoint).findOne({
          where: { id, userId, deletedAt: IsNull() },
          lock: { mode: 'pessimistic_write' },
        })
      : null;
    if (!found) throw new AppError('WEBHOOK_ENDPOINT_NOT_FOUND', 'No webhook endpoint of yours has this id.');
    return found;
  }

  async change(id: string, settings: Partial<EndpointSettings>, tx: Tx): Promise<void> {
    if (Object.keys(settings).length > 0) await tx.repository(WebhookEndpoint).update({ id }, settings);
  }

  /** Enables a disabled endpoint; its failures are forgotten. */
  async enable(id: string, tx: Tx): Promise<void> {
    await tx.repository(WebhookEndpoint).update(
      { id, status: 'disabled' },
      {
        status: 'enabled',
        disabledReason: null,
        disabledAt: null,
        failingSince: null,
        lastFailedAt: null,
      },
    );
  }

  async forgetFailures(id: string, tx: Tx): Promise<void> {
    await tx.repository(WebhookEndpoint).update({ id }, { failingSince: null, lastFailedAt: null });
  }

  /** Disables an enabled endpoint; `url` given: only while it has this URL. Answers whether it did. */
  async disable(id: string, reason: string, url: string | null, tx: Tx): Promise<boolean> {
    const { affected } = await tx
      .repository(WebhookEndpoint)
      .update(
        { id, status: 'enabled', ...(url !== null && { url }) },
        { status: 'disabled', disabledReason: reason, disabledAt: NOW },
      );
    return affected === 1;
  }

  /** The endpoint is gone for its owner, and its secrets for everyone. */
  async delete(id: string, tx: Tx): Promise<void> {
    await tx.repository(WebhookEndpoint).update({ id }, { deletedAt: NOW, secrets: [] });
  }

  /** Writes its row again, unchanged: open dashboards are told that there is news of it. */
  async touch(id: string): Promise<void> {
    await this.database.query(`UPDATE webhook_endpoints SET status = status WHERE id = $1`, [id]);
  }

  /** The secrets of a locked endpoint, and the time by the clock of the database, which says when they end. */
  async secretsOf(id: string, tx: Tx): Promise<{ secrets: readonly SealedSecret[]; now: Date }> {
    const [found] = await tx.query<{ secrets: readonly SealedSecret[]; now: Date }>(
      `SELECT secrets, ${NOW()} AS now FROM webhook_endpoints WHERE id = $1`,
      [id],
    );
    if (!found) throw new Error(`there is no webhook endpoint ${id}`);
    return found;
  }

  /** The secrets that sign now of the enabled endpoints that follow `after`, by their id. */
  async sealedSecrets(after: string | null, limit: number): Promise<SealedSecrets[]> {
    const rows = await this.database.reads.query<{ id: string; secrets: readonly SealedSecret[]; now: Date }>(
      `SELECT id, secrets, ${NOW()} AS now FROM webhook_endpoints
        WHERE deleted_at IS NULL AND status = 'enabled' AND id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
        ORDER BY id LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ id, secrets, now }) => ({
      owner: id,
      sealed: activeSecrets(secrets, now).map(({ sealed }) => sealed),
    }));
  }

  async setSecrets(id: string, secrets: readonly SealedSecret[], tx: Tx): Promise<void> {
    await tx.repository(WebhookEndpoint).update({ id }, { secrets });
  }

  /** Everything that these users listen to. Part of the transaction of a payment, so prepared SQL. */
  subscriptionsOf(userIds: readonly string[], tx: Tx): Promise<Subscription[]> {
    return tx.query<Subscription>(
      `SELECT id AS "endpointId", user_id AS "userId", events, wallet_ids AS "walletIds"
         FROM webhook_endpoints
        WHERE user_id = ANY ($1::uuid[]) AND deleted_at IS NULL AND status = 'enabled'`,
      [userIds],
    );
  }
}
