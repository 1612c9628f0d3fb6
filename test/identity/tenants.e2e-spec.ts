import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askAbove, payPending } from '../support/approvals.js';
import {
  type CreatedWallet,
  expectStatus,
  type LedgerRow,
  type PageOf,
  paymentBody,
  startService,
  type TestService,
  UNKNOWN_KEY,
  until,
  walletBody,
} from '../support/service.js';
import { PushedBrowser } from '../support/push-service.js';
import { madeStatement, withBlankPdfs } from '../statements/statement-helpers.js';

let service: TestService;
let ada: CreatedWallet;
let ben: CreatedWallet;
beforeAll(async () => {
  service = await startService();
  ada = await service.fundedWallet(5_000);
  ben = await service.fundedWallet(7_000);
  await service.pay(ada.key);
  await service.pay(ben.key);
  await service.settled();
});
afterAll(() => service.close());

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Record<string, Schema>;
}
interface DescribedRoute {
  readonly 'x-act'?: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema?: Schema }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
}
interface Route extends DescribedRoute {
  readonly method: string;
  readonly path: string;
}

/** Routes that anybody may call; every other one must say who may. */
const PUBLIC: readonly string[] = [
  'GET /health/live',
  'GET /health/ready',
  'GET /version',
  'POST /v1/auth/signup',
  'POST /v1/auth/login',
  'POST /v1/auth/login/passkey',
  'POST /v1/auth/password-reset',
  'POST /v1/auth/password-reset/confirm',
  'POST /api/webhooks',
  'POST /api/webhooks/payouts',
  'GET /.well-known/jwks.json',
];
const READS = ['GET', 'HEAD'];

/** Every route, as the service itself describes them: one that is added is tried here by itself. */
const { routes, schemas } = await describedRoutes();
const takes = (route: Route, scheme: string) => route.security?.some((each) => scheme in each) ?? false;
const pathParameters = ({ path }: Route) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
const named = (list: readonly Route[]) =>
  list.map((route): [string, Route] => [`${route.method} ${route.path}`, route]);
const sessionRoutes = routes.filter((route) => takes(route, 'session'));

async function describedRoutes(): Promise<{ routes: Route[]; schemas: Record<string, Schema> }> {
  const described = await startService();
  const { body } = await described.get<{
    paths: Record<string, Record<string, DescribedRoute>>;
    components: { schemas: Record<string, Schema> };
  }>('/openapi.json');
  await described.close();
  const all = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({ ...route, path, method: method.toUpperCase() })),
  );
  return { routes: all, schemas: body.components.schemas };
}

/** A value that the schema takes. */
function sample(schema: Schema): unknown {
  if (schema.$ref) return sample(schemas[schema.$ref.split('/').at(-1)!]!);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const [type = ''] = [schema.type ?? []].flat();
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([name]) => schema.required?.includes(name))
        .map(([name, each]) => [name, sample(each)]),
    );
  }
  if (type === 'array') return schema.items ? [sample(schema.items)] : [];
  return { string: 'sample', integer: 1, number: 1, boolean: true }[type];
}

const bodyFor = ({ requestBody }: Route): { body?: unknown } => {
  const schema = requestBody?.content['application/json']?.schema;
  return schema ? { body: sample(schema) } : {};
};

/** The headers without which the route takes nothing. */
const headersFor = ({ parameters = [] }: Route): { headers: Record<string, string> } => ({
  headers: Object.fromEntries(
    parameters.filter((each) => each.in === 'header' && each.required).map(({ name }) => [name, 'sample']),
  ),
});

/** The ids of one tenant, by the names that paths have for them. A new name must get one here. */
type Ids = Readonly<Record<string, string>>;

async function idsOf(wallet: CreatedWallet): Promise<Ids> {
  const { id, key, owner } = wallet;
  const { token } = owner;
  const endpoint = expectStatus(
    201,
    await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', {
      token,
      body: { url: 'http://127.0.0.1:65001/hooks', events: ['wallet.funded'] },
    }),
  );
  await service.topUp(id, 1_000);
  const keys = await service.get<{ data: { id: string }[] }>(`/api/wallets/${id}/keys`, { token });
  const withdrawn = await service.post<{ data: { withdrawal: { id: string } } }>(
    `/api/wallets/${id}/withdrawals`,
    {
      token,
      body: { amount: 100, accountNumber: '0123456789', bankCode: '058' },
      headers: { 'idempotency-key': 'tenants' },
    },
  );
  const sessions = await service.get<{ data: { sessions: { id: string }[] } }>('/v1/auth/sessions', {
    token,
  });
  const payee = await service.post<{ data: { payee: { id: string } } }>(`/api/wallets/${id}/payees`, {
    token,
    body: { merchantName: 'Acme Stores', accountNumber: '0123456789', bankCode: '058' },
  });
  await askAbove(service, wallet, 10);
  const pending = await payPending(service, wallet, { amount: 50 });
  await askAbove(service, wallet, null);
  const paid = await service.pay(key);
  const business = { businessName: 'Some business', contactEmail: 'office@example.com' };
  expectStatus(201, await service.post('/v1/onboarding', { token, body: business }));
  const invited = await service.post<{ data: { invitation: { id: string } } }>('/v1/invitations', {
    token,
    body: { email: `${randomUUID()}@example.com`, role: 'viewer' },
  });
  const browser = await service.post<{ data: { id: string } }>('/v1/push-subscriptions', {
    token,
    body: new PushedBrowser('http://127.0.0.1:65001').subscription,
  });
  const transactionId = (paid.body as { data: { transaction: { id: string } } }).data.transaction.id;
  const payment = `/v1/wallets/${id}/transactions/${transactionId}`;
  const note = await service.post<{ data: { id: string } }>(`${payment}/notes`, {
    token,
    body: { text: 'x' },
  });
  const file = await service.post<{ data: { id: string } }>(`${payment}/files?name=x.pdf`, {
    ...{ token, body: Buffer.from('%PDF-1.7'), headers: { 'content-type': 'application/pdf' } },
  });
  let deliveries: { id: string }[] = [];
  await until(async () => {
    const path = `/v1/webhook-endpoints/${endpoint.body.data.id}/deliveries`;
    deliveries = (await service.get<{ data: { id: string }[] }>(path, { token })).body.data;
    return deliveries.length > 0;
  });
  return {
    walletId: id,
    sessionId: expectStatus(200, sessions).body.data.sessions[0]!.id,
    userId: owner.id,
    transactionId,
    noteId: expectStatus(201, note).body.data.id,
    fileId: expectStatus(201, file).body.data.id,
    endpointId: endpoint.body.data.id,
    deliveryId: deliveries[0]!.id,
    keyId: keys.body.data[0]!.id,
    approvalId: pending.id,
    payeeId: expectStatus(201, payee).body.data.payee.id,
    memberId: owner.id,
    invitationId: expectStatus(201, invited).body.data.invitation.id,
    statementId: (await madeStatement(service, owner, '2026-05', id)).id,
    subscriptionId: expectStatus(201, browser).body.data.id,
    caseId: randomUUID(),
    proposalId: randomUUID(),
    // With one, every act would ask for it; passkeys.e2e-spec tries those of others.
    passkeyId: randomUUID(),
    reference: transactionId,
    withdrawalId: expectStatus(201, withdrawn).body.data.withdrawal.id,
  };
}

/** The route's address with these ids in it. */
function addressOf(route: Route, ids: Ids): string {
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`this test knows no id for {${name}} of ${route.path}`);
    return id;
  });
}

let adas: Ids;
let bens: Ids;
/** What must not be seen by anyone but Ada. */
let secrets: readonly string[];
beforeAll(async () => {
  withBlankPdfs();
  adas = await idsOf(ada);
  bens = await idsOf(ben);
  secrets = [...Object.values(adas), ada.owner.email, ada.key.slice(0, 16), ada.virtualAccount.accountNumber];
});

it('every route says who may call it, but for a few that are public', () => {
  const open = routes.filter((route) => !takes(route, 'session') && !takes(route, 'apiKey'));
  expect(
    named(open)
      .map(([name]) => name)
      .sort(),
  ).toEqual([...PUBLIC].sort());
  expect(routes.length).toBeGreaterThan(40);
});

it('every route that takes a session says by @Can what it does', () => {
  expect(named(sessionRoutes.filter((route) => route['x-act'] === undefined)).map(([name]) => name)).toEqual(
    [],
  );
});

/** What is no good session; a key is none either, but where the route takes it as what it is. */
function badSessions(route: Route): (string | undefined)[] {
  const none = [undefined, 'x', `${ada.owner.token}x`];
  return takes(route, 'bearerKey') ? none : [...none, ada.key, ben.key];
}

describe.each(named(sessionRoutes))('%s', (_, route) => {
  it('needs a good session: the same 401 for every kind of bad one', async () => {
    const answers = await Promise.all(
      badSessions(route).map((token) =>
        service.call(route.method, addressOf(route, adas), {
          ...(token !== undefined && { token }),
          ...bodyFor(route),
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).toContain('UNAUTHORIZED');
  });
});

describe.each(named(sessionRoutes.filter((route) => pathParameters(route).length > 0)))('%s', (_, route) => {
  const call = (ids: Ids) =>
    service.call(route.method, addressOf(route, ids), {
      token: ben.owner.token,
      ...bodyFor(route),
      ...headersFor(route),
    });

  it('answers another tenant as for what does not exist, whichever of the ids is foreign', async () => {
    // Refused before the id is looked at.
    const isOperators = route.path.startsWith('/v1/operator/');
    for (const name of pathParameters(route)) {
      const foreign = await call({ ...bens, [name]: adas[name]! });
      const unknown = await call({ ...bens, [name]: randomUUID() });
      expect([name, foreign.status]).toEqual([name, isOperators || name === 'userId' ? 403 : 404]);
      expect([name, unknown.status]).toEqual([name, isOperators ? 403 : 404]);
      if (name !== 'userId') expect(foreign.text).toBe(unknown.text);
      for (const secret of secrets) expect(foreign.text).not.toContain(secret);
    }
    const foreign = await call(adas);
    expect([403, 404]).toContain(foreign.status);
  });

  // Those of operators: test/operations/operators.
  if (READS.includes(route.method) && !route.path.startsWith('/v1/operator/')) {
    it('answers the owner', async () => {
      const { status } = await service.call(route.method, addressOf(route, adas), { token: ada.owner.token });
      expect(status).toBe(200);
    });
  }
});

/** A stream does not end: what it tells of others is tried in a test of its own. */
const ends = ({ path }: Route) => path !== '/v1/events';

describe.each(named(sessionRoutes.filter((route) => READS.includes(route.method) && ends(route))))(
  '%s',
  (_, route) => {
    it('shows a tenant nothing of another, whatever its query asks for', async () => {
      const ids = (route.parameters ?? []).filter((each) => each.in === 'query' && each.name in adas);
      const queries = ['', ...ids.map(({ name }) => `?${name}=${adas[name]}`)];
      for (const query of queries) {
        const { status, text } = await service.get(`${addressOf(route, bens)}${query}`, {
          token: ben.owner.token,
        });
        expect([query, status < 500]).toEqual([query, true]);
        for (const secret of secrets) expect(text).not.toContain(secret);
      }
    });
  },
);

describe.each(named(routes.filter((route) => takes(route, 'apiKey'))))('%s', (_, route) => {
  const call = (key: string, ids = adas) =>
    service.call(route.method, addressOf(route, ids), { key, ...bodyFor(route) });

  it('takes no key that is unknown, foreign to the form, or revoked', async () => {
    const revoked = await service.fundedWallet(500_000);
    const paid = await service.pay(revoked.key);
    const { transaction } = (paid.body as { data: { transaction: { id: string } } }).data;
    const ids = { ...adas, transactionId: transaction.id };
    expect((await call(revoked.key, ids)).status).toBeLessThan(300);
    await service.query('UPDATE api_keys SET revoked_at = now() WHERE wallet_id = $1', [revoked.id]);
    for (const key of [revoked.key, UNKNOWN_KEY, `${ada.key}x`, ada.key.slice(0, -1), 'x', ada.owner.token]) {
      const { status, text } = await call(key, ids);
      expect([status, text]).toEqual([401, expect.stringContaining('INVALID_API_KEY')]);
    }
    // Every route of agents takes the key as a bearer token too, and no better.
    expect(takes(route, 'bearerKey')).toBe(true);
    const bearing = (token: string) =>
      service.call(route.method, addressOf(route, adas), { token, ...bodyFor(route) });
    expect([200, 201, 402]).toContain((await bearing(ada.key)).status);
    for (const key of [revoked.key, UNKNOWN_KEY, `${ada.key}x`, ada.key.slice(0, -1)]) {
      const { status, text } = await bearing(key);
      expect([status, text]).toEqual([401, expect.stringContaining('INVALID_API_KEY')]);
    }
  });

  if (pathParameters(route).length > 0) {
    it("answers another wallet's key as for what does not exist", async () => {
      const foreign = await call(ben.key);
      const unknown = await call(ben.key, { ...adas, transactionId: randomUUID() });
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
      expect((await call(ada.key)).status).toBe(200);
    });
  }
});

describe('another tenant', () => {
  it('can list no wallets of a user: 403 where the user exists, 404 where not', async () => {
    const foreign = await service.get(`/api/wallets/user/${ada.owner.id}`, { token: ben.owner.token });
    expect([foreign.status, foreign.body]).toEqual([
      403,
      { error: { code: 'FORBIDDEN', message: expect.any(String) } },
    ]);
    const unknown = await service.get(`/api/wallets/user/${randomUUID()}`, { token: ben.owner.token });
    expect([unknown.status, unknown.body]).toEqual([
      404,
      { error: { code: 'USER_NOT_FOUND', message: expect.any(String) } },
    ]);
  });

  it('can make no wallet for a user: 403, also for one that does not exist, and nothing is made', async () => {
    const count = () => service.query('SELECT 1 FROM wallets');
    const before = (await count()).length;
    for (const id of [ada.owner.id, randomUUID()]) {
      const { status, body } = await service.post('/api/wallets', {
        token: ben.owner.token,
        body: walletBody(id),
      });
      expect([status, body]).toEqual([403, { error: { code: 'FORBIDDEN', message: expect.any(String) } }]);
    }
    expect((await count()).length).toBe(before);
  });

  it('sees none of its entries in the global ledger', async () => {
    for (const [mine, other] of [
      [ada, ben],
      [ben, ada],
    ] as const) {
      const { body } = await service.get<PageOf<LedgerRow>>('/api/ledger', { token: mine.owner.token });
      expect(body.pagination.totalCount).toBe(5);
      expect(body.data.map(({ walletId }) => walletId)).not.toContain(other.id);
    }
  });

  it('cannot name a wallet of another user in a payment: the key alone says which pays', async () => {
    const before = await service.stats(ada);
    const { status } = await service.post('/api/payment-intent', {
      key: ben.key,
      token: ada.owner.token,
      body: paymentBody({ walletId: ada.id, wallet_id: ada.id }),
    });
    expect(status).toBe(201);
    expect(await service.stats(ada)).toEqual(before);
  });

  it('changes no business but its own', async () => {
    const [one, two] = [await service.signUp({ accountType: 'business' }), await service.signUp()];
    const body = {
      businessName: 'Taken over',
      contactEmail: 'x@example.com',
      businessId: one.businessId,
      userId: one.id,
    };
    await service.post('/v1/onboarding', { token: two.token, body });
    const [business] = await service.query<{ name: string }>('SELECT name FROM businesses WHERE id = $1', [
      one.businessId,
    ]);
    expect(business?.name).not.toBe('Taken over');
  });
});
