import { Logger } from '@nestjs/common';
import type { Database } from '../../../platform/database/database.js';
import type { Events } from '../../../platform/events/events.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { SecretBox } from '../../../platform/security/secret-box.js';
import { type Resealed, resealAll } from '../../../platform/security/resealing.js';
import { countUnopenable, unopenableInWords } from '../../../platform/security/unopenable.js';
import { CaseOpened, CaseResolved } from '../../operations/operations.events.js';
import type { EndpointStore } from './endpoints.store.js';

const CASE = { kind: 'secrets-unreadable', subject: 'webhook-endpoints' } as const;

/** Checks at each start that the secrets can be decrypted, without which nothing is sent; reseals them. */
export class EndpointSecrets {
  private readonly log = new Logger('webhooks');

  constructor(
    private readonly store: EndpointStore,
    private readonly box: SecretBox,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
  ) {
    jobs.atStart(() => this.check());
  }

  reseal(report: (rows: number) => void): Promise<Resealed> {
    return resealAll(
      this.box,
      {
        page: (after, limit) => this.store.allSealedSecrets(after, limit),
        replace: (id, sealed, resealed) =>
          this.database.transaction((tx) => this.store.replaceSealed(id, sealed, resealed, tx)),
      },
      report,
    );
  }

  private async check(): Promise<void> {
    const found = await countUnopenable(this.box, (after, limit) => this.store.sealedSecrets(after, limit));
    const description =
      `${unopenableInWords(found, 'webhook endpoints')} have secrets that were encrypted under another ` +
      'WEBHOOK_ENCRYPTION_KEY (JWT_SECRET where that is not set), and are sent nothing: name the one of before in ' +
      'WEBHOOK_ENCRYPTION_KEY_PREVIOUS (JWT_SECRET_PREVIOUS), or have their owners rotate the secrets';
    if (found.count > 0) this.log.warn(description);
    await this.database.transaction((tx) =>
      found.count > 0
        ? this.events.publish([new CaseOpened({ ...CASE, walletId: null, description, reopens: true })], tx)
        : this.events.publish([new CaseResolved({ ...CASE, outcome: 'the secrets can be opened' })], tx),
    );
  }
}
