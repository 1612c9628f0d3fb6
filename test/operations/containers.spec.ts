import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT } from '../support/server-process.js';

interface Container {
  readonly environment: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Readonly<Record<'migrate' | 'wallet' | 'postgres', Container>>;
};
const SECRETS = ['POSTGRES_PASSWORD', 'DATABASE_OWNER_PASSWORD', 'DATABASE_SERVICE_PASSWORD'];
/** The passwords that a container is given, by whatever name. */
const passwordsOf = ({ environment }: Container): string[] =>
  SECRETS.filter((name) => Object.values(environment).some((value) => String(value).includes(`{${name}`)));

it('gives each container the password of its own role alone, and the superuser none but the database', () => {
  expect(passwordsOf(services.migrate)).toEqual(['DATABASE_OWNER_PASSWORD']);
  expect(passwordsOf(services.wallet)).toEqual(['DATABASE_SERVICE_PASSWORD']);
  expect(services.wallet.environment).toMatchObject({
    DATABASE_URL: 'postgresql://wallet_service@postgres:5432/wallet',
    DATABASE_OWNER_URL: '',
  });
  expect(services.migrate.environment.DATABASE_OWNER_URL).toBe(
    'postgresql://wallet_owner@postgres:5432/wallet',
  );
  // A .env is passed on whole, and holds all three.
  for (const { environment } of [services.migrate, services.wallet])
    for (const name of SECRETS) expect(environment[name]).toBe('');
});

it('makes exactly the roles that the containers work as, neither of them a superuser', () => {
  const made = [...read('docker/postgres-roles.sql').matchAll(/^CREATE ROLE (\w+) (.*) PASSWORD /gm)];
  expect(made.map(([, role, rights]) => [role, rights])).toEqual([
    ['wallet_owner', 'LOGIN'],
    ['wallet_service', 'LOGIN'],
  ]);
});

it('opens its ports to this machine alone', () => {
  const ports = Object.values(services).flatMap((container) => container.ports ?? []);
  expect(ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
});

it('calls the container healthy as long as the process lives, also while the database is away', () => {
  const [, check = ''] = /^HEALTHCHECK [^\n]*\\\n(.*)$/m.exec(read('Dockerfile')) ?? [];
  expect(check).toContain('/health/live');
});
