/** Keeps PostgreSQL running: one that ends by itself is started again, within bounds. */
import { type Server, type ServerOptions, startServer } from './server.ts';

/** So many restarts within the window are made; one more gives up. */
const RESTARTS_MAX = 5;
const WINDOW_MS = 60_000;

export interface Supervised {
  readonly port: number;
  /** Ends PostgreSQL for good. */
  stop(): Promise<void>;
  /** Sends the signal to stop and does not wait: for a process that is about to end. */
  stopAtOnce(): void;
}

/**
 * Starts PostgreSQL and starts it again on the same port, so that its URL stays right, whenever it ends by itself.
 * `giveUp` is called once, with an Error of one line, when it ended more than {@link RESTARTS_MAX} times within a
 * minute or can't be started again; nothing is tried after that.
 */
export async function superviseServer(
  options: ServerOptions,
  giveUp: (error: Error) => void,
): Promise<Supervised> {
  const { report } = options;
  let server = await startServer(options);
  const { port } = server;
  const restarts: number[] = [];
  let stopping = false;
  let restarting: Promise<void> | undefined;

  const watch = (each: Server): void => {
    void each.ended.then((how) => {
      if (stopping) return;
      report(`PostgreSQL (process ${each.pid}) ended by itself: ${how}`);
      restarting = restart().catch((error: unknown) => {
        if (!stopping) giveUp(new Error(inOneLine(error)));
      });
    });
  };
  const restart = async (): Promise<void> => {
    const now = performance.now();
    while (restarts[0] !== undefined && restarts[0] < now - WINDOW_MS) restarts.shift();
    if (restarts.length >= RESTARTS_MAX)
      throw new Error(`PostgreSQL ended by itself more than ${RESTARTS_MAX} times within a minute`);
    restarts.push(now);
    server = await startServer({ ...options, port });
    report(`PostgreSQL runs again (process ${server.pid})`);
    watch(server);
  };

  watch(server);
  return {
    port,
    stop: async () => {
      stopping = true;
      // One that is being started is let come up first: it can be stopped cleanly then.
      await restarting;
      await server.stop();
    },
    stopAtOnce: () => {
      stopping = true;
      void server.stop();
    },
  };
}

/** PostgreSQL's own words, which are part of it, have lines of their own. */
function inOneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\s*\n\s*/g, ' ');
}
