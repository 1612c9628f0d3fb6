import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { securityHeaders } from '../../src/platform/http/server/security-headers.js';
import { PASSWORD, paymentBody, startService, type TestService } from '../support/service.js';
import { JWT_SECRET } from '../support/service-database.js';

const PRODUCTION = {
  NODE_ENV: 'production',
  JWT_SECRET,
  WEBHOOK_UNSIGNED: 'allow',
  BANK_PROVIDER: 'sandbox',
};

let service: TestService;
let production: TestService;
beforeAll(async () => {
  service = await startService();
  production = await startService({ env: PRODUCTION });
});
afterAll(async () => {
  await service.close();
  await production.close();
});

const signUp = (on: TestService, email: string) =>
  on.post<{ data: { token: string } }>('/v1/auth/signup', {
    body: { email, password: PASSWORD, accountType: 'developer' },
    headers: { 'x-session': 'cookie' },
  });

describe('the headers of an answer', () => {
  it('of the API let nothing run, no page frame it and no cache keep it, whatever the answer', async () => {
    const answers = [
      await signUp(service, 'headers@example.com'),
      await service.get('/health/live'),
      await service.get('/nothing'),
      await service.get('/api/ledger'),
      await service.post('/api/payment-intent', { body: paymentBody() }),
      await service.post('/v1/auth/login', { body: '{' }),
      await service.get('/%zz'),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'x-request-id': expect.any(String),
      });
      expect(headers['strict-transport-security']).toBeUndefined();
    }
  });

  it('of the reference let the scripts of this origin run alone, and no page frame it', async () => {
    for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css', '/openapi.json']) {
      const { status, headers } = await service.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(String(headers['content-security-policy'])).toContain("script-src 'self'");
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    }
  });

  it('of pages let nothing inline run, nothing be sent elsewhere, and no base move their addresses', async () => {
    const { reference, dashboard } = await securityHeaders(false);
    for (const headers of [reference, dashboard]) {
      expect(headers['content-security-policy']!.split(';').sort()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "font-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
      ]);
      expect(headers).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      });
    }
    expect(dashboard['permissions-policy']).toBe('camera=(), geolocation=(), microphone=(), payment=()');
  });

  it('of production keep browsers to https', async () => {
    const { headers } = await production.get('/health/live');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});

describe('the session cookie of production', () => {
  it('is bound to this very host and https, and no cookie of another name counts', async () => {
    const { headers, body } = await signUp(production, 'cookie@example.com');
    const { token } = body.data;
    expect(headers['set-cookie']).toBe(
      `__Host-session=${token}; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Strict`,
    );
    const status = async (cookie: string) =>
      (await production.get('/v1/auth/session', { headers: { cookie } })).status;
    expect(await status(`a=b; __Host-session=${token}`)).toBe(200);
    expect(await status(`session=${token}`)).toBe(401);
  });
});

describe('the id of a request', () => {
  const idOf = async (given?: string) =>
    (
      await service.get('/health/live', {
        ...(given !== undefined && { headers: { 'x-request-id': given } }),
      })
    ).headers['x-request-id'];

  it('is what the client calls it when that is short and safe', async () => {
    for (const id of ['a', 'order-1843', '01a2:b_c.D', 'x'.repeat(64)]) expect(await idOf(id)).toBe(id);
  });

  it('is one of our own otherwise, another for every request', async () => {
    const ids = [];
    for (const id of [undefined, '', 'x'.repeat(65), 'a b', '"x"', '{}', 'a\tb', '-a', 'é'])
      ids.push(await idOf(id));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
