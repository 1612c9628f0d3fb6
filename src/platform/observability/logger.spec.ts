import { expect, it } from '@jest/globals';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { pinoLogger } from './logger.js';

let lines: string[] = [];
/** nestjs-pino keeps the first of a process. */
const logger = pinoLogger('info', { write: (line) => void lines.push(line) });

function logged(error: unknown) {
  lines = [];
  logger.error({ err: error }, 'unexpected error');
  const [text = ''] = lines;
  return { text, err: (JSON.parse(text) as { err: Record<string, unknown> }).err };
}

function refusal(): pg.DatabaseError {
  const error = new pg.DatabaseError(
    'new row for relation "users" violates check constraint "c"',
    1,
    'error',
  );
  return Object.assign(error, {
    code: '23514',
    detail: 'Failing row contains (1, ada@example.ng, $argon2id$v=19$abc, 0123456789).',
    where: "unnamed portal with parameters: $1 = 'ada@example.ng'",
    table: 'users',
    constraint: 'c',
  });
}

it('tells which constraint of which table refused a row, and nothing of what the row holds', () => {
  const { text, err } = logged(refusal());
  expect(err).toMatchObject({
    type: 'DatabaseError',
    message: 'new row for relation "users" violates check constraint "c"',
    stack: expect.stringContaining('logger.spec'),
    code: '23514',
    table: 'users',
    constraint: 'c',
  });
  expect(text).not.toMatch(/ada@example|argon2id|0123456789/);
});

it('tells of a statement that failed neither its parameters nor what PostgreSQL quotes of the row', () => {
  const { text } = logged(
    new QueryFailedError('INSERT INTO users VALUES ($1)', ['ada@example.ng'], refusal()),
  );
  expect(text).toContain('violates check constraint');
  expect(text).not.toMatch(/ada@example|argon2id|0123456789/);
});

it('tells each address that refused a connection, and a failure that is no error as it is', () => {
  const refused = (address: string) =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}`), {
      code: 'ECONNREFUSED',
      address,
      port: 5432,
    });
  expect(logged(new AggregateError([refused('::1'), refused('127.0.0.1')])).err).toMatchObject({
    aggregateErrors: [
      { code: 'ECONNREFUSED', address: '::1', port: 5432 },
      { code: 'ECONNREFUSED', address: '127.0.0.1', port: 5432 },
    ],
  });
  expect(logged('a word').err).toBe('a word');
});
