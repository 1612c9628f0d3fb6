import { Readable } from 'node:stream';

/** What a reader may be behind, in bytes: one that reads slower is dropped, and resumes when it comes back. */
const BEHIND_MAX = 64 * 1_024;
/** How soon a browser comes back after the stream ended, in milliseconds. */
const RETRY_MS = 2_000;

/** The body of one `text/event-stream` answer. */
export class EventStream {
  readonly body: Readable;
  isClosed = false;

  /** `onClose` is called once, when the stream ended for whatever reason. */
  constructor(
    readonly sessionId: string,
    private readonly onClose: () => void,
  ) {
    this.body = new Readable({ read: () => undefined, highWaterMark: BEHIND_MAX });
    this.body.on('error', () => undefined);
    // The client went away, or the answer was broken off.
    this.body.on('close', () => this.closed());
    this.write(`retry: ${RETRY_MS}\n\n`);
  }

  send(id: string, event: object): void {
    this.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** Says that the stream lives: to scripts too, which are shown no comments. It has no id, so nothing is resumed by it. */
  beat(): void {
    this.write('event: alive\ndata: {}\n\n');
  }

  /** Says nothing to the client. */
  comment(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** Ends the stream; with `retryMs` its client is asked to come back no sooner. */
  end(retryMs?: number): void {
    if (this.isClosed) return;
    if (retryMs !== undefined) this.write(`retry: ${retryMs}\n\n`);
    this.body.push(null);
    this.closed();
  }

  private write(text: string): void {
    if (this.isClosed || this.body.destroyed) return;
    if (!this.body.push(text)) this.body.destroy();
  }

  private closed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onClose();
  }
}
