import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService, type TestUser } from '../support/service.js';

interface Onboarded {
  readonly status: string;
  readonly data: { readonly businessId: string; readonly name: string; readonly createdAt: string };
  readonly errors: readonly { readonly code: string; readonly path: string; readonly message: string }[];
}

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const BODY = { businessName: 'Obi Trading', contactEmail: 'hello@obi.example' };
const onboard = (user: TestUser, fields: Record<string, unknown> = {}, path = '/v1/onboarding') =>
  service.post<Onboarded>(path, { token: user.token, body: { ...BODY, ...fields } });

describe.each(['/v1/onboarding', '/api/onboarding'])('POST %s', (path) => {
  it('registers the business of a user who has none, and answers 201', async () => {
    const user = await service.signUp();
    const { status, body } = await onboard(user, { contactPhone: '+2348012345678' }, path);
    expect([status, body]).toEqual([
      201,
      {
        status: 'success',
        data: {
          businessId: expect.any(String),
          name: 'Obi Trading',
          contactEmail: 'hello@obi.example',
          contactPhone: '+2348012345678',
          status: 'active',
          createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.+Z$/),
        },
      },
    ]);
  });

  it('needs a session', async () => {
    const { status, body } = await service.post(path, { body: BODY });
    expect([status, body]).toEqual([
      401,
      { status: 'error', code: 'UNAUTHORIZED', message: expect.any(String) },
    ]);
  });

  it('answers 400 with one entry for each field that fails', async () => {
    const user = await service.signUp();
    const { status, body } = await service.post<Onboarded>(path, {
      token: user.token,
      body: { contactPhone: 7 },
    });
    expect(status).toBe(400);
    expect(body).toEqual({
      status: 'error',
      errors: ['businessName', 'contactEmail', 'contactPhone'].map((field) => ({
        code: 'VALIDATION_ERROR',
        path: field,
        message: expect.any(String),
      })),
    });
  });
});

describe('onboarding', () => {
  it('links the business to the user, whose account type stays, and to wallets made before', async () => {
    const user = await service.signUp();
    const wallet = await service.createWallet(user);
    expect(wallet.businessId).toBeNull();
    const { businessId } = (await onboard(user)).body.data;
    const again = await service.post<{ data: { user: TestUser } }>('/v1/auth/login', {
      body: { email: user.email, password: 'correct horse' },
    });
    expect(again.body.data.user).toMatchObject({ businessId, accountType: 'developer' });
    const read = await service.get<{ data: { wallet: { businessId: string } } }>(
      `/api/wallets/${wallet.id}`,
      {
        token: user.token,
      },
    );
    expect(read.body.data.wallet.businessId).toBe(businessId);
    const listed = await service.get<{ businessId: string }[]>(`/api/wallets/user/${user.id}`, {
      token: user.token,
    });
    expect(listed.body[0]?.businessId).toBe(businessId);
  });

  it('names the business on the virtual accounts of wallets made from then on', async () => {
    const user = await service.signUp();
    const before = await service.createWallet(user, { name: 'Errands' });
    await onboard(user);
    const after = await service.createWallet(user, { name: 'Errands' });
    const long = await service.createWallet(user, { name: 'n'.repeat(100) });
    const nameOf = async (id: string) =>
      (
        await service.get<{ data: { virtualAccount: { accountName: string } } }>(`/api/wallets/${id}`, {
          token: user.token,
        })
      ).body.data.virtualAccount.accountName;
    expect(await nameOf(before.id)).toBe('Errands');
    expect(await nameOf(after.id)).toBe('Obi Trading / Errands');
    expect(await nameOf(long.id)).toBe(`Obi Trading / ${'n'.repeat(86)}`);
  });

  it('updates the same business when it is called again, by either route', async () => {
    const user = await service.signUp();
    const first = (await onboard(user)).body.data;
    const second = await onboard(user, { businessName: 'Obi & Sons' }, '/api/onboarding');
    expect(second.status).toBe(201);
    expect(second.body.data).toMatchObject({
      businessId: first.businessId,
      name: 'Obi & Sons',
      createdAt: first.createdAt,
    });
  });

  it('updates the business that sign-up made', async () => {
    const user = await service.signUp({ accountType: 'business' });
    expect((await onboard(user)).body.data).toMatchObject({
      businessId: user.businessId,
      name: 'Obi Trading',
    });
  });

  it('keeps the phone on record when none is given, and takes null for none', async () => {
    const user = await service.signUp();
    expect((await onboard(user)).body.data).toHaveProperty('contactPhone', null);
    await onboard(user, { contactPhone: '+2348012345678' });
    expect((await onboard(user)).body.data).toHaveProperty('contactPhone', '+2348012345678');
    expect((await onboard(user, { contactPhone: null })).body.data).toHaveProperty(
      'contactPhone',
      '+2348012345678',
    );
    expect((await onboard(user, { contactPhone: '08012345678' })).body.data).toHaveProperty(
      'contactPhone',
      '08012345678',
    );
  });

  it('answers the e-mail as it is compared, and the name trimmed', async () => {
    const user = await service.signUp();
    const { body } = await onboard(user, { contactEmail: ' Hello@OBI.example ', businessName: '  Obi  ' });
    expect(body.data).toMatchObject({ contactEmail: 'hello@obi.example', name: 'Obi' });
  });

  it('gives each user a business of its own, though their names are the same', async () => {
    const [one, other] = [await service.signUp(), await service.signUp()];
    expect((await onboard(one)).body.data.businessId).not.toBe((await onboard(other)).body.data.businessId);
  });

  it('makes one business of ten first calls at once', async () => {
    const user = await service.signUp();
    const answers = await Promise.all(Array.from({ length: 10 }, () => onboard(user)));
    expect(new Set(answers.map(({ body }) => body.data.businessId)).size).toBe(1);
  });

  it.each([
    ['of 1 character', 'x', false],
    ['of 2 characters', 'xx', true],
    ['of 3 characters', 'xxx', true],
    ['of 2 characters and spaces', '  xx ', true],
    ['of 1 character and spaces', '  x ', false],
    ['of 199 characters', 'x'.repeat(199), true],
    ['of 200 characters', 'x'.repeat(200), true],
    ['of 201 characters', 'x'.repeat(201), false],
    ['of 200 emoji', '😀'.repeat(200), true],
    ['of 1 emoji', '😀', false],
    ['with a NUL', 'Obi\u0000', false],
    ['with a lone surrogate', 'Obi\udc00', false],
    ['that is a number', 42, false],
  ])('takes or refuses a name %s', async (_, businessName, isSound) => {
    const user = await service.signUp();
    const { status, body } = await onboard(user, { businessName });
    expect(status === 201 ? true : body.errors.map(({ path }) => path)).toEqual(
      isSound ? true : ['businessName'],
    );
  });

  it('drops what is no field of it', async () => {
    const user = await service.signUp();
    const { body } = await onboard(user, {
      businessId: user.id,
      status: 'closed',
      userId: user.id,
      createdAt: 0,
    });
    expect(body.data).toMatchObject({ status: 'active', name: 'Obi Trading' });
    expect(body.data.businessId).not.toBe(user.id);
  });
});
