import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { approvalIn } from '../support/approvals.js';
import { Authenticator, type ProtectedUser } from '../support/authenticator.js';
import {
  type Answer,
  type CreatedWallet,
  PASSWORD,
  startService,
  type TestService,
} from '../support/service.js';

interface Refused {
  readonly error?: { readonly code: string };
}
/** A request that asks for the second factor. */
type Act = (token: string, code?: string) => Promise<Answer<Refused>>;

const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
const MINUTE = 60_000;

let service: TestService;
let second: TestService;
let app: Authenticator;
beforeAll(async () => {
  service = await startService({ clock: true });
  second = await startService({ beside: service });
  app = new Authenticator(service);
  await app.pass(0);
});
afterAll(async () => {
  await second.close();
  await service.close();
});

const sending =
  (method: string, path: string, body?: object, from = service): Act =>
  (token, code) =>
    from.call<Refused>(method, path, {
      token,
      ...(body && { body }),
      headers: { 'idempotency-key': 'once', ...(code !== undefined && { 'x-totp-code': code }) },
    });
const outcome = ({ status, body }: Answer<Refused>) => body.error?.code ?? status;
const protectedOwner = async (): Promise<ProtectedUser> => app.protect(await service.signUp());
/** An act that asks for the second factor and leaves everything as it is. */
const resuming = ({ id }: CreatedWallet, from = service): Act =>
  sending('POST', `/api/wallets/${id}/resume`, undefined, from);
async function pending(wallet: CreatedWallet, amount: number): Promise<string> {
  const answer = await service.pay(wallet.key, { amount });
  expect(answer.status).toBe(202);
  return approvalIn(answer).id;
}

describe('with two-factor authentication on, a code is asked for', () => {
  it('to withdraw, to move to another wallet, to let it pay again, to close it; to stop it needs none', async () => {
    const user = await protectedOwner();
    const [wallet, another] = [await service.createWallet(user), await service.createWallet(user)];
    await service.topUp(wallet.id, 5_000);
    const of = (action: string, body?: object) =>
      sending('POST', `/api/wallets/${wallet.id}/${action}`, body);
    expect((await service.post('/v1/wallets/suspend-all', { token: user.token })).status).toBe(200);
    await requireCode(user, [
      [of('withdrawals', { ...ACCOUNT, amount: 1_000 }), 201],
      [of('transfers', { toWalletId: another.id, amount: 1_000 }), 201],
      [of('resume'), 200],
      [of('close', { payoutTo: ACCOUNT }), 200],
      [sending('POST', '/v1/wallets/resume', { walletIds: [another.id] }), 200],
    ]);
    expect((await service.stats(wallet)).balance).toBe(0);
    await service.settled();
  });

  it('to approve a payment, for a new key, payee or webhook secret; to deny one or to end a key needs none', async () => {
    const user = await protectedOwner();
    const wallet = await service.createWallet(user, { approvalThreshold: 1_000, payeePolicy: 'warn' });
    await service.topUp(wallet.id, 9_000);
    const [wanted, unwanted] = [await pending(wallet, 2_000), await pending(wallet, 3_000)];
    const api = `/api/wallets/${wallet.id}`;
    const endpoint = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', {
      token: user.token,
      body: { url: 'https://93.184.215.14/hook' },
    });
    const rotate = `/v1/webhook-endpoints/${endpoint.body.data.id}/rotate-secret`;
    await requireCode(user, [
      [sending('POST', `/v1/approvals/${wanted}/approve`), 200],
      [sending('POST', `${api}/keys`, { name: 'Another' }), 201],
      [sending('POST', `${api}/keys`, { name: 'In its place', graceSeconds: 60 }), 201],
      [sending('POST', `${api}/payees`, { merchantName: 'Acme', ...ACCOUNT }), 201],
      [sending('POST', rotate), 200],
    ]);
    await app.pass(11 * MINUTE);
    const free = sending('POST', `/v1/approvals/${unwanted}/deny`);
    expect(outcome(await free(user.token))).toBe(200);
    const { body } = await service.get<{ data: { id: string }[] }>(`${api}/keys`, { token: user.token });
    const revoke = sending('DELETE', `${api}/keys/${body.data[0]!.id}`);
    expect(outcome(await revoke(user.token))).toBe(200);
    await service.settled();
  });

  it('for a change of a wallet that weakens a safeguard, and for no other', async () => {
    const user = await protectedOwner();
    const wallet = await service.createWallet(user, {
      spendLimitPerTx: 5_000,
      spendLimitPeriod: 9_000,
      payeePolicy: 'first_use',
    });
    const api = `/api/wallets/${wallet.id}`;
    const change = (body: object) => sending('PATCH', api, body);
    const tighter = [{ spendLimitPerTx: 4_000 }, { approvalThreshold: 3_000 }, { name: 'Other' }, {}];
    for (const body of tighter) expect(outcome(await change(body)(user.token))).toBe(200);
    await requireCode(user, [
      [change({ spendLimitPerTx: 4_001, approvalThreshold: 2_000 }), 200],
      [change({ approvalThreshold: null }), 200],
      [change({ expiry: '2099-06-01T00:00:00Z' }), 200],
    ]);
    // A refusal changes nothing, and what breaks a rule is told first.
    await app.pass(11 * MINUTE);
    expect(outcome(await change({ spendLimitPerTx: 9_001 })(user.token))).toBe('PERIOD_LIMIT_TOO_LOW');
    const { body } = await service.get<{ data: { wallet: object } }>(api, { token: user.token });
    expect(body.data.wallet).toMatchObject({ spendLimitPerTx: 4_001, spendLimitPeriod: 9_000 });
  });

  it('to remove a payee where the next payment would choose the account anew', async () => {
    const user = await protectedOwner();
    const wallet = await service.createWallet(user, { payeePolicy: 'first_use' });
    const api = `/api/wallets/${wallet.id}`;
    await service.topUp(wallet.id, 9_000);
    expect((await service.pay(wallet.key, { amount: 1_000 })).status).toBe(201);
    const page = await service.get<{ data: { id: string }[] }>(`${api}/payees`, { token: user.token });
    const remove = sending('DELETE', `${api}/payees/${page.body.data[0]!.id}`);
    expect(outcome(await remove(user.token))).toBe('TWO_FACTOR_REQUIRED');
    expect(outcome(await sending('PATCH', api, { payeePolicy: 'strict' })(user.token))).toBe(200);
    expect(outcome(await remove(user.token))).toBe(200);
    await service.settled();
  });

  it('by nobody who has none', async () => {
    const user = await service.signUp();
    const wallet = await service.createWallet(user);
    const api = `/api/wallets/${wallet.id}`;
    for (const [act, done] of [
      [sending('PATCH', api, { expiry: '2099-06-01T00:00:00Z' }), 200],
      [sending('POST', `${api}/keys`, { name: 'Another' }), 201],
      [sending('POST', `${api}/payees`, { merchantName: 'Acme', ...ACCOUNT }), 201],
      [resuming(wallet), 200],
    ] as const) {
      expect(outcome(await act(user.token))).toBe(done);
    }
  });

  /** Each act is refused without a code and with a wrong one, and done with a right one; ten minutes apart. */
  async function requireCode({ token, secret }: ProtectedUser, acts: readonly (readonly [Act, number])[]) {
    for (const [index, [act, done]] of acts.entries()) {
      await app.pass(10 * MINUTE);
      const refused = [outcome(await act(token)), outcome(await act(token, app.wrongCode(secret)))];
      expect([index, ...refused]).toEqual([index, 'TWO_FACTOR_REQUIRED', 'INVALID_TWO_FACTOR_CODE']);
      expect([index, outcome(await act(token, app.codeAt(secret)))]).toEqual([index, done]);
    }
  }
});

describe('a code that was given', () => {
  it('is good for ten minutes of its session, for every act, on every replica', async () => {
    const user = await protectedOwner();
    const wallet = await service.createWallet(user);
    expect(outcome(await resuming(wallet)(user.token, app.codeAt(user.secret)))).toBe(200);
    await app.pass(10 * MINUTE - 1);
    const key = sending('POST', `/api/wallets/${wallet.id}/keys`, { name: 'Another' }, second);
    expect(outcome(await key(user.token))).toBe(201);
    expect(outcome(await resuming(wallet, second)(user.token))).toBe(200);
    await app.pass(1);
    expect(outcome(await resuming(wallet)(user.token))).toBe('TWO_FACTOR_REQUIRED');
  });

  it('starts the ten minutes anew when another one follows, and is judged also where none is needed', async () => {
    const user = await protectedOwner();
    const resume = resuming(await service.createWallet(user));
    expect(outcome(await resume(user.token, app.codeAt(user.secret)))).toBe(200);
    await app.pass(9 * MINUTE);
    expect(outcome(await resume(user.token, app.wrongCode(user.secret)))).toBe('INVALID_TWO_FACTOR_CODE');
    expect(outcome(await resume(user.token, app.codeAt(user.secret)))).toBe(200);
    expect(outcome(await resume(user.token, app.codeAt(user.secret)))).toBe('INVALID_TWO_FACTOR_CODE');
    await app.pass(9 * MINUTE);
    expect(outcome(await resume(user.token))).toBe(200);
  });

  it('is good for no other session, nor is the code of a login', async () => {
    const user = await protectedOwner();
    const resume = resuming(await service.createWallet(user));
    expect(outcome(await resume(user.token, user.recoveryCodes[0]))).toBe(200);
    const login = await service.post<{ data: { token: string } }>('/v1/auth/login', {
      body: { email: user.email, password: PASSWORD, totpCode: app.codeAt(user.secret) },
    });
    expect(outcome(await resume(login.body.data.token))).toBe('TWO_FACTOR_REQUIRED');
    expect(outcome(await resume(user.token))).toBe(200);
  });

  it('counts as a guess when it is wrong: ten in a quarter of an hour, and then none is judged', async () => {
    const user = await protectedOwner();
    const resume = resuming(await service.createWallet(user));
    for (let i = 0; i < 10; i += 1) {
      expect(outcome(await resume(user.token, app.wrongCode(user.secret)))).toBe('INVALID_TWO_FACTOR_CODE');
    }
    expect(outcome(await resume(user.token, app.codeAt(user.secret)))).toBe('RATE_LIMITED');
    expect(outcome(await resume(user.token))).toBe('TWO_FACTOR_REQUIRED');
  });

  it('is forgotten when the password is changed', async () => {
    const user = await protectedOwner();
    const resume = resuming(await service.createWallet(user));
    expect(outcome(await resume(user.token, app.codeAt(user.secret)))).toBe(200);
    await app.pass(30_000);
    const body = { currentPassword: PASSWORD, newPassword: 'battery staple' };
    const changed = await sending('POST', '/v1/auth/password', body)(user.token, app.codeAt(user.secret));
    expect(changed.status).toBe(200);
    expect(outcome(await resume(user.token))).toBe('TWO_FACTOR_REQUIRED');
  });

  it('is forgotten when two-factor authentication is turned off and on, and does not turn it off', async () => {
    const user = await protectedOwner();
    const resume = resuming(await service.createWallet(user));
    expect(outcome(await resume(user.token, app.codeAt(user.secret)))).toBe(200);
    const off = sending('DELETE', '/v1/auth/two-factor');
    const renew = sending('POST', '/v1/auth/two-factor/recovery-codes');
    for (const act of [off, renew]) expect((await act(user.token)).status).toBe(403);
    await app.pass(30_000);
    expect((await off(user.token, app.codeAt(user.secret))).status).toBe(200);
    expect(outcome(await resume(user.token))).toBe(200);
    await app.pass(30_000);
    await app.protect(user);
    expect(outcome(await resume(user.token))).toBe('TWO_FACTOR_REQUIRED');
  });
});
