import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkBooks } from '../../scripts/backup/books.js';
import { withClient } from '../support/database.js';
import { SENT_BACK, SentBack } from '../support/sent-back.js';
import { type CreatedWallet, expectStatus, startService, type TestService } from '../support/service.js';
import { withdraw } from '../support/withdrawals.js';

/** The verdict of a restore, by damage that leaves each balance the sum of its entries. */

const REFUSED = '9000000001';

let service: TestService;
let bank: SentBack;
beforeAll(async () => {
  service = await startService({ env: { AUTO_REFUND_RETURNED: 'true' } });
  bank = new SentBack(service);
});
afterAll(() => service.close());

async function wrong(): Promise<readonly string[]> {
  let found: readonly string[] = [];
  await withClient(service.databaseUrl, async (client) => {
    found = (await checkBooks(client, () => undefined)).wrong;
  });
  return found;
}

/** Runs statements with `$1` for the wallet past the triggers that keep history as it is, as damage does. */
async function damage({ id }: CreatedWallet, ...statements: string[]): Promise<void> {
  await withClient(service.databaseUrl, async (client) => {
    await client.query('SET session_replication_role = replica');
    for (const statement of statements) await client.query(statement.replaceAll('$1', `'${id}'`));
  });
}

const lose = (type: string, kobo: number): string[] => [
  `DELETE FROM ledger_entries WHERE wallet_id = $1 AND type = '${type}'`,
  `UPDATE wallets SET balance = balance + ${kobo}, entry_count = entry_count - 1 WHERE id = $1`,
];
const invent = (type: string, kobo: number, source = 'NULL'): string[] => [
  `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, transaction_id, reference, source, created_at)
   SELECT id, entry_count + 1, gen_random_uuid(), '${type}', ${Math.abs(kobo)}, balance + ${kobo},
          ${type === 'topup' ? 'NULL' : 'gen_random_uuid()'}, gen_random_uuid()::text, ${source}, now() FROM wallets WHERE id = $1`,
  `UPDATE wallets SET balance = balance + ${kobo}, entry_count = entry_count + 1 WHERE id = $1`,
];

async function paid(recipientAccountNo: string): Promise<CreatedWallet> {
  const wallet = await service.fundedWallet(100_000);
  expectStatus(201, await service.pay(wallet.key, { amount: 1_000, recipientAccountNo }));
  await service.settled();
  return wallet;
}

const DEBITS = /payments and withdrawals lack their debit/;
const REFUNDS = /payouts lack their refund/;
const TOPUPS = /credited transfers lack their top-up/;
const TRANSFERS = /transfers between wallets are not one debit and one top-up/;
const TOTALS = /transactions have a gap or a wrong running total/;

describe('the books computed again', () => {
  it('agree after payments, refunds, withdrawals, returned payouts and transfers', async () => {
    const wallet = await paid(REFUSED);
    const other = await service.createWallet(wallet.owner);
    await bank.returned(wallet, 2_000);
    await withdraw(service, wallet, 3_000, REFUSED);
    await bank.ends(await withdraw(service, wallet, 4_000, SENT_BACK), 'succeeded');
    const body = { toWalletId: other.id, amount: 500 };
    const { token } = wallet.owner;
    expectStatus(201, await service.post(`/api/wallets/${wallet.id}/transfers`, { token, body }));
    await service.settled();
    expect(await wrong()).toEqual([]);
  });

  it.each<[string, RegExp, () => Promise<CreatedWallet>, string[]]>([
    ['a debit of no payment', DEBITS, () => service.fundedWallet(5_000), invent('debit', -700)],
    ['a refund that was lost', REFUNDS, () => paid(REFUSED), lose('refund', -1_000)],
    ['a refund of a payout that was paid', REFUNDS, () => paid('0123456789'), invent('refund', 1_000)],
    ['a top-up that was lost', TOPUPS, () => service.fundedWallet(5_000), lose('topup', -5_000)],
    ['a top-up of no transfer', TOPUPS, () => service.createWallet(), invent('topup', 800)],
    ['half of a transfer', TRANSFERS, () => service.createWallet(), invent('topup', 900, `'transfer'`)],
    [
      'a wallet that forgot what it spent',
      TOTALS,
      () => paid('0123456789'),
      ['UPDATE wallets SET spent_total = 0 WHERE id = $1'],
    ],
  ])('find %s', async (_, line, make, statements) => {
    const wallet = await make();
    expect((await wrong()).join()).not.toContain(wallet.id);
    await damage(wallet, ...statements);
    const found = (await wrong()).filter((each) => each.includes(wallet.id));
    expect(found).toEqual([expect.stringMatching(line)]);
  });
});
