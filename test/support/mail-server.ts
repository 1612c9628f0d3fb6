import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { until } from './service.js';

export interface ReceivedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Empty without an HTML part. */
  readonly html: string;
  /** Names of what is attached. */
  readonly files: readonly string[];
}

/** A mail server that takes every message and keeps it: as much of SMTP as a client needs. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<MailServer> {
    const server = createServer();
    const mails = new MailServer(server);
    server.on('connection', (socket) => mails.serve(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return mails;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  to(address: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to === address);
  }

  /** Waits for as many mails to `address`, and answers the last. */
  async await(address: string, count = 1): Promise<ReceivedMail> {
    await until(() => Promise.resolve(this.to(address).length >= count));
    return this.to(address)[count - 1]!;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    let text = '';
    let to = '';
    let isData = false;
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    socket.setEncoding('utf8').on('error', () => undefined);
    say('220 mail.test');
    socket.on('data', (chunk: string) => {
      text += chunk;
      for (;;) {
        const mark = isData ? '\r\n.\r\n' : '\r\n';
        const end = text.indexOf(mark);
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + mark.length);
        if (isData) {
          this.received.push(parsed(to, part.replace(/\r\n\.\./g, '\r\n.')));
          isData = false;
          say('250 kept');
        } else if (part === 'DATA') {
          isData = true;
          say('354 go on');
        } else {
          to = /^RCPT TO:<(.*?)>/.exec(part)?.[1] ?? to;
          say(part === 'QUIT' ? '221 bye' : '250 ok');
        }
      }
    });
  }
}

function parsed(to: string, message: string): ReceivedMail {
  const { head } = partOf(message);
  const parts = partsOf(message);
  const files = parts.flatMap((part) => /filename="?([^";\r\n]+)/.exec(partOf(part).head)?.[1] ?? []);
  const decoded = parts.map((part) => ({ head: partOf(part).head, text: decodedText(part) }));
  return {
    to,
    subject: words(/^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(head)?.[1] ?? ''),
    text: decoded.find((part) => !part.head.includes('text/html'))?.text ?? '',
    html: decoded.find((part) => part.head.includes('text/html'))?.text ?? '',
    files,
  };
}

function partsOf(message: string): string[] {
  const { head, body } = partOf(message);
  const boundary = /boundary="?([^";\r\n]+)/.exec(head)?.[1];
  if (boundary === undefined) return [message];
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => partsOf(part));
}

function partOf(message: string): { head: string; body: string } {
  const [head = '', ...body] = message.replace(/^\r\n/, '').split('\r\n\r\n');
  return { head, body: body.join('\r\n\r\n') };
}

function decodedText(part: string): string {
  const { head, body } = partOf(part);
  const encoding = /^Content-Transfer-Encoding: (\S+)/m.exec(head)?.[1];
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? unquoted(body.replace(/=\r\n/g, ''))
        : body;
  return text.replaceAll('\r\n', '\n').trimEnd();
}

function unquoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Reads a header, with what RFC 2047 encodes in it. */
function words(header: string): string {
  return header
    .replace(/\r\n[ \t]/g, ' ')
    .replace(/(=\?[^ ]+\?=) +(?==\?)/g, '$1')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString()
        : unquoted(text.replaceAll('_', ' ')),
    )
    .trim();
}
