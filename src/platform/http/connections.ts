import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long a request may be on its way that its client sent before it could know that the service stops: closed on, it
 * would be left without an answer.
 */
const ARRIVAL_MS = 100;

/**
 * Keeps at most `max` connections open. One more closes the connection that has kept its request to itself for the
 * longest, else the one that has been idle the longest; only when every other is being answered is the new one
 * closed. So slow clients make room, and cannot lock the others out.
 */
export class Connections {
  /** In the order in which they were opened; with the response to the last request, if there was one. */
  private readonly open = new Map<Socket, ServerResponse | null>();

  constructor(server: Server, max: number) {
    const { open } = this;
    server.on('connection', (socket: Socket) => {
      open.set(socket, null);
      socket.once('close', () => open.delete(socket));
      if (open.size > max) (dispensable(open, socket) ?? socket).destroy();
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      if (open.has(socket)) open.set(socket, response);
    });
  }

  /** The response to the last request whose head arrived on a connection. */
  responseOn(socket: Socket): ServerResponse | undefined {
    return this.open.get(socket) ?? undefined;
  }

  /**
   * Keeps no connection past the answer that is under way on it. Node closes those that are idle when the server stops,
   * but waits for the others until their clients close them, or they time out. Ends once requests that were on their
   * way on idle connections have had the time to arrive.
   */
  async letGo(): Promise<void> {
    for (const [socket, response] of this.open) {
      response?.once('finish', () => {
        setTimeout(() => {
          // What came behind it is answered too, and says that it is the last.
          if (this.open.get(socket) === response) socket.destroySoon();
        }, ARRIVAL_MS);
      });
    }
    if (this.open.size > 0) await sleep(ARRIVAL_MS);
  }
}

function dispensable(open: ReadonlyMap<Socket, ServerResponse | null>, newest: Socket): Socket | undefined {
  let idle: Socket | undefined;
  for (const [socket, response] of open) {
    if (socket === newest) continue;
    if (!response || !response.req.complete) return socket;
    if (response.writableFinished) idle ??= socket;
  }
  return idle;
}
