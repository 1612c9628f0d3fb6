import { Logger } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import type { Config } from '../config.js';
import { Mail, type Message } from './mail.js';

/** Shorter than the deadline of a job, so that a server that hangs is told from one that refuses. */
const TIMEOUT_MS = 15_000;
const CONNECTIONS_MAX = 2;

/** Hands messages to the mail server at `url`, over few connections. */
class SmtpMail extends Mail {
  readonly isConfigured = true;
  private readonly transport: ReturnType<typeof createTransport>;

  constructor(
    url: string,
    private readonly from: string,
  ) {
    super();
    this.transport = createTransport({
      url,
      pool: true,
      maxConnections: CONNECTIONS_MAX,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // Nothing in a message may make the server read a file or a page.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send(message: Message): Promise<void> {
    await this.transport.sendMail({ from: this.from, ...message });
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }
}

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

/** The mail that the settings ask for: SMTP when there is a server; else the log, but nothing in production. */
export function mailFor({ SMTP_URL, MAIL_FROM, NODE_ENV }: Config): Mail {
  if (SMTP_URL && MAIL_FROM) return new SmtpMail(SMTP_URL, MAIL_FROM);
  if (NODE_ENV !== 'production') return new LogMail();
  new Logger('mail').warn('no SMTP_URL is set: no mail is sent, and passwords can not be reset by e-mail');
  return new NoMail();
}
