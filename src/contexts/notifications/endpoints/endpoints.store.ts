import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { AppError } from '../../../kernel/errors.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { EventName } from '../notifications.domain.js';
import type { SealedSecrets } from '../../../platform/security/unopenable.js';
import { activeSecrets, type SealedSecret } from './endpoints.domain.js';
import { WebhookEndpoint } from './endpoints.entity.js';

export type EndpointSettings = Pick<WebhookEndpoint, 'url' | 'events' | 'walletIds' | 'description'>;

export type Endpoint = EndpointSettings &
  Pick<WebhookEndpoint, 'id' | 'status' | 'disabledReason' | 'disabledAt' | 'createdAt'>;

/** `walletIds` null: all wallets of the account. */
export interface Subscription {
  readonly endpointId: string;
  readonly accountId: string;
  readonly events: readonly EventName[];
  readonly walletIds: readonly string[] | null;
}

const NOW = (): string => `date_trunc('milliseconds', clock_timestamp())`;

@Injectable()
export class EndpointStore {
  constructor(private readonly database: Database) {}

  /** Locks the account against concurrent additions. Returns the number of endpoints. */
  async countForAdding(accountId: string, tx: Tx): Promise<number> {
    await this.lockUser(accountId, tx);
    return tx.repository(WebhookEndpoint).countBy({ accountId, deletedAt: IsNull() });
  }

  /** Advisory lock until `tx` ends. */
  async lockUser(accountId: string, tx: Tx): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhook endpoints of ' || $1::text, 0))`, [
      accountId,
    ]);
  }

  async add(
    id: string,
    accountId: string,
    settings: EndpointSettings,
    secrets: readonly SealedSecret[],
    tx: Tx,
  ): Promise<Endpoint> {
    const endpoints = tx.repository(WebhookEndpoint);
    await endpoints.insert({ id, accountId, ...settings, secrets, createdAt: NOW });
    return endpoints.findOneByOrFail({ id });
  }

  async list(accountId: string, { page, pageSize }: PageRequest): Promise<Page<Endpoint>> {
    const [rows, total] = await this.database.repository(WebhookEndpoint).findAndCount({
      where: { accountId, deletedAt: IsNull() },
      order: { id: 'DESC' },
      skip: (page - 1) * pageSize,
      take: pageSize,
    });
    return { rows, total };
  }

  /** Throws `WEBHOOK_ENDPOINT_NOT_FOUND`, for another account's too. */
  async require(id: string, accountId: string, tx?: Tx): Promise<Endpoint> {
    const endpoints = (tx ?? this.database).repository(WebhookEndpoint);
    const found = isUuid(id) ? await endpoints.findOneBy({ id, accountId, deletedAt: IsNull() }) : null;
    if (!found) throw new AppError('WEBHOOK_ENDPOINT_NOT_FOUND', 'Webhook endpoint not found.');
    return found;
  }

  /** Locks the row until `tx` ends. Throws as {@link require}. */
  async requireLocked(id: string, accountId: string, tx: Tx): Promise<Endpoint> {
    const found = isUuid(id)
      ? await tx.repository(WebhookEndpoint).findOne({
          where: { id, accountId, deletedAt: IsNull() },
          lock: { mode: 'pessimistic_write' },
        })
      : null;
    if (!found) throw new AppError('WEBHOOK_ENDPOINT_NOT_FOUND', 'Webhook endpoint not found.');
    return found;
  }

  async change(id: string, settings: Partial<EndpointSettings>, tx: Tx): Promise<void> {
    if (Object.keys(settings).length > 0) await tx.repository(WebhookEndpoint).update({ id }, settings);
  }

  /** Resets the failure times too. */
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

  /** Disables an enabled endpoint, only while it has `url` if given. Returns false if nothing changed. */
  async disable(id: string, reason: string, url: string | null, tx: Tx): Promise<boolean> {
    const { affected } = await tx
      .repository(WebhookEndpoint)
      .update(
        { id, status: 'enabled', ...(url !== null && { url }) },
        { status: 'disabled', disabledReason: reason, disabledAt: NOW },
      );
    return affected === 1;
  }

  /** Erases the secrets too. */
  async delete(id: string, tx: Tx): Promise<void> {
    await tx.repository(WebhookEndpoint).update({ id }, { deletedAt: NOW, secrets: [] });
  }

  /** Rewrites the row unchanged: its new `xmin` notifies open dashboards. */
  async touch(id: string): Promise<void> {
    await this.database.query(`UPDATE webhook_endpoints SET status = status WHERE id = $1`, [id]);
  }

  /** Secrets of a locked endpoint, and the database's time, which decides their expiry. */
  async secretsOf(id: string, tx: Tx): Promise<{ secrets: readonly SealedSecret[]; now: Date }> {
    const [found] = await tx.query<{ secrets: readonly SealedSecret[]; now: Date }>(
      `SELECT secrets, ${NOW()} AS now FROM webhook_endpoints WHERE id = $1`,
      [id],
    );
    if (!found) throw new Error(`there is no webhook endpoint ${id}`);
    return found;
  }

  /** Active secrets of enabled endpoints, in order of id after `after`. */
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

  async allSealedSecrets(after: string | null, limit: number): Promise<SealedSecrets[]> {
    const endpoints = await this.database.reads.repository(WebhookEndpoint).find({
      select: { id: true, secrets: true },
      where: { deletedAt: IsNull(), ...(after !== null && { id: MoreThan(after) }) },
      order: { id: 'ASC' },
      take: limit,
    });
    return endpoints.map(({ id, secrets }) => ({ owner: id, sealed: secrets.map(({ sealed }) => sealed) }));
  }

  /** Keeps secrets that were added since, and how long each signs. */
  async replaceSealed(
    id: string,
    sealed: readonly string[],
    resealed: readonly string[],
    tx: Tx,
  ): Promise<void> {
    const endpoint = await tx.repository(WebhookEndpoint).findOne({
      select: { id: true, secrets: true },
      where: { id, deletedAt: IsNull() },
      lock: { mode: 'for_no_key_update' },
    });
    const secrets = endpoint?.secrets.map((secret) => {
      const again = resealed[sealed.indexOf(secret.sealed)];
      return again === undefined ? secret : { ...secret, sealed: again };
    });
    if (secrets) await this.setSecrets(id, secrets, tx);
  }

  async setSecrets(id: string, secrets: readonly SealedSecret[], tx: Tx): Promise<void> {
    await tx.repository(WebhookEndpoint).update({ id }, { secrets });
  }

  /** Prepared SQL: part of a payment's transaction. */
  subscriptionsOf(accountIds: readonly string[], tx: Tx): Promise<Subscription[]> {
    return tx.query<Subscription>(
      `SELECT id AS "endpointId", user_id AS "accountId", events, wallet_ids AS "walletIds"
         FROM webhook_endpoints
        WHERE user_id = ANY ($1::uuid[]) AND deleted_at IS NULL AND status = 'enabled'`,
      [accountIds],
    );
  }
}
