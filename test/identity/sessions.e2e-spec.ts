import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, startService, type TestService, type TestUser } from '../support/service.js';
import { JWT_SECRET } from '../support/service-database.js';

let service: TestService;
let second: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startService();
  second = await startService({ beside: service });
  user = await service.signUp();
});
afterAll(async () => {
  await second.close();
  await service.close();
});

type Claims = Record<string, unknown>;
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Claims;
/** A token with these claims, signed like ours unless another secret is given. */
function forged(
  claims: Claims,
  secret: string = JWT_SECRET,
  header: Claims = { alg: 'HS256', typ: 'JWT' },
): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const hash = header['alg'] === 'HS512' ? 'sha512' : 'sha256';
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}
const statusOf = async (token: string, to = service): Promise<number> =>
  (await to.get('/api/ledger', { token })).status;
const logIn = async (of: TestUser = user): Promise<string> => {
  const { body } = await service.post<{ data: { token: string } }>('/v1/auth/login', {
    body: { email: of.email, password: PASSWORD },
  });
  return body.data.token;
};
const now = () => Math.trunc(Date.now() / 1_000);

describe('a session', () => {
  it('lives for seven days by its token', () => {
    const { iat, exp } = claimsOf(user.token) as { iat: number; exp: number };
    expect(exp - iat).toBe(7 * 24 * 60 * 60);
    expect(Math.abs(iat - now())).toBeLessThan(60);
  });

  it('is taken with a scheme in any case and more than one space', async () => {
    for (const authorization of [`Bearer ${user.token}`, `bearer ${user.token}`, `BEARER   ${user.token}`]) {
      expect((await service.get('/api/ledger', { headers: { authorization } })).status).toBe(200);
    }
  });

  it.each([
    ['none', ''],
    ['another scheme', 'Basic YTpi'],
    ['the scheme alone', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['no scheme', 'TOKEN'],
    ['the scheme glued on', 'BearerTOKEN'],
    ['two tokens', 'Bearer TOKEN TOKEN'],
    ['a comma', 'Bearer TOKEN, Bearer TOKEN'],
    ['something after the token', 'Bearer TOKEN.x'],
    ['half of the token', 'Bearer HALF'],
  ])('is refused with 401 UNAUTHORIZED for a header with %s', async (_, header) => {
    const authorization = header.replaceAll('TOKEN', user.token).replace('HALF', user.token.slice(0, -20));
    const { status, body, headers } = await service.get('/api/ledger', { headers: { authorization } });
    expect([status, body]).toEqual([401, { error: { code: 'UNAUTHORIZED', message: expect.any(String) } }]);
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it('is not taken from the address, a cookie or the body', async () => {
    expect((await service.get(`/api/ledger?access_token=${user.token}&token=${user.token}`)).status).toBe(
      401,
    );
    expect((await service.get('/api/ledger', { headers: { cookie: `token=${user.token}` } })).status).toBe(
      401,
    );
    expect((await service.get('/api/ledger', { key: user.token })).status).toBe(401);
  });
});

describe('two services in one process, each with a secret and a database of its own', () => {
  let other: TestService;
  beforeAll(async () => {
    other = await startService({ jwtSecret: 'another secret, of a service that runs beside the first' });
  });
  afterAll(() => other.close());

  it('each take their own sessions and not those of the other, whichever started last', async () => {
    const stranger = await other.signUp();
    expect(await Promise.all([statusOf(user.token), statusOf(stranger.token, other)])).toEqual([200, 200]);
    expect(await Promise.all([statusOf(stranger.token), statusOf(user.token, other)])).toEqual([401, 401]);
  });

  it('answer many requests at once, each with its own user', async () => {
    const stranger = await other.signUp();
    const who = async (to: TestService, { token }: TestUser) =>
      (await to.get<{ data: { user: { id: string } } }>('/v1/auth/session', { token })).body.data.user.id;
    const asked = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0 ? who(service, user) : who(other, stranger),
    );
    expect(await Promise.all(asked)).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? user.id : stranger.id)),
    );
  });
});

describe('the cookie of a session', () => {
  const withCookie = (headers: Record<string, string>, path = '/api/ledger') =>
    service.get(path, { headers: { cookie: `session=${user.token}`, ...headers } });

  it('is taken without an Authorization header', async () => {
    expect((await withCookie({})).status).toBe(200);
  });

  it.each(['', 'Basic YTpi', 'Bearer', 'Bearer not-a-token'])(
    'never stands in for a bad Authorization header: %j',
    async (authorization) => {
      expect((await withCookie({ authorization })).status).toBe(401);
    },
  );
});

describe('logout', () => {
  const logOut = (token: string, to = service) => to.post('/v1/auth/logout', { token });

  it('ends exactly that session, at once, on every replica; others of the user live on', async () => {
    const [ended, kept] = [await logIn(), await logIn()];
    const { status, body } = await logOut(ended);
    expect([status, body]).toEqual([200, { status: 'success', message: expect.any(String) }]);
    expect(await Promise.all([statusOf(ended), statusOf(ended, second)])).toEqual([401, 401]);
    expect(await Promise.all([statusOf(kept), statusOf(kept, second), statusOf(user.token)])).toEqual([
      200, 200, 200,
    ]);
  });

  it('a second time answers 401 in the envelope of its family', async () => {
    const token = await logIn();
    await logOut(token, second);
    const { status, body } = await logOut(token);
    expect([status, body]).toEqual([
      401,
      { status: 'error', code: 'UNAUTHORIZED', message: expect.any(String) },
    ]);
  });

  it('does not bar the way back in', async () => {
    await logOut(await logIn());
    expect(await statusOf(await logIn())).toBe(200);
  });

  it('works with an empty body under a content type, as some clients send it', async () => {
    const token = await logIn();
    const { status } = await service.post('/v1/auth/logout', { token, body: '' });
    expect(status).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });

  // axios sends a POST without a body as an empty form, and fetch one with the body '' as empty text.
  it.each(['application/x-www-form-urlencoded', 'text/plain;charset=UTF-8', 'x', ''])(
    'works without a body where a client says that it would be %j',
    async (type) => {
      const token = await logIn();
      const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': '0' };
      const { status } = await service.post('/v1/auth/logout', { headers });
      expect(status).toBe(200);
      expect(await statusOf(token)).toBe(401);
    },
  );

  it('leaves the wallet’s API key alone', async () => {
    const wallet = await service.fundedWallet(5_000);
    await logOut(wallet.owner.token);
    expect((await service.pay(wallet.key)).status).toBe(201);
  });
});

describe('a session on record', () => {
  it('that was deleted is over', async () => {
    const token = await logIn();
    await service.query('DELETE FROM sessions WHERE id = $1', [claimsOf(token)['jti']]);
    expect(await statusOf(token)).toBe(401);
  });

  it('that has expired is over, though its token has not', async () => {
    const token = await logIn();
    const expire = (interval: string) =>
      service.query(`UPDATE sessions SET expires_at = clock_timestamp() + $2::interval WHERE id = $1`, [
        claimsOf(token)['jti'],
        interval,
      ]);
    await expire('1 minute');
    expect(await statusOf(token)).toBe(200);
    await expire('-1 millisecond');
    expect(await statusOf(token)).toBe(401);
  });

  it('of a user who is gone is over', async () => {
    const token = forged({ ...claimsOf(user.token), sub: randomUUID(), jti: randomUUID() });
    expect(await statusOf(token)).toBe(401);
  });
});

describe('a token', () => {
  const good = (): Claims => claimsOf(user.token);

  it('made like ours is taken: the forgeries below are refused for what is wrong with them alone', async () => {
    expect(await statusOf(forged(good()))).toBe(200);
  });

  it.each(['none', 'None', 'NONE', 'nOnE'])('without a signature is refused: alg %s', async (alg) => {
    const unsigned = `${encoded({ alg, typ: 'JWT' })}.${encoded(good())}`;
    for (const token of [`${unsigned}.`, unsigned, `${unsigned}.${user.token.split('.')[2]}`]) {
      expect(await statusOf(token)).toBe(401);
    }
  });

  it.each(['', 'secret', 'another secret that signs the session tokens', JWT_SECRET.toUpperCase()])(
    'signed with another secret is refused: %j',
    async (secret) => {
      expect(await statusOf(forged(good(), secret))).toBe(401);
    },
  );

  it('signed by another algorithm is refused, also with our secret', async () => {
    expect(await statusOf(forged(good(), JWT_SECRET, { alg: 'HS512', typ: 'JWT' }))).toBe(401);
    expect(await statusOf(forged(good(), JWT_SECRET, { alg: 'RS256', typ: 'JWT' }))).toBe(401);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const header = {
      alg: 'RS256',
      typ: 'JWT',
      jwk: publicKey.export({ format: 'jwk' }),
      jku: 'https://x.example/k',
    };
    const signed = `${encoded(header)}.${encoded(good())}`;
    expect(
      await statusOf(`${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`),
    ).toBe(401);
  });

  it('does not have its key looked up where its header points', async () => {
    expect(
      await statusOf(forged(good(), '', { alg: 'HS256', typ: 'JWT', kid: '../../../../dev/null' })),
    ).toBe(401);
  });

  it.each<[string, Claims]>([
    ['has expired', { exp: now() - 1 }],
    ['expires right now', { exp: now() }],
    ['never expires', { exp: undefined }],
    ['expires at a text', { exp: '9999999999' }],
    ['is not valid yet', { nbf: now() + 3_600 }],
    ['was issued by another', { iss: 'somebody-else' }],
    ['was issued by nobody', { iss: undefined }],
    ['names no session', { jti: undefined }],
    ['names a session that is none', { jti: randomUUID() }],
    ['names a session that is no UUID', { jti: `' OR 1=1 --` }],
    ['names no user', { sub: undefined }],
    ['names a user who is no UUID', { sub: 'admin' }],
    ['names a list of users', { sub: [randomUUID()] }],
  ])('that %s is refused', async (_, change) => {
    expect(await statusOf(forged({ ...good(), ...change }))).toBe(401);
  });

  it('that names another user for the session of this one is refused', async () => {
    const other = await service.signUp();
    expect(await statusOf(forged({ ...good(), sub: other.id }))).toBe(401);
    expect(await statusOf(forged({ ...claimsOf(other.token), sub: user.id }))).toBe(401);
  });

  it('that was changed anywhere is refused', async () => {
    const { token } = user;
    for (let i = 5; i < token.length - 1; i += 23) {
      const changed = token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1);
      expect(await statusOf(changed)).toBe(401);
    }
  });

  it.each(['x', '..', 'a.b.c', '{}', 'null', 'e30.e30.e30', '%00', 'A'.repeat(15_000)])(
    'that is none is refused: %.20s',
    async (token) => {
      expect(await statusOf(token)).toBe(401);
    },
  );
});
