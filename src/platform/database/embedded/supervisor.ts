import { type Server, type PostgresOptions, startServer } from './server.ts';

const RESTARTS_MAX = 5;
const WINDOW_MS = 60_000;

export interface Supervised {
  readonly port: number;
  stop(): Promise<void>;
  stopAtOnce(): void;
}

/**
 * Keeps PostgreSQL running on one port. `giveUp` is called once, after more than {@link RESTARTS_MAX} ends
 * within a minute or a failed restart.
 */
export async function superviseServer(
  options: PostgresOptions,
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
      // Started first, so that it stops cleanly.
      await restarting;
      await server.stop();
    },
    stopAtOnce: () => {
      stopping = true;
      void server.stop();
    },
  };
}

function inOneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\s*\n\s*/g, ' ');
}
