import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { PASSWORD, startService, type TestService, type TestUser } from '../support/service.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

interface Refused {
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly errors: readonly { readonly code: string; readonly path: string; readonly message: string }[];
}
interface SignedIn {
  readonly status: string;
  readonly data: { readonly user: TestUser; readonly token: string };
}

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const email = () => `${randomUUID()}@example.com`;
const signUp = (fields: Record<string, unknown>) =>
  service.post<SignedIn & Refused>('/v1/auth/signup', {
    body: { email: email(), password: PASSWORD, accountType: 'developer', ...fields },
  });
const logIn = (body: Record<string, unknown>, to = service, headers: Record<string, string> = {}) =>
  to.post<SignedIn & Refused>('/v1/auth/login', { body, headers });
const paths = async (answer: Promise<{ status: number; body: Refused }>) => {
  const { status, body } = await answer;
  if (status !== 400) return status;
  expect(Object.keys(body).sort()).toEqual(['errors', 'status']);
  expect(body.status).toBe('error');
  expect(body.errors.every(({ code, message }) => code === 'VALIDATION_ERROR' && message.length > 0)).toBe(
    true,
  );
  return body.errors.map(({ path }) => path);
};
const users = async (address: string) => service.query('SELECT 1 FROM users WHERE email = $1', [address]);

describe('sign-up', () => {
  it('of a developer answers 201 with the user, without a business, and a token that works', async () => {
    const address = email();
    const { status, body } = await signUp({ email: address });
    expect(status).toBe(201);
    expect(body).toEqual({
      status: 'success',
      data: {
        user: {
          id: expect.stringMatching(UUID),
          email: address,
          accountType: 'developer',
          businessId: null,
          createdAt: expect.stringMatching(INSTANT),
        },
        token: expect.any(String),
      },
    });
    expect((await service.get('/api/ledger', { token: body.data.token })).status).toBe(200);
  });

  it('of a business makes the business at once, and its wallets are linked to it', async () => {
    const user = await service.signUp({ accountType: 'business', email: 'ada.obi@example.com' });
    expect(user.businessId).toMatch(UUID);
    expect(
      await service.query(
        'SELECT id, name, contact_email, contact_phone FROM businesses WHERE user_id = $1',
        [user.id],
      ),
    ).toEqual([
      { id: user.businessId, name: 'ada.obi', contact_email: 'ada.obi@example.com', contact_phone: null },
    ]);
    expect((await service.createWallet(user)).businessId).toBe(user.businessId);
  });

  it.each([
    ['a@example.com', 'a@example.com'],
    ['ab@example.com', 'ab'],
  ])('of a business by %s names it %s', async (address, name) => {
    const user = await service.signUp({ accountType: 'business', email: address });
    const [business] = await service.query('SELECT name FROM businesses WHERE user_id = $1', [user.id]);
    expect(business).toEqual({ name });
  });

  it('keeps the e-mail trimmed and in lower case', async () => {
    const address = email();
    const { body } = await signUp({ email: `  ${address.toUpperCase()} ` });
    expect(body.data.user.email).toBe(address);
  });

  it('with an e-mail in use, in whatever case, answers 409', async () => {
    const { email: address } = await service.signUp();
    for (const same of [address, address.toUpperCase(), ` ${address} `]) {
      const { status, body } = await signUp({ email: same });
      expect([status, body]).toEqual([
        409,
        { status: 'error', code: 'EMAIL_ALREADY_REGISTERED', message: expect.any(String) },
      ]);
    }
  });

  it('makes one user and one business of twenty that arrive at once', async () => {
    const address = email();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signUp({ email: address, accountType: 'business' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    expect(await users(address)).toHaveLength(1);
    const businesses = await service.query('SELECT 1 FROM businesses WHERE contact_email = $1', [address]);
    expect(businesses).toHaveLength(1);
  });

  it.each([
    ['of 5 characters', 'x'.repeat(5), false],
    ['of 6 characters', 'x'.repeat(6), true],
    ['of 7 characters', 'x'.repeat(7), true],
    ['of 200 characters', 'x'.repeat(200), true],
    ['of 201 characters', 'x'.repeat(201), false],
    ['of 5 emoji', '😀'.repeat(5), false],
    ['of 6 emoji', '😀'.repeat(6), true],
    ['of 200 emoji', '😀'.repeat(200), true],
    ['of 6 spaces', ' '.repeat(6), true],
    ['with a NUL', 'secret\u0000', false],
    ['with a lone surrogate', 'secret\ud800', false],
    ['that is a number', 12_345_678, false],
    ['that is null', null, false],
    ['that is absent', undefined, false],
  ])('takes or refuses a password %s', async (_, password, isSound) => {
    expect(await paths(signUp({ password }))).toEqual(isSound ? 201 : ['password']);
  });

  it.each([
    '',
    'x',
    '@example.com',
    'a@',
    'a@b@c.com',
    'a b@example.com',
    'a@example',
    `a@example.com\u0000`,
    '\ud800@example.com',
    7,
    null,
    undefined,
    ['a@example.com'],
    {},
  ])('refuses the e-mail %j', async (address) => {
    expect(await paths(signUp({ email: address }))).toEqual(['email']);
  });

  it('takes an e-mail of 254 characters and refuses one of 255', async () => {
    const domain = `${'d'.repeat(60)}.`.repeat(3);
    const long = (length: number) => {
      const end = `@${domain}com`;
      return `${'a'.repeat(64)}@${domain}${'e'.repeat(length - 64 - end.length - 1)}.com`;
    };
    expect([long(254).length, long(255).length]).toEqual([254, 255]);
    expect(await paths(signUp({ email: long(254) }))).toBe(201);
    expect(await paths(signUp({ email: long(255) }))).toEqual(['email']);
  });

  it.each(['Developer', 'admin', '', 7, null, undefined, ['developer'], { toString: 'developer' }])(
    'refuses the account type %j',
    async (accountType) => {
      expect(await paths(signUp({ accountType }))).toEqual(['accountType']);
    },
  );

  it('names every field that fails, each once', async () => {
    expect(await paths(service.post<Refused>('/v1/auth/signup', { body: {} }))).toEqual([
      'email',
      'password',
      'accountType',
    ]);
  });

  it.each(['[]', 'null', '7', '', '{'])('refuses the body %j in one entry for the body', async (body) => {
    expect(await paths(service.post<Refused>('/v1/auth/signup', { body }))).toEqual(['body']);
  });

  it('assigns nothing that a client names beyond its fields', async () => {
    const id = randomUUID();
    const { body } = await signUp({
      id,
      businessId: id,
      isOperator: true,
      is_operator: true,
      createdAt: '2001-01-01',
    });
    expect(body.data.user.id).not.toBe(id);
    expect(body.data.user.businessId).toBeNull();
    const [row] = await service.query('SELECT is_operator FROM users WHERE id = $1', [body.data.user.id]);
    expect(row).toEqual({ is_operator: false });
  });

  it('keeps no password: what is stored is an argon2id hash with a salt of its own', async () => {
    const one = await service.signUp();
    const other = await service.signUp();
    const rows = await service.query<{ password_hash: string }>(
      'SELECT password_hash FROM users WHERE id = ANY ($1)',
      [[one.id, other.id]],
    );
    expect(rows.map(({ password_hash }) => password_hash.startsWith('$argon2id$'))).toEqual([true, true]);
    expect(rows[0]?.password_hash).not.toBe(rows[1]?.password_hash);
  });
});

describe('login', () => {
  it('answers 200 in the shape of sign-up, with a new token', async () => {
    const { token, ...user } = await service.signUp({ accountType: 'business' });
    const { status, body } = await logIn({ email: user.email, password: PASSWORD });
    expect([status, body]).toEqual([200, { status: 'success', data: { user, token: expect.any(String) } }]);
    expect(body.data.token).not.toBe(token);
  });

  it('compares the e-mail trimmed and in lower case, and the password exactly but for how letters are composed', async () => {
    const user = await service.signUp({ password: ' Päss wörd ' });
    expect((await logIn({ email: ` ${user.email.toUpperCase()} `, password: ' Päss wörd ' })).status).toBe(
      200,
    );
    expect((await logIn({ email: user.email, password: ' Pa\u0308ss wo\u0308rd ' })).status).toBe(200);
    for (const password of ['Päss wörd', ' päss wörd ', ' Pass word ', ' Päss wörd  ']) {
      expect((await logIn({ email: user.email, password })).status).toBe(401);
    }
  });

  it('takes the composed and the decomposed form of an e-mail and of a password for the same', async () => {
    const [decomposed, composed] = [`jose\u0301-${randomUUID()}@example.com`, 'José-'];
    const user = await service.signUp({ email: decomposed, password: 'Pa\u0308sswo\u0308rd' });
    expect(user.email).toBe(decomposed.normalize('NFC'));
    expect(user.email.startsWith(composed.toLowerCase())).toBe(true);
    for (const email of [decomposed, user.email, user.email.toUpperCase().normalize('NFD')])
      expect((await logIn({ email, password: 'Pässwörd' })).status).toBe(200);
    const again = { email: user.email, password: PASSWORD, accountType: 'developer' };
    expect((await service.post('/v1/auth/signup', { body: again })).status).toBe(409);
  });

  it('takes a password as it was typed where its hash is from before', async () => {
    const typed = 'Pa\u0308sswo\u0308rd';
    const user = await service.signUp();
    const stored = await hash(typed, { memoryCost: 8, timeCost: 1, parallelism: 1 });
    await service.query('UPDATE users SET password_hash = $2 WHERE id = $1', [user.id, stored]);
    expect((await logIn({ email: user.email, password: typed })).status).toBe(200);
    expect((await logIn({ email: user.email, password: 'Pa\u0308sswo\u0308rt' })).status).toBe(401);
    const change = { currentPassword: typed, newPassword: 'Bäcker' };
    expect((await service.post('/v1/auth/password', { token: user.token, body: change })).status).toBe(200);
    expect((await logIn({ email: user.email, password: 'Ba\u0308cker' })).status).toBe(200);
  });

  it('counts the length of a new password as it is hashed', async () => {
    const signUp = (password: string) =>
      service.post('/v1/auth/signup', {
        body: { email: `${randomUUID()}@example.com`, password, accountType: 'developer' },
      });
    expect((await signUp('e\u0301'.repeat(5))).status).toBe(400);
    expect((await signUp('e\u0301'.repeat(6))).status).toBe(201);
    expect((await signUp('e\u0301'.repeat(200))).status).toBe(201);
    expect((await signUp('e\u0301'.repeat(201))).status).toBe(400);
  });

  it('answers a wrong password and an unknown e-mail with one and the same 401', async () => {
    const { email: address } = await service.signUp();
    const wrong = await logIn({ email: address, password: 'wrong horse' });
    const unknown = await logIn({ email: email(), password: 'wrong horse' });
    expect([wrong.status, wrong.body]).toEqual([
      401,
      { status: 'error', code: 'INVALID_CREDENTIALS', message: expect.any(String) },
    ]);
    expect([unknown.status, unknown.text]).toEqual([401, wrong.text]);
  });

  it('names the fields that are missing', async () => {
    expect(await paths(logIn({}))).toEqual(['email', 'password']);
    expect(await paths(logIn({ email: 'x', password: null }))).toEqual(['email', 'password']);
    expect(await paths(logIn({ email: 'x', password: 7 }))).toEqual(['email', 'password']);
  });

  it.each(['', 'x', 'x'.repeat(201), 'x'.repeat(60_000), 'a\u0000b', '\ud800', '😀'.repeat(500)])(
    'answers a password that no sign-up takes as a wrong one: %j',
    async (password) => {
      const user = await service.signUp();
      expect((await logIn({ email: user.email, password })).status).toBe(401);
    },
  );

  it('takes no SQL for an e-mail or a password', async () => {
    expect((await logIn({ email: `"' OR 1=1 --"@example.com`, password: `' OR '1'='1` })).status).toBe(401);
  });
});

describe('the limits of sign-up and login', () => {
  let strict: TestService;
  beforeAll(async () => {
    strict = await startService({ env: { LOGIN_FAILURES_MAX: '3' } });
  });
  afterAll(() => strict.close());

  it('refuse the login after the last failure that is allowed, for that e-mail alone, right password or not', async () => {
    const [victim, other] = [await strict.signUp(), await strict.signUp()];
    for (let i = 0; i < 3; i += 1) {
      expect((await logIn({ email: victim.email, password: 'wrong horse' }, strict)).status).toBe(401);
    }
    const refused = await logIn({ email: victim.email, password: PASSWORD }, strict);
    expect([refused.status, refused.body]).toEqual([
      429,
      { status: 'error', code: 'RATE_LIMITED', message: expect.any(String) },
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await logIn({ email: other.email, password: PASSWORD }, strict)).status).toBe(200);
  });

  it('count failures alone: right logins never use them up', async () => {
    const user = await strict.signUp();
    for (let i = 0; i < 6; i += 1) {
      expect((await logIn({ email: user.email, password: PASSWORD }, strict)).status).toBe(200);
    }
  });

  it('evaluate no more of 150 guesses that arrive at once than are allowed', async () => {
    const { email: address } = await strict.signUp();
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) => logIn({ email: address, password: `wrong ${i}` }, strict)),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([3, 147]);
  });

  it('refuse the sign-up after the last of a minute', async () => {
    const five = await startService({ env: { SIGNUPS_PER_MINUTE_MAX: '5' } });
    const answers: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      const body = { email: email(), password: PASSWORD, accountType: 'developer' };
      answers.push((await five.post('/v1/auth/signup', { body })).status);
    }
    await five.close();
    expect(answers).toEqual([201, 201, 201, 201, 201, 429, 429]);
  });

  it('never touch payments', async () => {
    const wallet = await service.fundedWallet(5_000);
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => service.pay(wallet.key, { amount: 1 })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });
});

describe('the limits of login behind a proxy that says where a client is', () => {
  let proxied: TestService;
  beforeAll(async () => {
    proxied = await startService({
      env: { TRUST_PROXY: '1', LOGIN_FAILURES_MAX: '3', LOGIN_FAILURES_PER_ADDRESS_MAX: '8' },
    });
  });
  afterAll(() => proxied.close());

  const from = (address: string) => ({ 'x-forwarded-for': address });
  let hosts = 0;
  const anotherHost = () => `198.51.100.${(hosts += 1)}`;
  const fail = async (address: string, of: string) =>
    (await logIn({ email: of, password: 'wrong horse' }, proxied, from(address))).status;

  it('do not lock the owner out: failures at another address stop that address alone', async () => {
    const owner = await proxied.signUp();
    const attacker = anotherHost();
    for (let i = 0; i < 3; i += 1) expect(await fail(attacker, owner.email)).toBe(401);
    const right = { email: owner.email, password: PASSWORD };
    expect((await logIn(right, proxied, from(attacker))).status).toBe(429);
    expect((await logIn(right, proxied, from(anotherHost()))).status).toBe(200);
  });

  it('stop an address that tries one password at many accounts, and no other address', async () => {
    const sprayer = anotherHost();
    const answers: number[] = [];
    for (let i = 0; i < 10; i += 1) answers.push(await fail(sprayer, email()));
    expect(answers).toEqual([...Array<number>(8).fill(401), 429, 429]);
    expect(await fail(anotherHost(), email())).toBe(401);
  });

  it('take the addresses of one IPv6 network for one', async () => {
    const owner = await proxied.signUp();
    const hosts6 = ['2001:db8:7:1::1', '2001:db8:7:1::2', '2001:db8:7:1:ffff::3'];
    for (const host of hosts6) expect(await fail(host, owner.email)).toBe(401);
    expect(await fail('2001:db8:7:1:abcd::4', owner.email)).toBe(429);
    expect(await fail('2001:db8:7:2::1', owner.email)).toBe(401);
  });

  it('make guesses from many addresses at one account wait longer and longer, yet never the first try of one', async () => {
    const owner = await proxied.signUp();
    for (let i = 0; i < 3; i += 1) expect(await fail(anotherHost(), owner.email)).toBe(401);
    const waits: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      const host = anotherHost();
      expect(await fail(host, owner.email)).toBe(401);
      const again = await logIn({ email: owner.email, password: PASSWORD }, proxied, from(host));
      expect(again.status).toBe(429);
      waits.push(Number(again.headers['retry-after']));
    }
    // Each wait doubles; a second may pass between the guess and the refusal.
    waits.forEach((wait, i) => expect(wait).toBeLessThanOrEqual(2 ** i));
    expect(waits[3]).toBeGreaterThan(waits[1]!);
    const right = { email: owner.email, password: PASSWORD };
    expect((await logIn(right, proxied, from(anotherHost()))).status).toBe(200);
  });

  it('believe the last proxy alone: what a client writes before its word counts for nothing', async () => {
    const owner = await proxied.signUp();
    const host = anotherHost();
    for (let i = 0; i < 3; i += 1) expect(await fail(`10.9.9.${i}, ${host}`, owner.email)).toBe(401);
    expect(await fail(`10.9.9.9, ${host}`, owner.email)).toBe(429);
  });

  it('believe no proxy unless told', async () => {
    const plain = await startService({ beside: proxied, env: { LOGIN_FAILURES_MAX: '3' } });
    const owner = await proxied.signUp();
    for (let i = 0; i < 3; i += 1) {
      expect(
        (await logIn({ email: owner.email, password: 'wrong' }, plain, from(anotherHost()))).status,
      ).toBe(401);
    }
    expect((await logIn({ email: owner.email, password: PASSWORD }, plain, from(anotherHost()))).status).toBe(
      429,
    );
    await plain.close();
  });
});
