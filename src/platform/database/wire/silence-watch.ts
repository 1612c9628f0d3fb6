import type { Socket } from 'node:net';
import type pg from 'pg';

/** Milliseconds. */
const CHECK_MS = 500;

interface WatchedClient {
  readonly connection: { readonly stream: Socket };
  readonly readyForQuery?: boolean;
}

interface Silence {
  bytesRead: number;
  quietChecks: number;
  owedChecks: number;
}

/**
 * Drops connections with an answer due and no byte for `msMax`. Checks are counted, not timed: a suspended
 * process finds its answers waiting.
 */
export class SilenceWatch {
  private readonly silences = new Map<WatchedClient, Silence>();
  private readonly checksMax: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly msMax: number,
    private readonly checkMs = CHECK_MS,
  ) {
    // A statement begins between two checks.
    this.checksMax = Math.ceil(msMax / checkMs) + 1;
  }

  add(client: pg.Client): void {
    const watched = client as unknown as WatchedClient;
    this.silences.set(watched, { bytesRead: 0, quietChecks: 0, owedChecks: 0 });
    client.once('end', () => this.remove(watched));
    this.timer ??= setInterval(() => this.check(), this.checkMs).unref();
  }

  private remove(client: WatchedClient): void {
    this.silences.delete(client);
    if (this.silences.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private check(): void {
    let isSilenceFound = false;
    for (const [client, silence] of this.silences) {
      const { bytesRead } = client.connection.stream;
      const isQuiet = bytesRead === silence.bytesRead;
      silence.bytesRead = bytesRead;
      silence.quietChecks = isQuiet ? silence.quietChecks + 1 : 0;
      silence.owedChecks = isQuiet && client.readyForQuery === false ? silence.owedChecks + 1 : 0;
      if (silence.owedChecks >= this.checksMax) isSilenceFound = true;
    }
    if (!isSilenceFound) return;
    const error = new Error(`Connection terminated: the database sent nothing for ${this.msMax} ms`);
    for (const [client, { quietChecks }] of this.silences)
      if (quietChecks >= this.checksMax - 1) client.connection.stream.destroy(error);
  }
}
