import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** One request as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

type Behaviour = (response: ServerResponse, count: number) => void;

/** A receiver of webhooks on a port of its own: each path behaves as it is told, and answers 200 by default. */
export class Receiver {
  readonly received: Received[] = [];
  private readonly behaviours = new Map<string, Behaviour>();
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const path = request.url ?? '/';
      const body = Buffer.concat(chunks).toString();
      this.received.push({ path, headers: request.headers, body, at: Date.now() });
      const behave = this.behaviours.get(path) ?? ((answer) => answer.writeHead(200).end('ok'));
      response.on('error', () => undefined);
      behave(response, this.at(path).length);
    });
  });

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** How `path` answers from now on; `count` is 1 with the first request it ever got. */
  behave(path: string, behaviour: Behaviour): void {
    this.behaviours.set(path, behaviour);
  }

  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** What a receiver reads that was written with the stock library; throws when the signature is wrong. */
export function verified({ body, headers }: Received, secret: string): { event: string; data: unknown } {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as {
    event: string;
    data: unknown;
  };
}

/** Whether the signature is a good one for this secret. */
export function isVerified(received: Received, secret: string): boolean {
  try {
    verified(received, secret);
    return true;
  } catch {
    return false;
  }
}

/** Whether it is signed with this secret, whatever its time: that of the database, which a test may have set. */
export function isSigned({ body, headers }: Received, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  const signature = new Webhook(secret).sign(String(id), new Date(Number(at) * 1_000), body);
  return String(signatures).split(' ').includes(signature);
}
