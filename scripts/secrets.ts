import type { INestApplicationContext } from '@nestjs/common';
import { type Config, readConfig } from '../src/platform/config.js';
import { dataFolder } from '../src/platform/database/embedded/data-folder.js';
import { pinoLogger } from '../src/platform/observability/logger.js';
import { withDatabase } from './database.js';

/** Does `work` on the service's database with its settings, and so with its secrets. */
export async function withSecrets<T>(
  report: (line: string) => void,
  work: (app: INestApplicationContext, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  return withDatabase(config, report, async ({ ownerUrl, serviceUrl }) => {
    // Loaded once nothing stands in the way: it is most of the code.
    const { createCommandContext, loadOrCreateJwtSecret } = await import('../src/bootstrap.js');
    const dataDir = config.DATABASE_URL ? config.DATA_DIR : dataFolder(config.DATA_DIR).dir;
    const app = await createCommandContext({
      config,
      databaseUrl: serviceUrl,
      ownerUrl,
      jwtSecret: config.JWT_SECRET ?? (await loadOrCreateJwtSecret(dataDir)),
      logger: pinoLogger('error'),
    });
    try {
      return await work(app, config);
    } finally {
      await app.close();
    }
  });
}
