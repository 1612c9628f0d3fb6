import { describe, expect, it, jest } from '@jest/globals';
import type { Bank } from '../../src/contexts/bank/bank.port.js';
import { FundingReconciliation } from '../../src/contexts/funding/funding.reconcile.js';
import { SettlementReconciliation } from '../../src/contexts/settlement/settlement.reconcile.js';
import { newId } from '../../src/kernel/ids.js';
import { aroundNow, collectionOf, useBank } from '../support/reconciling.js';
import type { TestService } from '../support/service.js';

/** Reconciliations of as much as fills a page, and of one more: each is compared, and once. */

let service: TestService;
let bank: Bank;
useBank((started, itsBank) => {
  [service, bank] = [started, itsBank];
});

describe('the payouts that the bank is asked for', () => {
  const reconcile = (after: string | null = null, msMax = Infinity) =>
    service.app.get(SettlementReconciliation, { strict: false }).run(aroundNow(), { after, msMax });
  const addPaid = async (count: number): Promise<string[]> => {
    const references = Array.from({ length: count }, () => newId());
    await service.query(
      `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, steps, approved_at, status)
       SELECT unnest($1::uuid[]), $2, 100, '0123456789', '058', 'Page', '[]', clock_timestamp(), 'succeeded'`,
      [references, newId()],
    );
    return references;
  };

  it('are all of a page of 200, and the one behind it', async () => {
    const asking = jest.spyOn(bank, 'getPayout').mockResolvedValue({ kind: 'succeeded' });
    const references = await addPaid(200);
    const full = await reconcile();
    expect([full.tally.listed.count, full.tally.paid.count, full.next]).toEqual([200, 200, null]);
    // A step that ends with the page leaves a next one, which finds nothing more.
    const { next, tally } = await reconcile(references.toSorted().at(-1));
    expect([tally.listed.count, next]).toEqual([0, null]);

    references.push(...(await addPaid(1)));
    asking.mockClear();
    const more = await reconcile();
    expect([more.tally.listed.count, more.tally.paid.count, more.next]).toEqual([201, 201, null]);
    expect(asking.mock.calls.map(([reference]) => reference).toSorted()).toEqual(references.toSorted());
  });
});

describe('the credits that the bank did not list', () => {
  const reconcile = () => service.app.get(FundingReconciliation, { strict: false }).run(aroundNow());
  const addCredits = async (walletId: string, references: readonly string[]): Promise<void> => {
    await service.query(
      `INSERT INTO inbound_transfers (id, status, reference, wallet_id, amount, currency, body, body_hash, received_at)
       SELECT gen_random_uuid(), 'credited', r, $2::uuid, 1000, 'NGN', '{}', sha256(r::bytea), clock_timestamp()
         FROM unnest($1::text[]) AS r`,
      [references, walletId],
    );
  };

  it('are asked for one by one, all of a page of 500, and the one behind it', async () => {
    const wallet = await service.createWallet();
    jest.spyOn(bank, 'listCollections').mockImplementation(async function* () {
      // The bank lists nothing.
    });
    const asking = jest
      .spyOn(bank, 'getCollection')
      .mockImplementation((reference) =>
        Promise.resolve(reference === 'PAGE-500' ? null : collectionOf(wallet.id, reference)),
      );
    const references = Array.from({ length: 501 }, (_, i) => `PAGE-${String(i).padStart(3, '0')}`);
    await addCredits(wallet.id, references.slice(0, 500));
    const full = (await reconcile()).tally;
    expect([full.matched.count, full.unknownToBank.count, full.difference]).toEqual([500, 0, 0n]);

    await addCredits(wallet.id, references.slice(500));
    asking.mockClear();
    const more = (await reconcile()).tally;
    expect([more.matched.count, more.unknownToBank.count, more.difference]).toEqual([500, 1, 1_000n]);
    expect(asking.mock.calls.map(([reference]) => reference)).toEqual(references);
    expect(
      await service.query('SELECT kind, wallet_id FROM operator_cases WHERE subject = $1', ['PAGE-500']),
    ).toEqual([{ kind: 'topup-unknown-to-bank', wallet_id: wallet.id }]);
  });
});
