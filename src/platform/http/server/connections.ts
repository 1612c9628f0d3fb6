import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { inTurn } from '../../batching/turns.js';

const ARRIVAL_MS = 100;
/** Longest turn of the event loop after which the kernel holds no connection, and wait for one, in milliseconds. */
const TURN_MS_MAX = 0.2;
const TURN_WAIT_MS_MAX = 500;
const ANSWER_MS_MAX = 10_000;
/** Per connection. Node reads a thousand from one packet: a connection can be closed, not paused. */
export const PIPELINED_MAX = 64;

export interface ConnectionLimits {
  readonly max: number;
  readonly idleMsMax: number;
  readonly unreadMsMax: number;
}

interface Silence {
  readonly traffic: number;
  readonly ms: number;
}

/**
 * Bounds connections and starts their requests. Past `max` it closes the slowest sender, else the longest
 * idle. One request per connection is under way; past {@link PIPELINED_MAX} behind it the connection is
 * closed. Requests that are no payments take turns.
 */
export class Connections {
  private readonly open = new Map<Socket, ServerResponse | null>();
  private readonly pipelined = new WeakMap<Socket, number>();
  private readonly silences = new WeakMap<Socket, Silence>();
  private readonly handle: RequestListener;
  private arrivals = 0;

  /** Replaces the server's request listener. */
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

  responseOn(socket: Socket): ServerResponse | undefined {
    return this.open.get(socket) ?? undefined;
  }

  /** The kernel resets connections that were not accepted yet. */
  async stopListening(): Promise<void> {
    const until = performance.now() + TURN_WAIT_MS_MAX;
    for (let from = performance.now(), ms = Infinity; ms > TURN_MS_MAX && from < until;) {
      await turn();
      ms = performance.now() - from;
      from += ms;
    }
    if (this.server.listening) NetServer.prototype.close.call(this.server);
  }

  /** Ends each connection with its next answer. Resolves once none is due. */
  async letGo(): Promise<void> {
    const { open } = this;
    for (const [socket, response] of open) {
      response?.once('finish', () => {
        setTimeout(() => {
          if (open.get(socket) === response) socket.destroySoon();
        }, ARRIVAL_MS);
      });
    }
    const until = performance.now() + ANSWER_MS_MAX;
    for (let seen = -1; open.size > 0 && performance.now() < until;) {
      if (seen === this.arrivals && ![...open.values()].some(isUnanswered)) break;
      seen = this.arrivals;
      await sleep(ARRIVAL_MS);
    }
    for (const [socket, response] of open) if (response?.writableFinished) socket.destroySoon();
  }

  private admit(socket: Socket): void {
    const { open } = this;
    open.set(socket, null);
    socket.once('close', () => open.delete(socket));
    if (open.size > this.limits.max) (dispensable(open, socket) ?? socket).destroy();
  }

  private arrive(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.arrivals += 1;
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
    // The client takes it for not carried out.
    if (request.socket.writable) this.handle(request, response);
  }

  /** Node asks again only if the timeout is set anew. */
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

/** Other spellings take turns. */
function isPayment({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && url === '/api/payment-intent';
}

/** Without stack traces a thousand errors take 1 ms instead of 20. */
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
