import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a service and its database, and can take the database away. */
export class DatabaseProxy {
  private readonly sockets = new Set<Socket>();
  private readonly silenced = new WeakSet<Socket>();
  private target: { host: string; port: number } | undefined;
  private isSilent = false;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(): Promise<DatabaseProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    return new DatabaseProxy(server, (server.address() as AddressInfo).port);
  }

  /** The address at which the database of `url` is reached through this proxy. */
  before(url: string): string {
    const through = new URL(url);
    this.target = { host: through.hostname, port: Number(through.port) };
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  private join(client: Socket): void {
    const upstream = connect(this.target!);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (bytes) => {
        if (!this.isSilent && !this.silenced.has(from)) to.write(bytes);
      });
      from.on('error', () => undefined).on('close', () => this.sockets.delete(from) && to.destroy());
    }
  }

  /** Breaks every connection; nothing listens any more. */
  async cut(): Promise<void> {
    const closed = new Promise((done) => this.server.close(done));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Takes connections and all that is sent on them, and answers nothing. */
  silence(): void {
    this.isSilent = true;
  }

  /** Drops what is sent on the connections there are, for good; new ones work: what a NAT that forgot them does. */
  silenceOpen(): void {
    for (const socket of this.sockets) this.silenced.add(socket);
  }

  /** After {@link cut} or {@link silence}: the database is back, on new connections. */
  async restore(): Promise<void> {
    this.isSilent = false;
    for (const socket of this.sockets) socket.destroy();
    if (this.server.listening) return;
    this.server.listen(this.port, '127.0.0.1');
    await new Promise((done) => this.server.once('listening', done));
  }
}
