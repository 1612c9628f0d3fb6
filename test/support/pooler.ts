import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A session of PostgreSQL. */
interface Session {
  readonly socket: Socket;
  /** Receives what PostgreSQL sends, message by message. */
  onMessage: (type: string, message: Buffer) => void;
}

/**
 * A pooler before a PostgreSQL that trusts everyone. It ignores start-up parameters. In transaction mode it gives each transaction the session that was used
 * last, as pgbouncer does; in session mode each client keeps one.
 */
export class Pooler {
  private readonly unused: Session[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly mode: 'session' | 'transaction',
  ) {
    server.on('connection', (client) => this.serve(client));
  }

  static async start(url: string, mode: 'session' | 'transaction'): Promise<Pooler> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    return new Pooler(server, new URL(url), mode);
  }

  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  async stop(): Promise<void> {
    const closed = new Promise((done) => this.server.close(done));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private serve(client: Socket): void {
    this.track(client);
    let session: Promise<Session> | undefined;
    let isStarted = false;
    const close = (): void => void session?.then(({ socket }) => socket.destroy());
    const take = async (): Promise<Session> => {
      const taken = this.unused.pop() ?? (await this.open());
      taken.onMessage = (type, message) => {
        client.write(message);
        // Idle, outside a transaction.
        if (this.mode === 'session' || type !== 'Z' || message[5] !== 0x49) return;
        session = undefined;
        this.unused.push(taken);
      };
      return taken;
    };
    let unsent: Buffer = Buffer.alloc(0);
    messages(client, 'startup', (type, message) => {
      if (!isStarted) {
        isStarted = true;
        client.write(Buffer.concat([frame('R', Buffer.alloc(4)), frame('Z', Buffer.from('I'))]));
        return;
      }
      if (type === 'X') {
        client.end();
        return;
      }
      unsent = Buffer.concat([unsent, message]);
      if (type !== 'Q' && type !== 'S') return;
      const sent = unsent;
      unsent = Buffer.alloc(0);
      session ??= take();
      void session.then(({ socket }) => socket.write(sent));
    });
    client.on('close', close);
  }

  private async open(): Promise<Session> {
    const socket = connect(Number(this.target.port), this.target.hostname);
    this.track(socket);
    const database = this.target.pathname.slice(1);
    const words = ['user', decodeURIComponent(this.target.username), 'database', database];
    const body = Buffer.from(words.map((word) => `${word}\0`).join('') + '\0');
    const head = Buffer.alloc(8);
    head.writeInt32BE(body.length + 8, 0);
    head.writeInt32BE(196_608, 4);
    socket.write(Buffer.concat([head, body]));
    const session: Session = { socket, onMessage: () => undefined };
    const isReady = new Promise<void>((done) => {
      session.onMessage = (type) => type === 'Z' && done();
    });
    messages(socket, 'messages', (type, message) => session.onMessage(type, message));
    await isReady;
    return session;
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }
}

/** Splits what a socket receives into messages; a client's first one has no type. */
function messages(
  socket: Socket,
  from: 'startup' | 'messages',
  onMessage: (type: string, message: Buffer) => void,
): void {
  let received: Buffer = Buffer.alloc(0);
  let typeBytes = from === 'startup' ? 0 : 1;
  socket.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data]);
    while (received.length >= typeBytes + 4) {
      const end = typeBytes + received.readInt32BE(typeBytes);
      if (received.length < end) return;
      const message = received.subarray(0, end);
      received = received.subarray(end);
      const type = typeBytes === 0 ? '' : String.fromCharCode(message[0] as number);
      typeBytes = 1;
      onMessage(type, message);
    }
  });
}

function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
