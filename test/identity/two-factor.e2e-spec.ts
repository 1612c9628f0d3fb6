import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateSync } from 'otplib';
import pg from 'pg';
import { PASSWORD, startService, type TestService, type TestUser, until } from '../support/service.js';

interface Refused {
  readonly code: string;
  readonly errors?: readonly { readonly code: string }[];
}
interface Protected extends TestUser {
  /** What the user's app holds, in base 32. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

let service: TestService;
let second: TestService;
/** Where the database's clock stands: in the middle of a time step. */
let now: number;
beforeAll(async () => {
  service = await startService({ clock: true });
  second = await startService({ beside: service });
  now = Math.floor(Date.now() / 30_000) * 30_000 + 15_000;
});
beforeEach(() => service.setClock(new Date(now)));
afterAll(async () => {
  await second.close();
  await service.close();
});

const OFF = { enabled: false, enabledAt: null, recoveryCodesLeft: 0, hasApp: false, passkeys: 0 };
/** What the app shows `steps` of 30 seconds after the present one. */
const codeAt = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(now / 1_000) + steps * 30 });
const wrong = (secret: string): string => {
  const right = [-1, 0, 1].map((step) => codeAt(secret, step));
  return ['000000', '000001', '000002', '000003'].find((code) => !right.includes(code))!;
};
/** Lets a time step go by: what was used before can't be needed again. */
async function nextStep(): Promise<void> {
  now += 30_000;
  await service.setClock(new Date(now));
}
const codeOf = ({ status, body }: { status: number; body: Refused }) => [
  status,
  body.errors?.[0]?.code ?? body.code,
];
const logIn = (of: TestUser, totpCode?: string | null, to = service, password = PASSWORD) =>
  to.post<Refused & { data: { token: string } }>('/v1/auth/login', {
    body: { email: of.email, password, ...(totpCode !== undefined && { totpCode }) },
  });
const setUp = (token: string, currentPassword = PASSWORD) =>
  service.post<Refused & { data: { secret: string; uri: string } }>('/v1/auth/two-factor', {
    token,
    body: { currentPassword },
  });
const confirm = (token: string, code: string, to = service) =>
  to.post<Refused & { data: { recoveryCodes: string[] } }>('/v1/auth/two-factor/confirm', {
    token,
    body: { code },
  });
const state = async (token: string) =>
  (
    await service.get<{ data: { enabled: boolean; enabledAt: string | null; recoveryCodesLeft: number } }>(
      '/v1/auth/two-factor',
      { token },
    )
  ).body.data;
const disable = (token: string, code?: string) =>
  service.call<Refused>('DELETE', '/v1/auth/two-factor', {
    token,
    ...(code !== undefined && { headers: { 'x-totp-code': code } }),
  });

/** A user with a second factor, none of whose codes of the present was used. */
async function protectedUser(): Promise<Protected> {
  const user = await service.signUp();
  const { secret } = (await setUp(user.token)).body.data;
  const { recoveryCodes } = (await confirm(user.token, codeAt(secret, -1))).body.data;
  return { ...user, secret, recoveryCodes };
}

describe('setting two-factor authentication up', () => {
  it('takes the password, and is asked for only once a code of the app confirmed it', async () => {
    const user = await service.signUp();
    expect(codeOf(await setUp(user.token, 'wrong horse'))).toEqual([403, 'WRONG_PASSWORD']);
    const { status, body } = await setUp(user.token);
    expect(status).toBe(201);
    expect(body.data.secret).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(body.data.uri);
    expect([uri.protocol, uri.searchParams.get('secret')]).toEqual(['otpauth:', body.data.secret]);
    expect(decodeURIComponent(uri.pathname)).toContain(user.email);
    expect(await state(user.token)).toEqual(OFF);
    expect((await logIn(user)).status).toBe(200);

    expect(codeOf(await confirm(user.token, wrong(body.data.secret)))).toEqual([
      403,
      'INVALID_TWO_FACTOR_CODE',
    ]);
    expect((await logIn(user)).status).toBe(200);
    const code = codeAt(body.data.secret);
    const confirmed = await confirm(user.token, code);
    expect(confirmed.status).toBe(200);
    // The code that confirmed it is used up.
    expect(codeOf(await logIn(user, code))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    expect(new Set(confirmed.body.data.recoveryCodes).size).toBe(10);
    for (const recoveryCode of confirmed.body.data.recoveryCodes)
      expect(recoveryCode).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
    expect(await state(user.token)).toEqual({
      enabled: true,
      enabledAt: new Date(now).toISOString(),
      recoveryCodesLeft: 10,
      hasApp: true,
      passkeys: 0,
    });
    expect(codeOf(await logIn(user))).toEqual([403, 'TWO_FACTOR_REQUIRED']);
  });

  it('again before it is confirmed takes the newest secret alone', async () => {
    const user = await service.signUp();
    const { secret: first } = (await setUp(user.token)).body.data;
    const { secret } = (await setUp(user.token)).body.data;
    expect(codeOf(await confirm(user.token, codeAt(first)))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    expect((await confirm(user.token, codeAt(secret))).status).toBe(200);
  });

  it('in the middle of a confirmation is not confirmed by it: its secret is another one', async () => {
    const [user, other] = [await service.signUp(), await service.signUp()];
    const { secret: first } = (await setUp(user.token)).body.data;
    await setUp(other.token);
    // As a set-up on another replica holds the user's row.
    const setting = new pg.Client({ connectionString: service.databaseUrl });
    await setting.connect();
    await setting.query('BEGIN');
    await setting.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [user.id]);
    const confirming = confirm(user.token, codeAt(first));
    await until(async () => {
      const waiting = await service.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await setting.query(
      `UPDATE two_factors SET sealed_secret = (SELECT sealed_secret FROM two_factors WHERE user_id = $2)
        WHERE user_id = $1`,
      [user.id, other.id],
    );
    await setting.query('COMMIT');
    await setting.end();
    expect((await confirming).status).toBe(409);
    expect(await state(user.token)).toMatchObject({ enabled: false, recoveryCodesLeft: 0 });
  });

  it('is refused when it is on, and a confirmation when there is nothing to confirm', async () => {
    const user = await service.signUp();
    expect(codeOf(await confirm(user.token, '123456'))).toEqual([409, 'TWO_FACTOR_NOT_ENABLED']);
    expect(codeOf(await disable(user.token))).toEqual([409, 'TWO_FACTOR_NOT_ENABLED']);
    const owner = await protectedUser();
    expect(codeOf(await setUp(owner.token))).toEqual([409, 'TWO_FACTOR_ALREADY_ENABLED']);
    expect(codeOf(await confirm(owner.token, codeAt(owner.secret)))).toEqual([
      409,
      'TWO_FACTOR_ALREADY_ENABLED',
    ]);
  });

  it.each(['', '12345', '1234567'])(
    'says how long a code is that it is confirmed by, of %j',
    async (code) => {
      const { token } = await service.signUp();
      const { status, body } = await confirm(token, code);
      expect([status, body.errors]).toEqual([
        400,
        [{ code: 'VALIDATION_ERROR', path: 'code', message: 'must be text of 6 characters' }],
      ]);
    },
  );

  it('is not confirmed by the right code either, after ten wrong ones', async () => {
    const user = await service.signUp();
    const { secret } = (await setUp(user.token)).body.data;
    for (let i = 0; i < 10; i += 1) {
      expect(codeOf(await confirm(user.token, wrong(secret)))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    }
    expect(codeOf(await confirm(user.token, codeAt(secret), second))).toEqual([429, 'RATE_LIMITED']);
    expect((await state(user.token)).enabled).toBe(false);
  });

  it('confirmed many times at once answers one set of recovery codes', async () => {
    const user = await service.signUp();
    const { secret } = (await setUp(user.token)).body.data;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        confirm(user.token, codeAt(secret), i % 2 === 0 ? service : second),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await state(user.token)).recoveryCodesLeft).toBe(10);
  });

  it('keeps neither the secret nor the recovery codes in the clear', async () => {
    const { id, secret, recoveryCodes } = await protectedUser();
    const rows = await service.query<{ text: string }>(
      `SELECT t.*::text || (SELECT string_agg(r.*::text, ' ') FROM recovery_codes r WHERE r.user_id = t.user_id) AS text
         FROM two_factors t WHERE t.user_id = $1`,
      [id],
    );
    const stored = rows[0]!.text;
    const hex = (text: string) => Buffer.from(text).toString('hex');
    for (const each of [secret, hex(secret), ...recoveryCodes, ...recoveryCodes.map(hex)]) {
      expect(stored).not.toContain(each);
    }
  });
});

describe('a login with two-factor authentication', () => {
  it('needs a code of the app beside the password, and says so to those alone who have the password', async () => {
    const user = await protectedUser();
    for (const none of [undefined, null, '']) {
      expect(codeOf(await logIn(user, none))).toEqual([403, 'TWO_FACTOR_REQUIRED']);
    }
    expect(codeOf(await logIn(user, wrong(user.secret)))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    expect(codeOf(await logIn(user, codeAt(user.secret), service, 'wrong horse'))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ]);
    const { status, body } = await logIn(user, codeAt(user.secret));
    expect(status).toBe(200);
    expect((await state(body.data.token)).enabled).toBe(true);
  });

  it.each([
    [-2, 403],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 403],
  ])('judges the code of %i steps from now: %i', async (steps, status) => {
    const user = await protectedUser();
    // The step before the present one was used up by the confirmation.
    await nextStep();
    await nextStep();
    expect((await logIn(user, codeAt(user.secret, steps))).status).toBe(status);
  });

  it('takes codes with the spaces and hyphens that are shown between their groups, everywhere', async () => {
    const user = await service.signUp();
    const { secret } = (await setUp(user.token)).body.data;
    const apart = (code: string, between: string) => ` ${code.slice(0, 3)}${between}${code.slice(3)} `;
    expect((await confirm(user.token, apart(codeAt(secret, -1), ' '))).status).toBe(200);
    expect((await logIn(user, apart(codeAt(secret), '-'))).status).toBe(200);
    await nextStep();
    expect((await logIn(user, apart(codeAt(secret), '\u00a0'))).status).toBe(200);
    await nextStep();
    expect(codeOf(await logIn(user, ' - '))).toEqual([403, 'TWO_FACTOR_REQUIRED']);
    expect((await disable(user.token, apart(codeAt(secret), ' - '))).status).toBe(200);
  });

  it('takes no code twice, nor an older one after a newer', async () => {
    const user = await protectedUser();
    await nextStep();
    expect((await logIn(user, codeAt(user.secret, 0))).status).toBe(200);
    for (const steps of [0, -1]) {
      expect(codeOf(await logIn(user, codeAt(user.secret, steps)))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    }
    await nextStep();
    expect((await logIn(user, codeAt(user.secret))).status).toBe(200);
  });

  it('takes a code once, however many send it at once', async () => {
    const user = await protectedUser();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => logIn(user, codeAt(user.secret), i % 2 === 0 ? service : second)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('takes each recovery code once, in whatever case and with or without dashes', async () => {
    const user = await protectedUser();
    const [first, other] = user.recoveryCodes as [string, string];
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => logIn(user, first, i % 2 === 0 ? service : second)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await logIn(user, ` ${other.toUpperCase().replaceAll('-', '')} `)).status).toBe(200);
    expect((await state(user.token)).recoveryCodesLeft).toBe(8);
    const stranger = await protectedUser();
    expect(codeOf(await logIn(user, stranger.recoveryCodes[0]))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
  });

  it('goes by recovery codes alone after the key that encrypts the secrets was changed', async () => {
    const changed = await startService({
      beside: service,
      jwtSecret: 'another secret that signs session tokens',
      env: { TWO_FACTOR_ENCRYPTION_KEY: 'another key, of thirty-two characters or more' },
    });
    const user = await protectedUser();
    expect(codeOf(await logIn(user, codeAt(user.secret), changed))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    expect((await logIn(user, user.recoveryCodes[0], changed)).status).toBe(200);
    await changed.close();
  });

  it('evaluates ten wrong codes of a user and no more, from whatever address, and leaves others alone', async () => {
    const proxied = await startService({ beside: service, env: { TRUST_PROXY: '1' } });
    const [user, other] = [await protectedUser(), await protectedUser()];
    const guess = (i: number) =>
      proxied.post<Refused>('/v1/auth/login', {
        body: { email: user.email, password: PASSWORD, totpCode: wrong(user.secret) },
        headers: { 'x-forwarded-for': `198.51.100.${i}` },
      });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => guess(i)));
    const count = (code: string) => answers.filter((answer) => codeOf(answer)[1] === code).length;
    expect([count('INVALID_TWO_FACTOR_CODE'), count('RATE_LIMITED')]).toEqual([10, 20]);
    expect((await logIn(user, codeAt(user.secret))).status).toBe(429);
    expect((await logIn(other, codeAt(other.secret))).status).toBe(200);
    await proxied.close();
  });
});

describe('the second factor asked for again', () => {
  it('guards its own end: off only by a code that was not used, then logins go without', async () => {
    const user = await protectedUser();
    expect(codeOf(await disable(user.token))).toEqual([403, 'TWO_FACTOR_REQUIRED']);
    expect(codeOf(await disable(user.token, wrong(user.secret)))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    expect(codeOf(await disable(user.token, codeAt(user.secret, -1)))).toEqual([
      403,
      'INVALID_TWO_FACTOR_CODE',
    ]);
    expect((await disable(user.token, codeAt(user.secret))).status).toBe(200);
    expect(await state(user.token)).toEqual(OFF);
    expect((await logIn(user)).status).toBe(200);
    expect((await setUp(user.token)).status).toBe(201);
  });

  it('can be ended by a recovery code when the app is lost', async () => {
    const user = await protectedUser();
    expect((await disable(user.token, user.recoveryCodes[3])).status).toBe(200);
  });

  it('guards new recovery codes, which take the place of the old', async () => {
    const user = await protectedUser();
    const renew = (code: string) =>
      service.post<Refused & { data: { recoveryCodes: string[] } }>('/v1/auth/two-factor/recovery-codes', {
        token: user.token,
        headers: { 'x-totp-code': code },
      });
    expect(codeOf(await renew(wrong(user.secret)))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    const { body } = await renew(codeAt(user.secret));
    expect(codeOf(await logIn(user, user.recoveryCodes[0]))).toEqual([403, 'INVALID_TWO_FACTOR_CODE']);
    expect((await logIn(user, body.data.recoveryCodes[0])).status).toBe(200);
  });

  it('leaves the recovery codes of one renewal alone, however many come at once', async () => {
    const user = await protectedUser();
    const renewed = await Promise.all(
      user.recoveryCodes.slice(0, 6).map((code, i) =>
        (i % 2 ? second : service).post('/v1/auth/two-factor/recovery-codes', {
          token: user.token,
          headers: { 'x-totp-code': code },
        }),
      ),
    );
    expect(renewed.some(({ status }) => status === 200)).toBe(true);
    expect(await state(user.token)).toMatchObject({ enabled: true, recoveryCodesLeft: 10 });
  });

  it('guards a change of the password, which keeps the factor on', async () => {
    const user = await protectedUser();
    const change = (code?: string, currentPassword = PASSWORD) =>
      service.post<Refused>('/v1/auth/password', {
        token: user.token,
        body: { currentPassword, newPassword: 'battery staple' },
        ...(code !== undefined && { headers: { 'x-totp-code': code } }),
      });
    expect(codeOf(await change())).toEqual([403, 'TWO_FACTOR_REQUIRED']);
    expect(codeOf(await change(codeAt(user.secret), 'wrong horse'))).toEqual([403, 'WRONG_PASSWORD']);
    expect((await change(codeAt(user.secret))).status).toBe(200);
    expect(codeOf(await logIn(user, undefined, service, 'battery staple'))).toEqual([
      403,
      'TWO_FACTOR_REQUIRED',
    ]);
  });
});
