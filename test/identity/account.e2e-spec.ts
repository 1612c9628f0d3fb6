import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSync } from 'otplib';
import pg from 'pg';
import { PasswordResetService } from '../../src/contexts/identity/account/password-reset.service.js';
import { PasswordResetRequested } from '../../src/contexts/identity/identity.events.js';
import { MailServer } from '../support/mail-server.js';
import { PASSWORD, startService, type TestService, type TestUser, until } from '../support/service.js';
import { JWT_SECRET } from '../support/service-database.js';

const PUBLIC_URL = 'https://wallets.example.ng';
const NEW_PASSWORD = 'battery staple';

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly { readonly code: string; readonly path: string }[];
}
interface SessionInfo {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly address: string;
  readonly userAgent: string;
  readonly current: boolean;
}

let mails: MailServer;
let service: TestService;
let second: TestService;
let env: Record<string, string>;
beforeAll(async () => {
  mails = await MailServer.start();
  env = {
    SMTP_URL: mails.url,
    MAIL_FROM: 'Wallets <wallets@example.ng>',
    PUBLIC_URL: `${PUBLIC_URL}/`,
  };
  service = await startService({ env });
  second = await startService({ env, beside: service });
});
afterAll(async () => {
  await second.close();
  await service.close();
  await mails.stop();
});

const logIn = (of: TestUser, password: string, to = service, headers: Record<string, string> = {}) =>
  to.post<Refused & { data: { token: string } }>('/v1/auth/login', {
    body: { email: of.email, password },
    headers,
  });
const tokenOf = async (of: TestUser, headers: Record<string, string> = {}): Promise<string> =>
  (await logIn(of, PASSWORD, service, headers)).body.data.token;
const isLive = async (token: string, to = service): Promise<boolean> =>
  (await to.get('/v1/auth/session', { token })).status === 200;
const codeOf = ({ status, body }: { status: number; body: Refused }) => [
  status,
  body.errors?.[0]?.code ?? body.code,
];
const changePassword = (token: string, body: Record<string, unknown>, to = service) =>
  to.post<Refused>('/v1/auth/password', { token, body });
const askForReset = (email: string, headers: Record<string, string> = {}) =>
  service.post('/v1/auth/password-reset', { body: { email }, headers });
const confirmReset = (token: string, newPassword = NEW_PASSWORD, to = service) =>
  to.post<Refused>('/v1/auth/password-reset/confirm', { body: { token, newPassword } });
/** Whether any transaction waits for another one to end. */
const isAnyWaiting = async (): Promise<boolean> => {
  const waiting = await service.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
};
/** The token of the link in the newest of `count` mails. */
async function linkToken({ email }: TestUser, count = 1): Promise<string> {
  const { text } = await mails.await(email, count);
  return /#token=(\S+)/.exec(text)![1]!;
}

describe('a change of the password', () => {
  it('takes the new one from now on, and ends the other sessions, on every replica', async () => {
    const user = await service.signUp();
    const other = await tokenOf(user);
    const { status } = await changePassword(user.token, {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
    });
    expect(status).toBe(200);
    expect([await isLive(user.token), await isLive(other), await isLive(other, second)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(codeOf(await logIn(user, PASSWORD, second))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await logIn(user, NEW_PASSWORD)).status).toBe(200);
    expect((await mails.await(user.email)).subject).toBe('Your password was changed');
  });

  it('is refused for a wrong current password, and changes nothing', async () => {
    const user = await service.signUp();
    for (const currentPassword of ['wrong horse', '', NEW_PASSWORD]) {
      const answer = await changePassword(user.token, { currentPassword, newPassword: NEW_PASSWORD });
      expect(codeOf(answer)).toEqual([403, 'WRONG_PASSWORD']);
    }
    expect((await logIn(user, PASSWORD)).status).toBe(200);
  });

  it('names the fields that are wrong', async () => {
    const user = await service.signUp();
    const { status, body } = await changePassword(user.token, { newPassword: '12345' });
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['currentPassword', 'newPassword']]);
  });

  it.each(['/v1/auth/password', '/v1/auth/two-factor'])(
    'says at %s that the current password is required',
    async (path) => {
      const { token } = await service.signUp();
      for (const currentPassword of [undefined, null]) {
        const { status, body } = await service.post<Refused>(path, {
          token,
          body: { currentPassword, newPassword: NEW_PASSWORD },
        });
        expect([status, body.errors]).toEqual([
          400,
          [{ code: 'VALIDATION_ERROR', path: 'currentPassword', message: 'is required' }],
        ]);
      }
    },
  );

  it('limits the guesses that are made with a session', async () => {
    const strict = await startService({ beside: service, env: { LOGIN_FAILURES_MAX: '3' } });
    const user = await service.signUp();
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        changePassword(user.token, { currentPassword: `wrong ${i}`, newPassword: NEW_PASSWORD }, strict),
      ),
    );
    expect(guesses.filter(({ status }) => status === 403)).toHaveLength(3);
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(17);
    // One after the other, too: a wrong one stays counted when it has been answered.
    const patient = await service.signUp();
    const guess = async (currentPassword: string) =>
      (await changePassword(patient.token, { currentPassword, newPassword: NEW_PASSWORD }, strict)).status;
    for (let i = 0; i < 3; i += 1) expect(await guess(`wrong ${i}`)).toBe(403);
    expect(await guess(PASSWORD)).toBe(429);
    await strict.close();
  });

  it('happens once when it is asked for many times at once', async () => {
    const user = await service.signUp();
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        changePassword(
          user.token,
          { currentPassword: PASSWORD, newPassword: `new password ${i}` },
          i % 2 === 0 ? service : second,
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await logIn(user, `new password ${winner}`)).status).toBe(200);
  });

  it('lets no login begin a session with the old password once it is under way', async () => {
    const [user, other] = [await service.signUp(), await service.signUp({ password: NEW_PASSWORD })];
    const change = new pg.Client({ connectionString: service.databaseUrl });
    await change.connect();
    await change.query('BEGIN');
    await change.query(
      'UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $2) WHERE id = $1',
      [user.id, other.id],
    );
    const login = logIn(user, PASSWORD);
    await until(isAnyWaiting);
    await change.query('DELETE FROM sessions WHERE user_id = $1', [user.id]);
    await change.query('COMMIT');
    await change.end();
    expect(codeOf(await login)).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await service.query('SELECT 1 FROM sessions WHERE user_id = $1', [user.id])).toEqual([]);
  });
});

describe('the sessions of a user', () => {
  const list = async (token: string) =>
    (await service.get<{ data: { sessions: SessionInfo[] } }>('/v1/auth/sessions', { token })).body.data
      .sessions;
  const end = (token: string, id: string) =>
    service.call<Refused>('DELETE', `/v1/auth/sessions/${id}`, { token });

  it('are listed newest first, with where they were begun, and which one asks', async () => {
    const user = await service.signUp();
    const phone = await tokenOf(user, { 'user-agent': 'A phone' });
    const sessions = await list(phone);
    expect(sessions).toEqual([
      {
        id: expect.any(String),
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        address: '127.0.0.1',
        userAgent: 'A phone',
        current: true,
      },
      expect.objectContaining({ current: false }),
    ]);
    const { createdAt, expiresAt } = sessions[0]!;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeGreaterThan(6.99 * 86_400_000);
  });

  it('end one by one, at once, on every replica', async () => {
    const user = await service.signUp();
    const lost = await tokenOf(user, { 'user-agent': 'A lost phone' });
    const { id } = (await list(user.token)).find(({ userAgent }) => userAgent === 'A lost phone')!;
    expect((await end(user.token, id.toUpperCase())).status).toBe(200);
    expect([await isLive(lost), await isLive(lost, second), await isLive(user.token)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(codeOf(await end(user.token, id))).toEqual([404, 'SESSION_NOT_FOUND']);
  });

  it('of another user can be neither seen nor ended', async () => {
    const [user, other] = [await service.signUp(), await service.signUp()];
    const [theirs] = await list(other.token);
    expect(await list(user.token)).toHaveLength(1);
    const foreign = await end(user.token, theirs!.id);
    const unknown = await end(user.token, randomUUID());
    const nonsense = await end(user.token, 'no-uuid');
    expect(codeOf(foreign)).toEqual([404, 'SESSION_NOT_FOUND']);
    expect([unknown.text, nonsense.text]).toEqual([foreign.text, foreign.text]);
    expect(await isLive(other.token)).toBe(true);
  });

  it('that have expired are neither listed nor there to be ended', async () => {
    const user = await service.signUp();
    await tokenOf(user, { 'user-agent': 'An old phone' });
    const { id } = (await list(user.token)).find(({ userAgent }) => userAgent === 'An old phone')!;
    // Far enough from the newest sign-ups, which clear the longest expired away.
    await service.query(`UPDATE sessions SET expires_at = clock_timestamp() WHERE id = $1`, [id]);
    expect((await list(user.token)).map((session) => session.id)).not.toContain(id);
    expect(codeOf(await end(user.token, id))).toEqual([404, 'SESSION_NOT_FOUND']);
    expect(await service.query('SELECT 1 FROM sessions WHERE id = $1', [id])).toHaveLength(1);
  });

  it('are shown up to the hundredth, with the beginning of what the client called itself', async () => {
    const user = await service.signUp();
    const token = await tokenOf(user, { 'user-agent': 'x'.repeat(301) });
    await service.query(
      `INSERT INTO sessions (id, user_id, created_at, expires_at, address, user_agent)
       SELECT gen_random_uuid(), user_id, created_at - interval '1 hour', expires_at, address, user_agent
         FROM sessions, generate_series(1, 50) WHERE user_id = $1`,
      [user.id],
    );
    const sessions = await list(token);
    expect(sessions).toHaveLength(100);
    expect(sessions[0]!.userAgent).toBe('x'.repeat(300));
  });

  it('are cleared away once they have expired, as links are, when another begins', async () => {
    const user = await service.signUp();
    const left = async (table: string) =>
      (await service.query(`SELECT 1 FROM ${table} WHERE user_id = $1`, [user.id])).length;
    await askForReset(user.email);
    await mails.await(user.email);
    for (const table of ['sessions', 'password_resets']) {
      await service.query(`UPDATE ${table} SET expires_at = '2020-01-01' WHERE user_id = $1`, [user.id]);
    }
    const other = await service.signUp();
    await until(async () => {
      await tokenOf(other);
      return (await left('sessions')) === 0;
    });
    await askForReset(other.email);
    await mails.await(other.email);
    expect(await left('password_resets')).toBe(0);
  });

  it('all end by a logout everywhere; those of others and the keys of wallets stay', async () => {
    const wallet = await service.fundedWallet(5_000);
    const other = await service.signUp();
    const tokens = [wallet.owner.token, await tokenOf(wallet.owner), await tokenOf(wallet.owner)];
    expect((await second.post('/v1/auth/logout-everywhere', { token: tokens[1] })).status).toBe(200);
    expect(await Promise.all(tokens.map((token) => isLive(token)))).toEqual([false, false, false]);
    expect(await isLive(other.token)).toBe(true);
    expect((await service.pay(wallet.key)).status).toBe(201);
    expect((await logIn(wallet.owner, PASSWORD)).status).toBe(200);
  });

  it('all end by a logout everywhere, also that of a login that was under way', async () => {
    const user = await service.signUp();
    const login = new pg.Client({ connectionString: service.databaseUrl });
    await login.connect();
    await login.query('BEGIN');
    await login.query('SELECT FROM users WHERE id = $1 FOR SHARE', [user.id]);
    await login.query(
      `INSERT INTO sessions (id, user_id, created_at, expires_at, address, user_agent)
       SELECT gen_random_uuid(), user_id, created_at, expires_at, address, user_agent FROM sessions WHERE user_id = $1`,
      [user.id],
    );
    let isAnswered = false;
    const logout = second.post('/v1/auth/logout-everywhere', { token: user.token }).finally(() => {
      isAnswered = true;
    });
    await until(async () => isAnswered || (await isAnyWaiting()));
    await login.query('COMMIT');
    await login.end();
    expect((await logout).status).toBe(200);
    expect(await service.query('SELECT 1 FROM sessions WHERE user_id = $1', [user.id])).toEqual([]);
  });
});

describe('a reset of the password', () => {
  it('sends a link of the configured address that sets a new password and ends every session', async () => {
    const user = await service.signUp();
    const { status, body } = await askForReset(` ${user.email.toUpperCase()} `, { host: 'evil.example' });
    expect([status, body]).toEqual([202, { status: 'success', message: expect.any(String) }]);
    const { subject, text } = await mails.await(user.email);
    expect(subject).toBe('Set a new password');
    expect(text).toContain(`${PUBLIC_URL}/reset-password#token=`);
    expect(text).not.toContain('evil.example');
    expect(await isLive(user.token)).toBe(true);

    expect((await confirmReset(await linkToken(user))).status).toBe(200);
    expect(await isLive(user.token)).toBe(false);
    expect(codeOf(await logIn(user, PASSWORD))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await logIn(user, NEW_PASSWORD)).status).toBe(200);
    expect((await mails.await(user.email, 2)).subject).toBe('Your password was set anew by a link');
  });

  it('is answered alike for an e-mail that no user has, and sends nothing', async () => {
    const user = await service.signUp();
    const nobody = `${randomUUID()}@example.com`;
    const [unknown, known] = [await askForReset(nobody), await askForReset(user.email)];
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await mails.await(user.email);
    expect(mails.to(nobody)).toEqual([]);
  });

  it('works once, however many use the link at once', async () => {
    const user = await service.signUp();
    await askForReset(user.email);
    const token = await linkToken(user);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        confirmReset(token, `new password ${i}`, i % 2 === 0 ? service : second),
      ),
    );
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => codeOf(answer)[1] === 'INVALID_RESET_TOKEN')).toHaveLength(11);
    expect((await logIn(user, `new password ${winner}`)).status).toBe(200);
    expect(codeOf(await confirmReset(token))).toEqual([400, 'INVALID_RESET_TOKEN']);
  });

  it('is over after 30 minutes', async () => {
    const user = await service.signUp();
    await askForReset(user.email);
    const token = await linkToken(user);
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
      iat: number;
      exp: number;
    };
    expect(exp - iat).toBe(30 * 60);
    const [row] = await service.query<{ left: number }>(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float AS left FROM password_resets WHERE user_id = $1`,
      [user.id],
    );
    expect(row!.left).toBeGreaterThan(25 * 60);
    expect(row!.left).toBeLessThanOrEqual(30 * 60);
    await service.query(
      `UPDATE password_resets SET expires_at = clock_timestamp() - interval '1 millisecond' WHERE user_id = $1`,
      [user.id],
    );
    expect(codeOf(await confirmReset(token))).toEqual([400, 'INVALID_RESET_TOKEN']);
    expect((await logIn(user, PASSWORD)).status).toBe(200);
  });

  it.each([-1, 1])(
    'lives for 30 minutes by the clock of the database, also where that is %d h off',
    async (hours) => {
      const off = await startService({ env, clock: true });
      const askedAt = Date.now() + hours * 3_600_000;
      await off.setClock(new Date(askedAt));
      const user = await off.signUp();
      const asked = new PasswordResetRequested({ email: user.email, at: new Date(askedAt).toISOString() });
      await off.app.get(PasswordResetService, { strict: false }).sendLinks([asked]);
      const token = await linkToken(user);
      await off.setClock(new Date(askedAt + 31 * 60_000));
      expect(codeOf(await confirmReset(token, NEW_PASSWORD, off))).toEqual([400, 'INVALID_RESET_TOKEN']);
      await off.setClock(new Date(askedAt + 29 * 60_000));
      expect((await confirmReset(token, NEW_PASSWORD, off)).status).toBe(200);
      const { iat } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
        iat: number;
      };
      expect(iat).toBe(Math.trunc(askedAt / 1_000));
      await off.close();
    },
  );

  it('ends every other link, and so does a change of the password', async () => {
    const user = await service.signUp();
    await askForReset(user.email);
    const first = await linkToken(user, 1);
    await askForReset(user.email);
    const later = await linkToken(user, 2);
    expect((await confirmReset(later)).status).toBe(200);
    expect(codeOf(await confirmReset(first))).toEqual([400, 'INVALID_RESET_TOKEN']);

    const another = await service.signUp();
    await askForReset(another.email);
    const link = await linkToken(another);
    await changePassword(another.token, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    expect(codeOf(await confirmReset(link))).toEqual([400, 'INVALID_RESET_TOKEN']);
  });

  it('takes no token but that of a link', async () => {
    const user = await service.signUp();
    await askForReset(user.email);
    const link = await linkToken(user);
    const [head, claims] = link.split('.');
    const forged = (change: Record<string, unknown>, secret = JWT_SECRET): string => {
      const own = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as Record<string, unknown>;
      const signed = `${head}.${Buffer.from(JSON.stringify({ ...own, ...change })).toString('base64url')}`;
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    };
    const other = await service.signUp();
    for (const token of [
      user.token,
      'x',
      forged({}, 'another secret'),
      forged({ aud: undefined }),
      forged({ iss: 'somebody-else' }),
      forged({ exp: Math.trunc(Date.now() / 1_000) - 1 }),
      forged({ jti: randomUUID() }),
      forged({ sub: other.id }),
    ]) {
      expect(codeOf(await confirmReset(token))).toEqual([400, 'INVALID_RESET_TOKEN']);
    }
    expect(await isLive(link)).toBe(false);
    // The forgeries were refused for what is wrong with them: made like ours, one is taken.
    expect((await confirmReset(forged({}))).status).toBe(200);
  });

  it('judges the new password as sign-up does', async () => {
    const user = await service.signUp();
    await askForReset(user.email);
    const token = await linkToken(user);
    for (const password of ['12345', 'x'.repeat(201)]) {
      const { status, body } = await confirmReset(token, password);
      expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['newPassword']]);
    }
    expect((await confirmReset(token, '123456')).status).toBe(200);
  });

  it('sends five links an hour to one e-mail, and says no more and no less of the sixth', async () => {
    const user = await service.signUp();
    const answers = [];
    for (let i = 0; i < 7; i += 1) answers.push(await askForReset(user.email));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const last = await service.signUp();
    await askForReset(last.email);
    await mails.await(last.email);
    await mails.await(user.email, 5);
    expect(mails.to(user.email)).toHaveLength(5);
    expect(await service.query('SELECT 1 FROM password_resets WHERE user_id = $1', [user.id])).toHaveLength(
      5,
    );
  });

  it('is asked for thirty times an hour from one address, whatever the e-mails', async () => {
    const replica = await startService({ env: { ...env, TRUST_PROXY: '1' }, beside: service });
    const ask = (address: string) =>
      replica.post<Refused>('/v1/auth/password-reset', {
        body: { email: `${randomUUID()}@example.com` },
        headers: { 'x-forwarded-for': address },
      });
    for (let i = 0; i < 30; i += 1) expect((await ask('192.0.2.30')).status).toBe(202);
    const refused = await ask('192.0.2.30');
    expect([codeOf(refused), Number(refused.headers['retry-after'])]).toEqual([
      [429, 'RATE_LIMITED'],
      expect.closeTo(3_600, -3),
    ]);
    expect((await ask('192.0.2.31')).status).toBe(202);
    await replica.close();
  });

  it('is not mailed more than half an hour after it was asked for', async () => {
    const [late, inTime] = [await service.signUp(), await service.signUp()];
    const asked = (email: string, minutesAgo: number) =>
      new PasswordResetRequested({ email, at: new Date(Date.now() - minutesAgo * 60_000).toISOString() });
    await service.app
      .get(PasswordResetService, { strict: false })
      .sendLinks([asked(late.email, 31), asked(inTime.email, 29)]);
    expect((await mails.await(inTime.email)).subject).toBe('Set a new password');
    expect(mails.to(late.email)).toEqual([]);
    const rows = await service.query('SELECT 1 FROM password_resets WHERE user_id = $1', [late.id]);
    expect(rows).toEqual([]);
  });

  it('leaves the second factor on: the mail alone is not enough to sign in', async () => {
    const user = await service.signUp();
    const { body } = await service.post<{ data: { secret: string } }>('/v1/auth/two-factor', {
      token: user.token,
      body: { currentPassword: PASSWORD },
    });
    const code = generateSync({ secret: body.data.secret });
    await service.post('/v1/auth/two-factor/confirm', { token: user.token, body: { code } });
    expect((await mails.await(user.email, 1)).subject).toBe('Two-factor authentication was turned on');
    await askForReset(user.email);
    expect((await confirmReset(await linkToken(user, 2))).status).toBe(200);
    expect(codeOf(await logIn(user, NEW_PASSWORD))).toEqual([403, 'TWO_FACTOR_REQUIRED']);
  });

  it('is not all that is mailed: so is the end of the second factor', async () => {
    const user = await service.signUp();
    const { body } = await service.post<{ data: { secret: string } }>('/v1/auth/two-factor', {
      token: user.token,
      body: { currentPassword: PASSWORD },
    });
    const confirmed = await service.post<{ data: { recoveryCodes: string[] } }>(
      '/v1/auth/two-factor/confirm',
      { token: user.token, body: { code: generateSync({ secret: body.data.secret }) } },
    );
    await mails.await(user.email, 1);
    const ended = await service.call('DELETE', '/v1/auth/two-factor', {
      token: user.token,
      headers: { 'x-totp-code': confirmed.body.data.recoveryCodes[0]! },
    });
    expect(ended.status).toBe(200);
    expect((await mails.await(user.email, 2)).subject).toBe('Two-factor authentication was turned off');
  });

  it('is not all that is mailed: so are ten wrong codes, once, however many follow', async () => {
    const user = await service.signUp();
    const { body } = await service.post<{ data: { secret: string } }>('/v1/auth/two-factor', {
      token: user.token,
      body: { currentPassword: PASSWORD },
    });
    const right = generateSync({ secret: body.data.secret });
    await service.post('/v1/auth/two-factor/confirm', { token: user.token, body: { code: right } });
    await mails.await(user.email, 1);
    const guess = async (i: number) =>
      codeOf(
        await (i % 2 === 0 ? service : second).post<Refused>('/v1/auth/login', {
          body: { email: user.email, password: PASSWORD, totpCode: `wrong-${i}` },
        }),
      )[1];
    for (let i = 0; i < 9; i += 1) expect(await guess(i)).toBe('INVALID_TWO_FACTOR_CODE');
    const marker = await service.signUp();
    await askForReset(marker.email);
    await mails.await(marker.email);
    expect(mails.to(user.email)).toHaveLength(1);
    const more = await Promise.all(Array.from({ length: 8 }, (_, i) => guess(i)));
    expect(more.sort()).toEqual(['INVALID_TWO_FACTOR_CODE', ...Array<string>(7).fill('RATE_LIMITED')]);
    const { subject, text } = await mails.await(user.email, 2);
    expect(subject).toBe('Ten wrong two-factor codes were entered');
    expect(text).toContain('15 minutes');
    await askForReset(marker.email);
    await mails.await(marker.email, 2);
    expect(mails.to(user.email)).toHaveLength(2);
  });

  it('is refused in production without a mail server, for whatever e-mail', async () => {
    const production = await startService({
      beside: service,
      env: {
        NODE_ENV: 'production',
        JWT_SECRET,
        WEBHOOK_SECRET: 'a secret of the bank, 32 long or more',
        BANK_PROVIDER: 'sandbox',
      },
    });
    const user = await service.signUp();
    for (const email of [user.email, 'nobody@example.com']) {
      const answer = await production.post<Refused>('/v1/auth/password-reset', { body: { email } });
      expect(codeOf(answer)).toEqual([503, 'MAIL_UNAVAILABLE']);
    }
    expect(await service.query('SELECT 1 FROM password_resets WHERE user_id = $1', [user.id])).toEqual([]);
    await production.close();
  });
});
