import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { isUuid } from '../../../kernel/text.js';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../../identity/identity.events.js';
import { type Actor, Users } from '../../identity/identity.port.js';
import { LabelsService } from '../labels/labels.service.js';
import { TransactionsService } from '../transactions/transactions.service.js';
import { PaymentNote } from './notes.entity.js';

const NOTES_MAX = 100;

@Injectable()
export class NotesService {
  constructor(
    private readonly payments: TransactionsService,
    private readonly labels: LabelsService,
    private readonly users: Users,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  async list(walletId: string, transactionId: string, accountId: string): Promise<PaymentNote[]> {
    const payment = await this.payments.requireOwn(walletId, transactionId, accountId);
    return this.database
      .repository(PaymentNote)
      .find({ where: { walletId: payment.walletId, transactionId: payment.id }, order: { id: 'ASC' } });
  }

  add(walletId: string, transactionId: string, actor: Actor, text: string): Promise<PaymentNote> {
    const { accountId, userId } = actor;
    return this.labels.lockingOwn(walletId, transactionId, actor, async (payment, tx) => {
      const notes = tx.repository(PaymentNote);
      if ((await notes.countBy(payment)) >= NOTES_MAX)
        throw new AppError(
          'NOTE_LIMIT_REACHED',
          `A payment has at most ${NOTES_MAX} notes: remove one of yours first.`,
        );
      const author = (await this.users.emailsOf([userId], tx)).get(userId) ?? null;
      const createdAt = await databaseNow(tx);
      const note = { ...payment, id: newId(), authorId: userId, author, text, createdAt };
      await notes.insert(note);
      const act = { act: 'payment.note-added', subject: payment.transactionId, after: { note: note.id } };
      await this.events.publish([new AccountActed({ accountId, userId, ...act })], tx);
      return note;
    });
  }

  remove(walletId: string, transactionId: string, actor: Actor, id: string): Promise<void> {
    const { accountId, userId } = actor;
    return this.labels.lockingOwn(walletId, transactionId, actor, async (payment, tx) => {
      const notes = tx.repository(PaymentNote);
      const note = isUuid(id) ? await notes.findOneBy({ ...payment, id }) : null;
      if (!note) throw new AppError('NOTE_NOT_FOUND', 'No note of this payment has this id.');
      if (note.authorId !== userId)
        throw new AppError('FORBIDDEN', 'Only the member who wrote a note can remove it.');
      await notes.delete({ ...payment, id });
      const act = { act: 'payment.note-removed', subject: payment.transactionId, before: { note: note.id } };
      await this.events.publish([new AccountActed({ accountId, userId, ...act })], tx);
    });
  }
}
