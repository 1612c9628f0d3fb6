import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Bank, type Collection } from '../../src/contexts/bank/bank.port.js';
import { type CollectionTally, FundingReconciliation } from '../../src/contexts/funding/funding.reconcile.js';
import { kobo } from '../../src/kernel/money.js';
import { collectionOf } from '../support/reconciling.js';
import { chargeBody, type CreatedWallet, startService, type TestService } from '../support/service.js';

/** What is on record of money that came in, beside what the bank has of it: one wallet, and what a test has the bank say. */

const HOUR_MS = 60 * 60_000;

let service: TestService;
/** Older than every `wallet`, and so before all that a test goes through. */
let older: CreatedWallet;
let wallet: CreatedWallet;
/** What the bank lists of the account of the wallet, and what it answers for one that it does not list. */
let listed: readonly Collection[];
let known: ReadonlyMap<string, Collection>;

beforeAll(async () => {
  service = await startService();
  older = await service.createWallet();
});
beforeEach(async () => {
  wallet = await service.createWallet();
  [listed, known] = [[], new Map()];
  const bank = service.app.get(Bank, { strict: false });
  const { accountNumber } = wallet.virtualAccount;
  jest.spyOn(bank, 'listCollections').mockImplementation(async function* (account) {
    yield* await Promise.resolve(account === accountNumber ? listed : []);
  });
  jest
    .spyOn(bank, 'getCollection')
    .mockImplementation((reference) => Promise.resolve(known.get(reference) ?? null));
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => service.close());

const collection = (reference: string, fields: Partial<Collection> = {}): Collection =>
  collectionOf(wallet.id, reference, fields);
/** The bank tells of ₦10.00 by its webhook. */
const told = (reference: string, fields: object = {}, walletId = wallet.id) =>
  service.webhook(chargeBody(walletId, { reference, amount: 10, ...fields }));
/** Goes through this wallet alone. */
async function reconcile(): Promise<CollectionTally> {
  const [before] = await service.query<{ id: string }>(
    'SELECT wallet_id AS id FROM virtual_accounts WHERE wallet_id < $1 ORDER BY 1 DESC LIMIT 1',
    [wallet.id],
  );
  const range = { from: new Date(Date.now() - HOUR_MS), to: new Date(Date.now() + HOUR_MS) };
  const reconciliation = service.app.get(FundingReconciliation, { strict: false });
  return (await reconciliation.run(range, { after: before?.id ?? null })).tally;
}
const casesOf = (subject: string) =>
  service.query('SELECT kind, wallet_id FROM operator_cases WHERE subject = $1', [subject]);
const whatOf = ({ findings }: CollectionTally) => findings.list.map(({ what }) => what);

describe('a transfer that the bank lists', () => {
  it('is credited now where all that is on record of it matched no wallet', async () => {
    const reference = randomUUID();
    expect((await told(reference, {}, randomUUID())).status).toBe(400);
    listed = [collection(reference)];
    const tally = await reconcile();
    expect([tally.creditedNow.count, tally.conflicts.count, tally.difference]).toEqual([1, 0, 0n]);
    expect(await service.stats(wallet)).toMatchObject({ balance: 1_000 });
    // The case that the first delivery opened is closed by the credit.
    expect(await casesOf(reference)).toEqual([{ kind: 'transfer-unmatched', wallet_id: null }]);
    const open = await service.query(
      'SELECT 1 FROM operator_cases WHERE subject = $1 AND closed_at IS NULL',
      [reference],
    );
    expect(open).toEqual([]);
  });

  it('agrees with its credit, whatever was delivered under its reference beside that', async () => {
    const reference = randomUUID();
    await told(reference);
    await told(reference, { amount: 11 });
    listed = [collection(reference)];
    const tally = await reconcile();
    expect([tally.matched.count, tally.conflicts.count, tally.difference]).toEqual([1, 0, 0n]);
  });

  it('is another one in another currency, and the same one in small letters', async () => {
    const [same, other] = [randomUUID(), randomUUID()];
    for (const reference of [same, other]) await told(reference);
    listed = [collection(same, { currency: 'ngn' }), collection(other, { currency: 'USD' })];
    const tally = await reconcile();
    expect([tally.matched.count, tally.conflicts.count]).toEqual([1, 1]);
    expect(whatOf(tally)).toEqual(['on record with another amount, wallet or currency']);
    expect(await casesOf(other)).toEqual([{ kind: 'transfer-conflict', wallet_id: wallet.id }]);
  });

  it('is another one where its credit went to another wallet', async () => {
    const reference = randomUUID();
    await told(reference, {}, older.id);
    listed = [collection(reference)];
    const tally = await reconcile();
    expect([tally.matched.count, tally.conflicts.count, tally.difference]).toEqual([0, 1, 0n]);
    expect(await casesOf(reference)).toEqual([{ kind: 'transfer-conflict', wallet_id: older.id }]);
    expect(await service.stats(wallet)).toMatchObject({ balance: 0 });
  });

  it('is compared once where pages repeat it, and is a conflict where another amount has its reference', async () => {
    const [known, missed] = [randomUUID(), randomUUID()];
    await told(known);
    listed = [known, missed].flatMap((reference) => {
      const [one, other] = [collection(reference), collection(reference, { amount: kobo(1_500) })];
      return [one, other, one, other];
    });
    const tally = await reconcile();
    expect([tally.listed.count, tally.matched.count, tally.creditedNow.count, tally.conflicts.count]).toEqual(
      [4, 1, 1, 2],
    );
    for (const reference of [known, missed])
      expect(await casesOf(reference)).toEqual([{ kind: 'transfer-conflict', wallet_id: wallet.id }]);
    expect(await service.stats(wallet)).toMatchObject({ balance: 2_000 });
  });

  it('lacks whole where it is held, though both sides say the same of it', async () => {
    const reference = randomUUID();
    await told(reference, { currency: 'USD' });
    listed = [collection(reference, { currency: 'USD' })];
    const tally = await reconcile();
    expect([tally.held.count, tally.matched.count, tally.difference]).toEqual([1, 0, -1_000n]);
    expect(whatOf(tally)).toEqual(['held for the operator']);
  });

  it('with another amount than the one that is held lacks whole: none of it was credited', async () => {
    const reference = randomUUID();
    await told(reference, { currency: 'USD' });
    listed = [collection(reference, { amount: kobo(1_500) })];
    const tally = await reconcile();
    expect([tally.conflicts.count, tally.difference]).toEqual([1, -1_500n]);
  });
});

describe('a transfer that the bank does not list', () => {
  it('is not asked for where it is held, since nothing was credited', async () => {
    const reference = randomUUID();
    await told(reference, { currency: 'USD' });
    const tally = await reconcile();
    expect([tally.unknownToBank.count, tally.difference, whatOf(tally)]).toEqual([0, 0n, []]);
    expect(await casesOf(reference)).toEqual([{ kind: 'transfer-held', wallet_id: wallet.id }]);
  });

  it('and has with another amount when it is asked is a conflict, with what the books have too much', async () => {
    const reference = randomUUID();
    await told(reference);
    known = new Map([[reference, collection(reference, { amount: kobo(400) })]]);
    const tally = await reconcile();
    expect([tally.listed.kobo, tally.conflicts.kobo, tally.difference]).toEqual([400n, 400n, 600n]);
    expect(whatOf(tally)).toEqual(['the bank has it with another amount, wallet or currency']);
    expect(await casesOf(reference)).toEqual([{ kind: 'transfer-conflict', wallet_id: wallet.id }]);
  });

  it('is looked for in the time that is compared, the beginning of it included and its end not', async () => {
    const reference = randomUUID();
    await told(reference);
    const at = new Date();
    await service.query('UPDATE inbound_transfers SET received_at = $2 WHERE reference = $1', [
      reference,
      at,
    ]);
    const reconciliation = service.app.get(FundingReconciliation, { strict: false });
    const unknown = async (from: number, to: number): Promise<number> => {
      const range = { from: new Date(at.getTime() + from), to: new Date(at.getTime() + to) };
      return (await reconciliation.run(range)).tally.unknownToBank.count;
    };
    expect([await unknown(0, 1), await unknown(-1, 0), await unknown(1, 2)]).toEqual([1, 0, 0]);
  });
});

it('a failure that is not the bank’s silence ends the reconciliation, and is no account that was not read', async () => {
  jest.spyOn(service.app.get(Bank, { strict: false }), 'listCollections').mockImplementation(
    // eslint-disable-next-line require-yield
    async function* () {
      await Promise.resolve();
      throw new TypeError('not a function');
    },
  );
  await expect(reconcile()).rejects.toThrow('not a function');
});
