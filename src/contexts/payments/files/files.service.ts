import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, validationError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { isUuid } from '../../../kernel/text.js';
import { Config } from '../../../platform/config.js';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../../identity/identity.events.js';
import { type Actor, Users } from '../../identity/identity.port.js';
import { LabelsService } from '../labels/labels.service.js';
import { TransactionsService } from '../transactions/transactions.service.js';
import { FILE_BYTES_MAX, fileName, FILES_PER_PAYMENT, typeOf } from './files.domain.js';
import type { PaymentFile } from './files.entity.js';
import { FilesStore } from './files.store.js';

const MIB = 1024 * 1024;
const UPLOADS_AT_ONCE = 8;
const UPLOADS_PER_ACCOUNT = 2;
const RETRY = { retryAfterSeconds: 2 };

@Injectable()
export class FilesService {
  private readonly uploading = new Map<string, number>();

  constructor(
    private readonly store: FilesStore,
    private readonly payments: TransactionsService,
    private readonly labels: LabelsService,
    private readonly users: Users,
    private readonly database: Database,
    private readonly events: Events,
    private readonly config: Config,
  ) {}

  async list(walletId: string, transactionId: string, accountId: string): Promise<PaymentFile[]> {
    const payment = await this.payments.requireOwn(walletId, transactionId, accountId);
    return this.store.of({ walletId: payment.walletId, transactionId: payment.id });
  }

  async add(
    walletId: string,
    transactionId: string,
    actor: Actor,
    given: string,
    read: (bytesMax: number) => Promise<Buffer>,
  ): Promise<PaymentFile> {
    await this.payments.requireOwn(walletId, transactionId, actor.accountId);
    return this.oneOfFew(actor.accountId, async () =>
      this.keep(walletId, transactionId, actor, given, await read(FILE_BYTES_MAX)),
    );
  }

  private async keep(
    walletId: string,
    transactionId: string,
    actor: Actor,
    given: string,
    bytes: Buffer,
  ): Promise<PaymentFile> {
    if (bytes.length === 0) throw validationError({ field: 'body', message: 'must be the bytes of a file' });
    const type = typeOf(bytes);
    if (!type)
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The file is no PNG, JPEG, WebP or GIF image and no PDF. Save it as one of these and send it again.',
      );
    const { accountId, userId } = actor;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return this.labels.lockingOwn(walletId, transactionId, actor, async (payment, tx) => {
      if ((await this.store.count(payment, tx)) >= FILES_PER_PAYMENT)
        throw new AppError(
          'FILE_LIMIT_REACHED',
          `A payment has at most ${FILES_PER_PAYMENT} files: remove one first.`,
        );
      const total = await this.store.totalOf(accountId, tx);
      if (total + bytes.length > this.config.ACCOUNT_FILES_MIB_MAX * MIB)
        throw new AppError(
          'FILE_STORAGE_FULL',
          `The files of the account may take ${this.config.ACCOUNT_FILES_MIB_MAX} MiB together: remove some first, ` +
            'or ask the operators of the service for more.',
        );
      const file = {
        ...{ ...payment, id: newId(), accountId, name: fileName(given, type), type, size: bytes.length },
        ...{ sha256, bytes, addedBy: userId, createdAt: await databaseNow(tx) },
        addedByEmail: (await this.users.emailsOf([userId], tx)).get(userId) ?? null,
      };
      await this.store.add(file, total, tx);
      const after = { file: file.id, name: file.name, size: file.size, sha256 };
      const act = { act: 'payment.file-added', subject: payment.transactionId, after };
      await this.events.publish([new AccountActed({ accountId, userId, ...act })], tx);
      return file;
    });
  }

  async download(
    walletId: string,
    transactionId: string,
    accountId: string,
    id: string,
  ): Promise<{ file: PaymentFile; pieces: AsyncGenerator<readonly Buffer[], void> }> {
    const payment = await this.payments.requireOwn(walletId, transactionId, accountId);
    const place = { walletId: payment.walletId, transactionId: payment.id };
    const file = isUuid(id) ? await this.store.find(place, id) : null;
    if (!file) throw notFound();
    return { file, pieces: this.store.pieces(file) };
  }

  remove(walletId: string, transactionId: string, actor: Actor, id: string): Promise<void> {
    const { accountId, userId } = actor;
    return this.labels.lockingOwn(walletId, transactionId, actor, async (payment, tx) => {
      const file = isUuid(id) ? await this.store.find(payment, id, tx) : null;
      if (!file) throw notFound();
      await this.store.remove(file, tx);
      const before = { file: file.id, name: file.name, size: file.size, sha256: file.sha256 };
      const act = { act: 'payment.file-removed', subject: payment.transactionId, before };
      await this.events.publish([new AccountActed({ accountId, userId, ...act })], tx);
    });
  }

  private async oneOfFew(accountId: string, work: () => Promise<PaymentFile>): Promise<PaymentFile> {
    const own = this.uploading.get(accountId) ?? 0;
    if (own >= UPLOADS_PER_ACCOUNT)
      throw new AppError(
        'RATE_LIMITED',
        'Other files are on their way: send this one once they are there.',
        RETRY,
      );
    const all = [...this.uploading.values()].reduce((sum, count) => sum + count, 0);
    if (all >= UPLOADS_AT_ONCE)
      throw new AppError(
        'OVERLOADED',
        'Many files are on their way: send this one again in a moment.',
        RETRY,
      );
    this.uploading.set(accountId, own + 1);
    try {
      return await work();
    } finally {
      const left = (this.uploading.get(accountId) ?? 1) - 1;
      if (left > 0) this.uploading.set(accountId, left);
      else this.uploading.delete(accountId);
    }
  }
}

function notFound(): AppError {
  return new AppError('FILE_NOT_FOUND', 'No file of this payment has this id.');
}
