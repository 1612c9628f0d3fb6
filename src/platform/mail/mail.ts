export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Says what `text` says. */
  readonly html?: string;
  readonly attachments?: readonly { readonly filename: string; readonly content: Buffer }[];
}

export abstract class Mail {
  /** False in production without an SMTP server. */
  abstract readonly isConfigured: boolean;

  /** Resolves once the server has taken the message. */
  abstract send(message: Message): Promise<void>;
}
