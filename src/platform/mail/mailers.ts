import { Logger } from '@nestjs/common';
import type { Config } from '../config.js';
import { Mail, type Message } from './mail.js';

/** For development: what would be sent stands in the log, links included. */
class LogMail extends Mail {
  private readonly log = new Logger('mail');
  readonly isConfigured = true;

  send({ to, subject, text }: Message): Promise<void> {
    this.log.log(`to ${to}: ${subject}\n${text}`);
    return Promise.resolve();
  }
}

/** Sends nothing and says so: links that open accounts do not belong into the log of a production service. */
class NoMail extends Mail {
  readonly isConfigured = false;

  send(): Promise<void> {
    return Promise.reject(new Error('there is no SMTP_URL: mail can not be sent'));
  }
}

/**
 * The mail that the settings ask for: SMTP when there is a server; else the log, but nothing in production. Only who
 * sends by SMTP has its client in memory.
 */
export async function mailFor({ SMTP_URL, MAIL_FROM, NODE_ENV }: Config): Promise<Mail> {
  if (SMTP_URL && MAIL_FROM) {
    const { SmtpMail } = await import('./smtp-mail.js');
    return new SmtpMail(SMTP_URL, MAIL_FROM);
  }
  if (NODE_ENV !== 'production') return new LogMail();
  new Logger('mail').warn('no SMTP_URL is set: no mail is sent, and passwords can not be reset by e-mail');
  return new NoMail();
}
