import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { turn } from '../../batching/turns.js';

/** Bytes per turn of the event loop. */
const PIECE_BYTES = 64 * 1_024;

/** Kept outside the heap. */
export interface FixedBody {
  readonly bytes: Buffer;
  readonly etag: string;
}

export function fixedBody(content: string | Buffer): FixedBody {
  const bytes = Buffer.from(content);
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
}

/** 304 if the client has it. */
export function sendFixed(
  { headers, notes }: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag }: FixedBody,
): FastifyReply {
  if (notes) notes.isStatic = true;
  void reply.header('etag', etag);
  // Tags may be weak, and several.
  if (headers['if-none-match']?.includes(etag)) return reply.status(304).send();
  void reply.header('content-length', bytes.length);
  return reply.send(
    bytes.length > PIECE_BYTES ? Readable.from(piecesOf(bytes), { objectMode: false }) : bytes,
  );
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) await turn();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
