import 'reflect-metadata';
import { type Config, ConfigError, readConfig } from './config.js';
import { pinoLogger } from './logger.js';
import { createService, keptSecret } from './service.js';

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = pinoLogger(config.LOG_LEVEL);
  const app = await createService({
    config,
    databaseUrl: config.DATABASE_URL as string,
    jwtSecret: config.JWT_SECRET ?? (await keptSecret(config.DATA_DIR)),
    logger,
    alone: false,
  });
  app.enableShutdownHooks();
  await app.listen(config.PORT, config.HOST);
}
await main();
