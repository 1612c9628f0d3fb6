import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CreatedWallet, startService, type TestService, until } from '../support/service.js';

/** A payment that waits for its wallet is decided by what is true of its key then. */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const waiting = async (): Promise<boolean> => {
  const found = await service.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return found.length > 0;
};

/** Pays while another transaction holds the wallet, which then changes its key as `change` says; answers the payment. */
async function paidMeanwhile(wallet: CreatedWallet, change: string): Promise<number> {
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [wallet.id]);
    const answer = service.pay(wallet.key);
    await until(waiting);
    await holder.query(`UPDATE api_keys SET ${change} WHERE wallet_id = $1`, [wallet.id]);
    await holder.query('COMMIT');
    return (await answer).status;
  } finally {
    await holder.end();
  }
}

const attempts = async (wallet: CreatedWallet): Promise<number> =>
  (await service.history(wallet)).data.length;

describe('a payment that waits for its wallet', () => {
  it('is refused when its key was revoked in the meantime, and leaves nothing', async () => {
    const wallet = await service.fundedWallet(100_000);
    expect(await paidMeanwhile(wallet, 'revoked_at = clock_timestamp()')).toBe(401);
    expect(await attempts(wallet)).toBe(0);
    expect((await service.stats(wallet)).balance).toBe(100_000);
  });

  it('is refused when its key expired in the meantime', async () => {
    const wallet = await service.fundedWallet(100_000);
    expect(await paidMeanwhile(wallet, `expires_at = clock_timestamp() - interval '1 millisecond'`)).toBe(
      401,
    );
    expect(await attempts(wallet)).toBe(0);
  });

  it('is decided as usual when its key still lives', async () => {
    const wallet = await service.fundedWallet(100_000);
    expect(await paidMeanwhile(wallet, `expires_at = clock_timestamp() + interval '1 minute'`)).toBe(201);
    expect(await attempts(wallet)).toBe(1);
  });
});
