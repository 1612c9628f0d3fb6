import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withClient } from '../support/database.js';
import { MailServer } from '../support/mail-server.js';
import { accept, businessOwner, invitationToken, invite, mailingTo, newMember } from '../support/members.js';
import {
  type Answer,
  expectStatus,
  PASSWORD,
  startService,
  type TestService,
  type TestUser,
  until,
  walletBody,
} from '../support/service.js';

interface Refused {
  readonly error: { readonly code: string; readonly message: string };
}
interface Listed {
  readonly data: readonly { readonly userId: string; readonly email: string; readonly role: string }[];
}

let mails: MailServer;
let service: TestService;
let second: TestService;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails), clock: true });
  second = await startService({ env: mailingTo(mails), beside: service });
});
afterAll(async () => {
  await second.close();
  await service.close();
  await mails.stop();
});

const codeOf = ({ status, body }: Answer<unknown>) => [status, (body as Partial<Refused>).error?.code];
const joining = (by: TestUser, role: string) => newMember(service, mails, by, role);
const membersOf = async ({ token }: TestUser) =>
  expectStatus(200, await service.get<Listed>('/v1/members', { token })).body.data;
const rolesOf = async (user: TestUser) => (await membersOf(user)).map(({ role }) => role).sort();
const setRole = (by: TestUser, of: TestUser, role: string, to = service) =>
  to.call('PATCH', `/v1/members/${of.id}`, { token: by.token, body: { role } });
const remove = (by: TestUser, of: TestUser, to = service) =>
  to.call('DELETE', `/v1/members/${of.id}`, { token: by.token });
const namesSeenBy = async (user: TestUser) =>
  (await service.get<{ data: { name: string }[] }>('/v1/wallets/names', { token: user.token })).body.data.map(
    ({ name }) => name,
  );
const isLive = async ({ token }: TestUser, at = service) =>
  (await at.get('/v1/auth/session', { token })).status === 200;

describe('an invitation', () => {
  it('comes by mail, and makes who signs up by its link a member who sees the wallets of the business', async () => {
    const owner = await businessOwner(service);
    const wallet = await service.createWallet(owner, { name: 'Agents' });
    const email = `ben-${randomUUID()}@example.com`;
    expectStatus(201, await invite(service, owner, ` ${email.toUpperCase()} `, 'viewer'));
    const { subject, text } = await mails.await(email);
    expect(subject).toContain(`${owner.email} invites you to`);
    expect(text).toContain('as viewer');
    const ben = await service.signUp({ email });
    expect(await namesSeenBy(ben)).toEqual([]);
    expectStatus(200, await accept(second, ben, await invitationToken(mails, email)));
    expect(await namesSeenBy(ben)).toEqual(['Agents']);
    expect(await membersOf(ben)).toEqual([
      { userId: owner.id, email: owner.email, role: 'owner', joinedAt: null },
      { userId: ben.id, email, role: 'viewer', joinedAt: expect.any(String) },
    ]);
    const { body } = await service.get<{ data: object }>('/v1/membership', { token: ben.token });
    expect(body.data).toMatchObject({
      accountId: owner.id,
      role: 'viewer',
      can: ['self', 'wallets.read', 'members.read'],
      business: { id: owner.businessId },
    });
    // Who made it, and what the session's own user made: the contract's routes keep their meaning.
    const own = await service.get<unknown[]>(`/api/wallets/user/${ben.id}`, { token: ben.token });
    expect([own.status, own.body]).toEqual([200, []]);
    const read = await service.get<{ data: { wallet: { userId: string } } }>(`/api/wallets/${wallet.id}`, {
      token: ben.token,
    });
    expect(read.body.data.wallet.userId).toBe(owner.id);
  });

  it('works once, for its own e-mail alone, and not once it was revoked', async () => {
    const owner = await businessOwner(service);
    const [one, other] = [await service.signUp(), await service.signUp()];
    expectStatus(201, await invite(service, owner, one.email, 'viewer'));
    const token = await invitationToken(mails, one.email);
    expect(codeOf(await accept(service, other, token))).toEqual([403, 'FORBIDDEN']);
    expect(codeOf(await accept(service, one, `${token}x`))).toEqual([404, 'INVITATION_NOT_FOUND']);
    expectStatus(200, await accept(service, one, token));
    expect(codeOf(await accept(service, one, token))).toEqual([404, 'INVITATION_NOT_FOUND']);

    const { body } = expectStatus(201, await invite(service, owner, other.email, 'viewer'));
    const { id } = body.data.invitation;
    const revoked = await invitationToken(mails, other.email);
    expectStatus(200, await service.call('DELETE', `/v1/invitations/${id}`, { token: owner.token }));
    expect(codeOf(await accept(service, other, revoked))).toEqual([404, 'INVITATION_NOT_FOUND']);
  });

  it('works for 7 days', async () => {
    const [owner, one] = [await businessOwner(service), await service.signUp()];
    expectStatus(201, await invite(service, owner, one.email, 'viewer'));
    const token = await invitationToken(mails, one.email);
    const logInAgain = async () => {
      const { body } = await service.post<{ data: { token: string } }>('/v1/auth/login', {
        body: { email: one.email, password: PASSWORD },
      });
      return { ...one, token: body.data.token };
    };
    await service.setClock(new Date(Date.now() + 7 * 86_400_000 + 60_000));
    try {
      expect(codeOf(await accept(service, await logInAgain(), token))).toEqual([404, 'INVITATION_NOT_FOUND']);
    } finally {
      await service.setClock(null);
    }
    expectStatus(200, await accept(service, await logInAgain(), token));
  });

  it('is mailed again on demand, and an address that is invited again has one, with the newer role', async () => {
    const owner = await businessOwner(service);
    const ben = await service.signUp();
    const { body } = expectStatus(201, await invite(service, owner, ben.email, 'viewer'));
    expectStatus(201, await invite(service, owner, ben.email, 'developer'));
    const { id } = body.data.invitation;
    expectStatus(200, await service.post(`/v1/invitations/${id}/resend`, { token: owner.token }));
    const listed = await service.get<{ data: object[] }>('/v1/invitations', { token: owner.token });
    expect(listed.body.data).toEqual([
      expect.objectContaining({ id, email: ben.email, role: 'developer', isExpired: false }),
    ]);
    expectStatus(200, await accept(service, ben, await invitationToken(mails, ben.email, 3)));
    expect(await rolesOf(ben)).toEqual(['developer', 'owner']);
    expect(codeOf(await invite(service, owner, ben.email, 'viewer'))).toEqual([409, 'ALREADY_MEMBER']);
  });

  it('needs a business, and is refused by who has wallets, members or a membership already', async () => {
    const person = await service.signUp();
    const owner = await businessOwner(service);
    expect(codeOf(await invite(service, person, owner.email, 'viewer'))).toEqual([409, 'BUSINESS_REQUIRED']);
    const invited = async (user: TestUser) => {
      expectStatus(201, await invite(service, owner, user.email, 'viewer'));
      const answer = await accept(service, user, await invitationToken(mails, user.email));
      return codeOf(answer);
    };
    const withWallet = await service.createWallet();
    expect(await invited(withWallet.owner)).toEqual([409, 'ACCOUNT_NOT_EMPTY']);
    const boss = await businessOwner(service);
    const member = await joining(boss, 'owner');
    expect(await invited(boss)).toEqual([409, 'ACCOUNT_NOT_EMPTY']);
    expectStatus(201, await invite(service, owner, member.email, 'viewer'));
    const token = await invitationToken(mails, member.email, 2);
    expect(codeOf(await accept(service, member, token))).toEqual([409, 'ALREADY_MEMBER']);
    expect(await rolesOf(owner)).toEqual(['owner']);
  });

  it('leaves no wallet behind that is made while its maker joins', async () => {
    const owner = await businessOwner(service);
    for (let i = 0; i < 5; i += 1) {
      const ben = await service.signUp();
      expectStatus(201, await invite(service, owner, ben.email, 'owner'));
      const token = await invitationToken(mails, ben.email);
      const [joined, made] = await Promise.all([
        accept(second, ben, token),
        service.post<{ data: { wallet: { id: string } } }>('/api/wallets', {
          token: ben.token,
          body: walletBody(ben.id),
        }),
      ]);
      if (made.status !== 201) continue;
      const seen = await service.get(`/api/wallets/${made.body.data.wallet.id}`, { token: ben.token });
      expect([joined.status, seen.status]).not.toEqual([200, 404]);
    }
  });

  it('can not be sent without end', async () => {
    const owner = await businessOwner(service);
    const email = `${randomUUID()}@example.com`;
    for (let i = 0; i < 10; i += 1) expectStatus(201, await invite(service, owner, email, 'viewer'));
    expect(codeOf(await invite(service, owner, email, 'viewer'))).toEqual([429, 'RATE_LIMITED']);
  });
});

describe('a member', () => {
  it('gets another role at once, which no other role may give', async () => {
    const owner = await businessOwner(service);
    const ben = await joining(owner, 'developer');
    expect(codeOf(await setRole(ben, ben, 'owner'))).toEqual([403, 'FORBIDDEN']);
    const refused = await service.post<Refused>('/v1/wallets/suspend-all', { token: ben.token });
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      'Your role may not suspend wallets: it takes the role owner or approver.',
    ]);
    expectStatus(200, await setRole(owner, ben, 'approver'));
    expectStatus(200, await service.post('/v1/wallets/suspend-all', { token: ben.token }));
  });

  it('who is removed is out on both replicas with all sessions, and takes nothing along', async () => {
    const owner = await businessOwner(service);
    const ben = await joining(owner, 'owner');
    const wallet = await service.createWallet(ben, { name: 'Made by Ben' });
    expect(await isLive(ben, second)).toBe(true);
    expectStatus(200, await remove(owner, ben));
    expect([await isLive(ben), await isLive(ben, second)]).toEqual([false, false]);
    expect(await namesSeenBy(owner)).toEqual(['Made by Ben']);
    const read = await service.get<{ data: { wallet: { userId: string } } }>(`/api/wallets/${wallet.id}`, {
      token: owner.token,
    });
    expect(read.body.data.wallet.userId).toBe(ben.id);
    const again = await service.post<{ data: { token: string } }>('/v1/auth/login', {
      body: { email: ben.email, password: PASSWORD },
    });
    expect(await namesSeenBy({ ...ben, token: again.body.data.token })).toEqual([]);
  });

  it('who opened the business can be removed too: the wallets stay with the others', async () => {
    const founder = await businessOwner(service);
    await service.createWallet(founder, { name: 'Founded' });
    const ben = await joining(founder, 'owner');
    expectStatus(200, await remove(ben, founder));
    const { body } = await service.post<{ data: { token: string; user: { businessId: string | null } } }>(
      '/v1/auth/login',
      { body: { email: founder.email, password: PASSWORD } },
    );
    const back = { ...founder, token: body.data.token };
    const zone = { token: back.token, body: { timeZone: 'Africa/Nairobi' } };
    expectStatus(200, await service.call('PUT', '/v1/time-zone', zone));
    const zonesOf = ({ token }: TestUser) => service.get('/v1/time-zone', { token });
    expect((await zonesOf(back)).body).toMatchObject({ data: { timeZone: 'Africa/Nairobi' } });
    expect((await zonesOf(ben)).body).toMatchObject({ data: { timeZone: 'Africa/Lagos' } });
    expect([body.data.user.businessId, await namesSeenBy(back), await rolesOf(back)]).toEqual([
      null,
      [],
      ['owner'],
    ]);
    expect(await namesSeenBy(ben)).toEqual(['Founded']);
    // Comes back only as whoever is invited, and leaves again without a trace of the old account.
    expectStatus(201, await invite(service, ben, founder.email, 'viewer'));
    expectStatus(200, await accept(service, back, await invitationToken(mails, founder.email)));
    expect([await namesSeenBy(back), await rolesOf(back)]).toEqual([['Founded'], ['owner', 'viewer']]);
    expectStatus(200, await service.post('/v1/membership/leave', { token: back.token }));
    expect(await isLive(back)).toBe(false);
    const left = await service.post<{ data: { token: string } }>('/v1/auth/login', {
      body: { email: founder.email, password: PASSWORD },
    });
    expect(await namesSeenBy({ ...founder, token: left.body.data.token })).toEqual([]);
  });

  it('who is the last owner can neither leave, nor be demoted, nor both owners by each other at once', async () => {
    const owner = await businessOwner(service);
    expect(codeOf(await service.post('/v1/membership/leave', { token: owner.token }))).toEqual([
      409,
      'LAST_OWNER',
    ]);
    expect(codeOf(await setRole(owner, owner, 'viewer'))).toEqual([409, 'LAST_OWNER']);
    const ben = await joining(owner, 'owner');
    for (let i = 0; i < 6; i += 1) {
      const answers = await Promise.all([
        setRole(owner, ben, 'viewer', service),
        setRole(ben, owner, 'viewer', second),
      ]);
      expect(await rolesOf(owner)).toEqual(['owner', 'viewer']);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const [still, other] =
        (await membersOf(owner)).find(({ role }) => role === 'owner')?.userId === owner.id
          ? [owner, ben]
          : [ben, owner];
      expectStatus(200, await setRole(still, other, 'owner'));
    }
  });

  it('of another business is not found, and its invitations are not either', async () => {
    const [owner, other] = [await businessOwner(service), await businessOwner(service)];
    const ben = await joining(owner, 'viewer');
    expect(codeOf(await remove(other, ben))).toEqual([404, 'MEMBER_NOT_FOUND']);
    expect(codeOf(await setRole(other, ben, 'owner'))).toEqual([404, 'MEMBER_NOT_FOUND']);
    const { body } = expectStatus(201, await invite(service, owner, `${randomUUID()}@example.com`, 'viewer'));
    const { id } = body.data.invitation;
    for (const [method, path] of [
      ['DELETE', `/v1/invitations/${id}`],
      ['POST', `/v1/invitations/${id}/resend`],
    ] as const) {
      expect(codeOf(await service.call(method, path, { token: other.token }))).toEqual([
        404,
        'INVITATION_NOT_FOUND',
      ]);
    }
  });

  it('who is demoted or removed leaves no open invitation behind', async () => {
    const owner = await businessOwner(service);
    const ben = await joining(owner, 'owner');
    const friend = await service.signUp();
    expectStatus(201, await invite(service, ben, friend.email, 'owner'));
    const token = await invitationToken(mails, friend.email);
    expectStatus(200, await setRole(owner, ben, 'viewer'));
    expect(codeOf(await accept(service, friend, token))).toEqual([404, 'INVITATION_NOT_FOUND']);
  });

  it.each([
    ['demoted', 'invites nobody'],
    ['removed', 'invites nobody'],
    ['demoted', 'is no owner again'],
  ])('who is %s %s by a request that was under way', async (how, what) => {
    const owner = await businessOwner(service);
    const ben = await joining(owner, 'owner');
    const waiting = async (count: number) => {
      const query = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      await until(async () => (await service.query(query)).length === count);
    };
    await withClient(service.databaseUrl, async (client) => {
      await client.query('SELECT pg_advisory_lock(7241003, hashtext($1))', [owner.id]);
      const end = how === 'demoted' ? setRole(owner, ben, 'viewer') : remove(owner, ben);
      await waiting(1);
      const request: Promise<Answer<unknown>> =
        what === 'invites nobody'
          ? invite(second, ben, `${randomUUID()}@example.com`, 'owner')
          : setRole(ben, ben, 'owner', second);
      await waiting(2);
      await client.query('SELECT pg_advisory_unlock_all()');
      expectStatus(200, await end);
      expect(codeOf(await request)).toEqual([403, 'FORBIDDEN']);
    });
    const { body } = await service.get<{ data: object[] }>('/v1/invitations', { token: owner.token });
    expect(body.data).toEqual([]);
    expect(await rolesOf(owner)).toEqual(how === 'demoted' ? ['owner', 'viewer'] : ['owner']);
  });
});
