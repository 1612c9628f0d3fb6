import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify';
import { acceptedEncodings } from './fixed-files.js';

const COMPRESSED_BYTES_MIN = 1_024;
const AT_ONCE_MAX = 4;
const LEVEL = 5;
const gzipped = promisify(gzip);

/** Reads alone: their answers hold no secret, and payments are posted. */
export function compressReads(server: FastifyInstance): void {
  let underWay = 0;
  const compress: onSendAsyncHookHandler = async ({ method, headers }, reply, payload) => {
    if (method !== 'GET' || typeof payload !== 'string' || payload.length < COMPRESSED_BYTES_MIN)
      return payload;
    void reply.header('vary', 'accept-encoding');
    if (underWay >= AT_ONCE_MAX || !acceptedEncodings(headers['accept-encoding'] ?? '').has('gzip'))
      return payload;
    underWay += 1;
    try {
      const body = await gzipped(payload, { level: LEVEL });
      void reply.header('content-encoding', 'gzip').header('content-length', body.length);
      return body;
    } finally {
      underWay -= 1;
    }
  };
  server.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('GET') || !/^\/(v1|api)\//.test(route.url)) return;
    route.onSend = [route.onSend ?? [], compress].flat();
  });
}
