import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { type Config, readConfig } from './platform/config.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/database/embedded-postgres.js';
import { pinoLogger } from './platform/observability/logger.js';
import { createService, loadOrCreateJwtSecret } from './bootstrap.js';

/** How long requests and jobs under way may take to finish once the process was asked to stop, in milliseconds. */
const DRAIN_MS_MAX = 25_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const embedded = config.DATABASE_URL ? undefined : await startEmbeddedPostgres(config.DATA_DIR, say);
  try {
    await serve(config, config.DATABASE_URL ?? (embedded as EmbeddedPostgres).url, embedded);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function serve(
  config: Config,
  databaseUrl: string,
  embedded: EmbeddedPostgres | undefined,
): Promise<void> {
  const app = await createService({
    config,
    databaseUrl,
    jwtSecret: config.JWT_SECRET ?? (await loadOrCreateJwtSecret(config.DATA_DIR)),
    logger: pinoLogger(config.LOG_LEVEL),
    singleInstance: embedded !== undefined,
  });

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), DRAIN_MS_MAX).unref();
    await app.close();
    await embedded?.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());

  await app.listen(config.PORT, config.HOST);
  const { port } = app.getHttpServer().address() as AddressInfo;
  welcome(
    `http://${config.HOST === '0.0.0.0' ? '127.0.0.1' : config.HOST}:${port}`,
    config,
    embedded !== undefined,
  );
}

function welcome(url: string, config: Config, isEmbedded: boolean): void {
  say(`
  The agent payment wallet listens on ${url}
  Dashboard:     ${url}/
  API reference: ${url}/docs
  Database: ${isEmbedded ? `embedded PostgreSQL under ${config.DATA_DIR}` : 'DATABASE_URL'}   Bank: ${config.BANK_PROVIDER}

  Try next:
    npm run demo                 the whole story against this service, in another terminal
    open ${url}/         sign up, make a wallet, send it money, try a payment
    curl ${url}/health/ready
`);
}

main().catch((error: unknown) => {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const wantsMore = /debug|trace/.test(process.env.LOG_LEVEL ?? '');
  process.stderr.write(`The service does not start. ${(wantsMore && stack) || message}\n`);
  process.exit(1);
});
