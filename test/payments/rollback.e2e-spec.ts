import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { LedgerStore } from '../../src/contexts/ledger/ledger.store.js';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import { SettlementStore } from '../../src/contexts/settlement/settlement.store.js';
import { WalletSpendingStore } from '../../src/contexts/wallet/wallet-spending.store.js';
import { brokenInvariants } from '../support/invariants.js';
import { chargeBody, startService, type TestService, until } from '../support/service.js';

/** A payout of the sandbox bank to this account is taken on, and fails two seconds later. */
const FAILS_LATER = '9000000002';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

describe('a handler that throws inside the transaction', () => {
  const books = async ({ id }: { id: string }) => ({
    wallet: await service.query('SELECT balance, updated_at FROM wallets WHERE id = $1', [id]),
    transactions: await service.query('SELECT id FROM transactions WHERE wallet_id = $1', [id]),
    ledger: await service.query('SELECT id FROM ledger_entries WHERE wallet_id = $1', [id]),
    settlements: await service.query('SELECT reference FROM settlements WHERE wallet_id = $1', [id]),
    merchants: await service.query('SELECT id FROM wallet_merchants WHERE wallet_id = $1', [id]),
    transfers: await service.query('SELECT id FROM inbound_transfers WHERE wallet_id = $1', [id]),
    jobs: await service.query<{ count: string }>('SELECT id FROM graphile_worker.jobs ORDER BY id'),
  });

  it.each([
    ['the ledger', LedgerStore, 'append'],
    ['the settlement', SettlementStore, 'open'],
    ['the merchants', WalletSpendingStore, 'remember'],
    ['the debit', WalletSpendingStore, 'recordAttempts'],
  ] as const)('rolls everything of the payment back: %s', async (_, store, method) => {
    const wallet = await service.fundedWallet(5_000);
    await service.settled();
    await until(async () => (await service.query('SELECT 1 FROM graphile_worker.jobs')).length === 0);
    const before = await books(wallet);
    const target = service.app.get<LedgerStore>(store, { strict: false });
    jest.spyOn(target, method as 'append').mockImplementationOnce(() => {
      throw new Error('out of ink');
    });
    const { status, body, text } = await service.pay(wallet.key);
    expect([status, body.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(text).not.toContain('out of ink');
    expect(await books(wallet)).toEqual(before);
    expect((await service.pay(wallet.key)).status).toBe(201);
  });

  it('fails the payment it belongs to and not its neighbours in the batch', async () => {
    const wallets = await Promise.all(Array.from({ length: 4 }, () => service.fundedWallet(5_000)));
    const ledger = service.app.get(LedgerStore, { strict: false });
    const append = ledger.append.bind(ledger);
    jest.spyOn(ledger, 'append').mockImplementation((entries, tx) => {
      if (entries.some(({ walletId }) => walletId === wallets[2]!.id)) throw new Error('out of ink');
      append(entries, tx);
    });
    const answers = await Promise.all(wallets.map(({ key }) => service.pay(key)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 500, 201]);
    jest.restoreAllMocks();
    expect(await Promise.all(wallets.map(async (wallet) => (await service.stats(wallet)).balance))).toEqual([
      4_000, 4_000, 5_000, 4_000,
    ]);
  });

  it('keeps one settlement from ending and not the others that the bank was asked for with it', async () => {
    const wallets = await Promise.all(Array.from({ length: 3 }, () => service.fundedWallet(5_000)));
    const ids = wallets.map(({ id }) => id);
    const faulty = wallets[1]!.id;
    for (const { key } of wallets) await service.pay(key, { recipientAccountNo: FAILS_LATER });
    await until(async () => {
      const accepted = await service.query(
        'SELECT 1 FROM settlements WHERE poll_count > 0 AND wallet_id = ANY ($1)',
        [ids],
      );
      return accepted.length === wallets.length;
    });
    await service.query(`UPDATE sandbox_payouts SET accepted_at = accepted_at - interval '1 minute'`);
    await service.query(
      `CREATE FUNCTION out_of_ink() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF NEW.wallet_id = '${faulty}' THEN RAISE 'out of ink'; END IF; RETURN NEW; END $$`,
    );
    await service.query(
      'CREATE TRIGGER out_of_ink BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION out_of_ink()',
    );
    // Due in one statement, so that whoever takes them takes all three.
    const dueNow = async (): Promise<void> => {
      await service.query(
        `UPDATE settlements SET next_poll_at = clock_timestamp()
          WHERE status = 'processing' AND wallet_id = ANY ($1)`,
        [ids],
      );
      await service.app.get(SettlementService, { strict: false }).processDue();
    };
    const balances = () => Promise.all(wallets.map(async (wallet) => (await service.stats(wallet)).balance));
    await dueNow();
    await until(async () => (await balances()).filter((balance) => balance === 5_000).length === 2);
    expect(await balances()).toEqual([5_000, 4_000, 5_000]);
    const state = () =>
      service.query(
        'SELECT status, poll_count, next_poll_at > clock_timestamp() AS waits FROM settlements WHERE wallet_id = $1',
        [faulty],
      );
    await until(async () => {
      const [row] = (await state()) as { poll_count: number }[];
      return row!.poll_count > 1;
    });
    expect(await state()).toEqual([{ status: 'processing', poll_count: 2, waits: true }]);
    await service.query('DROP FUNCTION out_of_ink CASCADE');
    await dueNow();
    await until(async () => (await balances())[1] === 5_000);
    expect(await balances()).toEqual([5_000, 5_000, 5_000]);
  });

  it('rolls a top-up back, so that its next delivery credits', async () => {
    const wallet = await service.createWallet();
    const before = await books(wallet);
    const ledger = service.app.get(LedgerStore, { strict: false });
    jest.spyOn(ledger, 'append').mockImplementationOnce(() => {
      throw new Error('out of ink');
    });
    const body = chargeBody(wallet.id, { amount: 5 });
    expect((await service.webhook(body)).status).toBe(500);
    expect(await books(wallet)).toEqual(before);
    expect((await service.webhook(body)).status).toBe(200);
    expect((await service.stats(wallet)).balance).toBe(500);
  });
});
