import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { fixedBody, sendFixed } from './fixed-answer.js';

const BODIES = { '/small': 'x', '/largest': 'y'.repeat(65_536), '/large': 'z'.repeat(65_537 * 3) };

let server: FastifyInstance;
beforeAll(() => {
  server = fastify();
  for (const [path, content] of Object.entries(BODIES)) {
    const body = fixedBody(content);
    server.get(path, (request, reply) => sendFixed(request, reply.type('text/plain'), body));
  }
});
afterAll(() => server.close());

describe('a fixed answer', () => {
  it.each(Object.entries(BODIES))('is whole, with its length and an ETag: %s', async (path, content) => {
    const { statusCode, body, headers } = await server.inject(path);
    expect([statusCode, body === content]).toEqual([200, true]);
    expect(headers).toMatchObject({ 'content-length': String(content.length), etag: expect.any(String) });
    const head = await server.inject({ method: 'HEAD', url: path });
    expect([head.body, head.headers['content-length']]).toEqual(['', String(content.length)]);
  });

  it('is not sent again to a client that has it', async () => {
    const etag = String((await server.inject('/large')).headers.etag);
    for (const have of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const { statusCode, body } = await server.inject({ url: '/large', headers: { 'if-none-match': have } });
      expect([statusCode, body]).toEqual([304, '']);
    }
    for (const have of ['"other"', String((await server.inject('/small')).headers.etag)]) {
      expect((await server.inject({ url: '/large', headers: { 'if-none-match': have } })).statusCode).toBe(
        200,
      );
    }
  });
});
