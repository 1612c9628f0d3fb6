import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config.js';
import { databaseNow } from '../../platform/database/clock.js';
import { Database } from '../../platform/database/database.js';
import { AfterCommit } from '../../platform/events/events.js';
import { CaseRaised } from '../operations/operations.events.js';
import { Sender } from './deliveries/sender.js';

/** Tells `OPERATOR_WEBHOOK_URL` of new cases. Each case is a job, with the retries of one. */
@Injectable()
export class OperatorWebhook {
  constructor(
    private readonly sender: Sender,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  @AfterCommit(CaseRaised)
  async send(raised: readonly CaseRaised[]): Promise<void> {
    const { OPERATOR_WEBHOOK_URL: url, OPERATOR_WEBHOOK_SECRET: secret } = this.config;
    if (url === undefined || secret === undefined) return;
    const at = await databaseNow(this.database);
    for (const each of raised) {
      const { statusCode, error } = await this.sender.send({
        // Changes only if the case opens again.
        id: `${each.caseId}.${Date.parse(each.openedAt)}`,
        url,
        secrets: [secret],
        at,
        body: JSON.stringify({ event: 'case.opened', data: each }),
      });
      if (statusCode === null || statusCode < 200 || statusCode > 299) {
        throw new Error(`OPERATOR_WEBHOOK_URL did not take a case: ${error ?? `status ${statusCode}`}`);
      }
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.sender.abort();
    await this.sender.close();
  }
}
