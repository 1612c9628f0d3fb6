import { Readable } from 'node:stream';

/** Bytes a reader may lag behind. Slower ones are dropped, and resume on reconnect. */
const BEHIND_MAX = 64 * 1_024;
const RETRY_MS = 2_000;

export class EventStream {
  readonly body: Readable;
  isClosed = false;

  /** `onClose` runs once, however the stream ended. */
  constructor(
    readonly sessionId: string,
    private readonly onClose: () => void,
  ) {
    this.body = new Readable({ read: () => undefined, highWaterMark: BEHIND_MAX });
    this.body.on('error', () => undefined);
    this.body.on('close', () => this.closed());
    this.write(`retry: ${RETRY_MS}\n\n`);
  }

  send(id: string, event: object): void {
    this.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** Scripts see no comments; without an id it does not affect resuming. */
  beat(): void {
    this.write('event: alive\ndata: {}\n\n');
  }

  comment(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** Ends the stream. With `retryMs` the client reconnects no sooner. */
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
