import { randomUUID } from 'node:crypto';
import type { LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { readConfig } from '../../src/platform/config.js';
import { createService } from '../../src/bootstrap.js';
import { Passwords } from '../../src/contexts/identity/passwords.js';
import type { DatabaseProxy } from './database-proxy.js';
import { asService, bySocket, clockDatabase, JWT_SECRET, plainDatabase } from './service-database.js';

export const PASSWORD = 'correct horse';
/** The least that argon2 can take, a hundredth of what production asks of it. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
/** Has the form of an API key, and belongs to no wallet. */
export const UNKNOWN_KEY = `apw_live_${'A'.repeat(43)}`;
/** Far enough ahead for every test, also for those that move the clock. */
export const FAR_AHEAD = '2099-01-01T00:00:00.000Z';

/** What a request was answered with. `body` is what the JSON holds, as the test expects it to look. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Record<string, string | string[] | number | undefined>;
  readonly body: Body;
  readonly text: string;
}

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly key?: string | undefined;
  /** Sent as JSON; a string or a Buffer is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly accountType: string;
  readonly businessId: string | null;
  readonly createdAt: string;
  readonly token: string;
}

export interface TestWallet {
  readonly id: string;
  readonly name: string;
  readonly userId: string;
  readonly businessId: string | null;
  readonly balance: number;
  readonly spendLimitPerTx: number;
  readonly spendLimitPeriod: number;
  readonly periodWindowDays: number;
  readonly expiry: string;
  readonly expiresAt: string | null;
  readonly useAllowlist: boolean;
  readonly merchantAllowlist: string[];
  readonly status: string;
  readonly apiKeyHash: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface TestAccount {
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly walletId: string;
}

export interface CreatedWallet extends TestWallet {
  /** The full API key. */
  readonly key: string;
  readonly owner: TestUser;
  readonly virtualAccount: TestAccount;
}

export interface PaymentAnswer {
  readonly success: boolean;
  readonly data: {
    readonly transaction: { readonly id: string; readonly createdAt: string; readonly reason: string | null };
    readonly settlement: { readonly reference: string };
  };
  readonly message: string;
  readonly code: string;
  readonly transactionId: string;
  readonly maxAmountNow: number;
  readonly earliestPassAt: string | null;
  readonly hint: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

export interface HistoryRow {
  readonly id: string;
  readonly amount: number;
  readonly merchant: string;
  readonly decision: string;
  readonly reason: string | null;
  readonly blockReason: string | null;
  readonly createdAt: string;
  readonly auditEvents: readonly {
    readonly type: string;
    readonly at: string;
    readonly detail: Record<string, unknown>;
  }[];
  readonly settlement: { readonly reference: string; readonly status: string } | null;
}

export interface LedgerRow {
  readonly id: string;
  readonly walletId: string;
  readonly type: string;
  readonly amount: number;
  readonly balanceAfter: number;
  readonly transactionId: string | null;
  readonly reference: string | null;
  readonly narration: string | null;
  readonly createdAt: string;
}

export interface PageOf<Row> {
  readonly success: boolean;
  readonly data: readonly Row[];
  readonly pagination: { page: number; pageSize: number; totalCount: number; totalPages: number };
}

export interface Stats {
  readonly balance: number;
  readonly spendLimitPerTx: number;
  readonly spendLimitPeriod: number;
  readonly spentThisPeriod: number;
  readonly remainingAllowance: number;
}

export interface ServiceOverrides {
  /** Environment variables, on top of those of the tests. */
  readonly env?: Record<string, string>;
  /** Another service whose database this one shares, as a second replica. */
  readonly beside?: TestService;
  /** Signs the session tokens; {@link JWT_SECRET} unless told. */
  readonly jwtSecret?: string;
  /** The database's clock can be set: see {@link TestService.setClock}. */
  readonly clock?: boolean;
  /** Stands between the service and its database. */
  readonly proxy?: DatabaseProxy;
  readonly logger?: LoggerService;
}

/** A running service on a database of its own, and what a client of it does most. */
export class TestService {
  constructor(
    readonly app: NestFastifyApplication,
    readonly databaseUrl: string,
    private readonly database: pg.Pool,
    private readonly drop: () => Promise<void>,
  ) {}

  /** Sends one request; the answer is not judged. */
  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { token, key, body, headers }: RequestOptions = {},
  ): Promise<Answer<Body>> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const response = await this.app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: isRaw ? body : JSON.stringify(body) }),
    });
    const { statusCode, headers: received, body: text } = response;
    return { status: statusCode, headers: received, text, body: parsed(text) as Body };
  }

  get<Body = Record<string, unknown>>(path: string, options?: RequestOptions): Promise<Answer<Body>> {
    return this.call<Body>('GET', path, options);
  }

  post<Body = Record<string, unknown>>(path: string, options?: RequestOptions): Promise<Answer<Body>> {
    return this.call<Body>('POST', path, options);
  }

  /** Rows straight from the service's database. */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query(text, values)).rows as Row[];
  }

  async signUp(fields: Record<string, unknown> = {}): Promise<TestUser> {
    const { body } = expectStatus(
      201,
      await this.post<{ data: { user: Omit<TestUser, 'token'>; token: string } }>('/v1/auth/signup', {
        body: {
          email: `${randomUUID()}@example.com`,
          password: PASSWORD,
          accountType: 'developer',
          ...fields,
        },
      }),
    );
    return { ...body.data.user, token: body.data.token };
  }

  /** A wallet of `owner` (a new user when none is given); `fields` replace those of the request. */
  async createWallet(owner?: TestUser, fields: Record<string, unknown> = {}): Promise<CreatedWallet> {
    const user = owner ?? (await this.signUp());
    const { body } = expectStatus(
      201,
      await this.post<{
        data: { wallet: TestWallet; apiKey: { fullKey: string }; virtualAccount: TestAccount };
      }>('/api/wallets', { token: user.token, body: walletBody(user.id, fields) }),
    );
    const { wallet, apiKey, virtualAccount } = body.data;
    return { ...wallet, key: apiKey.fullKey, owner: user, virtualAccount };
  }

  /** A wallet that `kobo` have reached. */
  async fundedWallet(kobo: number, fields: Record<string, unknown> = {}): Promise<CreatedWallet> {
    const wallet = await this.createWallet(undefined, fields);
    await this.topUp(wallet.id, kobo);
    return wallet;
  }

  webhook<Body = { status: string; message: string }>(body: unknown): Promise<Answer<Body>> {
    return this.post<Body>('/api/webhooks', { body });
  }

  /** Credits a wallet by a transfer; answers its reference. */
  async topUp(walletId: string, kobo: number, reference: string = randomUUID()): Promise<string> {
    // As text: JSON.stringify would make a float of it.
    const body = JSON.stringify(chargeBody(walletId, { reference, amount: 0 }));
    const naira = `${Math.trunc(kobo / 100)}.${String(kobo % 100).padStart(2, '0')}`;
    expectStatus(200, await this.webhook(body.replace('"amount":0', `"amount":${naira}`)));
    return reference;
  }

  pay(
    key: string,
    fields: Record<string, unknown> = {},
    headers?: Record<string, string>,
  ): Promise<Answer<PaymentAnswer>> {
    return this.post<PaymentAnswer>('/api/payment-intent', {
      key,
      body: paymentBody(fields),
      ...(headers && { headers }),
    });
  }

  async stats({ id, owner }: CreatedWallet): Promise<Stats> {
    return expectStatus(200, await this.get<Stats>(`/v1/wallets/${id}/stats`, { token: owner.token })).body;
  }

  async history({ id, owner }: CreatedWallet, query = ''): Promise<PageOf<HistoryRow>> {
    const path = `/api/wallets/${id}/transactions${query}`;
    return expectStatus(200, await this.get<PageOf<HistoryRow>>(path, { token: owner.token })).body;
  }

  async ledger({ id, owner }: CreatedWallet, query = ''): Promise<PageOf<LedgerRow>> {
    const path = `/api/wallets/${id}/ledgers${query}`;
    return expectStatus(200, await this.get<PageOf<LedgerRow>>(path, { token: owner.token })).body;
  }

  /** Waits until the bank has had its say on every payment. */
  async settled(): Promise<void> {
    await until(async () => {
      const open = await this.query(
        `SELECT 1 FROM settlements WHERE status IN ('pending', 'processing') LIMIT 1`,
      );
      return open.length === 0;
    });
  }

  /** Stops the database's clock at `at`; null lets it run again. Needs the override `clock`. */
  async setClock(at: Date | null): Promise<void> {
    await this.query('UPDATE test_clock SET at = $1', [at]);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.end();
    await this.drop();
    // The variables of a suite last as long as its worker, and would keep all that the service holds.
    Reflect.deleteProperty(this, 'app');
  }
}

/** Starts a service on a new database, or beside another one on its database. */
export async function startService(overrides: ServiceOverrides = {}): Promise<TestService> {
  const { beside } = overrides;
  const database = beside
    ? { url: beside.databaseUrl, drop: () => Promise.resolve() }
    : overrides.clock
      ? await clockDatabase()
      : await plainDatabase();
  const pool = new pg.Pool({ connectionString: bySocket(database.url), max: 2 });
  pool.on('error', () => undefined);
  const app = await createService({
    config: readConfig({
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      DATABASE_WIRE: process.env.DATABASE_WIRE,
      // Tests break the books on purpose.
      INVARIANT_CHECK_SECONDS: '0',
      ...overrides.env,
    }),
    databaseUrl: overrides.proxy?.before(asService(database.url)) ?? bySocket(asService(database.url)),
    ownerUrl: database.url,
    jwtSecret: overrides.jwtSecret ?? JWT_SECRET,
    logger: overrides.logger ?? false,
    singleInstance: !beside,
  });
  // Every test signs users up. What a hash costs in production is held by passwords.spec.ts.
  Object.assign(app.get(Passwords, { strict: false }), { cost: CHEAP });
  return new TestService(app, database.url, pool, () => database.drop());
}

export function walletBody(userId: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Research agent',
    userId,
    spendLimitPerTx: 100_000,
    spendLimitPeriod: 1_000_000,
    expiry: FAR_AHEAD,
    ...fields,
  };
}

export function paymentBody(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    amount: 1_000,
    merchantName: 'Acme Stores',
    recipientAccountNo: '0123456789',
    recipientBankCode: '058',
    ...fields,
  };
}

export function chargeBody(walletId: string, data: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    event: 'charge.success',
    data: {
      reference: randomUUID(),
      payment_reference: 'KPY-1',
      amount: 1050.55,
      fee: 15.5,
      currency: 'NGN',
      payment_method: 'bank_transfer',
      status: 'success',
      narration: 'For the agent',
      transaction_date: '2026-11-21T06:30:00.000Z',
      payer_bank_account: {
        account_name: 'Ada Obi',
        account_number: '0987654321',
        bank_name: 'GTBank',
        bank_code: '058',
      },
      virtual_bank_account: {
        account_name: 'Research agent',
        account_number: '2010000010',
        bank_name: 'Wema Bank',
        account_reference: walletId,
      },
      customer: { name: 'Ada Obi', email: 'ada@example.com' },
      ...data,
    },
  };
}

/** Fails with the whole answer in sight. */
export function expectStatus<Body>(status: number, answer: Answer<Body>): Answer<Body> {
  if (answer.status !== status)
    throw new Error(`expected ${status}, was answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** Asks again until the answer is yes; fails after `msMax`. Asking takes a third of the time at most: others work too. */
export async function until(isSo: () => Promise<boolean>, msMax = 15_000): Promise<void> {
  const giveUp = Date.now() + msMax;
  for (;;) {
    const askedAt = Date.now();
    if (await isSo()) return;
    if (Date.now() > giveUp) throw new Error(`it did not come about within ${msMax} ms`);
    const pauseMs = Math.min(Math.max(20, 2 * (Date.now() - askedAt)), 200);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
