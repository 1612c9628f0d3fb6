import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands between browsers and the service, and is a network that fails. */
export class Proxy {
  /** What browsers sent, as it went over the wire. */
  sent = '';
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(serviceUrl: string): Promise<Proxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const proxy = new Proxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { port, hostname } = new URL(serviceUrl);
    server.on('connection', (browser) => proxy.pass(browser, connect(Number(port), hostname)));
    return proxy;
  }

  /** Breaks every connection, and each new one until {@link mend}. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((done) => this.server.close(done));
  }

  private pass(browser: Socket, service: Socket): void {
    for (const socket of [browser, service]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        browser.destroy();
        service.destroy();
      });
    }
    if (this.isCut) {
      browser.destroy();
      return;
    }
    browser.on('data', (data) => (this.sent += data.toString('latin1')));
    browser.pipe(service);
    service.pipe(browser);
  }
}
