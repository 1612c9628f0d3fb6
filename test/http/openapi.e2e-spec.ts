import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import {
  agentDocument,
  CHECK_TABLE,
  checkTable,
  SDK_TYPES,
  TYPES,
  typesOf,
} from '../../scripts/api-types.js';
import type { ErrorCode } from '../../src/kernel/errors.js';
import { readConfig } from '../../src/platform/config.js';
import { answersAt } from '../../src/platform/http/api/answers.js';
import { statusOf } from '../../src/platform/http/api/error-envelope.filter.js';
import { openApiDocument } from '../../src/platform/http/openapi/openapi.js';
import { createService } from '../../src/bootstrap.js';
import type { TestDatabase } from '../support/database.js';
import { plainDatabase } from '../support/service-database.js';
import { NAME } from '../../dashboard/src/look/brand.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
/** An answer as the document describes it. */
interface Response {
  readonly headers?: Record<string, object>;
  readonly content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
}
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what comes over the wire is checked by its schema
type Json = Record<string, any>;

let app: NestFastifyApplication;
let database: TestDatabase;
let document: OpenAPIObject;
let ajv: Ajv2020;
const validators = new Map<string, ValidateFunction>();

beforeAll(async () => {
  database = await plainDatabase();
  app = await createService({
    config: readConfig({ NODE_ENV: 'test' }),
    databaseUrl: database.url,
    jwtSecret: 'a secret for tests that is long enough',
    logger: false,
    singleInstance: true,
  });
  document = (await app.inject('/openapi.json')).json();
  ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  // RFC 6531, which ajv-formats leaves out: letters of any script, and text in quotes before the @.
  ajv.addFormat('idn-email', /^.+@[^\s@]+$/su);
  ajv.addSchema({ ...closed(document), $id: 'openapi' });
});

/** Whether the types in `file` say what the API is now. */
async function ageOf(file: string, api: OpenAPIObject): Promise<string> {
  const isCurrent = (await readFile(file, 'utf8')) === (await typesOf(api));
  return isCurrent ? 'current' : 'older than the API: npm run api-types';
}

/** The document with named schemas that take no other properties than theirs: an answer may have nothing more. */
function closed({ components, ...rest }: OpenAPIObject): OpenAPIObject {
  const schemas = Object.entries(components?.schemas ?? {}).map(([name, schema]) => [
    name,
    'properties' in schema ? { ...schema, additionalProperties: false } : schema,
  ]);
  return { ...rest, components: { ...components, schemas: Object.fromEntries(schemas) as Json } };
}

afterAll(async () => {
  await app.close();
  await database.drop();
});

function operations(): { path: string; method: Method; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method: method.toUpperCase() as Method, operation }] : [];
    }),
  );
}

/** Where the body of an answer is described. */
function schemaAt(path: string, method: string, status: string): string {
  const key = path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  return `openapi#/paths/${key}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`;
}

/** Holds a value against what `ref` names. What many routes describe alike is compiled once. */
function validatorOf(ref: string): ValidateFunction {
  const steps = ref
    .replace('openapi#/', '')
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/'));
  const schema = steps.reduce<Json>((at, step) => at[step] as Json, document);
  const isName = Object.keys(schema).join() === '$ref';
  const content = JSON.stringify(schema);
  const made =
    validators.get(content) ?? ajv.compile({ $ref: isName ? `openapi${schema.$ref as string}` : ref });
  validators.set(content, made);
  return made;
}

/** The documented address that `url` is a case of. */
function addressOf(url: string): string {
  const path = url.split('?')[0]!;
  const found = Object.keys(document.paths)
    .sort((one, other) => one.split('{').length - other.split('{').length)
    .find((each) => new RegExp(`^${each.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path));
  if (!found) throw new Error(`${path} is not documented`);
  return found;
}

/** Sends a request and checks that its answer is what the document says of this route and status. */
async function call(
  method: Method,
  url: string,
  { body, headers }: { body?: object | undefined; headers?: Record<string, string> | undefined } = {},
): Promise<{ status: number; body: Json }> {
  const answer = await app.inject({
    method,
    url,
    headers: headers ?? {},
    ...(body && { payload: body }),
  });
  const address = addressOf(url);
  const status = String(answer.statusCode);
  const { responses } = document.paths[address]![method.toLowerCase() as 'get']!;
  if (!(status in responses)) throw new Error(`${method} ${url} answers ${status}, which is not documented`);
  const described = Object.keys((responses[status] as Response).headers ?? {}).map((name) =>
    name.toLowerCase(),
  );
  for (const name of ['etag', 'idempotency-replayed', 'retry-after']) {
    const isSent = answer.headers[name] !== undefined;
    expect([method, url, status, ...(isSent ? described : [name])]).toContain(name);
  }
  const isAnswer = validatorOf(schemaAt(address, method, status));
  const value = answer.json<Json>();
  isAnswer(value);
  expect({ route: `${method} ${url} ${status}`, errors: isAnswer.errors ?? null }).toEqual({
    route: `${method} ${url} ${status}`,
    errors: null,
  });
  return { status: answer.statusCode, body: value };
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const { valid, errors } = await new Validator().validate(structuredClone(document) as object as Json);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('has every route that is served, and no other', () => {
    const served: string[] = [];
    const notPartOfTheApi =
      /^\/(docs|openapi\.json|mcp|\.well-known\/oauth-|llms\.txt|assets|index\.html|favicon\.svg|sw\.js|$)|\*/;
    const routes = app.getHttpAdapter().getInstance() as unknown as {
      printRoutes(options: { commonPrefix: false }): string;
    };
    const stack: string[] = [];
    for (const line of routes.printRoutes({ commonPrefix: false }).split('\n')) {
      const [, indent = '', part = '', methods] =
        /^([│ ]*(?:├──|└──) )(\S*)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      if (!indent) continue;
      const depth = indent.length / 4 - 1;
      stack.length = depth;
      stack.push(part);
      const path = stack.join('').replace(/:([^/]+)/g, '{$1}');
      for (const method of methods?.split(', ') ?? []) {
        if (method !== 'HEAD' && method !== 'OPTIONS' && !notPartOfTheApi.test(path)) {
          served.push(`${method} ${path}`);
        }
      }
    }
    expect(served.length).toBeGreaterThan(10);
    expect(
      operations()
        .map(({ path, method }) => `${method} ${path}`)
        .sort(),
    ).toEqual([...new Set(served)].sort());
  });

  it('gives every operation a summary, a success schema and its errors', () => {
    for (const { path, method, operation } of operations()) {
      const route = `${method} ${path}`;
      const statuses = Object.keys(operation.responses);
      const success = operation.responses[statuses.find((status) => status.startsWith('2')) ?? ''] as
        Response | undefined;
      expect({
        route,
        hasSummary: (operation.summary?.length ?? 0) > 2,
        hasSchema: success?.content?.[mediaTypeOf(path, method)]?.schema !== undefined,
        hasErrors:
          ['/health/live', '/version'].includes(path) || statuses.some((status) => /^[45]/.test(status)),
      }).toEqual({ route, hasSummary: true, hasSchema: true, hasErrors: true });
      expect(operation.responses).toHaveProperty('default');
    }
  });

  it('names every operation once, and readably', () => {
    const ids = operations().map(({ operation }) => operation.operationId ?? '');
    expect(ids.filter((id) => !/^[a-z][A-Za-z]{2,40}$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.endsWith('Alias'))).toEqual(['registerBusinessAlias']);
    expect(ids).toEqual(expect.arrayContaining(['signUp', 'createWallet', 'pay', 'listLedger']));
  });

  it('says what each group of its routes is about', () => {
    const used = new Set(operations().flatMap(({ operation }) => operation.tags ?? []));
    const described = (document.tags ?? []).filter(({ description }) => description).map(({ name }) => name);
    expect([...used].sort()).toEqual(described.sort());
  });

  it('gives examples that fit their own schemas', () => {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      const { properties = {} } = schema as { properties?: Record<string, { example?: unknown }> };
      const given = Object.entries(properties).filter(([, { example }]) => example !== undefined);
      const refs = given.map(([property]) => [
        property,
        { $ref: `openapi#/components/schemas/${name}/properties/${property}` },
      ]);
      const fits = ajv.compile({ properties: Object.fromEntries(refs) as Json });
      fits(Object.fromEntries(given.map(([property, { example }]) => [property, example])));
      expect({ name, errors: fits.errors ?? null }).toEqual({ name, errors: null });
    }
  });

  it('gives the lists in requests the bounds that they have, and null where it is the same as none', () => {
    const id = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f';
    const rows: [string, unknown, boolean][] = [
      ['ResumeWalletsRequest/properties/walletIds', [], false],
      ['ResumeWalletsRequest/properties/walletIds', ['x'], false],
      ['ResumeWalletsRequest/properties/walletIds', Array(1_000).fill(id), true],
      ['ResumeWalletsRequest/properties/walletIds', Array(1_001).fill(id), false],
    ];
    for (const [at, other] of [
      ['ChangeEndpointRequest/properties/url', 'https://example.com/'],
      ['ChangeEndpointRequest/properties/status', 'disabled'],
      ['RotateSecretRequest/properties/revokePrevious', true],
      ['TestRequest/properties/event', 'wallet.funded'],
    ] as const) {
      rows.push([at, null, true], [at, other, true], [at, 1, false]);
    }
    for (const request of ['CreateEndpointRequest', 'ChangeEndpointRequest']) {
      const [events, walletIds] = [`${request}/properties/events`, `${request}/properties/walletIds`];
      rows.push([events, null, true], [events, ['wallet.funded'], true], [events, [], false]);
      rows.push([events, ['wallet.funded', 'wallet.funded'], false]);
      rows.push([walletIds, null, true], [walletIds, [], false], [walletIds, ['x'], false]);
      rows.push([walletIds, Array(100).fill(id), true], [walletIds, Array(101).fill(id), false]);
    }
    const found = rows.map(([at, value]) => validatorOf(`openapi#/components/schemas/${at}`)(value));
    expect(rows.map(([at], i) => [at, found[i]])).toEqual(rows.map(([at, , fits]) => [at, fits]));
  });

  it('gives error examples that fit the envelope of their route', () => {
    for (const { path, method, operation } of operations()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const content = (response as Response).content?.['application/json'];
        for (const [code, { value }] of Object.entries(content?.examples ?? {})) {
          const fits = validatorOf(schemaAt(path, method, status));
          fits(value);
          expect({ at: `${method} ${path} ${code}`, errors: fits.errors ?? null }).toMatchObject({
            errors: null,
          });
        }
      }
    }
  });

  it('names a member of the route in the example of a failing field, or a parameter that it does not know', () => {
    const schemas = document.components!.schemas as Record<string, { properties?: object }>;
    const named: string[] = [];
    for (const { path, method, operation } of operations()) {
      const content = (operation.responses['400'] as Response | undefined)?.content?.['application/json'];
      const example = content?.examples?.VALIDATION_ERROR?.value as Json | undefined;
      if (!example) continue;
      const [failing] = (example.errors ?? (example.error as Json).errors) as Record<string, string>[];
      const { message, field: at = failing!.path! } = failing!;
      const parameters = operation.parameters as { in: string; name: string }[];
      const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
      const body = operation.requestBody as
        { content: Record<string, { schema: { $ref?: string } }> } | undefined;
      const { $ref } = body?.content['application/json']?.schema ?? {};
      const members = Object.keys(schemas[$ref?.split('/').at(-1) ?? '']?.properties ?? {});
      const isKnown = [...query, ...members].includes(at.split('.')[0]!);
      named.push(`${method} ${path}`);
      // The bank's webhook takes bodies of two shapes.
      if (path === '/api/webhooks') continue;
      expect([method, path, at, isKnown]).toEqual([method, path, at, !/^is no/.test(message!)]);
    }
    expect(named.length).toBeGreaterThan(100);
    expect(named).toContain('POST /api/wallets');
  });

  it('leaves room in each status of a route for what every route can answer with it', () => {
    const shared = document.components!.responses as Record<string, Response & { $ref?: string }>;
    for (const { path, method, operation } of operations()) {
      const { $ref } = operation.responses.default as { $ref: string };
      const { examples } = shared[$ref.split('/').at(-1)!]!.content!['application/json']!;
      const anywhere = Object.entries(examples!) as [ErrorCode, { value: unknown }][];
      expect(anywhere.map(([code]) => code)).toContain('OUTCOME_UNKNOWN');
      for (const [code, { value }] of anywhere) {
        const status = String(statusOf(code, answersAt(path)));
        if (!(status in operation.responses)) continue;
        const fits = validatorOf(schemaAt(path, method, status));
        fits(value);
        expect({ at: `${method} ${path} ${status} ${code}`, errors: fits.errors ?? null }).toMatchObject({
          errors: null,
        });
      }
    }
  });

  it('says nowhere that a payment was decided when it was requested: the owner may decide later', () => {
    const times = Object.values(document.components?.schemas ?? {}).flatMap((schema) => {
      const { createdAt } = ('properties' in schema && schema.properties) || {};
      return createdAt && 'description' in createdAt ? [createdAt.description] : [];
    });
    expect(times).toContainEqual(expect.stringMatching(/^When it was requested; decided at once, unless/));
    expect(times).not.toContainEqual(expect.stringMatching(/^When it was decided/));
  });

  it("is what the committed types of the dashboard's client were written from", async () => {
    expect(await ageOf(TYPES, document)).toBe('current');
  });

  it('has the checks by the titles that the dashboard is built with', async () => {
    expect(await readFile(CHECK_TABLE, 'utf8')).toBe(checkTable());
  });

  it('is what the committed types of the SDK were written from: all that an API key opens', async () => {
    expect(await ageOf(SDK_TYPES, agentDocument(document))).toBe('current');
    expect(Object.keys(agentDocument(document).paths)).toEqual(
      expect.arrayContaining([
        '/api/payment-intent',
        '/api/payment-intent/quote',
        '/api/wallet',
        '/v1/banks',
      ]),
    );
  });

  it('is built the same from the running application', () => {
    expect(JSON.parse(JSON.stringify(openApiDocument(app)))).toEqual(document);
  });
});

describe('the answers of the service', () => {
  it('are what the document says also with e-mail addresses of other scripts', async () => {
    for (const email of ['ümlaut@x.ng', 'ọmọ@yorùbá.ng', '"a b"@x.ng']) {
      const person = { email, password: 'secret1', accountType: 'business' };
      const { status, body } = await call('POST', '/v1/auth/signup', { body: person });
      expect([email, status]).toEqual([email, 201]);
      const { token } = body.data as { token: string };
      const headers = { authorization: `Bearer ${token}` };
      const business = { businessName: 'Ada Foods', contactEmail: email };
      expect((await call('POST', '/v1/onboarding', { headers, body: business })).status).toBe(201);
    }
  });

  it('are what the document says, along the main story', async () => {
    const person = { email: 'ada@example.ng', password: 'secret1' };
    const signedUp = await call('POST', '/v1/auth/signup', { body: { ...person, accountType: 'business' } });
    expect(
      (await call('POST', '/v1/auth/signup', { body: { ...person, accountType: 'business' } })).status,
    ).toBe(409);
    await call('POST', '/v1/auth/signup', { body: { email: 'x' } });
    await call('POST', '/v1/auth/login', { body: person });
    await call('POST', '/v1/auth/login', { body: { ...person, password: 'wrong' } });
    const { user, token } = signedUp.body.data as { user: { id: string }; token: string };
    const headers = { authorization: `Bearer ${token}` };

    for (const url of ['/v1/onboarding', '/api/onboarding']) {
      await call('POST', url, { headers, body: { businessName: 'Ada Foods', contactEmail: 'a@b.ng' } });
      await call('POST', url, { headers, body: {} });
      await call('POST', url, { body: {} });
    }

    const rules = {
      name: 'Bot',
      userId: user.id,
      spendLimitPerTx: 50_000,
      spendLimitPeriod: 90_000,
      expiry: '2099-01-01T00:00:00Z',
      useAllowlist: true,
      merchantAllowlist: ['Shoprite'],
    };
    const created = await call('POST', '/api/wallets', { headers, body: rules });
    const wrong = [
      {},
      { ...rules, expiry: '2001-01-01T00:00:00Z' },
      { ...rules, merchantAllowlist: [] },
      { ...rules, spendLimitPeriod: 1 },
      { ...rules, userId: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f' },
    ];
    for (const body of wrong) await call('POST', '/api/wallets', { headers, body });
    await call('POST', '/api/wallets', { body: rules });
    const { wallet, apiKey } = created.body.data as {
      wallet: { id: string };
      apiKey: { fullKey: string };
    };

    const data = {
      reference: 'R1',
      amount: 800.55,
      currency: 'NGN',
      narration: 'Groceries',
      virtual_bank_account: { account_reference: wallet.id },
    };
    const credit = await call('POST', '/api/webhooks', { body: { event: 'charge.success', data } });
    expect(credit.status).toBe(200);
    await call('POST', '/api/webhooks', { body: { event: 'transfer.success' } });
    await call('POST', '/api/webhooks', { body: { event: 'charge.success', data: {} } });
    const lost = { ...data, reference: 'R2', virtual_bank_account: { account_reference: 'nobody' } };
    await call('POST', '/api/webhooks', { body: { event: 'charge.success', data: lost } });

    const intent = {
      amount: 40_000,
      merchantName: 'Shoprite',
      recipientAccountNo: '0123456789',
      recipientBankCode: '044',
    };
    const pay = async (change: object, more: Record<string, string> = {}) =>
      (
        await call('POST', '/api/payment-intent', {
          headers: { 'x-api-key': apiKey.fullKey, ...more },
          body: { ...intent, ...change },
        })
      ).status;
    for (const _ of ['once', 'again']) {
      expect(await pay({}, { 'idempotency-key': 'k' })).toBe(201);
      expect(await pay({ amount: 60_000 }, { 'idempotency-key': 'blocked' })).toBe(403);
    }
    expect(await pay({ amount: 1 }, { 'idempotency-key': 'k' })).toBe(422);
    expect(await pay({ amount: 60_000 })).toBe(403);
    expect(await pay({ merchantName: 'Other' })).toBe(403);
    expect(await pay({ amount: 45_000 })).toBe(402);
    expect(await pay({ amount: '1' })).toBe(400);
    expect(await pay({}, { 'x-api-key': 'wrong' })).toBe(401);
    for (const change of [{}, { amount: 60_000 }, { amount: 0 }]) {
      const body = { ...intent, ...change };
      for (const by of [{ 'x-api-key': apiKey.fullKey }, { 'x-api-key': 'wrong' }])
        await call('POST', '/api/payment-intent/quote', { headers: by, body });
    }
    expect(await pay({}, { 'x-api-key': '' })).toBe(401);

    const agent = { 'x-api-key': apiKey.fullKey };
    const paid = await call('GET', `/api/wallets/${wallet.id}/transactions`, { headers });
    const { id } = (paid.body.data as { id: string }[])[0]!;
    expect((await call('GET', `/api/payment-intent/${id}`, { headers: agent })).status).toBe(200);
    await call('GET', '/api/payment-intent/x', { headers: agent });
    await call('GET', '/api/payment-intent/x');
    for (const by of [agent, headers, {}])
      for (const each of [id, 'x']) await call('GET', `/api/payment-intent/${each}/receipt`, { headers: by });
    expect((await call('GET', '/.well-known/jwks.json')).status).toBe(200);
    for (const path of [
      '/api/payment-intent?decision=blocked',
      '/api/payment-intent?from=x',
      '/api/wallet',
    ]) {
      for (const by of [agent, {}]) await call('GET', path, { headers: by });
    }
    for (const by of [agent, headers, {}]) {
      await call('GET', '/v1/bank', { headers: by });
      await call('GET', '/v1/banks', { headers: by });
      const account = { accountNumber: '0123456789', bankCode: '044' };
      await call('POST', '/v1/accounts/resolve', { headers: by, body: account });
      await call('POST', '/v1/accounts/resolve', {
        headers: by,
        body: { ...account, accountNumber: '9000000001' },
      });
      await call('POST', '/v1/accounts/resolve', { headers: by, body: {} });
    }
    await call('POST', '/v1/sandbox/transfers', { headers, body: {} });
    await call('POST', '/v1/sandbox/transfers', {
      headers,
      body: { accountNumber: '0123456789', amount: 1 },
    });
    await call('POST', '/api/webhooks/payouts', {
      body: { event: 'transfer.success', data: { reference: id } },
    });
    await call('POST', '/api/webhooks/payouts', { body: { event: 'transfer.success' } });

    await call('PATCH', `/api/wallets/${wallet.id}`, { headers, body: { name: 'Bot' } });
    for (const action of ['suspend', 'resume'])
      await call('POST', `/api/wallets/${wallet.id}/${action}`, { headers });
    const payout = { accountNumber: '0123456789', bankCode: '044', amount: 1 };
    for (const _ of ['once', 'again']) {
      const by = { ...headers, 'idempotency-key': 'w' };
      const { status } = await call('POST', `/api/wallets/${wallet.id}/withdrawals`, {
        headers: by,
        body: payout,
      });
      expect(status).toBe(201);
    }

    const lists = [
      `/api/wallets/${wallet.id}`,
      `/api/wallets/user/${user.id}`,
      `/api/wallets/${wallet.id}/transactions?pageSize=3`,
      `/api/wallets/${wallet.id}/ledgers`,
      '/api/ledger',
      `/v1/wallets/${wallet.id}/transactions?limit=2`,
      `/v1/wallets/${wallet.id}/stats`,
    ];
    for (const url of lists) {
      expect((await call('GET', url, { headers })).status).toBe(200);
      expect((await call('GET', url)).status).toBe(401);
      if (url.includes(wallet.id))
        expect((await call('GET', url.replace(wallet.id, 'x'), { headers })).status).toBe(404);
    }
    await call('GET', '/api/wallets/user/019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f', { headers });
    await call('GET', '/api/ledger?page=0', { headers });
    await call('GET', '/health/live');
    await call('GET', '/health/ready');
    await call('POST', '/v1/auth/logout', { headers });
    await call('POST', '/v1/auth/logout', { headers });
  });
});

describe('the reference', () => {
  it('is served from local files, and holds no script or style of its own', async () => {
    const page = await app.inject('/docs');
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.body).not.toMatch(/<style|style=|<script>|https?:/);
    for (const [, asset] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await app.inject(asset!)).statusCode).toBe(200);
    }
  });

  it('bears the name of the product and leads back to its dashboard', async () => {
    const { body } = await app.inject('/docs');
    expect(body).toContain(`<title>API reference · ${NAME}</title>`);
    expect(body).toContain('<a href="/">Back to the dashboard</a>');
  });

  it('serves nothing else of the package it comes from', async () => {
    for (const url of [
      '/docs/index.html',
      '/docs/package.json',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
    ]) {
      expect((await app.inject(url)).statusCode).toBe(404);
    }
  });

  it('are what the document says, for outbound webhooks', async () => {
    const signedUp = await call('POST', '/v1/auth/signup', {
      body: { email: 'bola@example.ng', password: 'secret1', accountType: 'developer' },
    });
    const { user, token } = signedUp.body.data as { user: { id: string }; token: string };
    const headers = { authorization: `Bearer ${token}` };
    const rules = {
      name: 'Bot',
      userId: user.id,
      spendLimitPerTx: 1,
      spendLimitPeriod: 1,
      expiry: '2099-01-01T00:00:00Z',
    };
    const wallet = await call('POST', '/api/wallets', { headers, body: rules });
    const threshold = `/v1/wallets/${(wallet.body.data as { wallet: { id: string } }).wallet.id}/low-balance-threshold`;
    for (const body of [{ threshold: 5 }, { threshold: null }, {}])
      await call('PUT', threshold, { headers, body });
    await call('GET', threshold, { headers });
    await call('GET', '/v1/wallets/x/low-balance-threshold', { headers });

    const url = 'http://127.0.0.1:1024/';
    const created = await call('POST', '/v1/webhook-endpoints', { headers, body: { url } });
    expect(created.status).toBe(201);
    await call('POST', '/v1/webhook-endpoints', { headers, body: { url: 'file:///x' } });
    const { id } = created.body.data as { id: string };
    const at = `/v1/webhook-endpoints/${id}`;
    const sent = await call('POST', `${at}/test`, { headers });
    expect(sent.status).toBe(202);
    const delivery = `/v1/webhook-deliveries/${(sent.body.data as { id: string }).id}`;
    for (const by of [headers, {}]) {
      await call('GET', '/v1/webhook-endpoints', { headers: by });
      await call('GET', at, { headers: by });
      await call('GET', `${at}/deliveries?status=pending`, { headers: by });
      await call('GET', delivery, { headers: by });
      await call('POST', `${delivery}/replay`, { headers: by });
      await call('POST', `${at}/rotate-secret`, { headers: by });
      await call('POST', `${at}/recover`, { headers: by, body: { since: '2026-01-01' } });
      await call('PATCH', at, { headers: by, body: { status: 'disabled' } });
      await call('POST', `${at}/test`, { headers: by });
      await call('DELETE', at, { headers: by });
    }
    await call('GET', at, { headers });
    await call('GET', delivery, { headers });
    expect(Object.keys(document.webhooks ?? {})).toContain('wallet.funded');
  });
});

function mediaTypeOf(path: string, method: string): string {
  if (path.endsWith('/{fileId}') && method === 'GET') return 'application/octet-stream';
  if (path === '/v1/events') return 'text/event-stream';
  if (path.endsWith('/pdf')) return 'application/pdf';
  return /[./]csv$/.test(path) ? 'text/csv' : 'application/json';
}
