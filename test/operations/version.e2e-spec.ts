import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startService, type TestService } from '../support/service.js';

const COMMIT = '40e8496c1d2f';
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string;
};
let service: TestService;

beforeAll(async () => {
  service = await startService({ env: { GIT_COMMIT: COMMIT } });
});

afterAll(() => service.close());

it('tells anybody its version and commit, at an address of their own and where it says that it lives', async () => {
  const release = { version, commit: COMMIT };
  expect((await service.get('/version')).body).toEqual(release);
  expect((await service.get('/health/live')).body).toEqual({ status: 'ok', ...release });
});

it('does not show a dashboard below the address of the version', async () => {
  const { status } = await service.get('/version/', { headers: { accept: 'text/html' } });
  expect(status).toBe(200);
  expect((await service.get('/version/x', { headers: { accept: 'text/html' } })).status).toBe(404);
});
