import { expect } from '@jest/globals';
import type { ShownKey, World } from './world.js';

/** The service shows what the model has: balance and holds, allowance, settings and version, and every key. */
export async function expectSame(world: World): Promise<void> {
  const { service, wallet, model } = world;
  const { expiryMs, merchantAllowlist, ...settings } = model.settings;
  const { spendLimitPerTx, spendLimitPeriod, approvalThreshold } = settings;
  const { balance, held, available } = model;
  const [stats, { body }, keys] = await Promise.all([
    service.stats(wallet),
    world.owner<{ data: { wallet: { merchantAllowlist: readonly string[] } } }>('GET', ''),
    world.keys(),
  ]);
  expect(stats).toEqual({
    balance,
    spendLimitPerTx,
    spendLimitPeriod,
    spentThisPeriod: model.spent,
    remainingAllowance: model.allowance,
    ...((approvalThreshold != null || held > 0) && { held, available }),
  });
  const shown = body.data.wallet;
  expect(shown.merchantAllowlist.map((each) => each.toLowerCase())).toEqual(merchantAllowlist);
  expect(shown).toMatchObject({
    balance,
    status: model.status,
    version: model.version,
    expiry: new Date(expiryMs).toISOString(),
    // What is off is not shown.
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null)),
  });
  expectSameKeys(keys, world);
}

function expectSameKeys(keys: readonly ShownKey[], { model }: World): void {
  const expected = model.keys.map((key) => ({
    id: key.id,
    status: key.statusAt(model.nowMs),
    expiresMs: key.expiresMs,
    left: key.isLimited ? positive(key.leftAt(model.nowMs)) : undefined,
  }));
  const shown = keys.map(({ id, status, expiresAt, left }) => ({
    id,
    status,
    expiresMs: expiresAt === null ? null : Date.parse(expiresAt),
    left,
  }));
  expect(shown.toSorted(byId)).toEqual(expected.toSorted(byId));
}

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
const positive = (left: object): object =>
  Object.fromEntries(Object.entries(left).map(([name, value]) => [name, Math.max(0, value as number)]));

/** The service and the model have the same pages of the history and of both ledgers. */
export async function expectSamePages(world: World, pageSize: number): Promise<void> {
  const { service, wallet, purse, model, purseLedger } = world;
  const attempts = [...model.attempts].reverse();
  const entries = [...model.ledger.entries].reverse();
  for (let page = 1; page <= Math.ceil(Math.max(attempts.length, entries.length) / pageSize) + 1; page += 1) {
    const query = `?page=${page}&pageSize=${pageSize}`;
    const cut = <Row>(rows: readonly Row[]) => rows.slice((page - 1) * pageSize, page * pageSize);
    const history = await service.history(wallet, query);
    expect(
      history.data.map((row) => [
        row.id,
        row.amount,
        row.merchant,
        row.decision,
        row.blockReason,
        Date.parse(row.createdAt),
      ]),
    ).toEqual(
      cut(attempts).map(({ id, amount, merchant, decision, blockReason, atMs }) => [
        id,
        amount,
        merchant,
        decision,
        blockReason,
        atMs,
      ]),
    );
    for (const decision of ['approved', 'blocked', 'pending']) {
      const own = attempts.filter((each) => each.decision === decision);
      // As far as the page behind the last one.
      if ((page - 2) * pageSize >= own.length) continue;
      const narrowed = await service.history(wallet, `${query}&decision=${decision}`);
      expect(narrowed.data.map(({ id }) => id)).toEqual(cut(own).map(({ id }) => id));
      expect(narrowed.pagination.totalCount).toBe(own.length);
    }
    expect(history.pagination).toEqual({
      page,
      pageSize,
      totalCount: attempts.length,
      totalPages: Math.ceil(attempts.length / pageSize),
    });
    const ledger = await service.ledger(wallet, query);
    expect(ledger.data.map(({ type, amount, balanceAfter }) => ({ type, amount, balanceAfter }))).toEqual(
      cut(entries),
    );
    expect(ledger.pagination.totalCount).toBe(entries.length);
  }
  const moved = await service.ledger(purse, '?pageSize=100');
  expect(moved.data.map(({ type, amount, balanceAfter }) => ({ type, amount, balanceAfter }))).toEqual(
    [...purseLedger.entries].reverse(),
  );
}

/** The service and the model have the same payees. */
export async function expectSamePayees(world: World): Promise<void> {
  const stored = (await world.payees()).map(
    ({ merchant, accountNumber, origin, createdAt }) =>
      `${merchant} ${accountNumber} ${origin} ${Date.parse(createdAt)}`,
  );
  const expected = world.model.payees.payees.map(
    ({ merchant, account, isRegistered, sinceMs }) =>
      `${merchant} ${account} ${isRegistered ? 'registered' : 'first_use'} ${sinceMs}`,
  );
  expect(stored.toSorted()).toEqual(expected.toSorted());
}
