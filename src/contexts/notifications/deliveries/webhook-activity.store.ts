import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type EndpointState, WebhookActivity } from '../notifications.port.js';

@Injectable()
export class WebhookActivityStore implements WebhookActivity {
  constructor(private readonly database: Database) {}

  /**
   * Settings, failures and resends rewrite the endpoint's row (new `xmin`); deliveries show in the newest and
   * the first due.
   */
  statesOf(accountIds: readonly string[]): Promise<readonly EndpointState[]> {
    return this.database.reads.query<EndpointState>(
      `SELECT e.id AS "endpointId", e.user_id AS "accountId",
              md5(concat_ws(' ', e.xmin, newest, due)) AS state
         FROM webhook_endpoints e
         LEFT JOIN LATERAL (SELECT d.id, d.status, d.attempts FROM webhook_deliveries d WHERE d.endpoint_id = e.id
                             ORDER BY d.id DESC LIMIT 1) newest ON true
         LEFT JOIN LATERAL (SELECT d.id, d.attempts FROM webhook_deliveries d
                             WHERE d.endpoint_id = e.id AND d.status = 'pending'
                             ORDER BY d.next_attempt_at LIMIT 1) due ON true
        WHERE e.user_id = ANY ($1::uuid[]) AND e.deleted_at IS NULL`,
      [accountIds],
    );
  }
}
