import { Injectable } from '@nestjs/common';
import { And, IsNull, Not } from 'typeorm';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { Database } from '../../../platform/database/database.js';
import { FailingEndpoints, type FailingEndpoint } from '../notifications.port.js';
import { WebhookEndpoint } from './endpoints.entity.js';

const SHOWN = 10;
const DISABLED_BY_OWNER = 'disabled by its owner';

@Injectable()
export class FailingEndpointsStore implements FailingEndpoints {
  constructor(private readonly database: Database) {}

  async page({ page, pageSize }: PageRequest): Promise<Page<FailingEndpoint>> {
    const [rows, total] = await this.database.reads.repository(WebhookEndpoint).findAndCount({
      where: { failingSince: Not(IsNull()), deletedAt: IsNull() },
      order: { failingSince: 'ASC', id: 'ASC' },
      take: pageSize,
      skip: (page - 1) * pageSize,
    });
    return { rows: rows.map(failing), total };
  }

  async of(accountId: string): Promise<readonly FailingEndpoint[]> {
    const rows = await this.database.reads.repository(WebhookEndpoint).find({
      where: [
        { accountId, deletedAt: IsNull(), status: 'enabled', failingSince: Not(IsNull()) },
        { accountId, deletedAt: IsNull(), disabledReason: And(Not(IsNull()), Not(DISABLED_BY_OWNER)) },
      ],
      order: { failingSince: 'ASC', id: 'ASC' },
      take: SHOWN,
    });
    return rows.map(failing);
  }
}

function failing({
  id,
  accountId,
  url,
  status,
  disabledReason,
  failingSince,
  lastFailedAt,
}: WebhookEndpoint): FailingEndpoint {
  return { id, accountId, host: new URL(url).host, status, disabledReason, failingSince, lastFailedAt };
}
