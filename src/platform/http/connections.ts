import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps at most `max` connections open. One more closes the connection that has kept its request to itself for the
 * longest, else the one that has been idle the longest; only when every other is being answered is the new one
 * closed. So slow clients make room, and cannot lock the others out.
 *
 * Answers the last request whose head arrived on a connection.
 */
export function boundConnections(
  server: Server,
  max: number,
): (socket: Socket) => IncomingMessage | undefined {
  /** In the order in which they were opened; with the response to the last request, if there was one. */
  const open = new Map<Socket, ServerResponse | null>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, null);
    socket.once('close', () => open.delete(socket));
    if (open.size > max) (dispensable(open, socket) ?? socket).destroy();
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (open.has(socket)) open.set(socket, response);
  });
  return (socket) => open.get(socket)?.req;
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
