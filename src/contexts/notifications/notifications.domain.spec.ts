import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DeliveryAttempt, readRetryAfter, retryDelay, verdictOf } from './deliveries/deliveries.domain.js';
import { activeSecrets, newSecret, rotated } from './endpoints/endpoints.domain.js';
import { urlProblem } from '../../platform/security/outbound-url.js';
import { bodyOf, crosses, EVENT_NAMES, EXAMPLES } from './notifications.domain.js';

const NOW = new Date('2026-11-21T06:30:00.000Z');
const SCHEDULE = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

function answered(statusCode: number | null, more: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return {
    at: NOW,
    durationMs: 12,
    statusCode,
    response: '',
    error: statusCode === null ? 'the connection was refused' : null,
    retryAfterSeconds: null,
    ...more,
  };
}

describe('the verdict of an attempt', () => {
  it.each([200, 201, 202, 204, 299])('%d is success', (status) => {
    expect(verdictOf(answered(status), 1, SCHEDULE, 0)).toEqual({ status: 'succeeded' });
  });

  it.each([199, 300, 301, 302, 307, 400, 401, 404, 409, 429, 500, 502, 503, 504])(
    '%d is tried again',
    (status) => {
      expect(verdictOf(answered(status), 1, SCHEDULE, 0.5)).toEqual({ status: 'pending', waitSeconds: 5 });
    },
  );

  it('no answer, or one that breaks off, is tried again', () => {
    expect(verdictOf(answered(null), 1, SCHEDULE, 0.5)).toEqual({ status: 'pending', waitSeconds: 5 });
    expect(verdictOf(answered(200, { error: 'cut' }), 2, SCHEDULE, 0.5)).toEqual({
      status: 'pending',
      waitSeconds: 300,
    });
  });

  it('410 ends it at once', () => {
    expect(verdictOf(answered(410), 1, SCHEDULE, 0)).toEqual({ status: 'failed', reason: 'answered 410' });
  });

  it('goes through the whole schedule: one attempt more than there are delays', () => {
    const waits = Array.from({ length: 10 }, (_, i) => verdictOf(answered(500), i + 1, SCHEDULE, 0.5));
    expect(waits).toEqual([
      ...SCHEDULE.map((waitSeconds) => ({ status: 'pending', waitSeconds })),
      { status: 'failed', reason: 'answered 500' },
    ]);
  });

  it('of one that the service broke off costs the endpoint nothing', () => {
    expect(verdictOf(answered(null, { interrupted: true }), 10, SCHEDULE, 0)).toEqual({
      status: 'pending',
      waitSeconds: 0,
    });
  });
});

describe('the delay of a retry', () => {
  it('is within 20 % of the schedule', () => {
    expect(retryDelay(100, null, 0)).toBe(80);
    expect(retryDelay(100, null, 0.5)).toBe(100);
    expect(retryDelay(100, null, 1)).toBeCloseTo(120);
  });

  it('never undercuts Retry-After, up to an hour or twice the delay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 86_400 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (delay, retryAfter, random) => {
          const wait = retryDelay(delay, retryAfter, random);
          expect(wait).toBeGreaterThanOrEqual(Math.min(retryAfter, Math.max(3_600, 2 * delay)));
          expect(wait).toBeGreaterThanOrEqual(0.8 * delay);
          expect(wait).toBeLessThanOrEqual(Math.max(3_600, 2 * delay) + 0.2 * delay);
        },
      ),
    );
  });

  it('reads seconds, and dates by the clock of who sent them', () => {
    const DATE = 'Sat, 21 Nov 2026 06:30:00 GMT';
    expect(readRetryAfter('120', DATE)).toBe(120);
    expect(readRetryAfter('Sat, 21 Nov 2026 06:31:00 GMT', DATE)).toBe(60);
    expect(readRetryAfter('Sat, 21 Nov 2026 06:29:00 GMT', DATE)).toBe(0);
    for (const nonsense of ['soon', '-5', '1e9', '']) {
      expect(readRetryAfter(nonsense, DATE) ?? 0).toBe(0);
    }
    for (const long of ['999999999', '1000000000', '9'.repeat(400)]) {
      expect(readRetryAfter(long, DATE)).toBe(999_999_999);
    }
    expect(readRetryAfter(undefined, DATE)).toBeNull();
    expect(readRetryAfter('Sat, 21 Nov 2026 06:31:00 GMT', undefined)).toBeNull();
  });
});

describe('a URL', () => {
  it.each([
    'https://example.com',
    'https://example.com:8443/hook?x=1',
    'http://example.com:80/',
    'http://example.com:1024/',
    'http://example.com:65535/',
    'http://example.com:443/',
    // Each é takes six characters.
    `http://example.com/${'é'.repeat(338)}x`,
  ])('%s is all right', (url) => expect(urlProblem(url, false)).toBeNull());

  it.each([
    ['', 'absolute'],
    ['/hook', 'absolute'],
    ['http://', 'absolute'],
    ['http://exa mple.com', 'absolute'],
    ['http://example.com:65536/', 'absolute'],
    ['file:///etc/passwd', 'begin with'],
    ['ftp://example.com/', 'begin with'],
    ['gopher://example.com/', 'begin with'],
    ['data:text/plain,x', 'begin with'],
    ['javascript:alert(1)', 'begin with'],
    ['http://a@127.0.0.1/', 'user name'],
    ['http://:b@example.com/', 'user name'],
    ['http://example.com:22/', 'port'],
    ['https://example.com:25/', 'port'],
    ['http://example.com:0/', 'port'],
    ['http://example.com:1023/', 'port'],
    [`http://example.com/${'x'.repeat(2_030)}`, 'characters'],
    [`http://example.com/${'é'.repeat(338)}xx`, 'characters'],
  ])('%s is refused', (url, why) => expect(urlProblem(url, false)).toContain(why));

  it('is https in production', () => {
    expect(urlProblem('http://example.com', true)).toBe('must begin with https://');
    expect(urlProblem('https://example.com', true)).toBeNull();
  });
});

describe('a threshold', () => {
  it('is crossed from at or above it to below it', () => {
    expect(crosses(1_000, 1, 999)).toBe(true);
    expect(crosses(1_000, 500, 999)).toBe(true);
    expect(crosses(1_000, 1, 1_000)).toBe(false);
    expect(crosses(1_000, 1, 998)).toBe(false);
    expect(crosses(1_000, 5_000, 0)).toBe(true);
  });
});

describe('the secrets of an endpoint', () => {
  const later = new Date(NOW.getTime() + 1_000);

  it('are 32 random bytes', () => {
    expect(Buffer.from(newSecret().replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(newSecret()).not.toBe(newSecret());
  });

  it('sign until they expire', () => {
    const secrets = [
      { sealed: 'a', expiresAt: null },
      { sealed: 'b', expiresAt: later.toISOString() },
      { sealed: 'c', expiresAt: NOW.toISOString() },
    ];
    expect(activeSecrets(secrets, NOW).map(({ sealed }) => sealed)).toEqual(['a', 'b']);
    expect(activeSecrets(secrets, later).map(({ sealed }) => sealed)).toEqual(['a']);
  });

  it('give way to a new one at a time that is never put off', () => {
    const first = rotated([], 'a', later, NOW);
    const second = rotated(first, 'b', later, NOW);
    expect(second).toEqual([
      { sealed: 'b', expiresAt: null },
      { sealed: 'a', expiresAt: later.toISOString() },
    ]);
    const third = rotated(second, 'c', new Date(later.getTime() + 5_000), NOW);
    expect(third.map(({ sealed }) => sealed)).toEqual(['c', 'b', 'a']);
    expect(third[2]).toEqual({ sealed: 'a', expiresAt: later.toISOString() });
    expect(rotated(third, 'd', null, NOW)).toEqual([{ sealed: 'd', expiresAt: null }]);
  });
});

describe('a body', () => {
  it.each(EVENT_NAMES)('of %s is its event and its data', (event) => {
    expect(JSON.parse(bodyOf(event, EXAMPLES[event]))).toEqual({ event, data: EXAMPLES[event] });
  });
});
