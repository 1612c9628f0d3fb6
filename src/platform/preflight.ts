/** Node strips types here: erasable syntax, no packages. */
import { createServer } from 'node:net';

/** Throws an Error of one line that names the variable. */
export async function refuseTakenPort(port: number, host: string): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, exclusive: true }, resolve);
    });
  } catch (error) {
    throw listenError(error, port, host);
  }
  await new Promise((resolve) => server.close(resolve));
}

export function listenError(error: unknown, port: number, host: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return new Error(
        `PORT: another process listens on port ${port} of ${host}; set PORT to a free one, ` +
          `e.g. PORT=${port < 65_535 ? port + 1 : 3000}`,
      );
    case 'EACCES':
      return new Error(`PORT: this user may not listen on port ${port}; set PORT to 1024 or more`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new Error(`HOST: ${host} is no address of this machine; 127.0.0.1 and 0.0.0.0 always work`);
    default:
      return new Error(`PORT: can't listen on port ${port} of ${host}: ${message}`);
  }
}
