import { describe, expect, it, jest } from '@jest/globals';
import type { Bank, PayoutState } from '../../src/contexts/bank/bank.port.js';
import { FundingReconciliation } from '../../src/contexts/funding/funding.reconcile.js';
import { SettlementReconciliation } from '../../src/contexts/settlement/settlement.reconcile.js';
import { AppError } from '../../src/kernel/errors.js';
import { aroundNow, useBank } from '../support/reconciling.js';
import { type CreatedWallet, type TestService } from '../support/service.js';

/** Reconciliations with a bank that says nothing now and then: that is no finding, unless it lasts. */

const SILENCE: PayoutState = { kind: 'unknown', reason: 'no answer' };

let service: TestService;
let bank: Bank;
useBank((started, itsBank) => {
  [service, bank] = [started, itsBank];
});

describe('a payout that the bank is asked for', () => {
  const reconcile = () => service.app.get(SettlementReconciliation, { strict: false }).run(aroundNow());
  /** The bank answers so often nothing, and then that it paid. */
  const silentFor = (times: number) => {
    let asked = 0;
    return jest.spyOn(bank, 'getPayout').mockImplementation(() => {
      asked += 1;
      return Promise.resolve(asked > times ? ({ kind: 'succeeded' } as const) : SILENCE);
    });
  };

  it('is asked for three times before its silence is a finding, and a page of silence ends the run', async () => {
    const wallet = await service.fundedWallet(10_000);
    await service.pay(wallet.key);
    await service.settled();
    silentFor(2);
    const heard = (await reconcile()).tally;
    expect([heard.paid.count, heard.unanswered.count, heard.findings.list]).toEqual([1, 0, []]);
    jest.restoreAllMocks();
    const asking = silentFor(3);
    const silent = (await reconcile()).tally;
    expect([silent.paid.count, silent.unanswered.count, silent.findings.list.length]).toEqual([0, 1, 1]);
    expect(asking).toHaveBeenCalledTimes(3);
    jest.restoreAllMocks();
    await service.pay(wallet.key);
    await service.settled();
    silentFor(Infinity);
    await expect(reconcile()).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
  });
});

describe('the accounts whose collections the bank is asked for', () => {
  /** Goes through the accounts behind `after`, one by one; the bank lists nothing of these, and is silent on the rest. */
  const reconcile = (after: string, read: readonly CreatedWallet[]) => {
    const listed = new Set(read.map(({ virtualAccount }) => virtualAccount.accountNumber));
    const turns = new Map<number, () => void>();
    let [asked, done] = [0, 0];
    const turn = async (): Promise<void> => {
      const own = asked;
      asked += 1;
      if (own > done) await new Promise<void>((resolve) => turns.set(own, resolve));
    };
    // eslint-disable-next-line require-yield
    jest.spyOn(bank, 'listCollections').mockImplementation(async function* (accountNumber) {
      await turn();
      if (!listed.has(accountNumber)) throw new AppError('BANK_UNAVAILABLE', 'no answer');
    });
    const report = (accounts: number): void => {
      done = accounts;
      turns.get(done)?.();
    };
    return service.app.get(FundingReconciliation, { strict: false }).run(aroundNow(), { after, report });
  };

  it('may be silent ten in a row, and any number in all; the eleventh in a row ends the run', async () => {
    const owner = await service.signUp();
    const { id: before } = await service.createWallet(owner);
    const wallets: CreatedWallet[] = [];
    for (let i = 0; i < 23; i += 1) wallets.push(await service.createWallet(owner));
    const { tally } = await reconcile(before, [wallets[0]!, wallets[11]!, wallets[22]!]);
    expect([tally.accounts, tally.accountsUnread]).toEqual([23, 20]);
    jest.restoreAllMocks();
    await expect(reconcile(before, [wallets[0]!, wallets[12]!])).rejects.toMatchObject({
      code: 'BANK_UNAVAILABLE',
    });
  });
});
