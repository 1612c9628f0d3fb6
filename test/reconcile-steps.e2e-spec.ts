import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FundingReconciliation } from '../src/contexts/funding/funding.reconcile.js';
import type { TimeRange } from '../src/platform/jobs/reconciliation.js';
import type { FakeBank } from './fake-bank/fake-bank.ts';
import type { TestService } from './support/service.js';
import { PATIENT, type ServiceWithBank, startWithFakeBank } from './support/with-fake-bank.js';

/** What a bank says while it is compared with: no text stops it. */

const DAY_MS = 24 * 60 * 60_000;

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;
let funding: FundingReconciliation;

beforeAll(async () => {
  banked = await startWithFakeBank({}, PATIENT);
  ({ fake, service } = banked);
  funding = service.app.get(FundingReconciliation);
});
beforeEach(() => {
  fake.script.clear();
  fake.calls = [];
});
afterAll(() => banked.close());

const range = (): TimeRange => ({
  from: new Date(Date.now() - DAY_MS),
  to: new Date(Date.now() + 2 * DAY_MS),
});

describe('a narration of what no webhook told of', () => {
  it.each([
    ['with a NUL', 'a\u0000b', 'a\ufffdb'],
    ['with half a character', '\ud800c', '\ufffdc'],
  ])('%s is kept as far as it can be', async (_name, narration, kept) => {
    const wallet = await service.createWallet();
    fake.books.collect({ accountReference: wallet.id, amount: '10.00', mode: 'drop', narration });
    const { tally } = await funding.run(range());
    expect(tally.creditedNow).toMatchObject({ count: 1, kobo: 1_000n });
    expect(
      await service.query('SELECT narration FROM ledger_entries WHERE wallet_id = $1', [wallet.id]),
    ).toEqual([{ narration: kept }]);
  });
});
