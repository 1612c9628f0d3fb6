/**
 * A receiver of webhooks in a process of its own: it answers 200 to whatever arrives, and takes no time from the server
 * it is measured with but the CPU's.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export class Receiver {
  private readonly process: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.process = child;
    this.url = url;
  }

  static start(): Promise<Receiver> {
    const child = fork(import.meta.filename);
    return new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error('the receiver ended')));
      child.once('message', (url) => resolve(new Receiver(child, url as string)));
    });
  }

  stop(): void {
    this.process.kill();
  }
}

const HEADER_END = '\r\n\r\n';
const OK = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');

/** Answers each request once its body is there; like the load generator, it reads no more of it than it must. */
function answerRequests(socket: Socket): void {
  let waiting = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    waiting += chunk.toString('latin1');
    for (;;) {
      const headerEnd = waiting.indexOf(HEADER_END);
      if (headerEnd < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(waiting.slice(0, headerEnd))?.[1] ?? 0);
      const end = headerEnd + HEADER_END.length + length;
      if (waiting.length < end) return;
      waiting = waiting.slice(end);
      socket.write(OK);
    }
  });
}

if (process.argv[1] === import.meta.filename) {
  const server = createServer(answerRequests);
  server.listen(0, '127.0.0.1', () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
}
