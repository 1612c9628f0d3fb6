import { Readable } from 'node:stream';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors.js';
import { notJson } from './json-body.js';

const TAKES_FILE = { takesFile: true };
const FILE_TYPE = 'application/x-file-body';
/** Types that a form of another site cannot send. */
const SENT_TYPES = /^(application\/(octet-stream|pdf)|image\/[\w.+-]+)$/;

/** The body stays unread until the guards have passed. */
export const TakesFile = () => RouteConfig(TAKES_FILE);

const takesFile = ({ routeOptions: { config } }: FastifyRequest): boolean =>
  (config as Partial<typeof TAKES_FILE>).takesFile === true;

export function passFilesOn(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _, done) => {
    const type = takesFile(request) ? request.headers['content-type'] : undefined;
    if (type !== undefined && SENT_TYPES.test(type)) request.raw.headers['content-type'] = FILE_TYPE;
    done();
  });
  server.addContentTypeParser(FILE_TYPE, (request, body, done) => {
    if (takesFile(request)) done(null, body);
    else done(notJson());
  });
}

export async function bytesOfFile({ headers, body }: FastifyRequest, bytesMax: number): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (!(body instanceof Readable))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the bytes of the file as application/octet-stream.');
  const tooLarge = () =>
    new AppError('PAYLOAD_TOO_LARGE', `A file is at most ${bytesMax / 1024 / 1024} MiB: send a smaller one.`);
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  try {
    // Destroyed, it would take the connection along before the answer.
    for await (const part of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > bytesMax) throw tooLarge();
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('BAD_REQUEST', 'The file did not arrive whole: send it again.');
  }
  return Buffer.concat(parts, size);
}
