import { Logger } from '@nestjs/common';
import type { Config } from '../config.js';
import { Mail, type Message } from './mail.js';

/** For development: logs the mail with its links. */
class LogMail extends Mail {
  private readonly log = new Logger('mail');
  readonly isConfigured = true;

  send({ to, subject, text }: Message): Promise<void> {
    this.log.log(`to ${to}: ${subject}\n${text}`);
    return Promise.resolve();
  }
}

/** Sends nothing: links do not belong into a production log. */
class NoMail extends Mail {
  readonly isConfigured = false;

  send(): Promise<void> {
    return Promise.reject(new Error('there is no SMTP_URL: mail can not be sent'));
  }
}

/** SMTP if configured; else the log, or nothing in production. */
export async function mailFor({ SMTP_URL, MAIL_FROM, NODE_ENV }: Config): Promise<Mail> {
  if (SMTP_URL && MAIL_FROM) {
    const { SmtpMail } = await import('./smtp-mail.js');
    return new SmtpMail(SMTP_URL, MAIL_FROM);
  }
  if (NODE_ENV !== 'production') return new LogMail();
  new Logger('mail').warn('no SMTP_URL is set: no mail is sent, and passwords can not be reset by e-mail');
  return new NoMail();
}
