import type { Socket } from 'node:net';
import type pg from 'pg';

/** Time between two checks, in milliseconds. */
const CHECK_MS = 500;

/** A driver's client, as far as it shows whether an answer is owed; its types leave `readyForQuery` out. */
interface WatchedClient {
  readonly connection: { readonly stream: Socket };
  readonly readyForQuery?: boolean;
}

interface Silence {
  bytesRead: number;
  /** Checks since bytes last came. */
  quietChecks: number;
  /** Those of them at which an answer was owed. */
  owedChecks: number;
}

/**
 * Throws away connections that fell silent: an answer is owed, and no byte has come for `msMax`, as when a NAT or a failed
 * switch drops packets and nothing ever reports an error. Their statements fail and their places in the pool are free.
 * Connections that have been quiet for as long without being asked go with them, so that no request meets one after the
 * other. A statement costs nothing: each check reads what the driver counts anyway.
 *
 * Checks are counted instead of time: a process that was suspended finds its answers waiting.
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

  /** Watches a connection until it ends. */
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
