import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { brokenInvariants } from '../support/invariants.js';
import { account, change, changesOf, recipient, registerPayee } from '../support/payees.js';
import {
  type Answer,
  type CreatedWallet,
  FAR_AHEAD,
  type PaymentAnswer,
  startService,
  type TestService,
} from '../support/service.js';

const HOUR_MS = 3_600_000;
const START = new Date('2026-01-01T00:00:00.000Z');
const [A, B, C] = ['0000000011', '0000000022', '0000000033'];

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService({ clock: true });
  other = await startService({ beside: one });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await one.setClock(null);
  expect(await brokenInvariants(one)).toEqual({});
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const at = (hours: number, ms = 0): Promise<void> =>
  one.setClock(new Date(START.getTime() + hours * HOUR_MS + ms));
const outcome = ({ status, body }: Answer<PaymentAnswer>): string =>
  status === 201 ? 'approved' : `${status} ${body.code}`;
const REFUSED = '403 COOLING_OFF';
const send = (key: string, accountNo: string, amount: number, service = one) =>
  service.pay(key, { amount, merchantName: 'Acme', ...recipient(accountNo) });
const pay = async (key: string, accountNo: string, amount: number, service = one): Promise<string> =>
  outcome(await send(key, accountNo, amount, service));
/** A wallet, and a key of it, that were made at the start; the clock stands there. */
const newWallet = async (coolingOff?: object): Promise<CreatedWallet> => {
  await at(0);
  const wallet = await one.createWallet(await one.signUp());
  await one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
  await one.topUp(wallet.id, 10_000_000);
  if (coolingOff) expect(await change(one, wallet, { coolingOff })).toBe(200);
  return wallet;
};
const rotate = async (
  { id, owner }: CreatedWallet,
  fields: object,
): Promise<{ status: number; key: string }> => {
  const { status, body } = await one.post<{ data?: { apiKey: { fullKey: string } } }>(
    `/api/wallets/${id}/keys`,
    {
      token: owner.token,
      body: { name: 'next', ...fields },
    },
  );
  return { status, key: body.data?.apiKey.fullKey ?? '' };
};

const KEYS = { newKeyHours: 24, newKeyCap: 1_000 };
const PAYEES = { newPayeeHours: 12, newPayeeCap: 500 };

describe('the settings of cooling off', () => {
  it('are hours and a cap, of keys, of payees, or of both; they are shown, and on record', async () => {
    const wallet = await newWallet();
    for (const [coolingOff, answer] of [
      [{}, 'VALIDATION_ERROR'],
      [{ newKeyHours: 24 }, 'VALIDATION_ERROR'],
      [{ ...KEYS, newPayeeCap: 1 }, 'VALIDATION_ERROR'],
      [{ newKeyHours: 0, newKeyCap: 1 }, 'VALIDATION_ERROR'],
      [{ newKeyHours: 8_761, newKeyCap: 1 }, 'VALIDATION_ERROR'],
      [{ newKeyHours: 24, newKeyCap: 0 }, 'VALIDATION_ERROR'],
      ['24', 'VALIDATION_ERROR'],
      [{ ...KEYS, newPayeeHours: null, more: 1 }, 200],
      [{ ...KEYS, ...PAYEES }, 200],
      [null, 200],
    ] as const) {
      expect([coolingOff, await change(one, wallet, { coolingOff })]).toEqual([coolingOff, answer]);
    }
    expect((await changesOf(one, wallet)).map(({ before, after }) => [before, after])).toEqual([
      [{ coolingOff: null }, { coolingOff: KEYS }],
      [{ coolingOff: KEYS }, { coolingOff: { ...KEYS, ...PAYEES } }],
      [{ coolingOff: { ...KEYS, ...PAYEES } }, { coolingOff: null }],
    ]);
    await change(one, wallet, { coolingOff: PAYEES });
    const { body } = await one.get<{ data: { wallet: object } }>(`/api/wallets/${wallet.id}`, {
      token: wallet.owner.token,
    });
    expect(body.data.wallet).toMatchObject({ coolingOff: PAYEES });
  });
});

describe('a new key', () => {
  it('pays its cap in its first hours, and anything at the very instant at which they have passed', async () => {
    const wallet = await newWallet(KEYS);
    expect(await pay(wallet.key, A, 1_001)).toBe(REFUSED);
    expect(await pay(wallet.key, A, 600)).toBe('approved');
    await at(24, -1);
    expect(await pay(wallet.key, B, 401, other)).toBe(REFUSED);
    const { body } = await send(wallet.key, B, 401);
    const until = new Date(START.getTime() + 24 * HOUR_MS).toISOString();
    expect(body).toMatchObject({
      code: 'COOLING_OFF',
      message: `The amount 401 is more than may be paid while the key cools off: 400 kobo until ${until}.`,
      details: { limit: 400, actual: 401, coolingOff: 'key', earliestPassAt: until },
    });
    expect(await pay(wallet.key, B, 400, other)).toBe('approved');
    expect(await pay(wallet.key, B, 1)).toBe(REFUSED);
    await at(24);
    expect(await pay(wallet.key, B, 100_000, other)).toBe('approved');
    const [paid, , , , refused] = (await one.history(wallet)).data;
    expect(paid?.auditEvents.map(({ detail }) => detail.check)).not.toContain('COOLING_OFF');
    expect(refused?.auditEvents[6]).toMatchObject({
      type: 'check.failed',
      detail: { check: 'COOLING_OFF', limit: 400, actual: 401, coolingOff: 'key', earliestPassAt: until },
    });
  });

  it('of a rotation is new, unless the owner says that it takes over the age', async () => {
    const wallet = await newWallet(KEYS);
    expect(await pay(wallet.key, A, 900)).toBe('approved');
    await at(12);
    const [fresh, heir] = [
      await rotate(wallet, { graceSeconds: 1_000_000 }),
      await rotate(wallet, { graceSeconds: 1_000_000, inheritAge: true }),
    ];
    expect((await rotate(wallet, { inheritAge: true })).status).toBe(400);
    expect([await pay(fresh.key, A, 1_000), await pay(fresh.key, A, 1)]).toEqual(['approved', REFUSED]);
    expect([await pay(heir.key, A, 101), await pay(heir.key, A, 100)]).toEqual([REFUSED, 'approved']);
    await at(24);
    expect([await pay(fresh.key, A, 1), await pay(heir.key, A, 5_000)]).toEqual([REFUSED, 'approved']);
    // What was inherited is inherited again.
    const next = await rotate(wallet, { graceSeconds: 0, inheritAge: true });
    expect([await pay(next.key, A, 5_000), await pay(heir.key, A, 1)]).toEqual([
      'approved',
      '401 INVALID_API_KEY',
    ]);
    const created = (await changesOf(one, wallet)).filter(({ action }) => action === 'key.created');
    expect(created.map(({ after }) => after.inheritAge)).toEqual([undefined, true, true]);
  });

  it('is not made where it should take over the age of a key, and replaces none that pays', async () => {
    const wallet = await newWallet(KEYS);
    const keys = await one.get<{ data: { id: string }[] }>(`/api/wallets/${wallet.id}/keys`, {
      token: wallet.owner.token,
    });
    const [dead] = keys.body.data;
    await rotate(wallet, { graceSeconds: 0 });
    await at(24);
    const asked = { graceSeconds: 0, inheritAge: true, replaces: dead!.id };
    expect((await rotate(wallet, asked)).status).toBe(400);
    const { status, key } = await rotate(wallet, { ...asked, inheritAge: false });
    expect([status, await pay(key, A, 1_001)]).toEqual([201, REFUSED]);
    const created = (await changesOf(one, wallet)).filter(({ action }) => action === 'key.created');
    expect(created.map(({ after }) => after.inheritAge)).toEqual([undefined, undefined]);
  });

  it('takes over the age of the oldest that it replaces, which may be one that was made later', async () => {
    const wallet = await newWallet(KEYS);
    const keys = await one.get<{ data: { id: string }[] }>(`/api/wallets/${wallet.id}/keys`, {
      token: wallet.owner.token,
    });
    await at(1);
    await rotate(wallet, { graceSeconds: 1_000_000 });
    await at(2);
    await rotate(wallet, { graceSeconds: 0, inheritAge: true, replaces: keys.body.data[0]!.id });
    await at(3);
    // It replaces one of the second hour that is as old as the wallet, and one of the first hour.
    const { key } = await rotate(wallet, { graceSeconds: 0, inheritAge: true });
    await at(24, -1);
    expect(await pay(key, A, 1_001)).toBe(REFUSED);
    await at(24);
    expect(await pay(key, A, 5_000)).toBe('approved');
  });

  it('and two of its kind together pay no more than a cap each, however many pay at once on two replicas', async () => {
    const wallet = await newWallet(KEYS);
    const second = await rotate(wallet, {});
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => pay(i % 4 < 2 ? wallet.key : second.key, A, 100, either(i))),
    );
    expect(answers.filter((each) => each === 'approved')).toHaveLength(20);
    expect(answers.filter((each) => each === REFUSED)).toHaveLength(30);
    expect((await one.stats(wallet)).spentThisPeriod).toBe(2_000);
  });
});

describe('a new payee', () => {
  it('is paid its cap in the hours from the first approved payment, whatever merchant is named', async () => {
    const wallet = await newWallet(PAYEES);
    expect(await pay(wallet.key, A, 501)).toBe(REFUSED);
    await at(100);
    expect(await pay(wallet.key, A, 300)).toBe('approved');
    await at(112, -1);
    const named = (amount: number) =>
      other.pay(wallet.key, { amount, merchantName: 'Another name', ...recipient(A) });
    expect(outcome(await named(201))).toBe(REFUSED);
    expect(await pay(wallet.key, B, 500)).toBe('approved');
    expect([outcome(await named(200)), outcome(await named(1))]).toEqual(['approved', REFUSED]);
    await at(112);
    expect([await pay(wallet.key, A, 5_000, other), await pay(wallet.key, B, 1)]).toEqual([
      'approved',
      REFUSED,
    ]);
  });

  it('cools off from its registration, where that is earlier', async () => {
    const wallet = await newWallet(PAYEES);
    const { payee } = (await registerPayee(one, wallet, { merchantName: 'Acme', ...account(A) })).body.data;
    const registeredMs = Date.parse(payee.createdAt) - START.getTime();
    await at(1);
    expect(await pay(wallet.key, A, 1)).toBe('approved');
    await at(12, registeredMs - 1);
    expect(await pay(wallet.key, A, 501)).toBe(REFUSED);
    await at(12, registeredMs);
    expect([await pay(wallet.key, A, 501), await pay(wallet.key, B, 501)]).toEqual(['approved', REFUSED]);
  });

  it('is none where the wallet paid it as a merchant before the rule was there', async () => {
    const wallet = await newWallet();
    expect(await pay(wallet.key, A, 5_000)).toBe('approved');
    // What was paid is taken over also where other rules were there already.
    expect(await change(one, wallet, { approvalThreshold: 1_000_000 })).toBe(200);
    await at(11);
    expect(await change(other, wallet, { coolingOff: PAYEES })).toBe(200);
    // Its age counts, and what it was paid before does not.
    expect([await pay(wallet.key, A, 501), await pay(wallet.key, A, 500)]).toEqual([REFUSED, 'approved']);
    await at(12);
    expect([await pay(wallet.key, A, 5_000), await pay(wallet.key, C, 501)]).toEqual(['approved', REFUSED]);
  });

  it('was paid nothing before the rule was there, though new keys had theirs', async () => {
    const wallet = await newWallet(KEYS);
    expect(await pay(wallet.key, A, 900)).toBe('approved');
    expect(await change(one, wallet, { coolingOff: PAYEES })).toBe(200);
    expect([await pay(wallet.key, A, 501), await pay(wallet.key, A, 500)]).toEqual([REFUSED, 'approved']);
  });

  it('is as old as the first payment to it, whatever merchants were named and however often the rule is set', async () => {
    const wallet = await newWallet();
    const named = async (merchantName: string, accountNo: string, amount: number) =>
      outcome(await one.pay(wallet.key, { amount, merchantName, ...recipient(accountNo) }));
    const payees = async (coolingOff: object | null) =>
      expect(await change(one, wallet, { coolingOff })).toBe(200);
    expect(await named('First', A, 10)).toBe('approved');
    await at(1);
    expect(await named('Acme', C, 10)).toBe('approved');
    expect(await named('A second', A, 10)).toBe('approved');
    await payees(PAYEES);
    await at(2);
    // Acme was first paid at another account: this one is known to the rule alone.
    expect(await named('Acme', B, 10)).toBe('approved');
    await payees(null);
    await at(5);
    for (const accountNo of [A, B]) expect(await named('Another', accountNo, 10)).toBe('approved');
    expect(await named('A third', B, 10)).toBe('approved');
    await payees(PAYEES);
    await at(12, -1);
    expect(await named('First', A, 501)).toBe(REFUSED);
    await at(12);
    expect(await named('First', A, 501)).toBe('approved');
    await at(14, -1);
    expect(await named('Acme', B, 501)).toBe(REFUSED);
    await at(14);
    expect(await named('Acme', B, 501)).toBe('approved');
  });

  it('is paid its cap and no more, however many pay it at once on two replicas, with several keys', async () => {
    const wallet = await newWallet(PAYEES);
    const second = await rotate(wallet, {});
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        pay(i % 4 < 2 ? wallet.key : second.key, i % 2 === 0 ? A : B, 50, either(Math.floor(i / 2))),
      ),
    );
    const approvedTo = (parity: number) =>
      answers.filter((each, i) => each === 'approved' && i % 2 === parity).length;
    expect([approvedTo(0), approvedTo(1)]).toEqual([10, 10]);
    expect(answers.filter((each) => each === REFUSED)).toHaveLength(30);
  });
});

describe('cooling off', () => {
  it('holds for the very next payment on the other replica, and ends with the rule', async () => {
    const wallet = await newWallet();
    expect(await pay(wallet.key, A, 5_000, other)).toBe('approved');
    expect(await change(one, wallet, { coolingOff: { ...KEYS, ...PAYEES } })).toBe(200);
    expect([await pay(wallet.key, B, 501, other), await pay(wallet.key, B, 500, other)]).toEqual([
      REFUSED,
      'approved',
    ]);
    expect(await change(one, wallet, { coolingOff: KEYS })).toBe(200);
    expect([await pay(wallet.key, B, 501, other), await pay(wallet.key, B, 500, other)]).toEqual([
      REFUSED,
      'approved',
    ]);
    expect(await change(one, wallet, { coolingOff: null })).toBe(200);
    expect(await pay(wallet.key, C, 5_000, other)).toBe('approved');
  });

  it('gives back once what the bank did not pay', async () => {
    const wallet = await newWallet({ ...KEYS, ...PAYEES });
    jest
      .spyOn(one.app.get(Bank, { strict: false }), 'startPayout')
      .mockResolvedValue({ kind: 'failed', reason: 'no such account' });
    jest
      .spyOn(other.app.get(Bank, { strict: false }), 'startPayout')
      .mockResolvedValue({ kind: 'failed', reason: 'no such account' });
    expect([await pay(wallet.key, A, 500), await pay(wallet.key, B, 500)]).toEqual(['approved', 'approved']);
    await one.settled();
    expect((await one.ledger(wallet)).data.filter(({ type }) => type === 'refund')).toHaveLength(2);
    jest.restoreAllMocks();
    const again = [await pay(wallet.key, A, 500), await pay(wallet.key, B, 500), await pay(wallet.key, C, 1)];
    expect(again).toEqual(['approved', 'approved', REFUSED]);
    // The clock of the payee runs on from the first payment that was approved.
    await at(13);
    expect(await pay(wallet.key, A, 1)).toBe(REFUSED);
    expect(await change(one, wallet, { coolingOff: PAYEES })).toBe(200);
    expect(await pay(wallet.key, A, 5_000)).toBe('approved');
  });

  it('gives it back to every key that took it over, and to no other what it pays itself', async () => {
    const wallet = await newWallet(KEYS);
    const rotated = async () => (await rotate(wallet, { graceSeconds: 1_000_000, inheritAge: true })).key;
    const rotations = Promise.withResolvers<true>();
    jest.spyOn(one.app.get(Bank, { strict: false }), 'startPayout').mockImplementation(async ({ amount }) => {
      await rotations.promise;
      return amount % 10 === 1 ? { kind: 'failed', reason: 'no such account' } : { kind: 'succeeded' };
    });
    expect([await pay(wallet.key, A, 301), await pay(wallet.key, A, 400)]).toEqual(['approved', 'approved']);
    const second = await rotated();
    const third = await rotated();
    // In its grace the first pays on, on its own account.
    expect(await pay(wallet.key, A, 101)).toBe('approved');
    rotations.resolve(true);
    await one.settled();
    expect((await one.ledger(wallet)).data.filter(({ type }) => type === 'refund')).toHaveLength(2);
    for (const key of [wallet.key, second, third]) {
      expect([await pay(key, B, 602), await pay(key, B, 600), await pay(key, B, 2)]).toEqual([
        REFUSED,
        'approved',
        REFUSED,
      ]);
    }
  });

  it('gives it back to a key that took it over from one that had taken it over', async () => {
    const wallet = await newWallet(KEYS);
    const rotations = Promise.withResolvers<true>();
    jest.spyOn(one.app.get(Bank, { strict: false }), 'startPayout').mockImplementation(async () => {
      await rotations.promise;
      return { kind: 'failed', reason: 'no such account' };
    });
    expect(await pay(wallet.key, A, 600)).toBe('approved');
    await rotate(wallet, { graceSeconds: 0, inheritAge: true });
    const { key } = await rotate(wallet, { graceSeconds: 0, inheritAge: true });
    expect(await pay(key, A, 401)).toBe(REFUSED);
    rotations.resolve(true);
    await one.settled();
    jest.restoreAllMocks();
    expect([await pay(key, A, 1_001), await pay(key, A, 1_000)]).toEqual([REFUSED, 'approved']);
  });

  it('comes after the six checks and the payee', async () => {
    const wallet = await newWallet({ ...KEYS, ...PAYEES });
    expect(await change(one, wallet, { payeePolicy: 'strict', spendLimitPerTx: 9_000 })).toBe(200);
    expect(await pay(wallet.key, A, 9_001)).toBe('403 SPEND_LIMIT_PER_TX_EXCEEDED');
    expect(await pay(wallet.key, A, 9_000)).toBe('403 PAYEE_NOT_ALLOWED');
    await registerPayee(one, wallet, { merchantName: 'Acme', ...account(A) });
    expect(await pay(wallet.key, A, 9_000)).toBe(REFUSED);
    expect(await pay(wallet.key, A, 500)).toBe('approved');
  });
});
