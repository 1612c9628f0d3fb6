import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { crashTest, lines } from '../crash/crash-test.ts';
import { buildService } from '../support/server-process.ts';

const { TEST_PACKED } = process.env;

beforeAll(() => {
  if (!TEST_PACKED) buildService();
}, 60_000);

it('keeps every promise when a replica, PostgreSQL and both replicas are killed', async () => {
  const report = await crashTest({
    rounds: 3,
    seed: 1,
    payers: 3,
    wallets: 3,
    roundMs: [200, 500],
    fastForward: true,
    main: TEST_PACKED && join(TEST_PACKED, 'src/main.js'),
    report: () => undefined,
  });
  expect(lines(report).filter((line) => line.startsWith('!'))).toEqual([]);
  expect(report.facts['of them approved']).toBeGreaterThan(50);
  for (const fact of [
    'changes answered',
    'payments that waited',
    'of them decided',
    'withdrawals answered',
    'transfers between wallets answered',
    'keys revoked',
  ]) {
    expect([fact, report.facts[fact]]).not.toEqual([fact, 0]);
  }
}, 300_000);
