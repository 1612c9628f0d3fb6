import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { EVENTS_PAGE, withEventTable } from '../../scripts/event-table.js';

const ROOT = join(import.meta.dirname, '../..');

it('the table of docs/events.md is that of the sources (npm run event-table writes it)', async () => {
  expect(await readFile(join(ROOT, EVENTS_PAGE), 'utf8')).toBe(await withEventTable(ROOT));
});

it('every event in it is published and handled', async () => {
  const [, table = ''] = (await withEventTable(ROOT)).split(/<!-- (?:events|end of events)/);
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.length).toBeGreaterThan(8);
  const useless = rows.filter((row) => {
    const [, , publishers, direct, later] = row.split('|').map((cell) => cell.trim());
    return publishers === '' || (direct === '' && later === '');
  });
  expect(useless).toEqual([]);
});
