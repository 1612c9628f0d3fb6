import { Injectable, Logger } from '@nestjs/common';
import { BRAND } from '../../kernel/brand.js';
import { naira } from '../../kernel/money.js';
import { Config, dashboardUrl } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { AfterCommit } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { laidOut } from '../../platform/mail/letter.js';
import { Mail, type Message } from '../../platform/mail/mail.js';
import { type Actor, Users } from '../identity/identity.port.js';
import { can } from '../identity/permissions.port.js';
import { monthBefore, monthInWords } from './statements.domain.js';
import { StatementMade } from './statements.events.js';
import type { Statement } from './statements.entity.js';
import { fileName, StatementsService } from './statements.service.js';
import { StatementMailsStore } from './statement-mails.store.js';
import { StatementsStore } from './statements.store.js';

const SEND = 'statements.send-mail';
const MAKE = 'statements.make-due';
const ACCOUNTS_PER_JOB = 100;
const ATTACHED_BYTES_MAX = 5 * 1_048_576;
const FIRST_ZONE = 'Pacific/Kiritimati';

@Injectable()
export class StatementMails {
  private readonly log = new Logger('statements');

  constructor(
    private readonly store: StatementMailsStore,
    private readonly statements: StatementsStore,
    private readonly service: StatementsService,
    private readonly users: Users,
    private readonly mail: Mail,
    private readonly config: Config,
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {
    jobs.define<{ readonly statementId: string; readonly userId: string }>(SEND, (job) => this.send(job));
    jobs.define<{ readonly after: string | null }>(MAKE, ({ after }) => this.makeDue(after));
    jobs.hourly('statements.mail-hourly', 15, () => this.scheduleDue(null));
  }

  get isAvailable(): boolean {
    return this.mail.isConfigured;
  }

  wants({ userId, accountId }: Actor): Promise<boolean> {
    return this.store.wants(userId, accountId);
  }

  async choose({ userId, accountId }: Actor, mail: boolean): Promise<void> {
    if (!mail) return this.store.remove(userId);
    if (await this.store.wants(userId, accountId)) return;
    await this.store.add(userId, accountId, monthBefore(await this.localNow(accountId)));
  }

  private async scheduleDue(after: string | null): Promise<void> {
    await this.database.transaction((tx) => this.jobs.schedule(tx, MAKE, { after }));
  }

  /** In slices: jobs must be short. */
  private async makeDue(after: string | null): Promise<void> {
    const newest = monthBefore(await this.statements.localNow(FIRST_ZONE));
    const accounts = await this.store.accountsBehind(newest, after, ACCOUNTS_PER_JOB);
    for (const accountId of accounts)
      await this.makeOf(accountId).catch((error: unknown) => {
        this.log.warn({ err: error, accountId }, 'a statement to be mailed could not be asked for');
      });
    if (accounts.length === ACCOUNTS_PER_JOB) await this.scheduleDue(accounts.at(-1) ?? null);
  }

  private async makeOf(accountId: string): Promise<void> {
    const month = monthBefore(await this.localNow(accountId));
    const { isFinal } = await this.statements.month(month, await this.users.timeZoneOf(accountId));
    if (!isFinal) return;
    const { status, id } = await this.service.request(accountId, null, month);
    if (status === 'done') await this.schedule(id);
  }

  @AfterCommit(StatementMade)
  async mailMade(made: readonly StatementMade[]): Promise<void> {
    for (const { statementId } of made) await this.schedule(statementId);
  }

  private async schedule(statementId: string): Promise<void> {
    const statement = await this.statements.byId(statementId);
    if (!statement?.isFinal || statement.scopeId !== statement.accountId) return;
    const { accountId, month } = statement;
    if (month !== monthBefore(await this.localNow(accountId))) return;
    await this.database.transaction(async (tx) => {
      for (const userId of await this.store.take(accountId, month, tx))
        this.jobs.schedule(tx, SEND, { statementId, userId });
    });
  }

  /** At least once. */
  private async send({ statementId, userId }: { statementId: string; userId: string }): Promise<void> {
    const statement = await this.statements.byId(statementId);
    if (!statement || !this.mail.isConfigured) return;
    const members = await this.users.membersOf([statement.accountId]);
    const member = members.find((each) => each.userId === userId);
    if (!member || !can(member.role, 'statements.make')) return;
    await this.mail.send(await this.letterOf(await this.users.emailOf(userId), statement));
  }

  private async letterOf(to: string, statement: Statement): Promise<Message> {
    const { month, opening, received, paidOut, refunded, closing, pdfBytes } = statement;
    const fits = (pdfBytes ?? 0) <= ATTACHED_BYTES_MAX;
    const letter = laidOut({
      to,
      subject: `Statement for ${monthInWords(month)}`,
      paragraphs: [
        `The statement of all wallets for ${monthInWords(month)} is ready${fits ? ' and attached' : ''}.`,
      ],
      facts: [
        ['Opening balance', naira(opening ?? 0)],
        ['Money in', naira(received ?? 0)],
        ['Money out', naira(paidOut ?? 0)],
        ['Refunds', naira(refunded ?? 0)],
        ['Closing balance', naira(closing ?? 0)],
      ],
      action: { label: 'Open statements', url: `${dashboardUrl(this.config)}/statements` },
      closing: [`You asked ${BRAND} for this mail on the first of the month. Switch it off on that page.`],
    });
    if (!fits) return letter;
    const pieces: Buffer[] = [];
    for await (const part of this.statements.chunks(statement.id, 'pdf', pdfBytes ?? 0)) pieces.push(...part);
    const filename = fileName({ ...statement, walletName: null }, 'pdf');
    return { ...letter, attachments: [{ filename, content: Buffer.concat(pieces) }] };
  }

  private async localNow(accountId: string): Promise<string> {
    return this.statements.localNow(await this.users.timeZoneOf(accountId));
  }
}
