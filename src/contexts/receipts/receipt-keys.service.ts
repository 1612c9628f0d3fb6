import { createHmac, generateKeyPairSync, hkdfSync } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { AppError } from '../../kernel/errors.js';
import { Database } from '../../platform/database/database.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { Masters } from '../../platform/security/masters.js';
import { type Resealed, resealAll } from '../../platform/security/resealing.js';
import { SecretBox } from '../../platform/security/secret-box.js';
import { countUnopenable, unopenableInWords } from '../../platform/security/unopenable.js';
import { CaseOpened, CaseResolved } from '../operations/operations.events.js';
import type { ReceiptKey, ReceiptSaltKey } from './receipts.entity.js';
import { type NewReceiptKey, ReceiptsStore } from './receipts.store.js';

export interface OpenedKey {
  readonly kid: string;
  /** PEM. */
  readonly privateKey: string;
}

const KEY_DAYS = 90;
const CHECK_EVERY_MS = 60_000;
const SALT_OWNER = 'salts';
const CASE = { kind: 'secrets-unreadable', subject: 'receipt-keys' } as const;

/** Stored sealed. Made at start and by jobs, under a lock; never by a request. */
export class ReceiptKeys {
  private readonly log = new Logger('receipts');
  private readonly box: SecretBox;
  private readonly sealedBy: readonly string[];
  private making: Promise<void> | undefined;
  private saltKey: Buffer | undefined;

  constructor(
    private readonly store: ReceiptsStore,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
    private readonly masters: Masters,
  ) {
    this.box = new SecretBox(masters, 'receipt signing keys, v1');
    this.sealedBy = masters.map(fingerprint);
    jobs.atStart(async () => {
      await this.ensure();
      await this.check();
    });
    jobs.every(CHECK_EVERY_MS, () => this.ensure());
    jobs.daily('payments.rotate-receipt-key-daily', '02:40', () => this.renew());
  }

  /** Throws `OVERLOADED` while there is none. */
  async signing(): Promise<OpenedKey> {
    const opened = await this.afterMaking(async () => {
      const signing = await this.store.signing(this.sealedBy, this.isOwn, KEY_DAYS);
      return signing && this.opened(signing.key);
    });
    if (!opened) throw notYet();
    return opened;
  }

  /** Keeps a holder from trying all account numbers; stable per attempt. Throws `OVERLOADED`. */
  async saltOf(transactionId: string): Promise<string> {
    this.saltKey ??= (await this.afterMaking(() => this.openedSaltKey())) ?? undefined;
    if (!this.saltKey) throw notYet();
    return createHmac('sha256', this.saltKey).update(transactionId).digest('base64url');
  }

  all(): Promise<ReceiptKey[]> {
    return this.store.all();
  }

  /** A new key signs from now on. */
  async rotate(): Promise<void> {
    await this.store.replaceAll(this.sealedBy, await this.newKey());
  }

  /** False if it is unknown or revoked already. Another one signs from now on. */
  async revoke(kid: string, reason: string): Promise<boolean> {
    const isRevoked = await this.store.revoke(kid, reason);
    if (isRevoked) await this.renew();
    return isRevoked;
  }

  async reseal(report: (rows: number) => void): Promise<Resealed> {
    for (const key of await this.store.saltKeys()) {
      const resealed = this.box.reseal(key.sealedKey, SALT_OWNER);
      if (resealed !== null && resealed !== key.sealedKey) await this.store.replaceSaltKey(key, resealed);
    }
    return resealAll(
      this.box,
      {
        page: (after, limit) => this.store.sealedKeys(after, limit),
        replace: (kid, [sealed = ''], [resealed = '']) =>
          this.store.replaceSealed(kid, sealed, resealed, this.sealedBy),
      },
      report,
    );
  }

  private ensure(): Promise<void> {
    return (this.making ??= this.make().finally(() => (this.making = undefined)));
  }

  private async make(): Promise<void> {
    if ((await this.openedSaltKey()) === null) {
      const key = Buffer.from(hkdfSync('sha256', this.masters.at(-1) as string, '', 'receipt salts, v1', 32));
      const sealed = this.box.seal(key.toString('base64url'), SALT_OWNER);
      await this.store.addSaltKey(sealed, (stored) => this.openedSalt(stored) !== null);
    }
    const signing = await this.store.signing(this.sealedBy, this.isOwn, KEY_DAYS);
    if (!signing || signing.isOld) await this.renew();
  }

  /** Keys of a lost secret retire with age, which resolves the case at the next start. */
  private async check(): Promise<void> {
    const found = await countUnopenable(this.box, (after, limit) => this.store.sealedKeys(after, limit));
    const description =
      `${unopenableInWords(found, 'keys that sign receipts')} were encrypted under another JWT_SECRET: receipts that ` +
      'they signed stay valid, new ones are signed and salted by new keys; name the one of before in ' +
      'JWT_SECRET_PREVIOUS, or run npm run receipt-keys -- --rotate';
    if (found.count > 0) this.log.warn(description);
    await this.database.transaction((tx) =>
      found.count > 0
        ? this.events.publish([new CaseOpened({ ...CASE, walletId: null, description, reopens: true })], tx)
        : this.events.publish([new CaseResolved({ ...CASE, outcome: 'the keys can be opened' })], tx),
    );
  }

  private async renew(): Promise<void> {
    await this.store.renew(KEY_DAYS, this.sealedBy, this.isOwn, await this.newKey());
  }

  private async afterMaking<T>(read: () => Promise<T | null>): Promise<T | null> {
    const found = await read();
    if (found !== null || !this.making) return found;
    await this.making.catch(() => undefined);
    return read();
  }

  private async openedSaltKey(): Promise<Buffer | null> {
    const opened = (await this.store.saltKeys()).map((key) => this.openedSalt(key));
    const first = opened.find((key) => key !== null);
    return first ? Buffer.from(first, 'base64url') : null;
  }

  private openedSalt({ sealedKey }: ReceiptSaltKey): string | null {
    return this.box.open(sealedKey, SALT_OWNER);
  }

  private readonly isOwn = (key: ReceiptKey): boolean => this.opened(key) !== null;

  private opened({ kid, sealedPrivateKey }: ReceiptKey): OpenedKey | null {
    const privateKey = sealedPrivateKey === null ? null : this.box.open(sealedPrivateKey, kid);
    return privateKey === null ? null : { kid, privateKey };
  }

  private async newKey(): Promise<NewReceiptKey> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const jwk = publicKey.export({ format: 'jwk' }) as JWK & { x: string };
    const kid = await calculateJwkThumbprint(jwk);
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
    return { kid, publicKey: jwk.x, sealedPrivateKey: this.box.seal(pem, kid) };
  }
}

function fingerprint(master: string): string {
  return Buffer.from(hkdfSync('sha256', master, '', 'receipt key owner, v1', 16)).toString('base64url');
}

function notYet(): AppError {
  return new AppError('OVERLOADED', 'The key that signs receipts is being made. Try again.', {
    retryAfterSeconds: 5,
  });
}
