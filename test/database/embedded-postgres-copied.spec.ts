import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.js';

const isRoot = process.getuid?.() === 0;
const template = join(tmpdir(), `embedded-postgres-${randomUUID()}`);
let dir: string;
let password: string;

const start = async () => (await startEmbeddedPostgres(dir, () => undefined)).stop();

beforeAll(async () => {
  await (await startEmbeddedPostgres(template, () => undefined)).stop();
}, 60_000);
afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(() => {
  dir = join(tmpdir(), `embedded-postgres-${randomUUID()}`);
  password = join(dir, 'postgres-password');
  execFileSync('cp', ['-a', template, dir]);
});
afterEach(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));

describe('a data folder that was copied from elsewhere', () => {
  it('is taken as it is when all of it came along', async () => {
    await start();
  });

  it('is refused with what to do when the password of its owner was left behind', async () => {
    rmSync(password);
    await expect(start()).rejects.toThrow(
      `DATA_DIR: ${password} is missing or empty; restore the one that was beside`,
    );
    writeFileSync(password, '');
    await expect(start()).rejects.toThrow(
      `DATA_DIR: ${password} is missing or empty; restore the one that was beside`,
    );
  });

  it('is refused with what to do when it has the password of another', async () => {
    writeFileSync(password, 'of another database');
    await expect(start()).rejects.toThrow(
      `DATA_DIR: ${password} is not the password of this database; restore`,
    );
  });

  (isRoot ? it : it.skip)('is refused to root with what to do when it belongs to root', async () => {
    execFileSync('chown', ['-R', 'root', join(dir, 'postgres')]);
    const cluster = join(dir, 'postgres');
    await expect(start()).rejects.toThrow(
      `DATA_DIR: ${cluster} belongs to root, and PostgreSQL can't run as root; give it to the user that shall run it, ` +
        `e.g. chown -R postgres '${cluster}'`,
    );
  });

  (isRoot ? it : it.skip)('is refused to an ordinary user with what to do when it belongs to another', () => {
    const module = new URL('../../src/platform/database/embedded/cluster.ts', import.meta.url).href;
    const cluster = join(dir, 'postgres');
    const code = `import { refuseUnusable } from ${JSON.stringify(module)};
      process.setuid(65534);
      try { refuseUnusable(${JSON.stringify(cluster)}); } catch (error) { console.log(error.message); }`;
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      encoding: 'utf8',
    });
    expect(said.trim()).toBe(
      `DATA_DIR: ${cluster} belongs to another user; run the service as that one, or have root do chown -R 65534 '${cluster}'`,
    );
  });
});
