import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Members of bodies that no log may hold. */
const SECRET = /password|token|secret|fullKey|apiKey|totp|code$|account_?(no|number)|bvn|email/i;
/** Shorter ones stand in a log by chance. */
const LENGTH_MIN = 8;

/** Passes requests on to a service and keeps the secrets of both sides. */
export class RecordingProxy {
  readonly secrets = new Set<string>();
  private readonly server;

  private constructor(private readonly target: string) {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const sent = Buffer.concat(chunks);
        this.keepHeaders(request.headers);
        this.keepBody(sent.toString());
        const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
        const { method = 'GET', url = '/' } = request;
        fetch(this.target + url, {
          method,
          headers: headers as Record<string, string>,
          redirect: 'manual',
          ...(sent.length > 0 && { body: sent }),
        })
          .then(async (answer) => {
            const text = await answer.text();
            this.keepBody(text);
            response.writeHead(answer.status, {
              'content-type': answer.headers.get('content-type') ?? 'text/plain',
            });
            response.end(text);
          })
          .catch(() => response.destroy());
      });
    });
  }

  static async before(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  keepHeaders(headers: IncomingHttpHeaders): void {
    const { authorization, cookie, 'x-api-key': key } = headers;
    for (const value of [authorization?.replace(/^Bearer /, ''), cookie, key]) this.keep(value);
  }

  private keepBody(text: string): void {
    try {
      this.keepMembers(JSON.parse(text));
    } catch {
      // No JSON: a page or a file.
    }
  }

  private keepMembers(value: unknown, name = ''): void {
    if (Array.isArray(value)) for (const each of value) this.keepMembers(each, name);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) this.keepMembers(each, key);
    else if (SECRET.test(name)) this.keep(value);
  }

  private keep(value: unknown): void {
    // Codes of errors are words of ours.
    if (typeof value === 'string' && value.length >= LENGTH_MIN && !/^[A-Z_]+$/.test(value))
      this.secrets.add(value);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
