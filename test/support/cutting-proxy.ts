import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** When a connection is cut: before PostgreSQL gets the statement, or once it has answered it. */
export type Cut = 'before' | 'after';

/** Stands between a service and its PostgreSQL, and cuts connections at a statement: what a network does. */
export class CuttingProxy {
  private armed: { readonly cut: Cut; readonly statement: string; readonly tag: string } | undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<CuttingProxy> {
    const target = new URL(databaseUrl);
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = new CuttingProxy(server, url.href);
    server.on('connection', (client) =>
      proxy.pass(client, connect(Number(target.port || 5432), target.hostname)),
    );
    return proxy;
  }

  /** Cuts the next connection over which `statement` is sent, once; `tag` is how PostgreSQL says that it is done. */
  cutAt(statement: string, cut: Cut, tag = statement.split(' ', 1)[0] ?? ''): void {
    this.armed = { statement, cut, tag };
  }

  async stop(): Promise<void> {
    await new Promise((done) => this.server.close(done));
  }

  private pass(client: Socket, postgres: Socket): void {
    const cut = (): void => {
      client.destroy();
      postgres.destroy();
    };
    for (const socket of [client, postgres]) socket.on('error', cut).on('close', cut);
    client.on('data', (data) => {
      const { armed } = this;
      if (armed && data.includes(armed.statement)) {
        this.armed = undefined;
        if (armed.cut === 'before') {
          cut();
          return;
        }
        // The answer is there, and never arrives.
        postgres.removeAllListeners('data').on('data', (answer) => {
          if (answer.includes(armed.tag)) cut();
        });
      }
      postgres.write(data);
    });
    postgres.on('data', (data) => client.write(data));
  }
}
