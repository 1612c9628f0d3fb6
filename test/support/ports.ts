/** Node strips the types of this file: erasable syntax only. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of 127.0.0.1 that nothing listens on. It lies below those that systems give to outgoing connections and to
 * `listen(0)`: another process could be given one of them before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(11_000, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    await new Promise((done) => server.close(done));
    if (isFree) return port;
  }
}
