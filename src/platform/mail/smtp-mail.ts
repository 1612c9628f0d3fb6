import { createTransport } from 'nodemailer';
import { Mail, type Message } from './mail.js';

/** Below a job's deadline. */
const TIMEOUT_MS = 15_000;
const CONNECTIONS_MAX = 2;

export class SmtpMail implements Mail {
  readonly isConfigured = true;
  private readonly transport: ReturnType<typeof createTransport>;

  constructor(
    url: string,
    private readonly from: string,
  ) {
    this.transport = createTransport({
      url,
      pool: true,
      maxConnections: CONNECTIONS_MAX,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // A message must not make the server read files or pages.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ attachments = [], ...message }: Message): Promise<void> {
    await this.transport.sendMail({ from: this.from, ...message, attachments: [...attachments] });
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }
}
