import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../kernel/page.js';
import { Config, dashboardUrl } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { laidOut } from '../../platform/mail/letter.js';
import { Mail } from '../../platform/mail/mail.js';
import { BRAND } from '../../kernel/brand.js';
import { AccountActed } from '../identity/identity.events.js';
import { type Member, type SessionUser, Users } from '../identity/identity.port.js';
import { can } from '../identity/permissions.port.js';
import {
  concerns,
  isAboutLogin,
  KINDS,
  type News,
  NOTICE_KINDS,
  type NoticeKind,
  SEPARATE_MAX,
} from './notices.domain.js';
import type { Notice } from './notices.entity.js';
import {
  type Choice,
  type NoticeEnding,
  type NewNotice,
  NoticesStore,
  type Recipient,
} from './notices.store.js';
import { PushDelivery } from './push/push-delivery.service.js';
import { wordsOf } from './words.domain.js';

const SEND = 'notices.send';

export type Chosen = Choice & { readonly push: boolean };

@Injectable()
export class NoticesService {
  constructor(
    private readonly store: NoticesStore,
    private readonly users: Users,
    private readonly mail: Mail,
    private readonly push: PushDelivery,
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly database: Database,
    private readonly events: Events,
  ) {
    jobs.define<{ readonly userId: string }>(SEND, ({ userId }) => this.send(userId));
  }

  /** Each once per key, as they chose. */
  async tell(news: readonly News[]): Promise<void> {
    if (news.length === 0) return;
    const members = Map.groupBy(
      await this.users.membersOf([...new Set(news.map(({ accountId }) => accountId))]),
      ({ accountId }) => accountId,
    );
    await this.database.transaction(async (tx) => {
      const told = news.flatMap((each) =>
        (members.get(each.accountId) ?? [])
          .filter((member) => isFor(each, member))
          .map((member) => ({ each, member })),
      );
      const userIds = [...new Set(told.map(({ member }) => member.userId))];
      const choose = await this.chosenBy(userIds, tx);
      const subscribers = await this.push.subscribersAmong(userIds, tx);
      const rows = told.map(({ each, member }): NewNotice => {
        const { kind, accountId, key, walletId, subjectId, parts } = each;
        const choice = choose(member.userId, kind);
        return {
          userId: member.userId,
          accountId,
          kind,
          key,
          walletId,
          subjectId,
          parts,
          mailDue: choice.mail && this.mail.isConfigured,
          pushDue: choice.push && subscribers.has(member.userId),
        };
      });
      // In one order, as two transactions may add for the same people.
      rows.sort((one, other) => one.userId.localeCompare(other.userId));
      const { mailTo, pushTo } = await this.store.add(rows, tx);
      for (const userId of new Set(mailTo)) this.scheduleSending(userId, 0, tx);
      for (const userId of new Set(pushTo)) this.push.schedule(userId, tx);
    });
  }

  /** Records what was done; `isOver`: the same may be told again. */
  end(accountId: string, key: string, outcome: string, by: string | null, isOver = false): Promise<void> {
    return this.store.end(accountId, key, outcome, by, isOver);
  }

  endAbout(ending: NoticeEnding): Promise<void> {
    return this.store.endAbout(ending);
  }

  isOpen(accountId: string, key: string): Promise<boolean> {
    return this.store.isOpen(accountId, key);
  }

  async list(
    recipient: Recipient,
    request: PageRequest,
  ): Promise<Page<Notice> & { readonly unread: number; readonly timeZone: string }> {
    const [page, unread, timeZone] = await Promise.all([
      this.store.page(recipient, request),
      this.store.countUnread(recipient),
      this.users.timeZoneOf(recipient.accountId),
    ]);
    return { ...page, unread, timeZone };
  }

  /** Null: all. */
  async read(recipient: Recipient, ids: readonly string[] | null): Promise<number> {
    await this.store.read(recipient, ids);
    return this.store.countUnread(recipient);
  }

  async settings({ userId, role }: SessionUser): Promise<Chosen[]> {
    const choose = await this.chosenBy([userId]);
    return NOTICE_KINDS.filter((kind) => can(role, KINDS[kind].act)).map((kind) => choose(userId, kind));
  }

  /** `push` null: as before. */
  async choose(session: SessionUser, choice: Choice): Promise<Chosen[]> {
    const { accountId, userId } = session;
    await this.database.transaction(async (tx) => {
      const before = (await this.chosenBy([userId], tx))(userId, choice.kind);
      const after = { ...choice, push: choice.push ?? before.push };
      await this.store.choose(userId, after, tx);
      const shown = ({ mail, push }: Chosen) => ({ mail, push });
      const changed = { before: shown(before), after: shown(after) };
      const acted = { accountId, userId, act: 'notifications.changed', subject: choice.kind, ...changed };
      await this.events.publish([new AccountActed(acted)], tx);
    });
    return this.settings(session);
  }

  private async chosenBy(
    userIds: readonly string[],
    tx?: Tx,
  ): Promise<(userId: string, kind: NoticeKind) => Chosen> {
    const chosen = new Map(
      (await this.store.choicesOf(userIds, tx)).map((each) => [`${each.userId} ${each.kind}`, each]),
    );
    return (userId, kind) => {
      const { mail, push } = chosen.get(`${userId} ${kind}`) ?? { mail: KINDS[kind].mail, push: null };
      return { kind, mail, push: push ?? KINDS[kind].mail };
    };
  }

  private scheduleSending(userId: string, delaySeconds: number, tx: Tx): void {
    this.jobs.schedule(tx, SEND, { userId }, { delaySeconds, key: `${SEND} ${userId}` });
  }

  /** At least once. */
  private async send(userId: string): Promise<void> {
    const claimed = await this.store.claim(userId);
    const ids = claimed.map(({ id }) => id);
    try {
      const due = await this.stillDue(userId, claimed);
      const moot = claimed.filter((each) => !due.includes(each));
      if (moot.length > 0) await this.store.sent(idsOf(moot));
      await this.sendMails(userId, due);
    } finally {
      await this.store.release(ids);
    }
  }

  private async stillDue(userId: string, claimed: readonly Notice[]): Promise<Notice[]> {
    const members = await this.users.membersOf([...new Set(claimed.map(({ accountId }) => accountId))]);
    const memberships = members.filter((member) => member.userId === userId);
    return claimed.filter(
      (each) =>
        each.outcome === null && (isAboutLogin(each) || memberships.some((its) => concerns(each, its))),
    );
  }

  private async sendMails(userId: string, notices: readonly Notice[]): Promise<void> {
    if (notices.length === 0) return;
    const to = await this.users.emailOf(userId);
    const letters = notices.length > SEPARATE_MAX ? [notices] : notices.map((notice) => [notice]);
    for (const letter of letters) {
      const { waitSeconds } = await this.store.takeMail(letter[0]?.accountId ?? userId);
      if (waitSeconds > 0) {
        await this.database.transaction((tx) => this.scheduleSending(userId, waitSeconds, tx));
        return;
      }
      const timeZone = await this.users.timeZoneOf(letter[0]?.accountId ?? userId);
      await this.mail.send(this.letterOf(to, letter, timeZone));
      await this.store.sent(idsOf(letter));
    }
  }

  private letterOf(to: string, notices: readonly Notice[], timeZone: string) {
    const dashboard = dashboardUrl(this.config);
    const closing = [`Choose which of these ${BRAND} mails you: ${dashboard}/settings?tab=notifications`];
    const [first] = notices;
    if (first && notices.length === 1) {
      const { title, text, facts, path, action } = wordsOf(first, timeZone);
      return laidOut({
        to,
        subject: title,
        paragraphs: [text],
        facts,
        action: { label: action, url: dashboard + path },
        closing,
      });
    }
    return laidOut({
      to,
      subject: `${notices.length} new notifications`,
      paragraphs: notices.map((notice) => wordsOf(notice, timeZone).title),
      action: { label: 'Open your notifications', url: `${dashboard}/notifications` },
      closing,
    });
  }
}

function isFor(news: News, member: Member): boolean {
  const { onlyTo = null, except = null } = news;
  const isMeant = (onlyTo === null || onlyTo === member.userId) && except !== member.userId;
  return isMeant && concerns(news, member);
}

function idsOf(notices: readonly Notice[]): string[] {
  return notices.map(({ id }) => id);
}
