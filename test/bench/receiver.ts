/**
 * A receiver of webhooks in a process of its own: it answers 200 to whatever arrives, and takes no time from the server
 * it is measured with but the CPU's.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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

if (process.argv[1] === import.meta.filename) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end());
  });
  server.listen(0, '127.0.0.1', () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
}
