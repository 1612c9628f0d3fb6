import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { Database } from '../../../platform/database/database.js';
import { FailingEndpoints, type FailingEndpoint } from '../notifications.port.js';
import { WebhookEndpoint } from './endpoints.entity.js';

@Injectable()
export class FailingEndpointsStore extends FailingEndpoints {
  constructor(private readonly database: Database) {
    super();
  }

  async page({ page, pageSize }: PageRequest): Promise<Page<FailingEndpoint>> {
    const [rows, total] = await this.database.reads.repository(WebhookEndpoint).findAndCount({
      where: { failingSince: Not(IsNull()), deletedAt: IsNull() },
      order: { failingSince: 'ASC', id: 'ASC' },
      take: pageSize,
      skip: (page - 1) * pageSize,
    });
    return {
      rows: rows.map(({ id, accountId, url, status, disabledReason, failingSince, lastFailedAt }) => ({
        id,
        accountId,
        host: new URL(url).host,
        status,
        disabledReason,
        failingSince,
        lastFailedAt,
      })),
      total,
    };
  }
}
