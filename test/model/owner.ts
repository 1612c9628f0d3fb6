import { expect } from '@jest/globals';
import { type Answer, expectStatus } from '../support/service.js';
import type { Limits, NaiveKey } from './keys.js';
import type { NewKey, Patch, Step } from './steps.js';
import type { Settings } from './wallet.js';
import type { World } from './world.js';

const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
type Refusable = Answer<{ readonly error?: { readonly code: string } }>;
type Owners = Exclude<Step, { do: 'pay' | 'decide' | 'wait' | 'top up' }>;

const outcomeOf = ({ status, body }: Refusable): string =>
  status < 300 ? 'done' : (body.error?.code ?? `${status}`);

/** What an owner does, in the service and in the model: both must answer the same. */
export async function carryOutOwnersStep(step: Owners, world: World): Promise<void> {
  if (step.do === 'withdraw') return withdraw(step, world);
  if (step.do === 'transfer') return transfer(step, world);
  if (step.do === 'change') await change(step, world);
  else if (step.do === 'suspend') await stand('suspend', 'SUSPENDED', world);
  else if (step.do === 'suspend all') await suspendAll(world);
  else if (step.do === 'resume') await stand('resume', 'ACTIVE', world);
  else if (step.do === 'close') await close(step, world);
  else if (step.do === 'make key') await makeKey(step, world);
  else if (step.do === 'revoke key') await revokeKey(step, world);
  else if (step.do === 'register') await register(step, world);
  else await removePayee(step, world);
  await world.passChange();
}

function expectOutcome(what: string, answer: Refusable, expected: string, { coverage }: World): void {
  expect(`${what}: ${outcomeOf(answer)}`).toBe(`${what}: ${expected}`);
  coverage.note(`${what}: ${expected}`);
}

async function withdraw({ amount }: Owners & { do: 'withdraw' }, world: World): Promise<void> {
  const body = { amount, ...ACCOUNT };
  const answer = await world.owner('POST', '/withdrawals', body, world.withIdempotencyKey());
  expectOutcome('withdraw', answer, world.model.withdraw(amount), world);
  await world.settle();
}

async function transfer({ amount, isOut }: Owners & { do: 'transfer' }, world: World): Promise<void> {
  const { service, wallet, purse, model, purseLedger } = world;
  const [from, to] = isOut ? [wallet, purse] : [purse, wallet];
  const answer = await service.post<{ error?: { code: string } }>(`/api/wallets/${from.id}/transfers`, {
    token: wallet.owner.token,
    body: { toWalletId: to.id, amount },
  });
  const expected = isOut ? model.transferTo(purseLedger, amount) : model.transferFrom(purseLedger, amount);
  expectOutcome(isOut ? 'transfer out' : 'transfer in', answer, expected, world);
}

async function change({ change: wanted, seen }: Patch, world: World): Promise<void> {
  const { model } = world;
  const version = { nothing: null, 'this version': model.version, 'an older version': model.version - 1 }[
    seen
  ];
  const settings: Partial<Settings> =
    wanted.expiryMs === undefined ? wanted : { ...wanted, expiryMs: model.nowMs + wanted.expiryMs };
  const { expiryMs, ...rest } = settings;
  const answer = await world.owner(
    'PATCH',
    '',
    { ...rest, ...(expiryMs !== undefined && { expiry: new Date(expiryMs).toISOString() }) },
    version === null ? {} : { 'if-match': `"${version}"` },
  );
  expectOutcome('change', answer, model.change(settings, version), world);
}

async function stand(
  action: 'suspend' | 'resume',
  status: 'ACTIVE' | 'SUSPENDED',
  world: World,
): Promise<void> {
  expectOutcome(action, await world.owner('POST', `/${action}`, {}), world.model.setStatus(status), world);
}

/** Suspends every active wallet of the owner at once. */
async function suspendAll(world: World): Promise<void> {
  const { service, wallet, purse, model, coverage } = world;
  const active = [
    ...(model.status === 'ACTIVE' ? [wallet.id] : []),
    ...(world.isPurseActive ? [purse.id] : []),
  ].sort();
  const { body } = await service.post('/v1/wallets/suspend-all', { token: wallet.owner.token });
  expect(body).toEqual({ success: true, data: { suspended: active.length, walletIds: active } });
  if (model.status === 'ACTIVE') model.setStatus('SUSPENDED');
  world.isPurseActive = false;
  coverage.note(`suspend all: ${['none', 'one wallet', 'both wallets'][active.length]}`);
}

async function close({ hasPayout }: Owners & { do: 'close' }, world: World): Promise<void> {
  const { model } = world;
  const { waiting } = model;
  const answer = await world.owner('POST', '/close', hasPayout ? { payoutTo: ACCOUNT } : {});
  expectOutcome('close', answer, model.close(hasPayout), world);
  if (model.status === 'CLOSED') world.noteEnds('denied by closing', waiting);
  await world.settle();
}

/** The limits with the time in them as the service is told it. */
function shown({ payee, expiryMs, ...limits }: Limits): object {
  return {
    ...limits,
    ...(payee !== undefined && { payee: { accountNumber: payee, bankCode: '058' } }),
    ...(expiryMs !== undefined && { expiry: new Date(expiryMs).toISOString() }),
  };
}

async function makeKey(step: NewKey, world: World): Promise<void> {
  const { replaces, graceSeconds, inheritsAge } = step;
  const { model } = world;
  const { expiryMs } = step.limits;
  const limits: Limits = {
    ...step.limits,
    ...(expiryMs !== undefined && { expiryMs: model.nowMs + expiryMs }),
  };
  const replaced = replacedBy(step, world);
  const ends = replaced.some((key) => key.isLive(model.nowMs));
  const answer = await world.owner<{ data: { apiKey: MadeKey }; error?: { code: string } }>('POST', '/keys', {
    name: 'next',
    limits: shown(limits),
    ...(replaces !== 'none' && { graceSeconds, inheritAge: inheritsAge }),
    ...(replaces === 'one' && { replaces: model.keys[step.nth % model.keys.length]!.id }),
  });
  const refused = model.refusesKey(limits, replaces !== 'none' && inheritsAge && !ends);
  expectOutcome('make key', answer, refused ?? 'done', world);
  if (refused) return;
  const { id, fullKey, createdAt } = answer.body.data.apiKey;
  const { periodWindowDays } = model.settings;
  model.addKey(
    {
      id,
      fullKey,
      atMs: Date.parse(createdAt),
      limits: { ...(limits.spendLimitPeriod !== undefined && { periodWindowDays }), ...limits },
    },
    replaced,
    graceSeconds,
    replaces !== 'none' && inheritsAge,
  );
  if (ends) world.coverage.note(graceSeconds === 0 ? 'rotate at once' : 'rotate with grace');
}

interface MadeKey {
  readonly id: string;
  readonly fullKey: string;
  readonly createdAt: string;
}

function replacedBy({ replaces, nth }: NewKey, { model }: World): readonly NaiveKey[] {
  if (replaces === 'none') return [];
  if (replaces === 'all') return model.keys.filter((key) => key.isLive(model.nowMs));
  // The owner may name one that is dead.
  return [model.keys[nth % model.keys.length]!];
}

async function revokeKey({ nth }: Owners & { do: 'revoke key' }, world: World): Promise<void> {
  const key = world.model.keys[nth % world.model.keys.length]!;
  expectOutcome('revoke key', await world.owner('DELETE', `/keys/${key.id}`), 'done', world);
  key.isRevoked = true;
}

async function register(
  { merchant, accountNumber }: Owners & { do: 'register' },
  world: World,
): Promise<void> {
  const { model } = world;
  const answer = await world.owner<{ data: { payee: { createdAt: string } }; error?: { code: string } }>(
    'POST',
    '/payees',
    { merchantName: merchant, accountNumber, bankCode: '058' },
  );
  const expected = model.status === 'CLOSED' ? 'WALLET_CLOSED' : 'done';
  expectOutcome('register payee', answer, expected, world);
  if (expected !== 'done') return;
  model.payees.register(merchant, accountNumber, Date.parse(answer.body.data.payee.createdAt));
}

async function removePayee({ nth }: Owners & { do: 'remove payee' }, world: World): Promise<void> {
  const payee = world.model.payees.payees[nth];
  if (!payee) return;
  const stored = (await world.payees()).find(
    ({ merchant, accountNumber, keyId = null }) =>
      merchant === payee.merchant && accountNumber === payee.account && keyId === payee.line,
  );
  expectStatus(200, await world.owner('DELETE', `/payees/${stored?.id}`));
  world.model.payees.remove(payee);
}
