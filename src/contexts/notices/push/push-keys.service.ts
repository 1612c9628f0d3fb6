import { Logger } from '@nestjs/common';
import webPush from 'web-push';
import { newId } from '../../../kernel/ids.js';
import { AppError } from '../../../kernel/errors.js';
import type { Database } from '../../../platform/database/database.js';
import type { Events } from '../../../platform/events/events.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { Masters } from '../../../platform/security/masters.js';
import { type Resealed, resealAll } from '../../../platform/security/resealing.js';
import { SecretBox } from '../../../platform/security/secret-box.js';
import { countUnopenable, unopenableInWords } from '../../../platform/security/unopenable.js';
import { CaseOpened, CaseResolved } from '../../operations/operations.events.js';
import type { PushKey } from './push.entity.js';
import type { PushStore } from './push.store.js';

export interface OpenedPushKey {
  readonly id: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

const CHECK_EVERY_MS = 60_000;
const CASE = { kind: 'secrets-unreadable', subject: 'push-keys' } as const;

export class PushKeys {
  private readonly log = new Logger('push');
  private readonly box: SecretBox;

  constructor(
    private readonly store: PushStore,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
    masters: Masters,
  ) {
    this.box = new SecretBox(masters, 'push keys, v1');
    jobs.atStart(async () => {
      await this.ensure();
      await this.check();
    });
    jobs.every(CHECK_EVERY_MS, () => this.ensure());
  }

  /** Throws `OVERLOADED` while there is none. */
  async current(): Promise<OpenedPushKey> {
    const [key] = await this.opened();
    if (!key) {
      const message = 'The key of web push is being made. Try again.';
      throw new AppError('OVERLOADED', message, { retryAfterSeconds: 5 });
    }
    return key;
  }

  async byId(id: string): Promise<OpenedPushKey | null> {
    return (await this.opened()).find((key) => key.id === id) ?? null;
  }

  reseal(report: (rows: number) => void): Promise<Resealed> {
    return resealAll(
      this.box,
      {
        page: (after, limit) => this.store.sealedKeys(after, limit),
        replace: (id, [sealed = ''], [resealed = '']) => this.store.replaceKey(id, sealed, resealed),
      },
      report,
    );
  }

  private async ensure(): Promise<void> {
    if ((await this.opened()).length > 0) return;
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    const id = newId();
    const made = { id, publicKey, sealedPrivateKey: this.box.seal(privateKey, id) };
    await this.store.addKey(made, (key) => this.open(key) !== null);
  }

  private async check(): Promise<void> {
    const found = await countUnopenable(this.box, (after, limit) => this.store.sealedKeysInUse(after, limit));
    const description =
      `${unopenableInWords(found, 'keys of web push')} were encrypted under another JWT_SECRET: browsers that subscribed ` +
      'to them are sent nothing until they open the dashboard again; name the one of before in JWT_SECRET_PREVIOUS';
    if (found.count > 0) this.log.warn(description);
    await this.database.transaction((tx) =>
      found.count > 0
        ? this.events.publish([new CaseOpened({ ...CASE, walletId: null, description, reopens: true })], tx)
        : this.events.publish([new CaseResolved({ ...CASE, outcome: 'the keys can be opened' })], tx),
    );
  }

  private async opened(): Promise<OpenedPushKey[]> {
    return (await this.store.keys()).flatMap((key) => this.open(key) ?? []);
  }

  private open({ id, publicKey, sealedPrivateKey }: PushKey): OpenedPushKey | null {
    const privateKey = this.box.open(sealedPrivateKey, id);
    return privateKey === null ? null : { id, publicKey, privateKey };
  }
}
