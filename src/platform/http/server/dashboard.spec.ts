import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { serveDashboard } from './dashboard.js';
import { securityHeaders } from './security-headers.js';

describe('serving the dashboard', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  let server: FastifyInstance;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Wallets</title>');
    await writeFile(join(folder, 'assets', 'app-1a2b3c.js'), 'export {}');
    await writeFile(join(folder, 'assets', 'app-1a2b3c.js.br'), 'compressed');
    await writeFile(join(folder, 'assets', '.hidden'), 'not to be served');
    server = fastify();
    serveDashboard(server, (await securityHeaders(false)).dashboard, folder);
    server.get('/api/thing', () => ({ ok: true }));
    server.setNotFoundHandler((_, reply) => reply.code(404).send({ error: { code: 'NOT_FOUND' } }));
    await server.ready();
  });

  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it.each(['/', '/wallets/new', '/wallets/123?tab=ledger'])('answers %s with the page', async (url) => {
    const answer = await server.inject({ url, headers: html });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('<title>Wallets</title>');
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    const policy = answer.headers['content-security-policy'];
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('lets hashed files be kept for a year', async () => {
    const answer = await server.inject({ url: '/assets/app-1a2b3c.js' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('sends what is compressed to a client that takes it', async () => {
    const answer = await server.inject({
      url: '/assets/app-1a2b3c.js',
      headers: { 'accept-encoding': 'br' },
    });
    expect([answer.headers['content-encoding'], answer.body]).toEqual(['br', 'compressed']);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    for (const refused of ['br;q=0', 'br; q=0.000, gzip', 'brotli', 'identity']) {
      const { headers } = await server.inject({
        url: '/assets/app-1a2b3c.js',
        headers: { 'accept-encoding': refused },
      });
      expect([refused, headers['content-encoding']]).toEqual([refused, undefined]);
    }
    const plain = await server.inject({ url: '/assets/app-1a2b3c.js' });
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, 'export {}']);
    const head = await server.inject({ method: 'HEAD', url: '/assets/app-1a2b3c.js' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  it('does not send a file again to a client that has it', async () => {
    const url = '/assets/app-1a2b3c.js';
    const { etag } = (await server.inject({ url })).headers;
    const again = await server.inject({ url, headers: { 'if-none-match': String(etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it.each([
    '/api/nothing',
    '/v1/nothing',
    '/health/nothing',
    '/docs/nothing',
    '/openapi.json',
    '/mcp',
    '/metrics',
    '/assets/gone.js',
    '/assets/app-1a2b3c.js.br',
    '/assets/.hidden',
    '/assets/',
    '/assets/..%2findex.html',
  ])('leaves %s to the API', async (url) => {
    const answer = await server.inject({ url, headers: html });
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: { code: 'NOT_FOUND' } }]);
  });

  it('answers a page only to a request that asks for one', async () => {
    expect((await server.inject({ url: '/wallets/new' })).statusCode).toBe(404);
    expect((await server.inject({ method: 'POST', url: '/wallets/new', headers: html })).statusCode).toBe(
      404,
    );
    expect((await server.inject({ url: '/api/thing', headers: html })).json()).toEqual({ ok: true });
  });
});
