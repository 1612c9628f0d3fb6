import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BRAND } from './kernel/brand.js';
import { type Config, readConfig } from './platform/config.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/database/embedded-postgres.js';
import { dataFolder } from './platform/database/embedded/data-folder.js';
import { reachDatabase } from './platform/database/reach.js';
import type { HttpAdapter } from './platform/http/server/fastify.js';
import { LimitedLog } from './platform/observability/limited-log.js';
import { pinoLogger } from './platform/observability/logger.js';
import { releaseOf } from './platform/observability/release.js';
import { watchTracing } from './platform/observability/tracing.js';
import { listenError, refuseTakenPort } from './platform/preflight.js';

/** Longest drain after SIGTERM, in milliseconds. */
const DRAIN_MS_MAX = 25_000;
const PARENT_POLL_MS = 500;

/** `fields`: values of the log line. */
type Say = (line: string, fields?: Readonly<Record<string, string>>) => void;

const say: Say = (line) => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** Ends the process on failure or a stop signal. */
export async function start(): Promise<void> {
  const running = new Running();
  try {
    await running.start();
  } catch (error) {
    await running.abandon();
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const wantsMore = /debug|trace/.test(process.env.LOG_LEVEL ?? '');
    complain(`The service does not start. ${(wantsMore && stack) || message}`);
    process.exit(1);
  }
}

/** Started parts, stopped in reverse. */
class Running {
  private app: NestFastifyApplication | undefined;
  private embedded: Promise<EmbeddedPostgres> | undefined;
  private stopping = false;
  private drainMs = 0;
  private say = say;

  async start(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void this.stop());
    this.stopWithNpm();
    const config = readConfig(process.env);
    this.drainMs = 1_000 * (config.DRAIN_SECONDS ?? (config.NODE_ENV === 'production' ? 5 : 0));
    const logger = pinoLogger(config.LOG_LEVEL);
    const release = releaseOf(config);
    logger.log({ ...release, node: process.version, env: config.NODE_ENV }, `${BRAND} starts`, 'Start');
    if (config.OTEL_EXPORTER_OTLP_ENDPOINT) watchTracing(new LimitedLog(logger));
    // JSON lines in production.
    if (config.NODE_ENV === 'production')
      this.say = (line, fields) => void logger.log({ ...fields }, line, 'Start');
    await refuseTakenPort(config.PORT, config.HOST);
    const { databaseUrl, ownerUrl, dataDir, database } = await this.openDatabase(config);
    // Loaded late: most of the code, not needed for a refusal.
    const { createService, loadOrCreateJwtSecret } = await import('./bootstrap.js');
    const app = await createService({
      config,
      databaseUrl,
      ownerUrl,
      jwtSecret: config.JWT_SECRET ?? (await loadOrCreateJwtSecret(dataDir)),
      logger,
      singleInstance: this.embedded !== undefined,
    });
    this.app = app;
    if (this.stopping) return;
    await app.listen(config.PORT, config.HOST).catch((error: unknown) => {
      throw listenError(error, config.PORT, config.HOST);
    });
    welcome(config, (app.getHttpServer().address() as AddressInfo).port, database, this.say);
  }

  private async openDatabase(config: Config) {
    const { DATABASE_URL, DATABASE_OWNER_URL, DATA_DIR } = config;
    if (DATABASE_URL) {
      await reachDatabase(
        DATABASE_OWNER_URL ? 'DATABASE_OWNER_URL' : 'DATABASE_URL',
        DATABASE_OWNER_URL ?? DATABASE_URL,
        this.say,
      );
      // `npm run dev` starts its own database.
      const database = process.env.DEV_DATABASE ?? 'DATABASE_URL';
      return { databaseUrl: DATABASE_URL, ownerUrl: DATABASE_OWNER_URL, dataDir: DATA_DIR, database };
    }
    const { dir, notice } = dataFolder(DATA_DIR);
    if (notice) this.say(notice);
    this.embedded = startEmbeddedPostgres(dir, this.say, (error) => {
      complain(`The service ends. ${error.message}`);
      process.exit(1);
    });
    const { url, serviceUrl } = await this.embedded;
    const database = `embedded PostgreSQL under ${dir}`;
    return { databaseUrl: serviceUrl, ownerUrl: url, dataDir: dir, database };
  }

  /** Serves until drained, finishes requests and jobs, then ends the process. */
  private async stop(): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    if (this.app) {
      await (this.app.getHttpAdapter() as unknown as HttpAdapter).drain(this.drainMs);
    }
    setTimeout(() => process.exit(1), DRAIN_MS_MAX).unref();
    await this.abandon();
    process.exit(0);
  }

  async abandon(): Promise<void> {
    this.stopping = true;
    await this.app?.close();
    await this.embedded?.then(
      (postgres) => postgres.stop(),
      () => undefined,
    );
  }

  /** The shell between npm and the service keeps npm's signals, so npm is watched. */
  private stopWithNpm(): void {
    if (process.env.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) void this.stop();
    }, PARENT_POLL_MS).unref();
  }
}

function welcome(config: Config, port: number, database: string, say: Say): void {
  const isAnywhere = config.HOST === '0.0.0.0' || config.HOST === '::';
  const host = isAnywhere ? '127.0.0.1' : config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  const url = `http://${host}:${port}`;
  if (config.NODE_ENV === 'production') {
    say(`${BRAND} listens on ${url}`, {
      url,
      reference: `${url}/docs`,
      database,
      bank: config.BANK_PROVIDER,
    });
    return;
  }
  const isUsual = url === 'http://127.0.0.1:3000';
  // `npm run dev` serves it from its sources.
  const dashboard = process.env.DEV_DASHBOARD ?? `${url}/`;
  const demo = `npm run demo${isUsual ? '' : ` -- --url ${url}`}`;
  say(`
  ${BRAND} listens on ${url}
  Dashboard:     ${dashboard}
  API reference: ${url}/docs
  Database: ${database}   Bank: ${config.BANK_PROVIDER}

  Try next, in another terminal:
    ${demo}
        the whole story against this service
    open ${dashboard}
        sign up, make a wallet, send it money, try a payment
    curl ${url}/health/ready
`);
}
