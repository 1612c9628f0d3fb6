import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSync } from 'otplib';
import { ActivityRetention } from '../../src/contexts/activity/activity-retention.service.js';
import { InvitationExpiry } from '../../src/contexts/identity/members/invitation-expiry.service.js';
import { askAbove, payPending } from '../support/approvals.js';
import { MailServer } from '../support/mail-server.js';
import { accept, businessOwner, invitationToken, invite, mailingTo, newMember } from '../support/members.js';
import { PushedBrowser } from '../support/push-service.js';
import { PasskeyDevice, type PasskeyOptions } from '../support/passkey-device.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  PASSWORD,
  startService,
  type TestService,
  type TestUser,
} from '../support/service.js';

interface Route {
  readonly name: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly 'x-operator'?: boolean;
}
/** What is done, by whom: what leads up to it has left its own lines. */
interface Act {
  readonly by: TestUser;
  readonly call: () => Promise<Answer<unknown>>;
}

let mails: MailServer;
let service: TestService;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
});
afterAll(async () => {
  await service.close();
  await mails.stop();
});

/** Every route of the document by which a session changes something. Operators' acts have a record of their own. */
const routes = await changingRoutes();

async function changingRoutes(): Promise<Route[]> {
  const described = await startService();
  const { body } = await described.get<{ paths: Record<string, Record<string, Omit<Route, 'name'>>> }>(
    '/openapi.json',
  );
  await described.close();
  return Object.entries(body.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, route]) => ({
        ...route,
        name: `${method.toUpperCase()} ${path}`,
      })),
    )
    .filter(({ security }) => security?.some((scheme) => 'session' in scheme))
    .filter((route) => !route.name.startsWith('GET ') && !route['x-operator']);
}

const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
const BUSINESS = { businessName: 'Ada Foods', contactEmail: 'office@example.com' };
const PAYEE = { merchantName: 'Acme Stores', ...ACCOUNT };

const send = (by: TestUser, method: string, path: string, body?: object): Act => ({
  by,
  call: () =>
    service.call(method, path, {
      token: by.token,
      ...(body && { body }),
      headers: { 'idempotency-key': randomUUID() },
    }),
});
type OfWallet = (wallet: CreatedWallet, path: string) => Act | Promise<Act>;
const onWallet = (act: OfWallet) => async (): Promise<Act> => {
  const wallet = await service.createWallet(await service.signUp());
  await service.topUp(wallet.id, 50_000);
  return act(wallet, `/api/wallets/${wallet.id}`);
};
const made = async <Data>(act: Act): Promise<Data> =>
  ((await act.call()) as Answer<{ data: Data }>).body.data;

async function withApp(): Promise<{ by: TestUser; secret: string; recoveryCodes: string[] }> {
  const by = await service.signUp();
  const { secret } = await made<{ secret: string }>(
    send(by, 'POST', '/v1/auth/two-factor', { currentPassword: PASSWORD }),
  );
  const code = generateSync({ secret });
  const confirmed = send(by, 'POST', '/v1/auth/two-factor/confirm', { code });
  return { by, secret, recoveryCodes: (await made<{ recoveryCodes: string[] }>(confirmed)).recoveryCodes };
}
const byCode = (method: string, path: string) => async (): Promise<Act> => {
  const { by, recoveryCodes } = await withApp();
  const headers = { 'x-totp-code': recoveryCodes[0]! };
  return { by, call: () => service.call(method, path, { token: by.token, headers }) };
};

async function registering(): Promise<Act> {
  const by = await service.signUp();
  const begun = send(by, 'POST', '/v1/auth/passkeys/registration', { currentPassword: PASSWORD });
  const { options } = await made<{ options: PasskeyOptions }>(begun);
  const credential = new PasskeyDevice('https://wallets.example.ng').create(options);
  return send(by, 'POST', '/v1/auth/passkeys', { name: 'Laptop', credential });
}
async function subscribing(): Promise<Act> {
  const { subscription } = new PushedBrowser('http://127.0.0.1:65001');
  return send(await service.signUp(), 'POST', '/v1/push-subscriptions', subscription);
}
interface NewPasskey {
  readonly passkey: { readonly id: string };
  readonly recoveryCodes: string[];
}
async function withPasskey(): Promise<{ by: TestUser; path: string; code: string }> {
  const act = await registering();
  const { passkey, recoveryCodes } = await made<NewPasskey>(act);
  return { by: act.by, path: `/v1/auth/passkeys/${passkey.id}`, code: recoveryCodes[0]! };
}

async function withInvitation(): Promise<{ by: TestUser; email: string; path: string }> {
  const by = await businessOwner(service);
  const email = `${randomUUID()}@example.com`;
  const { body } = expectStatus(201, await invite(service, by, email, 'viewer'));
  return { by, email, path: `/v1/invitations/${body.data.invitation.id}` };
}
async function withMember(): Promise<{ by: TestUser; member: TestUser }> {
  const by = await businessOwner(service);
  return { by, member: await newMember(service, mails, by, 'viewer') };
}
async function withEndpoint(): Promise<{ by: TestUser; path: string }> {
  const by = await service.signUp();
  const { id } = await made<{ id: string }>(
    send(by, 'POST', '/v1/webhook-endpoints', { url: 'http://127.0.0.1:65001/hooks' }),
  );
  return { by, path: `/v1/webhook-endpoints/${id}` };
}
const onEndpoint = (method: string, suffix: string, body?: object) => async (): Promise<Act> => {
  const { by, path } = await withEndpoint();
  return send(by, method, `${path}${suffix}`, body);
};
const deciding = (how: string) =>
  onWallet(async (wallet) => {
    await askAbove(service, wallet, 10);
    const { id } = await payPending(service, wallet, { amount: 50 });
    return send(wallet.owner, 'POST', `/v1/approvals/${id}/${how}`);
  });

const onPayment = (act: (owner: TestUser, path: string) => Act | Promise<Act>) =>
  onWallet(async ({ id, key, owner }) => {
    const { transaction } = expectStatus(201, await service.pay(key, { amount: 50 })).body.data;
    return act(owner, `/v1/wallets/${id}/transactions/${transaction.id}`);
  });

const addingFile = (by: TestUser, path: string): Act => ({
  by,
  call: () =>
    service.post(`${path}/files?name=receipt.pdf`, {
      token: by.token,
      body: Buffer.from('%PDF-1.7'),
      headers: { 'content-type': 'application/pdf' },
    }),
});

const ACTS: Readonly<Record<string, () => Promise<Act>>> = {
  'POST /v1/auth/logout': async () => send(await service.signUp(), 'POST', '/v1/auth/logout'),
  'POST /v1/auth/logout-everywhere': async () =>
    send(await service.signUp(), 'POST', '/v1/auth/logout-everywhere'),
  'POST /v1/auth/password': async () =>
    send(await service.signUp(), 'POST', '/v1/auth/password', {
      currentPassword: PASSWORD,
      newPassword: 'battery staple',
    }),
  'DELETE /v1/auth/sessions/{sessionId}': async () => {
    const by = await service.signUp();
    const body = { email: by.email, password: PASSWORD };
    await service.post('/v1/auth/login', { body });
    const { sessions } = await made<{ sessions: { id: string; current: boolean }[] }>(
      send(by, 'GET', '/v1/auth/sessions'),
    );
    return send(by, 'DELETE', `/v1/auth/sessions/${sessions.find(({ current }) => !current)!.id}`);
  },
  'POST /v1/auth/two-factor/confirm': async () => {
    const by = await service.signUp();
    const { secret } = await made<{ secret: string }>(
      send(by, 'POST', '/v1/auth/two-factor', { currentPassword: PASSWORD }),
    );
    return send(by, 'POST', '/v1/auth/two-factor/confirm', { code: generateSync({ secret }) });
  },
  'POST /v1/auth/two-factor/recovery-codes': byCode('POST', '/v1/auth/two-factor/recovery-codes'),
  'DELETE /v1/auth/two-factor': byCode('DELETE', '/v1/auth/two-factor'),
  'POST /v1/auth/passkeys': registering,
  'PATCH /v1/auth/passkeys/{passkeyId}': async () => {
    const { by, path } = await withPasskey();
    return send(by, 'PATCH', path, { name: 'Phone' });
  },
  'DELETE /v1/auth/passkeys/{passkeyId}': async () => {
    const { by, path, code } = await withPasskey();
    const headers = { 'x-totp-code': code };
    return { by, call: () => service.call('DELETE', path, { token: by.token, headers }) };
  },
  'POST /v1/onboarding': async () => send(await service.signUp(), 'POST', '/v1/onboarding', BUSINESS),
  'POST /api/onboarding': async () => send(await service.signUp(), 'POST', '/api/onboarding', BUSINESS),
  'POST /v1/invitations': async () =>
    send(await businessOwner(service), 'POST', '/v1/invitations', {
      email: `${randomUUID()}@example.com`,
      role: 'viewer',
    }),
  'POST /v1/invitations/{invitationId}/resend': async () => {
    const { by, path } = await withInvitation();
    return send(by, 'POST', `${path}/resend`);
  },
  'DELETE /v1/invitations/{invitationId}': async () => {
    const { by, path } = await withInvitation();
    return send(by, 'DELETE', path);
  },
  'POST /v1/invitations/accept': async () => {
    const { email } = await withInvitation();
    const by = await service.signUp({ email });
    const token = await invitationToken(mails, email);
    return { by, call: () => accept(service, by, token) };
  },
  'PATCH /v1/members/{memberId}': async () => {
    const { by, member } = await withMember();
    return send(by, 'PATCH', `/v1/members/${member.id}`, { role: 'approver' });
  },
  'PUT /v1/members/two-factor': async () => {
    const { by, recoveryCodes } = await withApp();
    const [token, headers] = [by.token, { 'x-totp-code': recoveryCodes[0]! }];
    const body = { demanded: true };
    return { by, call: () => service.call('PUT', '/v1/members/two-factor', { token, headers, body }) };
  },
  'DELETE /v1/members/{memberId}': async () => {
    const { by, member } = await withMember();
    return send(by, 'DELETE', `/v1/members/${member.id}`);
  },
  'POST /v1/membership/leave': async () => {
    const { member } = await withMember();
    return send(member, 'POST', '/v1/membership/leave');
  },
  'PUT /v1/notification-settings': async () =>
    send(await service.signUp(), 'PUT', '/v1/notification-settings', { kind: 'key.created', mail: false }),
  'POST /v1/push-subscriptions': subscribing,
  'DELETE /v1/push-subscriptions/{subscriptionId}': async () => {
    const act = await subscribing();
    const { id } = await made<{ id: string }>(act);
    return send(act.by, 'DELETE', `/v1/push-subscriptions/${id}`);
  },

  'PUT /v1/time-zone': async () =>
    send(await service.signUp(), 'PUT', '/v1/time-zone', { timeZone: 'Africa/Cairo' }),

  'POST /api/wallets': async () => {
    const by = await service.signUp();
    return { by, call: async () => ({ ...(await created(by)), headers: {}, text: '' }) };
  },
  'PATCH /api/wallets/{walletId}': onWallet(({ owner }, path) =>
    send(owner, 'PATCH', path, { spendLimitPerTx: 1_000 }),
  ),
  'PUT /v1/wallets/{walletId}/low-balance-threshold': onWallet(({ id, owner }) =>
    send(owner, 'PUT', `/v1/wallets/${id}/low-balance-threshold`, { threshold: 1_000 }),
  ),
  'PATCH /api/wallets/{walletId}/shadow-rules': onWallet(({ owner }, path) =>
    send(owner, 'PATCH', `${path}/shadow-rules`, { spendLimitPerTx: 1_000 }),
  ),
  'POST /api/wallets/{walletId}/suspend': onWallet(({ owner }, path) =>
    send(owner, 'POST', `${path}/suspend`),
  ),
  'POST /api/wallets/{walletId}/resume': onWallet(async ({ owner }, path) => {
    await send(owner, 'POST', `${path}/suspend`).call();
    return send(owner, 'POST', `${path}/resume`);
  }),
  'POST /v1/wallets/suspend-all': onWallet(({ owner }) => send(owner, 'POST', '/v1/wallets/suspend-all')),
  'POST /v1/wallets/resume': onWallet(async ({ id, owner }, path) => {
    await send(owner, 'POST', `${path}/suspend`).call();
    return send(owner, 'POST', '/v1/wallets/resume', { walletIds: [id] });
  }),
  'POST /api/wallets/{walletId}/close': onWallet(({ owner }, path) =>
    send(owner, 'POST', `${path}/close`, { payoutTo: ACCOUNT }),
  ),
  'POST /api/wallets/{walletId}/withdrawals': onWallet(({ owner }, path) =>
    send(owner, 'POST', `${path}/withdrawals`, { ...ACCOUNT, amount: 1_000 }),
  ),
  'POST /api/wallets/{walletId}/transfers': onWallet(async ({ owner }, path) => {
    const { id: toWalletId } = await service.createWallet(owner);
    return send(owner, 'POST', `${path}/transfers`, { toWalletId, amount: 1_000 });
  }),
  'POST /api/wallets/{walletId}/keys': onWallet(({ owner }, path) =>
    send(owner, 'POST', `${path}/keys`, { name: 'Second' }),
  ),
  'PATCH /api/wallets/{walletId}/keys/{keyId}': onWallet(async ({ owner }, path) =>
    send(owner, 'PATCH', `${path}/keys/${await firstIn(owner, `${path}/keys`)}`, { name: 'Other' }),
  ),
  'DELETE /api/wallets/{walletId}/keys/{keyId}': onWallet(async ({ owner }, path) =>
    send(owner, 'DELETE', `${path}/keys/${await firstIn(owner, `${path}/keys`)}`),
  ),
  'POST /api/wallets/{walletId}/payees': onWallet(({ owner }, path) =>
    send(owner, 'POST', `${path}/payees`, PAYEE),
  ),
  'DELETE /api/wallets/{walletId}/payees/{payeeId}': onWallet(async ({ owner }, path) => {
    await send(owner, 'POST', `${path}/payees`, PAYEE).call();
    return send(owner, 'DELETE', `${path}/payees/${await firstIn(owner, `${path}/payees`)}`);
  }),
  'POST /v1/approvals/{approvalId}/approve': deciding('approve'),
  'POST /v1/approvals/{approvalId}/deny': deciding('deny'),

  'PATCH /v1/wallets/{walletId}/transactions/{transactionId}': onPayment((owner, path) =>
    send(owner, 'PATCH', path, { memo: 'Milk' }),
  ),

  'POST /v1/wallets/{walletId}/transactions/{transactionId}/notes': onPayment((owner, path) =>
    send(owner, 'POST', `${path}/notes`, { text: 'Milk' }),
  ),
  'DELETE /v1/wallets/{walletId}/transactions/{transactionId}/notes/{noteId}': onPayment(
    async (owner, path) => {
      const { id } = await made<{ id: string }>(send(owner, 'POST', `${path}/notes`, { text: 'Milk' }));
      return send(owner, 'DELETE', `${path}/notes/${id}`);
    },
  ),
  'POST /v1/wallets/{walletId}/transactions/{transactionId}/files': onPayment(addingFile),
  'DELETE /v1/wallets/{walletId}/transactions/{transactionId}/files/{fileId}': onPayment(
    async (owner, path) => {
      const { id } = await made<{ id: string }>(addingFile(owner, path));
      return send(owner, 'DELETE', `${path}/files/${id}`);
    },
  ),

  'POST /v1/webhook-endpoints': async () =>
    send(await service.signUp(), 'POST', '/v1/webhook-endpoints', { url: 'http://127.0.0.1:65001/hooks' }),
  'PATCH /v1/webhook-endpoints/{endpointId}': onEndpoint('PATCH', '', { description: 'Books' }),
  'DELETE /v1/webhook-endpoints/{endpointId}': onEndpoint('DELETE', ''),
  'POST /v1/webhook-endpoints/{endpointId}/rotate-secret': onEndpoint('POST', '/rotate-secret'),
  'POST /v1/webhook-endpoints/{endpointId}/test': onEndpoint('POST', '/test', {}),
  'POST /v1/webhook-endpoints/{endpointId}/recover': onEndpoint('POST', '/recover', {
    since: '2026-01-01T00:00:00Z',
  }),
  'POST /v1/webhook-deliveries/{deliveryId}/replay': async () => {
    const { by, path } = await withEndpoint();
    const { id } = await made<{ id: string }>(send(by, 'POST', `${path}/test`, {}));
    return send(by, 'POST', `/v1/webhook-deliveries/${id}/replay`);
  },
};

const WITHOUT: Readonly<Record<string, string>> = {
  'POST /v1/auth/two-factor': 'Holds nothing until a code confirms it.',
  'POST /v1/auth/passkeys/registration': 'Asks the browser for a passkey; none is registered yet.',
  'POST /v1/auth/passkeys/challenge': 'Asks for a proof; what it is for has its line.',
  'POST /v1/accounts/resolve': 'Reads the name of an account at the bank.',
  'POST /api/wallets/{walletId}/backtest': 'Reads; it tries rules on stored payments.',
  'POST /v1/sandbox/transfers': 'Plays the bank of the sandbox; the credit is an entry of the ledger.',
  'POST /v1/notifications/read': 'Says what a person has seen, which binds no one.',
  'POST /v1/statements': 'Makes what is there to be seen; each download has its line.',
  'PUT /v1/statement-mail': 'Chooses a mail of their own, which binds no one.',
  'POST /v1/saved-views': 'Names a search of their own, which binds no one.',
  'POST /v1/saved-views/remove': 'Forgets a search of their own, which binds no one.',
};

async function created(by: TestUser): Promise<{ status: number; body: unknown }> {
  return { status: 201, body: await service.createWallet(by) };
}
async function firstIn(by: TestUser, path: string): Promise<string> {
  const [first] = await made<{ id: string }[]>(send(by, 'GET', path));
  return first!.id;
}
const linesBy = async ({ id }: TestUser): Promise<number> => {
  const rows = await service.query<{ count: string }>(
    'SELECT count(*) FROM account_activity WHERE user_id = $1',
    [id],
  );
  return Number(rows[0]!.count);
};

it('knows every route by which a session changes something, and says why some leave no line', () => {
  const known = [...Object.keys(ACTS), ...Object.keys(WITHOUT)].sort();
  expect(known).toEqual(routes.map(({ name }) => name).sort());
});

describe('leaves a line of the activity log:', () => {
  it.each(Object.entries(ACTS))('%s', async (_, prepare) => {
    const { by, call } = await prepare();
    const before = await linesBy(by);
    const { status, text } = await call();
    expect([status < 300, status < 300 ? '' : text]).toEqual([true, '']);
    expect(await linesBy(by)).toBeGreaterThan(before);
  });
});

it('an invitation that expired leaves a line once, and once more when it is renewed and expires again', async () => {
  const { by, email, path } = await withInvitation();
  const expiry = service.app.get(InvitationExpiry, { strict: false });
  const expired = () =>
    service.query<{ actor: string | null; before: object }>(
      `SELECT actor, before FROM account_activity WHERE account_id = $1 AND act = 'member.invitation-expired'`,
      [by.id],
    );
  const end = () =>
    service.query('UPDATE member_invitations SET expires_at = clock_timestamp() WHERE email = $1', [email]);
  await expiry.record();
  expect(await expired()).toEqual([]);
  await end();
  await expiry.record();
  await expiry.record();
  expect(await expired()).toEqual([{ actor: null, before: { email, role: 'viewer' } }]);
  expectStatus(200, await service.post(`${path}/resend`, { token: by.token }));
  await end();
  await expiry.record();
  expect(await expired()).toHaveLength(2);
});

it('keeps lines for ACTIVITY_KEPT_DAYS, and the database keeps the last ninety days from everybody', async () => {
  const retention = service.app.get(ActivityRetention, { strict: false });
  const accountId = randomUUID();
  const ages = [0, 89, 91, 729, 731, 3_000];
  for (const days of ages) {
    await service.query(
      `INSERT INTO account_activity (account_id, id, at, act) VALUES ($1, $2, clock_timestamp() - $3 * interval '1 day', $4)`,
      [accountId, randomUUID(), days, String(days)],
    );
  }
  const left = async () =>
    (
      await service.query<{ act: string }>(
        'SELECT act FROM account_activity WHERE account_id = $1 ORDER BY at DESC',
        [accountId],
      )
    ).map(({ act }) => Number(act));
  await retention.deleteOld();
  expect(await left()).toEqual([0, 89, 91, 729]);
  for (const act of ['0', '89']) {
    await expect(
      service.query('DELETE FROM account_activity WHERE account_id = $1 AND act = $2', [accountId, act]),
    ).rejects.toThrow('append-only');
  }
  await expect(service.query('TRUNCATE account_activity')).rejects.toThrow('append-only');
});
