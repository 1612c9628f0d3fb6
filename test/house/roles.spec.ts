import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import {
  can,
  PERMISSIONS,
  refusalOf,
  ROLES,
  type Act,
} from '../../src/contexts/identity/permissions.port.js';

const ACTS = Object.keys(PERMISSIONS) as Act[];

it('the table of docs/roles.md is that of the code', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/roles.md'), 'utf8');
  const cells = (row: string) =>
    row
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1);
  const table = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cells);
  expect(table[0]).toEqual(['may', ...ROLES]);
  expect(table.slice(2)).toEqual(
    ACTS.map((act) => [PERMISSIONS[act].does, ...ROLES.map((role) => (can(role, act) ? 'yes' : ''))]),
  );
});

it('an owner may do everything, and a refusal says who may', () => {
  expect(ACTS.filter((act) => !can('owner', act))).toEqual([]);
  expect(refusalOf('money.move')).toBe(
    'Your role may not withdraw, transfer, and close wallets: it takes the role owner.',
  );
  expect(refusalOf('exports.download')).toBe(
    'Your role may not download CSV files: it takes the role owner, approver or accountant.',
  );
});
