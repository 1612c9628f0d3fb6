export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mail to people. */
export abstract class Mail {
  /** Whether mail reaches anyone: false in production as long as there is no SMTP server. */
  abstract readonly isConfigured: boolean;

  /** Resolves once the mail server has taken the message; throws when it did not. */
  abstract send(message: Message): Promise<void>;
}
