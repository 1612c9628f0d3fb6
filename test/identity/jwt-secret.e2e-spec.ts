import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadOrCreateJwtSecret } from '../../src/bootstrap.js';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';
import { plainDatabase } from '../support/service-database.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { PASSWORD } from '../support/service.js';

let build: ServiceBuild;
let database: TestDatabase;
let dataDir: string;
let running: ServiceProcess | undefined;
beforeAll(async () => {
  build = new ServiceBuild();
  database = await plainDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'jwt-secret-'));
}, 60_000);
afterAll(async () => {
  await running?.kill('SIGKILL');
  await database.drop();
  build.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The service as `npm start` starts it, without a JWT_SECRET. */
async function restart(): Promise<ServiceProcess> {
  await running?.kill('SIGTERM');
  running = await build.start(await freePort(), {
    NODE_ENV: 'development',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
  });
  return running;
}

describe('the service without a JWT_SECRET, started again', () => {
  it('takes the sessions of before, and keeps the secret it made from other users of the machine', async () => {
    const file = join(dataDir, 'jwt-secret');
    const modeOf = () => (statSync(file).mode & 0o777).toString(8);

    const first = await restart();
    const { data } = await first.call<{ data: { token: string } }>('POST', '/v1/auth/signup', {
      body: { email: `${randomUUID()}@example.com`, password: PASSWORD, accountType: 'developer' },
    });
    expect(modeOf()).toBe('600');
    const secret = readFileSync(file, 'utf8');
    expect(secret.length).toBeGreaterThanOrEqual(32);

    // As a careless copy of the folder would leave it.
    chmodSync(file, 0o644);
    const second = await restart();
    await second.call('GET', '/v1/auth/session', { token: data.token });
    expect(readFileSync(file, 'utf8')).toBe(secret);
    expect(modeOf()).toBe('600');
  }, 60_000);
});

describe('the secret that is made where none is set', () => {
  it('is one and whole for all that start at once', async () => {
    for (let i = 0; i < 20; i += 1) {
      const folder = join(dataDir, `at-once-${i}`);
      const secrets = await Promise.all(Array.from({ length: 5 }, () => loadOrCreateJwtSecret(folder)));
      expect([...new Set(secrets)]).toEqual([readFileSync(join(folder, 'jwt-secret'), 'utf8')]);
      expect(readdirSync(folder)).toEqual(['jwt-secret']);
    }
  });

  it('is refused when its file was cut: what is left could be guessed', async () => {
    for (const left of ['', 'a'.repeat(31)]) {
      const folder = mkdtempSync(join(dataDir, 'cut-'));
      writeFileSync(join(folder, 'jwt-secret'), left);
      await expect(loadOrCreateJwtSecret(folder)).rejects.toThrow(/^JWT_SECRET: .*jwt-secret/);
      expect(readFileSync(join(folder, 'jwt-secret'), 'utf8')).toBe(left);
    }
  });
});
