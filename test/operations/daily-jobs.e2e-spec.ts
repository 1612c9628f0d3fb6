import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startService, type TestService, until } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it('what fell due each day while no replica ran is made up for at the next start', async () => {
  const missedBy = await service.query(
    `UPDATE graphile_worker._private_known_crontabs
        SET known_since = now() - interval '9 days', last_execution = now() - interval '3 days' RETURNING identifier`,
  );
  expect(missedBy).toContainEqual({ identifier: 'funding.reconcile-daily' });
  const next = await startService({ beside: service });
  try {
    await until(async () => {
      const missed = await service.query(
        `SELECT 1 FROM graphile_worker._private_known_crontabs
          WHERE last_execution < now() - interval '25 hours'`,
      );
      return missed.length === 0;
    });
  } finally {
    await next.close();
  }
});
