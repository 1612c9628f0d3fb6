import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FundingService } from '../../src/contexts/funding/funding.service.js';
import { kobo } from '../../src/kernel/money.js';
import { brokenInvariants } from '../support/invariants.js';
import { chargeBody, type CreatedWallet, startService, type TestService, until } from '../support/service.js';

const MAX = Number.MAX_SAFE_INTEGER;
const NOT_FOUND = { error: { code: 'WALLET_NOT_FOUND', message: expect.any(String) } };

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

const balance = async ({ id }: { id: string }): Promise<number> => {
  const [row] = await service.query<{ balance: string }>('SELECT balance FROM wallets WHERE id = $1', [id]);
  return Number(row?.balance);
};
/** What is on record under a reference. */
const recorded = (reference: string) =>
  service.query<{ status: string; deliveries: number; body: string }>(
    'SELECT status, deliveries, body FROM inbound_transfers WHERE reference = $1 ORDER BY received_at, id',
    [reference],
  );
const statuses = async (reference: string) => (await recorded(reference)).map(({ status }) => status);
/** The operator's cases under a reference. */
const cases = (subject: string) =>
  service.query<{ kind: string; wallet_id: string; description: string; closed_at: Date | null }>(
    'SELECT kind, wallet_id, description, closed_at FROM operator_cases WHERE subject = $1 ORDER BY kind',
    [subject],
  );
const everything = async (): Promise<number> =>
  (await service.query('SELECT 1 FROM inbound_transfers')).length;
/** A charge whose amount stands in the body exactly as written here. */
const withAmount = (walletId: string, amount: string, data: Record<string, unknown> = {}): string =>
  JSON.stringify(chargeBody(walletId, { ...data, amount: '@' })).replace('"@"', amount);
/** One of the four shapes a refused body can have at most. */
const fieldsRefused = async (body: unknown): Promise<unknown> => {
  const before = await everything();
  const answer = await service.webhook<{ error: { code: string; errors: { field: string }[] } }>(body);
  expect(await everything()).toBe(before);
  if (answer.status !== 400) return answer.status;
  expect(answer.body.error.code).toBe('VALIDATION_ERROR');
  return answer.body.error.errors.map(({ field }) => field);
};

describe('a charge that succeeded', () => {
  it('credits the wallet exactly and writes one top-up with its reference and narration', async () => {
    const wallet = await service.createWallet();
    const { status, body } = await service.webhook(chargeBody(wallet.id, { reference: 'KPY-exact' }));
    expect([status, body]).toEqual([200, { status: 'success', message: expect.any(String) }]);
    expect((await service.ledger(wallet)).data).toEqual([
      {
        id: expect.any(String),
        walletId: wallet.id,
        type: 'topup',
        amount: 105_055,
        balanceAfter: 105_055,
        transactionId: null,
        reference: 'KPY-exact',
        narration: 'For the agent',
        createdAt: expect.any(String),
      },
    ]);
    expect(await balance(wallet)).toBe(105_055);
  });

  it('needs no authentication, and takes no more fields than it must', async () => {
    const wallet = await service.createWallet();
    const data = {
      reference: randomUUID(),
      amount: 5,
      currency: 'NGN',
      virtual_bank_account: { account_reference: wallet.id },
    };
    expect((await service.webhook({ event: 'charge.success', data })).status).toBe(200);
    expect((await service.ledger(wallet)).data[0]).toMatchObject({ amount: 500, narration: null });
  });

  it('finds the wallet whatever the case of its id, and the currency in any case', async () => {
    const wallet = await service.createWallet();
    await service.webhook(chargeBody(wallet.id.toUpperCase(), { amount: 1, currency: 'ngn' }));
    expect(await balance(wallet)).toBe(100);
  });

  it('credits a wallet that is suspended or expired: money that arrived is never dropped', async () => {
    const wallet = await service.createWallet();
    await service.query(`UPDATE wallets SET status = 'SUSPENDED', expiry = '2020-01-01' WHERE id = $1`, [
      wallet.id,
    ]);
    await service.topUp(wallet.id, 700);
    expect(await balance(wallet)).toBe(700);
  });

  it.each([
    ['0.01', 1],
    ['1050.55', 105_055],
    ['19.99', 1_999],
    ['4.35', 435],
    ['10.500', 1_050],
    ['10.50000000000000000000', 1_050],
    ['1e2', 10_000],
    ['1.5E+1', 1_500],
    ['123456e-2', 123_456],
    ['21474836.47', 2_147_483_647],
    ['21474836.48', 2_147_483_648],
    ['70368744177664.01', 7_036_874_417_766_401],
    ['90071992547409.91', MAX],
  ])('of %s naira is credited as exactly %d kobo', async (text, kobo) => {
    const wallet = await service.createWallet();
    expect((await service.webhook(withAmount(wallet.id, text))).status).toBe(200);
    expect(
      (await service.ledger(wallet)).data.map(({ amount, balanceAfter }) => [amount, balanceAfter]),
    ).toEqual([[kobo, kobo]]);
  });

  it.each([
    '0',
    '0.00',
    '-0',
    '-5',
    '-0.01',
    '0.001',
    '10.505',
    '1050.555',
    '1e-3',
    '1e-7',
    '90071992547409.92',
    '9007199254740993',
    '1e308',
    '1e400',
    '"1050.50"',
    'true',
    'null',
    '[5]',
    '{}',
    '{"text":"5"}',
    '""',
  ])('of %s naira is refused, and nothing is stored', async (text) => {
    const wallet = await service.createWallet();
    expect(await fieldsRefused(withAmount(wallet.id, text))).toEqual(['data.amount']);
    expect(await balance(wallet)).toBe(0);
  });
});

describe('the same reference again', () => {
  it('is answered 200 and credited once', async () => {
    const wallet = await service.createWallet();
    const body = chargeBody(wallet.id);
    for (let i = 0; i < 3; i += 1) expect((await service.webhook(body)).status).toBe(200);
    expect(await balance(wallet)).toBe(105_055);
  });

  it('is credited once when fifty deliveries of it arrive at once', async () => {
    const wallet = await service.createWallet();
    const body = chargeBody(wallet.id, { reference: 'fifty' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.webhook(body)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
    expect((await service.ledger(wallet)).pagination.totalCount).toBe(1);
    expect(await balance(wallet)).toBe(105_055);
    expect(await recorded('fifty')).toMatchObject([{ status: 'credited', deliveries: 50 }]);
  });

  it('is the same transfer whatever else of it is written in another way', async () => {
    const wallet = await service.createWallet();
    const data = { reference: 'rewritten', narration: 'first' };
    await service.webhook(withAmount(wallet.id, '10.5', data));
    await service.webhook(
      withAmount(wallet.id.toUpperCase(), '1050e-2', { ...data, narration: 'second', currency: 'ngn' }),
    );
    expect(await statuses('rewritten')).toEqual(['credited']);
    expect(await balance(wallet)).toBe(1_050);
  });

  it.each([
    ['amount', { amount: 9_999 }],
    ['currency', { currency: 'USD' }],
  ])('with another %s is answered 200, not credited, and recorded as a conflict', async (what, change) => {
    const wallet = await service.createWallet();
    const reference = `other ${what}`;
    await service.webhook(chargeBody(wallet.id, { reference }));
    for (let i = 0; i < 2; i += 1) {
      expect((await service.webhook(chargeBody(wallet.id, { reference, ...change }))).status).toBe(200);
    }
    expect(await balance(wallet)).toBe(105_055);
    expect(await recorded(reference)).toMatchObject([
      { status: 'credited', deliveries: expect.any(Number) },
      { status: 'conflict', deliveries: 2 },
    ]);
  });

  it('for another wallet is a conflict, also when that wallet does not exist', async () => {
    const [wallet, another] = [await service.createWallet(), await service.createWallet()];
    const reference = 'other wallet';
    await service.webhook(chargeBody(wallet.id, { reference }));
    for (const id of [another.id, randomUUID(), 'no wallet']) {
      expect((await service.webhook(chargeBody(id, { reference }))).status).toBe(200);
    }
    expect([await balance(wallet), await balance(another)]).toEqual([105_055, 0]);
    expect(await statuses(reference)).toEqual(['credited', 'conflict', 'conflict', 'conflict']);
  });

  it('with different contents at once credits one of them, and the rest are conflicts', async () => {
    const wallets = [await service.createWallet(), await service.createWallet()] as const;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        service.webhook(
          chargeBody(wallets[i % 2 === 0 ? 0 : 1].id, { reference: 'race', amount: 1 + (i % 4) }),
        ),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const rows = await recorded('race');
    expect(rows.filter(({ status }) => status === 'credited')).toHaveLength(1);
    expect(rows.filter(({ status }) => status === 'conflict')).toHaveLength(3);
    const [credited] = rows.filter(({ status }) => status === 'credited');
    const { data } = JSON.parse(credited!.body) as { data: { amount: number } };
    expect((await balance(wallets[0])) + (await balance(wallets[1]))).toBe(data.amount * 100);
  });

  it('with another content is on record in columns, and its case names both sides', async () => {
    const [wallet, another] = [await service.createWallet(), await service.createWallet()];
    const reference = 'both sides';
    await service.webhook(chargeBody(wallet.id, { reference }));
    await service.webhook(chargeBody(another.id.toUpperCase(), { reference, amount: 7.5, currency: 'usd' }));
    await service.webhook(chargeBody('no wallet', { reference, amount: 8 }));
    expect(
      await service.query(
        `SELECT wallet_id, account_reference, amount, currency FROM inbound_transfers
          WHERE reference = $1 AND status = 'conflict' ORDER BY amount`,
        [reference],
      ),
    ).toEqual([
      { wallet_id: another.id, account_reference: another.id, amount: '750', currency: 'USD' },
      { wallet_id: null, account_reference: 'no wallet', amount: '800', currency: 'NGN' },
    ]);
    const [opened, ...more] = await cases(reference);
    expect([opened, more]).toMatchObject([{ kind: 'transfer-conflict', wallet_id: wallet.id }, []]);
    for (const part of ['105055 kobo', wallet.id, '800 kobo', 'no wallet']) {
      expect(opened!.description).toContain(part);
    }
  });

  it('with another content opens the case again that was closed, also as the very same delivery', async () => {
    const wallet = await service.createWallet();
    const reference = 'closed too early';
    await service.webhook(chargeBody(wallet.id, { reference }));
    const conflicting = chargeBody(wallet.id, { reference, amount: 2 });
    for (const body of [conflicting, conflicting, chargeBody(wallet.id, { reference, amount: 3 })]) {
      await service.query('UPDATE operator_cases SET closed_at = now() WHERE subject = $1', [reference]);
      await service.webhook(body);
      expect(await cases(reference)).toMatchObject([{ closed_at: null }]);
    }
    expect((await cases(reference))[0]!.description).toContain('300 kobo');
  });

  it('that the bank’s books have otherwise opens a closed case again once, not every day', async () => {
    const wallet = await service.createWallet();
    const reference = 'otherwise in the books';
    await service.webhook(chargeBody(wallet.id, { reference }));
    const find = (amount: number) =>
      service.app.get(FundingService, { strict: false }).creditMissedCollection({
        ...{ reference, accountReference: wallet.id, amount: kobo(amount), currency: 'NGN' },
        ...{ narration: null, at: null },
      });
    const close = () =>
      service.query('UPDATE operator_cases SET closed_at = now() WHERE subject = $1', [reference]);
    for (const amount of [200, 300]) {
      expect(await find(amount)).toBe('conflict');
      expect(await cases(reference)).toMatchObject([{ closed_at: null }]);
      await close();
      expect(await find(amount)).toBe('conflict');
      expect(await cases(reference)).toMatchObject([{ closed_at: expect.any(Date) }]);
    }
    expect(await balance(wallet)).toBe(105_055);
  });

  it('that the bank takes back in its status is on record as a conflict with a case, and moves nothing', async () => {
    const wallet = await service.createWallet();
    const reference = 'taken back';
    await service.webhook(chargeBody(wallet.id, { reference }));
    expect((await service.webhook(chargeBody(wallet.id, { reference, status: 'reversed' }))).status).toBe(
      200,
    );
    expect(await statuses(reference)).toEqual(['credited', 'conflict']);
    expect(await cases(reference)).toMatchObject([
      { kind: 'transfer-conflict', description: expect.stringContaining('reversed') },
    ]);
    expect(await balance(wallet)).toBe(105_055);
  });

  it('under another payment reference, or another reference altogether, is judged by its reference alone', async () => {
    const wallet = await service.createWallet();
    await service.webhook(chargeBody(wallet.id, { reference: 'one', payment_reference: 'p' }));
    await service.webhook(chargeBody(wallet.id, { reference: 'one', payment_reference: 'q' }));
    await service.webhook(chargeBody(wallet.id, { reference: 'two', payment_reference: 'p' }));
    expect(await balance(wallet)).toBe(2 * 105_055);
  });
});

describe('a reference that matches no wallet', () => {
  it.each([['a UUID'], ['no UUID']])(
    'is answered 400 WALLET_NOT_FOUND and recorded as unmatched: %s',
    async (kind) => {
      const reference = `unmatched ${kind}`;
      const id = kind === 'a UUID' ? randomUUID() : `x' OR 1=1`;
      // Also where it is delivered again: what is on record of it so far is no transfer.
      for (let i = 0; i < 2; i += 1) {
        const { status, body } = await service.webhook(chargeBody(id, { reference }));
        expect([status, body]).toEqual([400, NOT_FOUND]);
      }
      expect(await statuses(reference)).toEqual(['unmatched']);
    },
  );

  it('does not keep a later delivery from being credited, once', async () => {
    const wallet = await service.createWallet();
    const reference = 'unmatched first';
    expect((await service.webhook(chargeBody(randomUUID(), { reference, amount: 1 }))).status).toBe(400);
    for (let i = 0; i < 2; i += 1) {
      expect((await service.webhook(chargeBody(wallet.id, { reference }))).status).toBe(200);
    }
    expect(await balance(wallet)).toBe(105_055);
    expect(await statuses(reference)).toEqual(['unmatched', 'credited']);
  });

  it('opens one case, also at once and again, which the delivery that credits it closes', async () => {
    const wallet = await service.createWallet();
    const reference = 'unmatched with a case';
    const other = randomUUID();
    const description = `105055 kobo in NGN for the account reference "${other}", which is no wallet's`;
    const lost = chargeBody(other, { reference });
    await Promise.all(Array.from({ length: 10 }, () => service.webhook(lost)));
    const open = { kind: 'transfer-unmatched', wallet_id: null, description, closed_at: null };
    expect(await cases(reference)).toEqual([open]);

    const closed = { ...open, closed_at: expect.any(Date) };
    await service.query('UPDATE operator_cases SET closed_at = now() WHERE subject = $1', [reference]);
    await service.webhook(lost);
    expect(await cases(reference)).toEqual([closed]);
    await service.webhook(chargeBody(other, { reference, amount: 7 }));
    expect(await cases(reference)).toMatchObject([
      { description: expect.stringMatching(/^700 kobo/), closed_at: null },
    ]);

    expect((await service.webhook(chargeBody(wallet.id, { reference }))).status).toBe(200);
    expect(await cases(reference)).toEqual([
      {
        ...closed,
        description: `700 kobo in NGN for the account reference "${other}", which is no wallet's; credited since, for the wallet ${wallet.id}`,
      },
    ]);
  });

  it('has its case closed and another one opened by a delivery that is held', async () => {
    const wallet = await service.createWallet();
    const reference = 'unmatched, then held';
    await service.webhook(chargeBody(randomUUID(), { reference }));
    await service.webhook(chargeBody(wallet.id, { reference, currency: 'USD' }));
    expect(await cases(reference)).toMatchObject([
      { kind: 'transfer-held', closed_at: null },
      {
        kind: 'transfer-unmatched',
        closed_at: expect.any(Date),
        description: expect.stringMatching(/; held since/),
      },
    ]);
  });

  it('comes before the currency: an unknown wallet is 400 also for dollars', async () => {
    const answer = await service.webhook(chargeBody(randomUUID(), { currency: 'USD' }));
    expect([answer.status, answer.body]).toEqual([400, NOT_FOUND]);
  });
});

describe('the status of a charge', () => {
  it.each(['failed', 'REVERSED', ' Pending ', 'processing'])(
    '%j contradicts its event: 200, held and not credited, and a case says so',
    async (status) => {
      const wallet = await service.createWallet();
      const reference = `status ${status}`;
      for (let i = 0; i < 2; i += 1) {
        expect((await service.webhook(chargeBody(wallet.id, { reference, status }))).status).toBe(200);
      }
      expect(await balance(wallet)).toBe(0);
      expect(await recorded(reference)).toMatchObject([{ status: 'held', deliveries: 2 }]);
      expect(await cases(reference)).toMatchObject([
        { kind: 'transfer-held', wallet_id: wallet.id, description: expect.stringContaining(status.trim()) },
      ]);
    },
  );

  it.each([
    null,
    '',
    'success',
    'processed',
    'Processed OK',
    'settled',
    'cancelled',
    'x'.repeat(5_000),
    '\u0000',
  ])('%j is no reason not to credit it', async (status) => {
    const wallet = await service.createWallet();
    expect((await service.webhook(chargeBody(wallet.id, { status }))).status).toBe(200);
    expect(await balance(wallet)).toBe(105_055);
  });

  it('comes after the wallet: a charge of none is 400 also when it failed', async () => {
    const answer = await service.webhook(chargeBody(randomUUID(), { status: 'failed' }));
    expect([answer.status, answer.body]).toEqual([400, NOT_FOUND]);
  });

  it('that held a charge by mistake costs nothing: released, the next delivery is credited once', async () => {
    const wallet = await service.createWallet();
    const reference = 'released';
    await service.webhook(chargeBody(wallet.id, { reference, status: 'pending' }));
    // As docs/bank.md tells the operator to do it.
    await service.query(
      `UPDATE inbound_transfers SET status = 'unmatched' WHERE reference = $1 AND status = 'held'`,
      [reference],
    );
    for (let i = 0; i < 2; i += 1) await service.webhook(chargeBody(wallet.id, { reference }));
    expect(await balance(wallet)).toBe(105_055);
    expect((await statuses(reference)).toSorted()).toEqual(['credited', 'unmatched']);
  });
});

describe('a narration', () => {
  it.each([
    ['of 1,000 characters is kept whole', '🛒'.repeat(1_000), '🛒'.repeat(1_000)],
    ['past 1,000 characters is cut', '🛒'.repeat(1_001), `${'🛒'.repeat(999)}…`],
    ['that cannot be stored loses only what cannot', 'a\u0000b\ud800', 'a\ufffdb\ufffd'],
  ])('%s, and the money is credited', async (_, narration, kept) => {
    const wallet = await service.createWallet();
    expect((await service.webhook(chargeBody(wallet.id, { narration }))).status).toBe(200);
    expect((await service.ledger(wallet)).data).toMatchObject([{ amount: 105_055, narration: kept }]);
  });
});

it('a delivery behind a byte order mark is credited', async () => {
  const wallet = await service.createWallet();
  expect((await service.webhook(`\ufeff${JSON.stringify(chargeBody(wallet.id))}`)).status).toBe(200);
  expect(await balance(wallet)).toBe(105_055);
});

describe('a charge that a wallet cannot take', () => {
  it.each(['USD', 'usd', 'NGX', 'NG₦', '₦₦₦'])(
    'in %s is answered 200, held and not credited',
    async (currency) => {
      const wallet = await service.createWallet();
      const reference = `in ${currency}`;
      for (let i = 0; i < 2; i += 1) {
        expect((await service.webhook(chargeBody(wallet.id, { reference, currency }))).status).toBe(200);
      }
      expect(await balance(wallet)).toBe(0);
      expect(await recorded(reference)).toMatchObject([{ status: 'held', deliveries: 2 }]);
      expect((await service.ledger(wallet)).data).toEqual([]);
    },
  );

  it('is a conflict when its reference was held with other contents', async () => {
    const wallet = await service.createWallet();
    await service.webhook(chargeBody(wallet.id, { reference: 'held once', currency: 'USD' }));
    await service.webhook(chargeBody(wallet.id, { reference: 'held once', currency: 'NGN' }));
    const elsewhere = chargeBody(randomUUID(), { reference: 'held once', currency: 'USD' });
    expect((await service.webhook(elsewhere)).status).toBe(200);
    expect(await statuses('held once')).toEqual(['held', 'conflict', 'conflict']);
    expect(await balance(wallet)).toBe(0);
  });

  it('past what a balance holds is answered 200 and held whole; one kobo less is credited', async () => {
    const wallet = await service.createWallet();
    await service.webhook(withAmount(wallet.id, '90071992547409.00'));
    const reference = 'does not fit';
    for (let i = 0; i < 2; i += 1) {
      expect((await service.webhook(withAmount(wallet.id, '0.92', { reference }))).status).toBe(200);
    }
    expect(await recorded(reference)).toMatchObject([{ status: 'held', deliveries: 2 }]);
    expect(await cases(reference)).toMatchObject([
      { kind: 'transfer-held', wallet_id: wallet.id, description: expect.stringContaining('balance') },
    ]);
    expect(await balance(wallet)).toBe(MAX - 91);
    await service.webhook(withAmount(wallet.id, '0.91'));
    expect(await balance(wallet)).toBe(MAX);
    await service.webhook(withAmount(wallet.id, '0.01'));
    expect(await balance(wallet)).toBe(MAX);
    expect((await service.stats(wallet)).balance).toBe(MAX);
  });
});

describe('another event', () => {
  it.each(['charge.failed', 'Charge.Success', 'transfer.success', ' charge.success', '__proto__', ''])(
    '(%j) is answered 200, recorded, and has no effect',
    async (event) => {
      const wallet = await service.createWallet();
      const before = await everything();
      const body = { ...chargeBody(wallet.id), event };
      expect((await service.webhook(body)).status).toBe(200);
      expect((await service.webhook({ event, data: 'not looked at', nonce: wallet.id })).status).toBe(200);
      expect(await everything()).toBe(before + 2);
      expect(await balance(wallet)).toBe(0);
    },
  );

  it.each([{}, { event: null }, { event: 7 }, { event: ['charge.success'] }, { event: { toString: 1 } }])(
    'that is no string is refused: %j',
    async (body) => {
      expect(await fieldsRefused(body)).toEqual(['event']);
    },
  );

  it.each(['[]', 'null', '"charge.success"', '7', '', 'true'])(
    'in a body that is no object is refused: %j',
    async (body) => {
      expect(await fieldsRefused(body)).toEqual(['event']);
    },
  );
});

describe('events without effect, which anyone may send,', () => {
  const ignored = () =>
    service.query<{ body: string }>(`SELECT body FROM inbound_transfers WHERE status = 'ignored'`);

  it('take at most 10,000 rows of 4 KiB: one more replaces the oldest', async () => {
    await service.query(`DELETE FROM inbound_transfers WHERE status = 'ignored'`);
    await service.query(
      `INSERT INTO inbound_transfers (id, status, reason, body, body_hash, received_at, ignored_slot)
       SELECT gen_random_uuid(), 'ignored', 'another event', n::text, '\\x00', now(), n FROM generate_series(0, 9999) n`,
    );
    await service.query(`SELECT setval('inbound_ignored_slots', 9999, false)`);
    for (const nonce of ['last', 'first']) {
      const body = { event: 'charge.failed', nonce, padding: 'x'.repeat(60_000) };
      expect((await service.webhook(body)).status).toBe(200);
    }
    const bodies = (await ignored()).map(({ body }) => body);
    expect(bodies).toHaveLength(10_000);
    expect(bodies.filter((body) => body.includes('x')).map((body) => body.length)).toEqual([4_096, 4_096]);
    expect(['0', '1', '9998', '9999'].map((body) => bodies.includes(body))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('are purged by the daily job after 30 days, and no transfer with them', async () => {
    const wallet = await service.createWallet();
    const reference = await service.topUp(wallet.id, 100);
    await service.query(
      `UPDATE inbound_transfers SET received_at = now() - interval '29 days 23 hours' WHERE status = 'ignored'`,
    );
    await service.query(
      `UPDATE inbound_transfers SET received_at = now() - interval '30 days 1 hour'
        WHERE ignored_slot < 9000 OR reference = $1`,
      [reference],
    );
    await service.query(`SELECT graphile_worker.add_job('funding.purge-ignored-daily', '{}')`);
    await until(async () => (await ignored()).length === 1_000);
    expect(await statuses(reference)).toEqual(['credited']);
  });
});

describe('a payload that fails validation', () => {
  let wallet: CreatedWallet;
  beforeAll(async () => {
    wallet = await service.createWallet();
  });
  const refused = (data: Record<string, unknown>) => fieldsRefused(chargeBody(wallet.id, data));

  it('is answered with one entry for each field', async () => {
    expect(
      await refused({
        reference: 7,
        amount: '5',
        currency: 'NAIRA',
        virtual_bank_account: {},
        transaction_date: 'soon',
      }),
    ).toEqual([
      'data.reference',
      'data.amount',
      'data.currency',
      'data.virtual_bank_account.account_reference',
      'data.transaction_date',
    ]);
  });

  it.each([undefined, null, [], 'x', 7])('has data that is no object: %j', async (data) => {
    expect(await fieldsRefused({ event: 'charge.success', data })).toEqual(['data']);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an empty reference', { reference: '' }, 'data.reference'],
    ['a NUL in the reference', { reference: 'a\u0000' }, 'data.reference'],
    ['a lone surrogate in the reference', { reference: '\ud800' }, 'data.reference'],
    ['a narration that is no string', { narration: 5 }, 'data.narration'],
    ['a currency of 2 characters', { currency: 'NG' }, 'data.currency'],
    ['a currency of 4 characters', { currency: 'NGNN' }, 'data.currency'],
    ['a fee that is no number', { fee: '5' }, 'data.fee'],
    ['a date that is none', { transaction_date: '2026-02-30' }, 'data.transaction_date'],
    ['a payer that is no object', { payer_bank_account: 'Ada' }, 'data.payer_bank_account'],
    ['a customer whose e-mail is no string', { customer: { email: 5 } }, 'data.customer.email'],
    ['an account that is a list', { virtual_bank_account: [] }, 'data.virtual_bank_account'],
  ])('has %s', async (_, data, field) => {
    expect(await refused(data)).toContain(field);
  });

  it.each(['2026-11-21T06:30:00Z', '2026-11-21 06:30:00', '2026-11-21'])(
    'does not because of the date %s',
    async (date) => {
      expect(await refused({ transaction_date: date }).catch(() => 'stored')).toBe('stored');
    },
  );

  it.each([
    '{"event":"charge.success","__proto__":{"data":{}}}',
    '{"event":"charge.success","data":{"__proto__":{"amount":5}}}',
    '{"event":"x","constructor":{"prototype":{"a":1}}}',
    '{"event":"charge.success"',
    '{"event":"x",}',
    '\u0000{"event":"x"}',
    '\ufeff{"event":"charge.success"}',
  ])('is no JSON that may be read: %j', async (body) => {
    const before = await everything();
    const answer = await service.webhook<{ error: { code: string } }>(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(await everything()).toBe(before);
  });

  it('credits nothing', async () => {
    const [row] = await service.query<{ count: string }>(
      'SELECT count(*) FROM ledger_entries WHERE wallet_id = $1 AND amount <> 105055',
      [wallet.id],
    );
    expect(row?.count).toBe('0');
  });
});
