import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApprovalsService } from '../../src/contexts/payments/approvals/approvals.service.js';
import { SpendableWallets } from '../../src/contexts/wallet/wallet.port.js';
import { lapseAll, payPending } from '../support/approvals.js';
import { ApprovalsDesk, outcome } from '../support/approvals-desk.js';
import { type CreatedWallet, expectStatus, type TestService, until } from '../support/service.js';

const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
const desk = new ApprovalsDesk();
const { approve, askingWallet, attempt, deny, held, list, moveTo } = desk;

let one: TestService;
let other: TestService;

beforeAll(async () => {
  ({ one, other } = await desk.start());
});
afterEach(() => desk.check());
afterAll(() => desk.close());

describe('an approval without a decision', () => {
  it('can be approved up to the last millisecond and never after, whether or not the task has run', async () => {
    const wallet = await askingWallet(50_000);
    const [first, second, third] = [
      await payPending(one, wallet, { amount: 2_000 }),
      await payPending(one, wallet, { amount: 3_000 }),
      await payPending(one, wallet, { amount: 4_000 }),
    ];
    // Nobody looks for lapsed ones but who decides.
    const idle = jest.spyOn(ApprovalsService.prototype, 'expireDue').mockResolvedValue();
    try {
      await moveTo(Date.parse(first.expiresAt) - 1);
      expect(outcome(await approve(wallet, first.id))).toBe('approved');
      await moveTo(desk.nowMs + 1);
      expect(outcome(await approve(wallet, second.id))).toBe('409 APPROVAL_ALREADY_DECIDED');
      expect(outcome(await deny(wallet, third.id))).toBe('409 APPROVAL_ALREADY_DECIDED');
    } finally {
      idle.mockRestore();
    }
    const { data } = await list(wallet);
    expect(data.map(({ status, decidedBy }) => [status, decidedBy])).toEqual([
      ['expired', null],
      ['expired', null],
      ['approved', wallet.owner.id],
    ]);
    expect(await one.stats(wallet)).toMatchObject({ balance: 48_000, held: 0 });
  });

  it('is denied by closing its wallet up to the last millisecond, and has lapsed after it', async () => {
    const wallets = [await askingWallet(10_000), await askingWallet(10_000)] as const;
    const asked = [
      await payPending(one, wallets[0], { amount: 7_000 }),
      await payPending(one, wallets[1], { amount: 7_000 }),
    ] as const;
    await one.query('UPDATE transactions SET approval_expires_at = $1 WHERE id = ANY ($2)', [
      asked[0].expiresAt,
      asked.map(({ id }) => id),
    ]);
    const close = async ({ id, owner: { token } }: CreatedWallet) =>
      expectStatus(200, await one.post(`/api/wallets/${id}/close`, { token, body: { payoutTo: ACCOUNT } }));
    // Nobody looks for lapsed ones but who closes.
    const idle = jest.spyOn(ApprovalsService.prototype, 'expireDue').mockResolvedValue();
    try {
      await moveTo(Date.parse(asked[0].expiresAt) - 1);
      await close(wallets[0]);
      await moveTo(desk.nowMs + 1);
      await close(wallets[1]);
    } finally {
      idle.mockRestore();
    }
    const ends = [(await list(wallets[0])).data[0], (await list(wallets[1])).data[0]];
    expect(ends).toMatchObject([
      { status: 'denied', decidedBy: wallets[0].owner.id, note: 'The wallet was closed.' },
      { status: 'expired', decidedBy: null, note: null },
    ]);
    for (const wallet of wallets) expect((await one.stats(wallet)).balance).toBe(0);
  });

  it('lapses also while that of another wallet can not', async () => {
    const [stuck, free] = [await askingWallet(10_000), await askingWallet(10_000)];
    const first = await payPending(one, stuck, { amount: 7_000 });
    await moveTo(desk.nowMs + 1);
    const second = await payPending(one, free, { amount: 7_000 });
    const [locks] = [one, other].map(({ app }) => app.get(SpendableWallets, { strict: false }));
    const { lockById } = locks!;
    const lock = jest
      .spyOn(Object.getPrototypeOf(locks) as SpendableWallets, 'lockById')
      .mockImplementation(function (this: SpendableWallets, id, tx) {
        return id === stuck.id ? Promise.reject(new Error('out of order')) : lockById.call(this, id, tx);
      });
    try {
      await moveTo(Date.parse(second.expiresAt));
      await one.app.get(ApprovalsService).expireDue();
      expect((await list(free)).data[0]).toMatchObject({ id: second.id, status: 'expired' });
      expect((await list(stuck)).data[0]).toMatchObject({ id: first.id, status: 'pending' });
    } finally {
      lock.mockRestore();
    }
    await lapseAll(one);
    expect((await list(stuck)).data[0]).toMatchObject({ id: first.id, status: 'expired' });
  });

  it('lapses though a wallet in which a hundred are overdue can not let go of them', async () => {
    const [stuck, sound] = [await askingWallet(300_000), await askingWallet(50_000)];
    const waiting = await Promise.all(
      Array.from({ length: 100 }, () => payPending(one, stuck, { amount: 2_000 })),
    );
    const { id, expiresAt } = await payPending(one, sound, { amount: 2_000 });
    const hold = (kobo: number) => one.query('UPDATE wallets SET held = $2 WHERE id = $1', [stuck.id, kobo]);
    await hold(199_999);
    await moveTo(Math.max(...[expiresAt, ...waiting.map((each) => each.expiresAt)].map(Date.parse)));
    await one.app.get(ApprovalsService).expireDue();
    expect((await attempt(sound, id)).blockReason).toBe('APPROVAL_EXPIRED');
    expect(await held(sound)).toMatchObject({ held: 0, available: 50_000 });
    await hold(200_000);
    await lapseAll(one);
    expect(await held(stuck)).toMatchObject({ held: 0, available: 300_000 });
  });

  it('lapses by itself: blocked, released, and its allowance given back', async () => {
    const wallet = await askingWallet(10_000, { spendLimitPerTx: 9_000, spendLimitPeriod: 10_000 });
    const { id, expiresAt } = await payPending(one, wallet, { amount: 8_000 });
    await moveTo(Date.parse(expiresAt));
    await until(async () => (await attempt(wallet, id)).decision === 'blocked');
    expect(await attempt(wallet, id)).toMatchObject({ blockReason: 'APPROVAL_EXPIRED', settlement: null });
    expect(await one.stats(wallet)).toMatchObject({ balance: 10_000, held: 0, spentThisPeriod: 0 });
    const { token } = wallet.owner;
    const days = await one.get<{ data: { blocked: number }[] }>(
      `/v1/wallets/${wallet.id}/spend-by-day?days=3`,
      { token },
    );
    expect(days.body.data.reduce((sum, { blocked }) => sum + blocked, 0)).toBe(1);
    await payPending(one, wallet, { amount: 9_000 });
  });
});
