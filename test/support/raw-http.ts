import { connect, type Socket } from 'node:net';

/** Sends bytes as they are over a connection of their own; answers all that came back until the other side closed. */
export function exchange(port: number, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(sent, 'latin1'));
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (received += chunk)).on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

/** A connection on which `sent` has gone out and nothing more will; `closed` holds what was received until it ended. */
export async function hang(port: number, sent = ''): Promise<{ socket: Socket; closed: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => (received += chunk)).on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  if (sent) await new Promise<void>((resolve) => socket.write(sent, 'latin1', () => resolve()));
  return { socket, closed };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The first answer in what was received. */
export function parseAnswer(received: string): RawAnswer {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  const body = rest.join('\r\n\r\n');
  const length = headers['content-length'];
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1]),
    headers,
    body: length === undefined ? body : body.slice(0, Number(length)),
  };
}
