import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Act, can, refusalOf, type Role, ROLES } from '../../src/contexts/identity/permissions.port.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import { expectStatus, PASSWORD, startService, type TestService, type TestUser } from '../support/service.js';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly 'x-act'?: Act;
  readonly 'x-roles'?: readonly Role[];
}

/** Every route of the document that takes a session: one that is added is tried here by itself. */
const routes = await sessionRoutes();

async function sessionRoutes(): Promise<Route[]> {
  const described = await startService();
  const { body } = await described.get<{
    paths: Record<string, Record<string, Omit<Route, 'method' | 'path'>>>;
  }>('/openapi.json');
  await described.close();
  return Object.entries(body.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, route]) => ({ ...route, path, method: method.toUpperCase() })),
    )
    .filter(({ security }) => security?.some((scheme) => 'session' in scheme));
}

let mails: MailServer;
let service: TestService;
let other: TestUser;
const members = new Map<Role, TestUser>();
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  other = await businessOwner(service);
  const owner = await businessOwner(service);
  members.set('owner', owner);
  for (const role of ROLES.filter((each) => each !== 'owner')) {
    members.set(role, await newMember(service, mails, owner, role));
  }
});
afterAll(async () => {
  await service.close();
  await mails.stop();
});

async function signedIn({ email }: TestUser): Promise<string> {
  const { body } = expectStatus(
    200,
    await service.post<{ data: { token: string } }>('/v1/auth/login', {
      body: { email, password: PASSWORD },
    }),
  );
  return body.data.token;
}

/** With ids of nothing and an empty body: what is allowed is not found or not valid, but for what takes neither. */
function call({ method, path }: Route, token?: string) {
  const isStream = path === '/v1/events';
  return service.call(
    isStream ? 'HEAD' : method,
    path.replace(/\{\w+\}/g, () => randomUUID()),
    {
      ...(token !== undefined && { token }),
      ...(['GET', 'DELETE'].includes(method) ? {} : { body: {} }),
    },
  );
}
/** Their sessions, but for those that a call ended. */
const sessions = new Map<TestUser, string>();
async function callAs(user: TestUser, route: Route) {
  const kept = sessions.get(user);
  const answer = kept === undefined ? undefined : await call(route, kept);
  if (answer && answer.status !== 401) return answer;
  sessions.set(user, await signedIn(user));
  return call(route, sessions.get(user));
}
const LEAVES = '/v1/membership/leave';
const named = (list: readonly Route[]) =>
  list.map((route): [string, Route] => [`${route.method} ${route.path}`, route]);

it('tries every route, each of which names what it does', () => {
  expect(routes.length).toBeGreaterThan(70);
  expect(named(routes.filter((route) => route['x-act'] === undefined)).map(([name]) => name)).toEqual([]);
});

describe.each(named(routes))('%s', (_, route) => {
  const act = route['x-act']!;

  it('names the roles that may, and takes nobody without a session', async () => {
    const allowed = ROLES.filter((role) => can(role, act));
    expect(route['x-roles'] ?? ROLES).toEqual(allowed);
    expect((await call(route)).status).toBe(401);
  });

  it('allows a role, or refuses it, as the table says; the owner of another business by their own role', async () => {
    const who: [Role, TestUser][] = [...members, ['owner', other]];
    for (const [role, user] of who) {
      if (route.path === LEAVES && role !== 'owner') continue;
      const { status, text } = await callAs(user, route);
      const refused = text.includes(JSON.stringify(refusalOf(act)));
      expect([role, refused]).toEqual([role, !can(role, act)]);
      expect([role, refused ? status === 403 : status !== 401 && status < 500]).toEqual([role, true]);
    }
  });
});

it('lets every member but the last owner leave', async () => {
  const owner = { ...members.get('owner')!, token: await signedIn(members.get('owner')!) };
  for (const role of ROLES.filter((each) => each !== 'owner')) {
    const user = await newMember(service, mails, owner, role);
    expectStatus(200, await service.post(LEAVES, { token: user.token }));
    expect((await service.get('/v1/members', { token: user.token })).status).toBe(401);
  }
});
