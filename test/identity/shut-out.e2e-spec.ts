import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Authenticator, type ProtectedUser } from '../support/authenticator.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import { PasskeyDevice, type PasskeyOptions } from '../support/passkey-device.js';
import {
  type Answer,
  expectStatus,
  PASSWORD,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

interface Refused {
  readonly code?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly errors?: readonly { readonly code: string }[];
}
interface Route {
  readonly security?: readonly Record<string, unknown>[];
  readonly 'x-act'?: string;
}

const MINUTE = 60_000;
/** Streams are looked at every half a second. */
const SOON_MS = 5_000;

let mails: MailServer;
let service: TestService;
let second: TestService;
let app: Authenticator;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails), clock: true });
  second = await startService({ env: mailingTo(mails), beside: service });
  for (const each of [service, second]) await each.app.listen(0, '127.0.0.1');
  app = new Authenticator(service);
  await app.pass(0);
});
afterAll(async () => {
  await second.close();
  await service.close();
  await mails.stop();
});

const outcome = ({ status, body }: Answer<unknown>): string | number => {
  const { code, error, errors } = body as Refused;
  return code ?? error?.code ?? errors?.[0]?.code ?? status;
};
const demand = (by: TestUser, demanded: unknown, code?: string, to = service) =>
  to.call('PUT', '/v1/members/two-factor', {
    token: by.token,
    body: { demanded },
    ...(code !== undefined && { headers: { 'x-totp-code': code } }),
  });
const reads = async (user: TestUser, path = '/v1/wallets') =>
  Promise.all([service, second].map(async (each) => outcome(await each.get(path, { token: user.token }))));
const membershipOf = async ({ token }: TestUser) =>
  (await second.get<{ data: { membership: object } }>('/v1/auth/session', { token })).body.data.membership;
const remove = (user: TestUser, path: string, code: string) =>
  service.call('DELETE', `/v1/auth/${path}`, { token: user.token, headers: { 'x-totp-code': code } });

async function addPasskey({ token }: TestUser, code?: string): Promise<string> {
  const begun = await service.post<{ data: { options: PasskeyOptions } }>('/v1/auth/passkeys/registration', {
    token,
    body: { currentPassword: PASSWORD },
    ...(code !== undefined && { headers: { 'x-totp-code': code } }),
  });
  const credential = new PasskeyDevice('https://wallets.example.ng').create(
    expectStatus(200, begun).body.data.options,
  );
  const registered = await service.post<{ data: { passkey: { id: string } } }>('/v1/auth/passkeys', {
    token,
    body: { name: 'Laptop', credential },
  });
  return expectStatus(201, registered).body.data.passkey.id;
}

/** An event stream of a session on each replica. */
async function streams({ token }: TestUser) {
  return Promise.all(
    [service, second].map(async (each) => {
      const headers = { authorization: `Bearer ${token}` };
      const { status, body } = await fetch(`${await each.app.getUrl()}/v1/events`, { headers });
      const stream = { status, isEnded: false };
      void body!.pipeTo(new WritableStream()).finally(() => (stream.isEnded = true));
      return stream;
    }),
  );
}

/** An owner with two-factor, who demands it of a member without. */
async function demanded(role = 'viewer'): Promise<{ owner: ProtectedUser; member: TestUser }> {
  const owner = await app.protect(await businessOwner(service));
  const member = await newMember(service, mails, await steppedUp(owner), role);
  expectStatus(200, await demand(owner, true));
  return { owner, member };
}
async function steppedUp(owner: ProtectedUser): Promise<ProtectedUser> {
  expectStatus(200, await demand(owner, false, app.codeAt(owner.secret)));
  return owner;
}

it('a member who is removed is out of both replicas within a moment: requests, streams and MCP', async () => {
  const owner = await businessOwner(service);
  const member = await newMember(service, mails, owner, 'developer');
  const stays = await newMember(service, mails, owner, 'developer');
  const wallet = await service.createWallet(owner);
  const open = await streams(member);
  const ofOthers = await streams(stays);
  expect([...open, ...ofOthers].map(({ status }) => status)).toEqual([200, 200, 200, 200]);

  expectStatus(200, await second.call('DELETE', `/v1/members/${member.id}`, { token: owner.token }));
  const paths = ['/v1/wallets', `/api/wallets/${wallet.id}`, '/v1/auth/session', '/v1/events'];
  for (const path of paths)
    expect([path, ...(await reads(member, path))]).toEqual([path, 'UNAUTHORIZED', 'UNAUTHORIZED']);
  await until(() => Promise.resolve(open.every(({ isEnded }) => isEnded)), SOON_MS);
  expect(ofOthers.map(({ isEnded }) => isEnded)).toEqual([false, false]);
  // A session never opens MCP; keys are the business's, and stay until they are replaced.
  for (const each of [service, second]) {
    const asked = (token: string) =>
      each.post('/mcp', {
        headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      });
    expect([(await asked(member.token)).status, (await asked(wallet.key)).status]).toEqual([401, 200]);
  }
});

describe('a business that demands two-factor authentication', () => {
  it('shuts a member without it out of all but the own login at once, on both replicas, with an open stream', async () => {
    const owner = await steppedUp(await app.protect(await businessOwner(service)));
    const member = await newMember(service, mails, owner, 'approver');
    const wallet = await service.createWallet(owner);
    await service.topUp(wallet.id, 5_000);
    const open = await streams(member);
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    const ofOwner = await streams(owner);
    expect(await reads(member)).toEqual([200, 200]);

    expectStatus(200, await demand(owner, true));
    expect(await reads(member)).toEqual(['TWO_FACTOR_DEMANDED', 'TWO_FACTOR_DEMANDED']);
    expect(await reads(member, '/v1/events')).toEqual(['TWO_FACTOR_DEMANDED', 'TWO_FACTOR_DEMANDED']);
    await until(() => Promise.resolve(open.every(({ isEnded }) => isEnded)), SOON_MS);
    expect(ofOwner.map(({ isEnded }) => isEnded)).toEqual([false, false]);
    expect(await membershipOf(member)).toMatchObject({ isTwoFactorDemanded: true, mustSetUpTwoFactor: true });
    expect(await membershipOf(owner)).toMatchObject({ isTwoFactorDemanded: true, mustSetUpTwoFactor: false });
    // Keys are not of a person.
    expectStatus(201, await second.pay(wallet.key, { amount: 1_000 }));

    expectStatus(200, await demand(owner, false));
    expect(await reads(member)).toEqual([200, 200]);
  });

  it('refuses every route but those of the own login, and says what to do', async () => {
    const { member } = await demanded('owner');
    const { body } = await service.get<{ paths: Record<string, Record<string, Route>> }>('/openapi.json');
    const routes = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => security?.some((scheme) => 'session' in scheme))
        .map(([method, route]) => ({ method: method.toUpperCase(), path, act: route['x-act'] })),
    );
    expect(routes.length).toBeGreaterThan(70);
    for (const { method, path, act } of routes.filter((route) => route.act !== 'self')) {
      const answer = await service.call(
        method,
        path.replace(/\{\w+\}/g, () => randomUUID()),
        { token: member.token, ...(['GET', 'DELETE'].includes(method) ? {} : { body: {} }) },
      );
      expect([method, path, act, answer.status, outcome(answer)]).toEqual([
        method,
        path,
        act,
        403,
        'TWO_FACTOR_DEMANDED',
      ]);
      expect(answer.text).toContain('set up an authenticator app or a passkey first');
    }
    for (const path of ['auth/session', 'auth/two-factor', 'auth/passkeys', 'auth/sessions', 'membership'])
      expect([path, ...(await reads(member, `/v1/${path}`))]).toEqual([path, 200, 200]);
  });

  it('lets the member go on with an app, or with a passkey alone', async () => {
    const { owner, member } = await demanded();
    await app.protect(member);
    expect(await reads(member)).toEqual([200, 200]);
    const other = await newMember(service, mails, owner, 'viewer');
    expect(await reads(other)).toEqual(['TWO_FACTOR_DEMANDED', 'TWO_FACTOR_DEMANDED']);
    const started = await service.post('/v1/auth/two-factor', {
      token: other.token,
      body: { currentPassword: PASSWORD },
    });
    expect([started.status, ...(await reads(other))]).toEqual([
      201,
      'TWO_FACTOR_DEMANDED',
      'TWO_FACTOR_DEMANDED',
    ]);
    await addPasskey(other);
    expect(await reads(other)).toEqual([200, 200]);
    expect(await membershipOf(other)).toMatchObject({ mustSetUpTwoFactor: false });
  });

  it('keeps the last factor of its members, owner included, until it demands it no more', async () => {
    const { owner } = await demanded();
    expect(outcome(await remove(owner, 'two-factor', owner.recoveryCodes[0]!))).toBe('TWO_FACTOR_DEMANDED');
    expect(await reads(owner)).toEqual([200, 200]);
    const passkeyId = await addPasskey(owner);
    expectStatus(200, await remove(owner, 'two-factor', owner.recoveryCodes[1]!));
    const last = `passkeys/${passkeyId}`;
    expect(outcome(await remove(owner, last, owner.recoveryCodes[2]!))).toBe('TWO_FACTOR_DEMANDED');
    expectStatus(200, await demand(owner, false, owner.recoveryCodes[3]));
    expectStatus(200, await remove(owner, last, owner.recoveryCodes[4]!));
    expect(await reads(owner)).toEqual([200, 200]);
  });

  it('is made so by an owner alone, who has a factor and gives a code, and each change is on record once', async () => {
    const bare = await businessOwner(service);
    expect(outcome(await demand(bare, true))).toBe('TWO_FACTOR_NOT_ENABLED');
    expect(await reads(bare)).toEqual([200, 200]);
    const approver = await newMember(service, mails, bare, 'approver');
    expect(outcome(await demand(approver, true))).toBe('FORBIDDEN');
    const owner = await app.protect(bare);
    for (const value of [undefined, null, 'true', 1])
      expect(outcome(await demand(owner, value, owner.recoveryCodes[1]))).not.toBe(200);
    await app.pass(11 * MINUTE);
    expect(outcome(await demand(owner, true))).toBe('TWO_FACTOR_REQUIRED');
    expect(await reads(approver)).toEqual([200, 200]);
    const code = app.codeAt(owner.secret);
    expectStatus(200, await demand(owner, true, code));
    const again = await Promise.all([service, second].map((each) => demand(owner, true, undefined, each)));
    expect(again.map(({ status }) => status)).toEqual([200, 200]);
    expectStatus(200, await demand(owner, false));
    const log = await service.get<{ data: object[] }>('/v1/activity?act=business.security-changed', owner);
    expect(log.body.data).toEqual([
      expect.objectContaining({ before: { twoFactorDemanded: true }, after: { twoFactorDemanded: false } }),
      expect.objectContaining({
        actor: owner.email,
        before: { twoFactorDemanded: false },
        after: { twoFactorDemanded: true },
      }),
    ]);
  });
});
