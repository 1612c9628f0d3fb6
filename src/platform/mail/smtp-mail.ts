import { createTransport } from 'nodemailer';
import { Mail, type Message } from './mail.js';

/** Shorter than the deadline of a job, so that a server that hangs is told from one that refuses. */
const TIMEOUT_MS = 15_000;
const CONNECTIONS_MAX = 2;

/** Hands messages to the mail server at `url`, over few connections. */
export class SmtpMail extends Mail {
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
