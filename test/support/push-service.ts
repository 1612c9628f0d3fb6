import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { until } from './service.js';

export interface ReceivedPush {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What the service worker is handed. */
export interface PushedNotice {
  readonly title: string;
  readonly body: string;
  readonly path: string;
  readonly topic: string;
}

/** A push service and the browsers behind it, as of RFC 8030: it keeps what it gets and answers 201 by default. */
export class PushService {
  private readonly browsers = new Map<string, PushedBrowser>();
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const browser = this.browsers.get(request.url ?? '');
      browser?.received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      const { status, headers = {} } = browser?.answer ?? { status: 404 };
      response.writeHead(status, headers).end();
    });
  });

  static async start(): Promise<PushService> {
    const pushes = new PushService();
    await new Promise<void>((resolve) => pushes.server.listen(0, '127.0.0.1', resolve));
    return pushes;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  browser(): PushedBrowser {
    const browser = new PushedBrowser(this.origin);
    this.browsers.set(new URL(browser.endpoint).pathname, browser);
    return browser;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** One subscription, with the keys that its browser alone has. */
export class PushedBrowser {
  readonly endpoint: string;
  readonly received: ReceivedPush[] = [];
  answer: { status: number; headers?: Record<string, string> } = { status: 201 };
  private readonly keys: ECDH;
  private readonly auth = randomBytes(16);

  constructor(private readonly origin: string) {
    this.endpoint = `${origin}/push/${randomBytes(16).toString('base64url')}`;
    this.keys = createECDH('prime256v1');
    this.keys.generateKeys();
  }

  get subscription(): { endpoint: string; p256dh: string; auth: string } {
    return {
      endpoint: this.endpoint,
      p256dh: this.keys.getPublicKey().toString('base64url'),
      auth: this.auth.toString('base64url'),
    };
  }

  async await(count = 1): Promise<ReceivedPush> {
    await until(() => Promise.resolve(this.received.length >= count));
    return this.received[count - 1]!;
  }

  /** As RFC 8188 and 8291 have it. Throws for what was encrypted for somebody else. */
  read({ body }: ReceivedPush): PushedNotice {
    const salt = body.subarray(0, 16);
    const keyLength = body[20]!;
    const senderKey = body.subarray(21, 21 + keyLength);
    const sealed = body.subarray(21 + keyLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.keys.getPublicKey(), senderKey]);
    const secret = hkdf(this.keys.computeSecret(senderKey), this.auth, info, 32);
    const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString()) as PushedNotice;
  }

  /** The claims of the sender's VAPID token (RFC 8292); throws unless `publicKey` signed it. */
  async vapidOf({ headers }: ReceivedPush, publicKey: string): Promise<{ sub?: string; lives: number }> {
    const [, token = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? '') ?? [];
    if (key !== publicKey) throw new Error(`the push names the key ${key}`);
    const point = Buffer.from(publicKey, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const jwk = { kty: 'EC', crv: 'P-256', x: x!, y: y! };
    const { payload } = await jwtVerify(token, jwk, { audience: this.origin, algorithms: ['ES256'] });
    return { sub: payload.sub, lives: payload.exp! - Date.now() / 1_000 };
  }
}

function hkdf(secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
}
