import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { PaymentLoad } from './contexts/payments/payments.port.js';
import { yieldWhile } from './platform/batching/turns.js';
import { type Config, JWT_SECRET_LENGTH_MIN } from './platform/config.js';
import { serveDashboard } from './platform/http/server/dashboard.js';
import { ErrorEnvelopeFilter } from './platform/http/api/error-envelope.filter.js';
import { fastifyAdapter, SERVER_TIMES } from './platform/http/server/fastify.js';
import { serveReference } from './platform/http/openapi/openapi.js';
import { securityHeaders } from './platform/http/server/security-headers.js';
import { RequestPipe } from './platform/http/api/validation.pipe.js';
import { migrate } from './platform/database/migrate.js';
import { serviceDataSource } from './platform/database/data-source.js';
import { Database } from './platform/database/database.js';
import { takesNoChanges, unusable } from './platform/database/reach.js';
import { Replica } from './platform/database/replica.js';
import { Metrics } from './platform/observability/metrics.js';
import { serveMetrics } from './platform/observability/metrics-server.js';
import { wireOf } from './platform/database/wire/choose.js';
import { requestLogOf } from './platform/observability/logger.js';
import { ENTITIES } from './entities.js';
import { Events } from './platform/events/events.js';
import { Jobs } from './platform/jobs/jobs.js';

/** Used by `main` and the tests. */
export interface ServiceOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** Unset if one role does both. */
  readonly ownerUrl?: string | undefined;
  readonly jwtSecret: string;
  readonly logger: LoggerService | false;
  /** No other process uses this database. */
  readonly singleInstance: boolean;
}

/** Migrates and starts everything but listening. */
export async function createService(options: ServiceOptions): Promise<NestFastifyApplication> {
  const { METRICS_PORT, METRICS_HOST, DATABASE_REPLICA_URL, DATABASE_REPLICA_MAX_LAG_SECONDS } =
    options.config;
  const database = await migratedDatabase(options);
  if (DATABASE_REPLICA_URL)
    database.replica = new Replica(
      DATABASE_REPLICA_URL,
      database,
      database.readsMax,
      DATABASE_REPLICA_MAX_LAG_SECONDS * 1_000,
    );
  const metrics = METRICS_PORT ? await serveMetrics(METRICS_PORT, METRICS_HOST) : new Metrics();
  const headers = await securityHeaders(options.config.NODE_ENV === 'production');
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(options.config, database, options.jwtSecret, metrics),
    fastifyAdapter({
      metrics,
      headers: headers.api,
      connectionsMax: options.config.HTTP_CONNECTIONS_MAX,
      proxies: options.config.TRUST_PROXY,
      requestLog: requestLogOf(options.logger, options.config),
      times: { ...SERVER_TIMES, idleMsMax: options.config.HTTP_KEEP_ALIVE_SECONDS * 1_000 },
    }),
    { bodyParser: false, logger: options.logger, abortOnError: false },
  );
  app.useGlobalFilters(new ErrorEnvelopeFilter());
  app.useGlobalPipes(new RequestPipe());
  serveReference(app, headers.reference);
  serveDashboard(app.getHttpAdapter().getInstance(), headers.dashboard);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  await app.get(Events).ready();
  await app.get(Jobs).start({ singleInstance: options.singleInstance });
  const load = app.get(PaymentLoad, { strict: false });
  yieldWhile(() => load.pendingDecisions > 0);
  return app;
}

/** For commands beside a running service: no HTTP, no jobs. Without a `jwtSecret` nothing sealed is opened. */
export async function createCommandContext(
  options: Pick<ServiceOptions, 'config' | 'databaseUrl' | 'ownerUrl' | 'logger'> &
    Partial<Pick<ServiceOptions, 'jwtSecret'>>,
): Promise<INestApplicationContext> {
  const database = await migratedDatabase(options);
  const app = await NestFactory.createApplicationContext(
    AppModule.with(options.config, database, options.jwtSecret ?? randomBytes(48).toString('base64url')),
    { logger: options.logger, abortOnError: false },
  );
  await app.get(Events).ready();
  return app;
}

/** As the owner. */
async function migratedDatabase({
  config,
  databaseUrl,
  ownerUrl = databaseUrl,
  logger,
}: Pick<ServiceOptions, 'config' | 'databaseUrl' | 'ownerUrl' | 'logger'>): Promise<Database> {
  await migrate(
    { ownerUrl, serviceUrl: databaseUrl },
    (line) => {
      if (logger) logger.warn(line, 'Migrations');
    },
    {},
    (applied) => {
      if (logger)
        logger.log(applied, 'migration' in applied ? 'migration applied' : 'schema made', 'Migrations');
    },
  );
  const wire = wireOf(config.DATABASE_WIRE, (line) => {
    if (logger) logger.warn(line, 'Database');
  });
  const database = new Database(serviceDataSource(databaseUrl, config.DATABASE_POOL_MAX, ENTITIES), wire);
  await database.connect().catch((error: unknown) => {
    throw unusable('DATABASE_URL', databaseUrl, error);
  });
  const readOnly = await database.whyReadOnly();
  if (readOnly && logger) logger.warn(takesNoChanges(databaseUrl, readOnly), 'Database');
  return database;
}

/** Makes and keeps the session secret. Throws an Error that names the variable if the file is damaged. */
export async function loadOrCreateJwtSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'jwt-secret');
  await mkdir(dataDir, { recursive: true });
  if (!existsSync(file)) await createSecret(file);
  await chmod(file, 0o600);
  const secret = await readFile(file, 'utf8');
  if (secret.length < JWT_SECRET_LENGTH_MIN) {
    throw new Error(
      `JWT_SECRET: ${resolve(file)} was cut and holds no secret any more; restore it, set JWT_SECRET, or delete the ` +
        'file: a new one ends all sessions',
    );
  }
  return secret;
}

/** Renamed into place; another process may be faster. */
async function createSecret(file: string): Promise<void> {
  const fresh = `${file}.new-${randomBytes(6).toString('hex')}`;
  await writeFile(fresh, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true });
  try {
    await link(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(fresh, { force: true });
  }
}
