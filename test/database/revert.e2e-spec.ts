import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrationSource } from '../../src/platform/database/migrate.js';
import { revertNewest } from '../../src/platform/database/revert.js';
import { approvalIn, askAbove, decide } from '../support/approvals.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';

describe('the revert of a migration', () => {
  let service: TestService;
  let wallet: CreatedWallet;

  beforeEach(async () => {
    service = await startService();
    wallet = await service.fundedWallet(10_000);
  });
  afterEach(() => service.close());

  async function revert(losesData = false): Promise<string[]> {
    const url = service.databaseUrl;
    const lines: string[] = [];
    await revertNewest({ ownerUrl: url, serviceUrl: url }, (line) => lines.push(line), { losesData });
    // The session of a revert just before may still be ending.
    return lines.filter((line) => !line.startsWith('Migrations wait for another session'));
  }

  /** Stops the service and reverts by hand until `name` is the newest migration. */
  async function stopAt(name: string): Promise<void> {
    // The reminder of an approval waits for days.
    const due = 'SELECT 1 FROM graphile_worker.jobs WHERE run_at <= now() OR attempts > 0';
    await until(async () => (await service.query(due)).length === 0);
    await service.app.close();
    const source = await migrationSource(service.databaseUrl).initialize();
    const newest = async (): Promise<string> =>
      (await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id DESC LIMIT 1'))[0]
        ?.name ?? '';
    while (!(await newest()).startsWith(name)) await source.undoLastMigration();
    await source.destroy();
  }

  it('is refused while a service is connected, whatever may be lost', async () => {
    await expect(revert(true)).rejects.toThrow(/^A service works on this database \(process \d+/);
  });

  it('is refused while a payment waits that would count as approved, whatever may be lost', async () => {
    await askAbove(service, wallet, 500);
    expectStatus(202, await service.pay(wallet.key, { amount: 1_000 }));
    await stopAt('Approvals1764530000000');
    await expect(revert(true)).rejects.toThrow(
      'Approvals1764530000000 stays: there are 1 payments that wait for approval, which would count as approved; ' +
        '1 wallets with money on hold, which would be free. Decide, end or remove them with this release first.',
    );
    expect(await service.query('SELECT approval FROM transactions')).toEqual([{ approval: 'pending' }]);
  });

  it('names what it loses, and is carried out where that is meant', async () => {
    await askAbove(service, wallet, 500);
    const asked = expectStatus(202, await service.pay(wallet.key, { amount: 1_000 }));
    await decide(service, wallet, approvalIn(asked).id, 'approve');
    await stopAt('Approvals1764530000000');
    const losses =
      '1 rows of transactions.approval; 1 rows of transactions.approval_decided_at; ' +
      '1 rows of transactions.approval_decided_by; 1 rows of transactions.approval_expires_at';
    await expect(revert()).rejects.toThrow(
      new RegExp(`^Reverting Approvals1764530000000 loses ${losses}\\. If that is meant: .* --lose-data$`),
    );
    expect(await service.query('SELECT approval FROM transactions')).toEqual([{ approval: 'approved' }]);
    expect(await revert(true)).toEqual([
      expect.stringMatching(`^Approvals\\d+ is reverted; lost: ${losses}\\.$`),
    ]);
    await expect(service.query('SELECT approval FROM transactions')).rejects.toThrow('does not exist');
  });

  it('is refused while a key with limits would spend without them', async () => {
    const { token } = wallet.owner;
    expectStatus(
      201,
      await service.post(`/api/wallets/${wallet.id}/keys`, {
        token,
        body: { name: 'limited', limits: { spendLimitPerTx: 500 } },
      }),
    );
    await stopAt('PaymentRules1764510000000');
    await expect(revert(true)).rejects.toThrow('1 API keys with limits, which would spend without them');
  });

  it('counts rows that it deletes or changes', async () => {
    await service.query(
      `INSERT INTO wallet_payees (wallet_id, merchant, account_number, bank_code, id, merchant_name, origin, created_at, history_id)
       VALUES ('${wallet.id}', 'shop', '0123456789', '058', gen_random_uuid(), 'Shop', 'first_use', now(), gen_random_uuid())`,
    );
    await stopAt('PayeesOfLimitedKeys');
    await expect(revert()).rejects.toThrow(
      'loses 1 rows of wallet_payees.history_id; 1 rows of wallet_payees. If that is meant',
    );
  });

  it('asks for nothing where nothing is lost', async () => {
    await stopAt('BlockedAttemptLimits');
    expect(await revert()).toEqual([
      expect.stringMatching(/^BlockedAttemptLimits\d+ is reverted, and nothing is lost\.$/),
    ]);
  });
});
