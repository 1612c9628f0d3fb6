import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { SecretBox } from '../../../platform/security/secret-box.js';
import { type Resealed, resealAll } from '../../../platform/security/resealing.js';
import { countUnopenable, unopenableInWords } from '../../../platform/security/unopenable.js';
import { CaseOpened, CaseResolved } from '../../operations/operations.events.js';
import { TwoFactorStore } from './two-factor.store.js';

const CASE = { kind: 'secrets-unreadable', subject: 'two-factor' } as const;

@Injectable()
export class TwoFactorSecrets {
  private readonly log = new Logger('two-factor');

  constructor(
    private readonly store: TwoFactorStore,
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
        replace: (userId, [sealed = ''], [resealed = '']) =>
          this.store.replaceSealed(userId, sealed, resealed),
      },
      report,
    );
  }

  private async check(): Promise<void> {
    const found = await countUnopenable(this.box, (after, limit) => this.store.sealedSecrets(after, limit));
    const description =
      `${unopenableInWords(found, 'second factors')} have secrets that were encrypted under another ` +
      'TWO_FACTOR_ENCRYPTION_KEY (JWT_SECRET where that is not set), and take no code of an app: name the one of before ' +
      'in TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS (JWT_SECRET_PREVIOUS), or have their users log in with a recovery code ' +
      'and set the app up again';
    if (found.count > 0) this.log.warn(description);
    await this.database.transaction((tx) =>
      found.count > 0
        ? this.events.publish([new CaseOpened({ ...CASE, walletId: null, description, reopens: true })], tx)
        : this.events.publish([new CaseResolved({ ...CASE, outcome: 'the secrets can be opened' })], tx),
    );
  }
}
