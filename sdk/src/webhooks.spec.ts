import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './webhooks.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const BODY = '{"event":"payment.approved","data":{"amount":40000,"merchantName":"Ọja"}}';
const NOW = new Date('2026-11-22T10:00:00Z');

function signed(secret = SECRET, body = BODY, at = NOW): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
}

const verified = (
  headers: Record<string, string | undefined> = signed(),
  secret: string | string[] = SECRET,
  body: string | Uint8Array = BODY,
) => verifyWebhook(body, headers, secret, { now: NOW });

describe('a webhook', () => {
  it('that the standard library signed is taken, and answered as its JSON', async () => {
    expect(await verified()).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook(BODY, new Headers(signed()), SECRET, { now: NOW })).toEqual(JSON.parse(BODY));
    expect(await verified(signed(SECRET.replace('whsec_', '')))).toEqual(JSON.parse(BODY));
  });

  it('is taken with either secret while one is rotated, and with one of several signatures', async () => {
    const two = { 'webhook-signature': `v1a,AAAA v1,AAAA ${signed()['webhook-signature']}` };
    expect(await verified({ ...signed(), ...two })).toBeTruthy();
    expect(await verified(signed(OTHER), [SECRET, OTHER])).toBeTruthy();
    await expect(verified(signed(OTHER))).rejects.toThrow(WebhookVerificationError);
  });

  it('is refused when a byte of it, its id or its time was altered, or a header is missing', async () => {
    const headers = signed();
    const wrong: Record<string, string | undefined>[] = [
      { ...headers, 'webhook-id': 'msg_2' },
      { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
      { ...headers, 'webhook-timestamp': 'today' },
      { ...headers, 'webhook-signature': 'v1,' },
      { ...headers, 'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v2,') },
      { ...headers, 'webhook-signature': 'v1,not base64!' },
      ...Object.keys(headers).map((name) => ({ ...headers, [name]: undefined })),
    ];
    for (const each of wrong) await expect(verified(each)).rejects.toThrow(WebhookVerificationError);
    const altered = verified(headers, SECRET, BODY.replace('40000', '40001'));
    await expect(altered).rejects.toThrow(WebhookVerificationError);
  });

  it('is refused beyond the tolerance either way, and taken at it', async () => {
    for (const sign of [1, -1]) {
      const at = (seconds: number) => new Date(NOW.getTime() + sign * seconds * 1_000);
      expect(await verified(signed(SECRET, BODY, at(300)))).toBeTruthy();
      await expect(verified(signed(SECRET, BODY, at(301)))).rejects.toThrow(WebhookVerificationError);
    }
  });

  it('can not be checked with what is no secret', async () => {
    for (const secret of ['', 'whsec_', 'whsec_!', [], [SECRET, '']]) {
      await expect(verified(signed(), secret)).rejects.toThrow(TypeError);
    }
  });

  it('is not checked with a secret of less than 24 bytes, which others could guess', async () => {
    const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
    for (const bytes of [1, 16, 23]) {
      const signature = createHmac('sha256', Buffer.alloc(bytes, 7))
        .update(`msg_1.${NOW.getTime() / 1_000}.${BODY}`)
        .digest('base64');
      const headers = { ...signed(), 'webhook-signature': `v1,${signature}` };
      await expect(verified(headers, secretOf(bytes))).rejects.toThrow(TypeError);
      await expect(verified(signed(), [SECRET, secretOf(bytes)])).rejects.toThrow(TypeError);
    }
    for (const bytes of [24, 25, 64]) {
      expect(await verified(signed(secretOf(bytes)), secretOf(bytes))).toBeTruthy();
    }
  });

  it('is taken as bytes, as a Buffer and as text, and not when it was parsed already', async () => {
    for (const body of [new TextEncoder().encode(BODY), Buffer.from(BODY)]) {
      expect(await verified(signed(), SECRET, body)).toEqual(JSON.parse(BODY));
    }
    const middle = Buffer.from(`xx${BODY}xx`).subarray(2, -2);
    expect(await verified(signed(), SECRET, middle)).toEqual(JSON.parse(BODY));
    const altered = Buffer.from(BODY.replace('40000', '40001'));
    await expect(verified(signed(), SECRET, altered)).rejects.toThrow(WebhookVerificationError);
    const parsed = JSON.parse(BODY) as string;
    await expect(verified(signed(), SECRET, parsed)).rejects.toThrow(TypeError);
  });

  it('is taken with headers in any case, as objects of serverless platforms have them', async () => {
    const headers = signed();
    const named = (rename: (name: string) => string) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value]));
    const title = (name: string) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
    expect(Object.keys(named(title))).toContain('Webhook-Id');
    expect(await verified(named(title))).toBeTruthy();
    expect(await verified(named((name) => name.toUpperCase()))).toBeTruthy();
  });
});
