import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { BRAND } from '../../../kernel/brand.js';
import type { ErrorCode } from '../../../kernel/errors.js';
import { codeTable, ERROR_RESPONSES, ERROR_SCHEMAS, errorResponses } from './openapi-errors.js';
import { ANSWERS, type ErrorAnswers } from '../api/answers.js';
import { ERRORS, GUARD_ERRORS, WEBHOOKS } from '../api/operation.js';
import { dashboardFont } from '../server/dashboard.js';
import { type FixedBody, fixedBody, sendFixed } from '../server/fixed-answer.js';
import type { Headers } from '../server/security-headers.js';

type PathItem = OpenAPIObject['paths'][string];
type DescribedOperation = NonNullable<PathItem['get']> & {
  [ANSWERS]?: ErrorAnswers;
  [ERRORS]?: ErrorCode[];
  [WEBHOOKS]?: NonNullable<OpenAPIObject['webhooks']>;
};

const VERSION = '1.0.0';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const DESCRIPTION = `
Wallets for autonomous agents, with spending rules, that pay from a bank account in Nigerian naira.

A user signs up and creates a wallet: with it come an API key for the agent and a bank account. Money that is
transferred to this account is credited to the wallet. The agent spends it by payment intents; six checks, always in
the same order, approve or block each one, and every attempt is on record.

Wallets, keys, payees and webhook endpoints belong to an **account**: one person's, or a business's with its members. Each
member has a role; \`x-roles\` of a route names the roles that may call it, where not all may.

## Units
Every amount is a whole number of **kobo** (100 kobo = ₦1), from 0 to 9,007,199,254,740,991. The one exception is
\`data.amount\` of the bank's webhook: decimal naira. Timestamps are UTC with milliseconds; a timestamp in a request
that has no zone is read as UTC. Identifiers are UUIDs in lower case.

## Authentication
| mode | how | for |
|---|---|---|
| session | \`Authorization: Bearer <token>\`; the token comes from sign-up or login and is valid for 7 days, or until logout | everything a user does |
| API key | \`x-api-key: <key>\`, or \`Authorization: Bearer <key>\`; the key comes with a new wallet and is shown this once | \`/api/payment-intent\`, \`GET /api/wallet\`, \`GET /v1/banks\` and \`POST /v1/accounts/resolve\`; the key names the wallet |
| none | the bank signs its deliveries when the service has a \`WEBHOOK_SECRET\` | \`POST /api/webhooks\`, \`/health\` |

## Requests
Bodies are JSON in UTF-8 of at most 64 KiB; a receipt file is sent as its bytes, at most 5 MiB. Fields that a route does not
know are ignored, query parameters that a \`/v1\` list does not know are refused; \`null\` is the same as absent.

## Rate limits
Unless the service is set otherwise, a user and an API key may make 1,000 requests a second each; \`RateLimit\` and
\`RateLimit-Policy\` of an answer say what is left. One more is 429 \`RATE_LIMITED\` with \`Retry-After\`. Payment intents
have no limit by default.

## Errors
The envelope depends on the address alone, whatever went wrong:

| addresses | envelope |
|---|---|
| \`/v1/auth/*\`, \`/v1/onboarding\`, \`/api/onboarding\` | 400: \`{"status":"error","errors":[{"code","path","message"}]}\`; else \`{"status":"error","code","message"}\` |
| \`/api/payment-intent\` | \`{"success":false,"message","code"}\`, with \`errors\` for VALIDATION_ERROR and \`transactionId\` for a blocked attempt |
| all others | \`{"error":{"code","message","errors"?}}\`, where \`errors\` is a list of \`{"field","message"}\` |

Each route lists its own codes. Beside them every route can answer what is listed under \`default\`. An address that
does not exist answers 404 \`NOT_FOUND\`.

${codeTable()}

(\`WALLET_NOT_FOUND\` of a webhook has status 400: the fault is in the body.)

## Lists
Paginated lists take \`page\` (from 1) and \`pageSize\` (default 10; more than 100 counts as 100) and answer
\`pagination: {page, pageSize, totalCount, totalPages}\`, newest first unless they say otherwise. A page past the end is empty and has the true
totals. Anything that is no positive whole number is refused.

## Idempotency
A payment intent with the header \`Idempotency-Key\` is carried out at most once per wallet and key, however often it
is sent: a repetition gets the answer of the first (with the header \`Idempotency-Replayed: true\`; a refusal says
\`replayed: true\`, and its \`hint\`, \`maxAmountNow\` and \`earliestPassAt\` are those of now), and a different body
under the same key gets 422 \`IDEMPOTENCY_KEY_REUSED\`. Another attempt takes a new key. Without the header every request
is a payment of its own.
The bank's webhook is idempotent by \`data.reference\`.

What shows a secret takes no such header: an API key is kept only as its hash, so that no repetition could show it. When
the answer is lost that would have shown one, look for what it may have made before you send it again: in the lists of the
wallet's keys, of the user's wallets or of the webhook endpoints. Put another key in the place of the one that you never
saw (\`replaces\` with its id and \`graceSeconds: 0\`; for a new wallet \`graceSeconds: 0\` alone), or rotate the secret
of the endpoint.
`.trim();

export function openApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(`${BRAND} API`)
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .addServer('/')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of sign-up or login.' },
      'session',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-api-key', description: "The wallet's API key." },
      'apiKey',
    )
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        description: "The wallet's API key, for clients that only send tokens.",
      },
      'bearerKey',
    )
    .addTag('auth', 'Users and their sessions')
    .addTag('account', 'The password, the sessions and the second factor of a user')
    .addTag('onboarding', 'The business of a user')
    .addTag('members', 'Several people on one account, their roles, and what they did')
    .addTag('operator', 'The back office: cases, what waits for a person, and acts with a reason')
    .addTag('wallets', 'Wallets, their rules and keys')
    .addTag('payments', 'Payment intents and what became of them')
    .addTag('approvals', 'Payments that wait for a person')
    .addTag('payees', 'Who can be paid')
    .addTag('ledger', 'Every change of a balance')
    .addTag('statements', 'Months of wallets, as PDF and CSV')
    .addTag('events', 'Changes of an account, as they happen')
    .addTag('webhooks', 'What the bank calls')
    .addTag(
      'outbound webhooks',
      'What the service calls: subscriptions, deliveries, and the events that are sent',
    )
    .addTag('search', 'Wallets, payments, keys, payees and members, by words that name them')
    .addTag('notifications', 'Messages to people: in the dashboard, by mail and web push; each chooses')
    .addTag('sandbox', 'Stands in for the world outside; only with the sandbox bank')
    .addTag('health', 'For load balancers and container runtimes')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (_, method) => method,
  });
  const components = (document.components ??= {});
  components.schemas = { ...components.schemas, ...ERROR_SCHEMAS };
  components.responses = { ...components.responses, ...ERROR_RESPONSES };
  const ids = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation: DescribedOperation | undefined = item[method];
      if (!operation) continue;
      if (operation[WEBHOOKS]) document.webhooks = { ...document.webhooks, ...operation[WEBHOOKS] };
      complete(path, operation, ids);
    }
  }
  return document;
}

function complete(path: string, operation: DescribedOperation, ids: Set<string>): void {
  const extensions = operation as unknown as Record<string, ErrorCode[]>;
  const guards = Object.keys(extensions).filter((name) => name.startsWith(GUARD_ERRORS));
  const codes = [...guards.flatMap((name) => extensions[name] ?? []), ...(operation[ERRORS] ?? [])];
  const answers = operation[ANSWERS] ?? {};
  Reflect.deleteProperty(operation, ANSWERS);
  Reflect.deleteProperty(operation, ERRORS);
  Reflect.deleteProperty(operation, WEBHOOKS);
  for (const name of guards) Reflect.deleteProperty(operation, name);
  operation.responses = { ...operation.responses, ...errorResponses(answers, codes, operation.operationId) };
  operation.security ??= [];
  if (operation.operationId && ids.has(operation.operationId)) operation.operationId += 'Alias';
  ids.add(operation.operationId ?? path);
}

const FOLDER = join(import.meta.dirname, 'reference');
const SWAGGER_FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Call before `app.init()`. */
export function serveReference(app: NestFastifyApplication, headers: Headers = {}): void {
  const server = app.getHttpAdapter().getInstance();
  const get = (url: string, type: string, make: () => string | Buffer, cacheControl = 'no-cache') => {
    // Built on the first request: a third of a start's work.
    let body: FixedBody | undefined;
    server.get(url, (request, reply) => {
      void reply.headers(headers).header('cache-control', cacheControl).type(type);
      return sendFixed(request, reply, (body ??= fixedBody(make())));
    });
  };
  get('/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(openApiDocument(app)));
  const file = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
  get('/docs', 'text/html; charset=utf-8', () => file('page.html').replaceAll('{{BRAND}}', BRAND));
  get('/docs/start.js', 'text/javascript; charset=utf-8', () => file('start.js'));
  get('/docs/scheme.js', 'text/javascript; charset=utf-8', () => file('scheme.js'));
  get('/docs/brand.css', 'text/css; charset=utf-8', () => fontFace(dashboardFont()) + file('brand.css'));
  // One route per file: no address reaches the file system.
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const [name, type] of Object.entries(SWAGGER_FILES)) {
    get(`/docs/${name}`, type, () => readFileSync(join(folder, name)), 'public, max-age=3600');
  }
}

/** Null: the system's font. */
function fontFace(font: string | null): string {
  if (!font) return '';
  return `@font-face { font-family: 'Inter Variable'; font-weight: 400 700; font-display: swap; src: url('${font}') format('woff2'); }\n`;
}
