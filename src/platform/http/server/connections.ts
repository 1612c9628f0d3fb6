import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn } from '../../batching/turns.js';

/**
 * How long a request may be on its way that its client sent before it could know that the service stops: closed on, it
 * would be left without an answer.
 */
const ARRIVAL_MS = 100;
/** How long a service that stops waits for the answers to begin that it owes, before what they need is stopped. */
const ANSWER_MS_MAX = 10_000;
const POLL_MS = 10;
/**
 * Requests that may wait behind another one on its connection: about as much memory as one body may take. Node reads a
 * thousand from one packet, so that a connection can't be paused in time, only closed.
 */
export const PIPELINED_MAX = 64;

/** The bounds on connections. */
export interface ConnectionLimits {
  /** Connections that are open at once. */
  readonly max: number;
  /** How long a connection is kept on which nothing comes and goes, in milliseconds. */
  readonly idleMsMax: number;
  /** How long a client may take nothing of an answer that is sent to it, in milliseconds. */
  readonly unreadMsMax: number;
}

interface Silence {
  readonly traffic: number;
  readonly ms: number;
}

/**
 * Bounds what connections cost, and when their requests are begun.
 *
 * - At most `max` are open. One more closes the connection that has kept its request to itself for the longest, else the
 *   one that has been idle the longest; only when every other is being answered is the new one closed. So slow clients
 *   make room, and cannot lock the others out.
 * - A connection has one request under way. Those behind it (pipelining) begin when it is answered, at most
 *   {@link PIPELINED_MAX} of them; one more closes the connection, and none of them is carried out.
 * - Requests that are no payments begin in turns, so that no number of them holds up a payment.
 * - A client that takes nothing of its answer for `unreadMsMax` is closed, and so is a connection that is idle for
 *   `idleMsMax`.
 */
export class Connections {
  /** With the response to the last request, if there was one: the connection that was used last stands last. */
  private readonly open = new Map<Socket, ServerResponse | null>();
  private readonly pipelined = new WeakMap<Socket, number>();
  private readonly silences = new WeakMap<Socket, Silence>();
  private readonly handle: RequestListener;

  /** Takes the place of the server's listener for requests. */
  constructor(
    private readonly server: Server,
    private readonly limits: ConnectionLimits,
  ) {
    const [handle] = server.listeners('request') as [RequestListener];
    this.handle = handle;
    server.removeListener('request', handle);
    server.on('request', (request, response) => this.arrive(request, response));
    server.on('connection', (socket: Socket) => this.admit(socket));
    server.on('timeout', (socket: Socket) => this.fellSilent(socket));
    server.setTimeout(Math.min(limits.unreadMsMax, limits.idleMsMax));
  }

  /** The response to the last request whose head arrived on a connection. */
  responseOn(socket: Socket): ServerResponse | undefined {
    return this.open.get(socket) ?? undefined;
  }

  /**
   * Takes no new connections, and keeps none past the answer that is under way on it: Node closes those that are idle
   * when the server stops, but waits for the others until their clients close them, or they time out. Ends once requests
   * that were on their way on idle connections have had the time to arrive, and all that came are being answered.
   */
  async letGo(): Promise<void> {
    const { open } = this;
    // Only the listener: those that are idle are left open for what is on its way on them.
    if (this.server.listening) NetServer.prototype.close.call(this.server);
    for (const [socket, response] of open) {
      response?.once('finish', () => {
        setTimeout(() => {
          // What came behind it is answered too, and says that it is the last.
          if (open.get(socket) === response) socket.destroySoon();
        }, ARRIVAL_MS);
      });
    }
    if (open.size > 0) await sleep(ARRIVAL_MS);
    const until = performance.now() + ANSWER_MS_MAX;
    while ([...open.values()].some(isUnanswered) && performance.now() < until) await sleep(POLL_MS);
  }

  private admit(socket: Socket): void {
    const { open } = this;
    open.set(socket, null);
    socket.once('close', () => open.delete(socket));
    if (open.size > this.limits.max) (dispensable(open, socket) ?? socket).destroy();
  }

  private arrive(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // The rest of a packet, of a connection that was closed over what came before.
    if (socket.destroyed) return;
    const previous = this.open.get(socket);
    if (previous) this.open.delete(socket);
    if (previous !== undefined) this.open.set(socket, response);
    if (previous && !previous.writableFinished) this.queue(previous, request, response);
    else this.begin(request, response);
  }

  private queue(previous: ServerResponse, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const waiting = (this.pipelined.get(socket) ?? 0) + 1;
    if (waiting > PIPELINED_MAX) {
      drop(socket);
      return;
    }
    this.pipelined.set(socket, waiting);
    previous.once('finish', () => {
      this.pipelined.set(socket, (this.pipelined.get(socket) ?? 1) - 1);
      this.begin(request, response);
    });
  }

  private begin(request: IncomingMessage, response: ServerResponse): void {
    if (isPayment(request)) this.answer(request, response);
    else inTurn(() => this.answer(request, response));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    // Closed meanwhile, or behind an answer that said it was the last: the client takes it for not carried out.
    if (request.socket.writable) this.handle(request, response);
  }

  /** Nothing came or went for the time that is set on the socket; Node asks again only if it is set anew. */
  private fellSilent(socket: Socket): void {
    const { idleMsMax, unreadMsMax } = this.limits;
    const traffic = socket.bytesRead + socket.bytesWritten;
    const before = this.silences.get(socket);
    const ms = (before?.traffic === traffic ? before.ms : 0) + (socket.timeout ?? 0);
    if (socket.writableLength > 0 || ms >= idleMsMax) {
      socket.destroy();
      return;
    }
    this.silences.set(socket, { traffic, ms });
    socket.setTimeout(Math.min(unreadMsMax, idleMsMax - ms));
  }
}

/** Spelled otherwise it is one all the same, which waits for its turn. */
function isPayment({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && url === '/api/payment-intent';
}

/**
 * Closes a connection on which many requests are left without an answer. Node makes an error for each of them: without
 * stack traces a thousand take a millisecond instead of twenty.
 */
function drop(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => (Error.stackTraceLimit = 0));
  socket.once('close', () => (Error.stackTraceLimit = stackTraceLimit));
  socket.destroy();
}

function isUnanswered(response: ServerResponse | null): boolean {
  return response !== null && response.req.complete && !response.headersSent && !response.destroyed;
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
