import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Authenticator } from '../support/authenticator.js';
import { MailServer } from '../support/mail-server.js';
import { mailingTo } from '../support/members.js';
import { PasskeyDevice, type PasskeyOptions } from '../support/passkey-device.js';
import { PASSWORD, startService, type TestService, type TestUser, until } from '../support/service.js';

interface Body {
  readonly code?: string;
  readonly error?: { readonly code: string };
  readonly errors?: readonly { readonly code: string }[];
  readonly data: {
    readonly options: PasskeyOptions;
    readonly token: string;
    readonly passkey: { readonly id: string };
    readonly recoveryCodes: readonly string[] | null;
    readonly passkeys: readonly {
      readonly id: string;
      readonly name: string;
      readonly lastUsedAt: string | null;
    }[];
  };
}
interface Options {
  readonly token?: string;
  readonly body?: object;
  readonly passkey?: string;
  readonly code?: string;
}
interface Owner extends TestUser {
  readonly device: PasskeyDevice;
  readonly passkeyId: string;
  readonly recoveryCodes: readonly string[];
}

const ORIGIN = 'https://wallets.example.ng';
const MINUTE = 60_000;

let mails: MailServer;
let service: TestService;
let second: TestService;
let app: Authenticator;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ clock: true, env: mailingTo(mails) });
  second = await startService({ beside: service, env: mailingTo(mails) });
  for (const each of [service, second]) await each.app.listen(0, '127.0.0.1');
  app = new Authenticator(service);
  await app.pass(0);
});
afterAll(async () => {
  await second.close();
  await service.close();
  await mails.stop();
});

/** By a socket, as a browser would. */
async function call(method: string, path: string, options: Options = {}, to = service) {
  const { token, body, passkey, code } = options;
  const response = await fetch(`${await to.app.getUrl()}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...(passkey !== undefined && { 'x-passkey': passkey }),
      ...(code !== undefined && { 'x-totp-code': code }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}
const outcome = ({ status, body }: { status: number; body: Body }) =>
  body.code ?? body.error?.code ?? body.errors?.[0]?.code ?? status;

const begin = (token: string, proof: Options = {}) =>
  call('POST', '/v1/auth/passkeys/registration', { token, body: { currentPassword: PASSWORD }, ...proof });
const register = (token: string, credential: string, name = 'Laptop') =>
  call('POST', '/v1/auth/passkeys', { token, body: { name, credential } });
const challenged = async (token: string): Promise<PasskeyOptions> =>
  (await call('POST', '/v1/auth/passkeys/challenge', { token })).body.data.options;
const challengedAt = async ({ email }: TestUser): Promise<PasskeyOptions> =>
  (await call('POST', '/v1/auth/login/passkey', { body: { email, password: PASSWORD } })).body.data.options;
const logIn = ({ email }: TestUser, proof: object = {}, to = service) =>
  call('POST', '/v1/auth/login', { body: { email, password: PASSWORD, ...proof } }, to);
const listed = async (token: string) =>
  (await call('GET', '/v1/auth/passkeys', { token })).body.data.passkeys;
/** Asks for a proof each time, and changes nothing that these tests look at. */
const renew = (token: string, proof: Options, to = service) =>
  call('POST', '/v1/auth/two-factor/recovery-codes', { token, ...proof }, to);

async function owner(): Promise<Owner> {
  const user = await service.signUp();
  const device = new PasskeyDevice(ORIGIN);
  const { options } = (await begin(user.token)).body.data;
  const { body } = await register(user.token, device.create(options));
  return { ...user, device, passkeyId: body.data.passkey.id, recoveryCodes: body.data.recoveryCodes ?? [] };
}

describe('registering a passkey', () => {
  it('takes the password, turns two-factor authentication on, and is mailed and on record', async () => {
    const user = await service.signUp();
    const { token } = user;
    const wrong = await begin(token, { body: { currentPassword: 'wrong horse' } });
    expect(outcome(wrong)).toBe('WRONG_PASSWORD');
    const { options } = (await begin(token)).body.data;
    expect(options.rp).toMatchObject({ id: 'wallets.example.ng' });
    const { status, body } = await register(token, new PasskeyDevice(ORIGIN).create(options));
    expect([status, body.data.recoveryCodes?.length]).toEqual([201, 10]);
    const state = await service.get('/v1/auth/two-factor', { token });
    expect(state.body.data).toMatchObject({
      enabled: true,
      hasApp: false,
      passkeys: 1,
      recoveryCodesLeft: 10,
    });
    expect(outcome(await logIn(user))).toBe('TWO_FACTOR_REQUIRED');
    await until(() => Promise.resolve(mails.to(user.email).length >= 2));
    expect(
      mails
        .to(user.email)
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(['A passkey was added', 'Two-factor authentication was turned on']);
    const log = await service.get<{ data: { act: string; subject: string }[] }>('/v1/activity?act=security', {
      token,
    });
    expect(log.body.data.map(({ act }) => act).sort()).toEqual([
      'security.passkey-added',
      'security.two-factor-enabled',
    ]);
    expect(log.body.data.find(({ act }) => act === 'security.passkey-added')?.subject).toBe(
      body.data.passkey.id,
    );
  });

  it('asks for the second factor that is there, and keeps its recovery codes', async () => {
    const user = await app.protect(await service.signUp());
    expect(outcome(await begin(user.token))).toBe('TWO_FACTOR_REQUIRED');
    const { options } = (await begin(user.token, { code: app.codeAt(user.secret) })).body.data;
    const device = new PasskeyDevice(ORIGIN);
    const { body } = await register(user.token, device.create(options));
    expect(body.data.recoveryCodes).toBeNull();
    expect((await logIn(user, { totpCode: user.recoveryCodes[0] })).status).toBe(200);
    // And the other way round: an app beside a passkey.
    const other = await owner();
    const setUp = { token: other.token, body: { currentPassword: PASSWORD } };
    expect(outcome(await call('POST', '/v1/auth/two-factor', setUp))).toBe('TWO_FACTOR_REQUIRED');
    const passkey = other.device.get(await challenged(other.token));
    expect((await call('POST', '/v1/auth/two-factor', { ...setUp, passkey })).status).toBe(201);
  });

  it('refuses another site, no verification of the user, a used or expired challenge, and another session', async () => {
    const { token, email } = await service.signUp();
    const device = new PasskeyDevice(ORIGIN);
    const fresh = async () => (await begin(token)).body.data.options;
    for (const said of [
      { origin: 'https://wallets.example.ng.evil.test' },
      { rpId: 'evil.test' },
      { isVerified: false },
    ]) {
      const { body, status } = await register(token, device.create(await fresh(), said));
      expect([said, status, body.errors?.[0]?.code]).toEqual([said, 400, 'INVALID_PASSKEY']);
    }
    const expired = await fresh();
    await app.pass(5 * MINUTE);
    expect(outcome(await register(token, device.create(expired)))).toBe('INVALID_PASSKEY');
    const another = (await logIn({ email } as TestUser)).body.data.token;
    expect(outcome(await register(another, device.create(await fresh())))).toBe('INVALID_PASSKEY');
    const options = await fresh();
    expect((await register(token, device.create(options))).status).toBe(201);
    expect(outcome(await register(token, new PasskeyDevice(ORIGIN).create(options)))).toBe('INVALID_PASSKEY');
    for (const junk of ['{}', '[]', 'null', '{"id":"x","response":{"clientDataJSON":"e30"}}', 'x']) {
      expect([junk, outcome(await register(token, junk))]).toEqual([junk, 'INVALID_PASSKEY']);
    }
  });

  it('ends at ten passkeys and at twenty open challenges, and takes no credential twice', async () => {
    const { token, device } = await owner();
    const proof = { passkey: device.get(await challenged(token)) };
    const { options } = (await begin(token, proof)).body.data;
    expect(outcome(await register(token, device.create(options)))).toBe('INVALID_PASSKEY');
    for (let count = 2; count <= 10; count += 1) {
      const next = (await begin(token)).body.data.options;
      expect((await register(token, new PasskeyDevice(ORIGIN).create(next))).status).toBe(201);
    }
    expect(outcome(await begin(token))).toBe('PASSKEY_LIMIT_REACHED');
    const asked = () => call('POST', '/v1/auth/passkeys/challenge', { token });
    for (let count = 1; count <= 20; count += 1) expect((await asked()).status).toBe(200);
    expect(outcome(await asked())).toBe('RATE_LIMITED');
    await app.pass(5 * MINUTE);
    expect((await asked()).status).toBe(200);
  });
});

describe('a passkey as the second factor', () => {
  it('signs in after the password, on any replica, and says when it was last used', async () => {
    const user = await owner();
    const wrong = { email: user.email, password: 'wrong horse' };
    expect(outcome(await call('POST', '/v1/auth/login/passkey', { body: wrong }))).toBe(
      'INVALID_CREDENTIALS',
    );
    expect((await listed(user.token))[0]?.lastUsedAt).toBeNull();
    const passkey = user.device.get(await challengedAt(user));
    const { status, body } = await logIn(user, { passkey }, second);
    expect(status).toBe(200);
    expect((await listed(body.data.token))[0]?.lastUsedAt).not.toBeNull();
    expect(outcome(await logIn(user, { passkey }))).toBe('INVALID_TWO_FACTOR_CODE');
    const without = await service.signUp();
    const none = await call('POST', '/v1/auth/login/passkey', {
      body: { email: without.email, password: PASSWORD },
    });
    expect(outcome(none)).toBe('PASSKEY_NOT_FOUND');
  });

  it('steps a session up for ten minutes, like a code', async () => {
    const user = await owner();
    const wallet = await service.createWallet(user);
    const resume = (options: Options = {}) =>
      call('POST', `/api/wallets/${wallet.id}/resume`, { token: user.token, ...options }, second);
    expect(outcome(await resume())).toBe('TWO_FACTOR_REQUIRED');
    expect((await resume({ passkey: user.device.get(await challenged(user.token)) })).status).toBe(200);
    await app.pass(10 * MINUTE - 1);
    expect((await resume()).status).toBe(200);
    await app.pass(1);
    expect(outcome(await resume())).toBe('TWO_FACTOR_REQUIRED');
  });

  it.each<[string, object]>([
    ['another site', { origin: 'https://evil.test' }],
    ['another port of the site', { origin: `${ORIGIN}:8443` }],
    ['another relying party', { rpId: 'evil.test' }],
    ['no verification of the user', { isVerified: false }],
    ['a counter that did not grow', { counter: 1 }],
  ])('is refused for %s, and works afterwards', async (_, said) => {
    const user = await owner();
    expect((await renew(user.token, { passkey: user.device.get(await challenged(user.token)) })).status).toBe(
      200,
    );
    const refused = user.device.get(await challenged(user.token), said);
    expect(outcome(await renew(user.token, { passkey: refused }))).toBe('INVALID_TWO_FACTOR_CODE');
    expect((await renew(user.token, { passkey: user.device.get(await challenged(user.token)) })).status).toBe(
      200,
    );
  });

  it("is refused with another user's credential, session or sign-in, and after five minutes", async () => {
    const [user, other] = [await owner(), await owner()];
    const by = (device: PasskeyDevice, options: PasskeyOptions, said = {}) => ({
      passkey: device.get(options, said),
    });
    const proofs = [
      by(other.device, await challenged(user.token)),
      by(other.device, await challenged(user.token), { credentialId: user.device.id }),
      by(user.device, await challenged(other.token)),
      by(user.device, await challengedAt(user)),
      by(user.device, { challenge: Buffer.alloc(32).toString('base64url'), rpId: 'wallets.example.ng' }),
    ];
    for (const proof of proofs) {
      expect(outcome(await renew(user.token, proof))).toBe('INVALID_TWO_FACTOR_CODE');
    }
    const { options } = (await begin(user.token, by(user.device, await challenged(user.token)))).body.data;
    const registration = { challenge: options.challenge, rpId: 'wallets.example.ng' };
    expect(outcome(await renew(user.token, by(user.device, registration)))).toBe('INVALID_TWO_FACTOR_CODE');
    const ofSession = by(user.device, await challenged(user.token));
    expect(outcome(await logIn(user, ofSession))).toBe('INVALID_TWO_FACTOR_CODE');
    const [late, inTime] = [await challenged(user.token), await challenged(user.token)];
    await app.pass(5 * MINUTE - 1);
    expect((await renew(user.token, by(user.device, inTime))).status).toBe(200);
    await app.pass(1);
    expect(outcome(await renew(user.token, by(user.device, late)))).toBe('INVALID_TWO_FACTOR_CODE');
  });

  it('answers a challenge once, however many send it to both replicas at once', async () => {
    const user = await owner();
    const passkey = user.device.get(await challenged(user.token));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => renew(user.token, { passkey }, i % 2 === 0 ? service : second)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // Two challenges, one count: the counter is judged under the lock.
    const [one, two] = [await challenged(user.token), await challenged(user.token)];
    const counter = user.device.counter + 1;
    const twice = await Promise.all([
      renew(user.token, { passkey: user.device.get(one, { counter }) }),
      renew(user.token, { passkey: user.device.get(two, { counter }) }, second),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('counts as a guess when it is refused, with the codes: ten in a quarter of an hour', async () => {
    const user = await owner();
    for (let i = 0; i < 10; i += 1) {
      const proof = i % 2 === 0 ? { passkey: '{"id":"x"}' } : { code: 'abcd-efgh' };
      expect(outcome(await renew(user.token, proof))).toBe('INVALID_TWO_FACTOR_CODE');
    }
    const passkey = user.device.get(await challenged(user.token));
    expect(outcome(await renew(user.token, { passkey }))).toBe('RATE_LIMITED');
    expect(outcome(await logIn(user, { totpCode: user.recoveryCodes[0] }))).toBe('RATE_LIMITED');
  });

  it('outlives a change of every secret of the service', async () => {
    const user = await owner();
    const changed = await startService({
      beside: service,
      jwtSecret: 'another secret that signs session tokens',
      env: {
        ...mailingTo(mails),
        TWO_FACTOR_ENCRYPTION_KEY: 'another key, of thirty-two characters or more',
      },
    });
    await changed.app.listen(0, '127.0.0.1');
    const passkey = user.device.get(await challengedAt(user));
    expect((await logIn(user, { passkey }, changed)).status).toBe(200);
    await changed.close();
  });
});

describe('a passkey that is there', () => {
  it('is renamed and removed by its owner alone, each on record, and a removal takes a proof of its own', async () => {
    const [user, other] = [await owner(), await owner()];
    const path = `/v1/auth/passkeys/${user.passkeyId}`;
    const rename = (token: string, name: string) => call('PATCH', path, { token, body: { name } });
    expect(outcome(await rename(other.token, 'Mine'))).toBe('PASSKEY_NOT_FOUND');
    expect(outcome(await rename(user.token, ' '))).toBe('VALIDATION_ERROR');
    expect((await rename(user.token, 'Phone')).status).toBe(200);
    expect((await listed(user.token)).map(({ name }) => name)).toEqual(['Phone']);

    const stolen = { passkey: other.device.get(await challenged(other.token)) };
    expect(outcome(await call('DELETE', path, { token: other.token, ...stolen }))).toBe('PASSKEY_NOT_FOUND');
    const wallet = await service.createWallet(user);
    const stepUp = { token: user.token, passkey: user.device.get(await challenged(user.token)) };
    expect((await call('POST', `/api/wallets/${wallet.id}/resume`, stepUp)).status).toBe(200);
    expect(outcome(await call('DELETE', path, { token: user.token }))).toBe('TWO_FACTOR_REQUIRED');
    const code = user.recoveryCodes[0]!;
    expect((await call('DELETE', path, { token: user.token, code })).status).toBe(200);
    expect(await listed(user.token)).toEqual([]);
    const log = await service.get<{ data: { act: string; before: object; after: object }[] }>(
      '/v1/activity?act=security',
      { token: user.token },
    );
    expect(log.body.data.map(({ act }) => act).sort()).toEqual([
      'security.passkey-added',
      'security.passkey-removed',
      'security.passkey-renamed',
      'security.two-factor-disabled',
      'security.two-factor-enabled',
    ]);
    expect(log.body.data.find(({ act }) => act === 'security.passkey-renamed')).toMatchObject({
      before: { name: 'Laptop' },
      after: { name: 'Phone' },
    });
  });

  it('keeps two-factor authentication and its recovery codes while any factor is left', async () => {
    const user = await app.protect(await service.signUp());
    const { options } = (await begin(user.token, { code: app.codeAt(user.secret) })).body.data;
    const device = new PasskeyDevice(ORIGIN);
    const { id } = (await register(user.token, device.create(options))).body.data.passkey;
    const state = async () => (await service.get('/v1/auth/two-factor', { token: user.token })).body.data;

    const byPasskey = { token: user.token, passkey: device.get(await challenged(user.token)) };
    expect((await call('DELETE', '/v1/auth/two-factor', byPasskey)).status).toBe(200);
    expect(await state()).toMatchObject({ enabled: true, hasApp: false, passkeys: 1, recoveryCodesLeft: 10 });
    expect(outcome(await logIn(user))).toBe('TWO_FACTOR_REQUIRED');
    expect(outcome(await logIn(user, { totpCode: app.codeAt(user.secret, 1) }))).toBe(
      'INVALID_TWO_FACTOR_CODE',
    );

    const last = { token: user.token, code: user.recoveryCodes[0]! };
    expect((await call('DELETE', `/v1/auth/passkeys/${id}`, last)).status).toBe(200);
    expect(await state()).toMatchObject({ enabled: false, passkeys: 0, recoveryCodesLeft: 0 });
    expect((await logIn(user)).status).toBe(200);
    expect(await service.query('SELECT FROM recovery_codes WHERE user_id = $1', [user.id])).toEqual([]);
  });
});
