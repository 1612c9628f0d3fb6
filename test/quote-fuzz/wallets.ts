import { askAbove } from '../support/approvals.js';
import { account, registerPayee } from '../support/payees.js';
import { type CreatedWallet, expectStatus, type TestService, type TestUser } from '../support/service.js';
import type { KeyScenario, OwnerStep, Scenario } from './scenarios.js';

/** Payments that wait for a person in a wallet that can have no more of them, and payees of one that is full. */
const PENDING_MAX = 100;
const PAYEES_MAX = 1_000;
const WEEK_MINUTES = 7 * 24 * 60;

/** A wallet as its scenario wants it. */
export interface FuzzedWallet {
  readonly scenario: Scenario;
  readonly wallet: CreatedWallet;
  /** The wallet's own key, and those that narrow. */
  readonly keys: readonly { readonly id: string; readonly fullKey: string }[];
}

export async function openWallet(
  service: TestService,
  owner: TestUser,
  scenario: Scenario,
  now: number,
): Promise<FuzzedWallet> {
  const { spendLimitPerTx, periodWindowDays, useAllowlist, isCrowded, isFull } = scenario;
  const expiry = new Date(now + scenario.expiryMs).toISOString();
  const wallet = await service.createWallet(owner, { expiry, periodWindowDays });
  await service.topUp(wallet.id, scenario.funds + (isCrowded ? 2 * PENDING_MAX : 0));
  if (isCrowded) await crowd(service, wallet);
  if (isFull) await fill(service, wallet);
  const spendLimitPeriod = spendLimitPerTx + scenario.more + (isCrowded ? 2 * PENDING_MAX : 0);
  const body = {
    spendLimitPerTx,
    spendLimitPeriod,
    ...(useAllowlist && { useAllowlist, merchantAllowlist: ['acme'] }),
    ...scenario.controls,
    ...(isCrowded && { approvalThreshold: scenario.controls.approvalThreshold ?? 4 }),
    ...(isFull && { payeePolicy: 'first_use' }),
  };
  expectStatus(200, await service.call('PATCH', `/api/wallets/${wallet.id}`, { token: owner.token, body }));
  if (scenario.trial) {
    const path = `/api/wallets/${wallet.id}/shadow-rules`;
    expectStatus(200, await service.call('PATCH', path, { token: owner.token, body: scenario.trial }));
  }
  const rules = { spendLimitPerTx, spendLimitPeriod, expiryMs: scenario.expiryMs };
  const keys = [{ id: await ownKeyOf(service, wallet), fullKey: wallet.key }];
  for (const each of scenario.limits) keys.push(await addKey(service, wallet, keyBody(each, rules, now)));
  return { scenario, wallet, keys };
}

async function ownKeyOf(service: TestService, { id }: CreatedWallet): Promise<string> {
  const rows = await service.query<{ id: string }>('SELECT id FROM api_keys WHERE wallet_id = $1', [id]);
  return rows[0]!.id;
}

/** As many payments wait as can. */
async function crowd(service: TestService, wallet: CreatedWallet): Promise<void> {
  await askAbove(service, wallet, 1, { approvalTtlMinutes: WEEK_MINUTES });
  await Promise.all(
    Array.from({ length: PENDING_MAX }, async () =>
      expectStatus(202, await service.pay(wallet.key, { amount: 2 })),
    ),
  );
}

/** As many payees are known as can be: made like rows of the first use, for a thousand payments would take long. */
async function fill(service: TestService, { id }: CreatedWallet): Promise<void> {
  await service.query(
    `INSERT INTO wallet_payees (wallet_id, merchant, account_number, bank_code, id, merchant_name, origin, created_at)
     SELECT $1, 'shop ' || n, lpad(n::text, 10, '0'), '058', gen_random_uuid(), 'Shop ' || n, 'first_use',
            clock_timestamp() FROM generate_series(1, ${PAYEES_MAX}) n`,
    [id],
  );
}

/** What the scenario wants of a key, narrowed to what its wallet allows. */
function keyBody(
  { period, expiryMs, deadAfterMs, spendLimitPerTx, ...rest }: KeyScenario,
  wallet: { readonly spendLimitPerTx: number; readonly spendLimitPeriod: number; readonly expiryMs: number },
  now: number,
): object {
  const limits = {
    ...rest,
    ...(period && {
      ...period,
      spendLimitPeriod: Math.min(period.spendLimitPeriod, wallet.spendLimitPeriod),
    }),
    ...(spendLimitPerTx !== undefined && {
      spendLimitPerTx: Math.min(spendLimitPerTx, wallet.spendLimitPerTx),
    }),
    ...(expiryMs !== undefined && {
      expiry: new Date(now + Math.min(expiryMs, wallet.expiryMs)).toISOString(),
    }),
  };
  return {
    name: 'narrow',
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(deadAfterMs !== undefined && { expiresAt: new Date(now + deadAfterMs).toISOString() }),
  };
}

async function addKey(service: TestService, { id, owner }: CreatedWallet, body: object) {
  const path = `/api/wallets/${id}/keys`;
  const answer = await service.post<{ data: { apiKey: { id: string; fullKey: string } } }>(path, {
    token: owner.token,
    body,
  });
  return expectStatus(201, answer).body.data.apiKey;
}

/** Has the owner do one thing. That a rule forbids it now is an answer too; that it breaks is not. */
export async function actAsOwner(
  service: TestService,
  { wallet, keys }: FuzzedWallet,
  step: OwnerStep,
): Promise<void> {
  const { id, owner } = wallet;
  const { token } = owner;
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await service.call(method, path, { token, ...(body && { body }), headers });
    if (answer.status >= 500)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
  };
  const toMain = account('0123456789');
  switch (step.do) {
    case 'top up':
      await service.topUp(id, step.amount);
      break;
    case 'suspend':
    case 'resume':
      await send('POST', `/api/wallets/${id}/${step.do}`);
      break;
    case 'close':
      await send('POST', `/api/wallets/${id}/close`, { payoutTo: toMain });
      break;
    case 'withdraw':
      await send(
        'POST',
        `/api/wallets/${id}/withdrawals`,
        { ...toMain, amount: step.amount },
        {
          'idempotency-key': `${step.amount} ${id}`.replace(' ', '-'),
        },
      );
      break;
    case 'change':
      await send('PATCH', `/api/wallets/${id}`, step.fields);
      break;
    case 'revoke':
      await send('DELETE', `/api/wallets/${id}/keys/${keys[step.key]!.id}`);
      break;
    case 'approve':
    case 'deny': {
      const [waiting] = await service.query<{ id: string }>(
        `SELECT id FROM transactions WHERE wallet_id = $1 AND approval = 'pending' ORDER BY seq LIMIT 1`,
        [id],
      );
      if (waiting) await send('POST', `/v1/approvals/${waiting.id}/${step.do}`, {});
      break;
    }
    case 'register payee':
      await registerPayee(service, wallet, {
        ...account(step.account),
        merchantName: step.merchant.padEnd(3, '.'),
      });
      break;
    case 'remove payee': {
      const [known] = await service.query<{ id: string }>(
        'SELECT id FROM wallet_payees WHERE wallet_id = $1 AND account_number = $2 LIMIT 1',
        [id, step.account],
      );
      if (known) await send('DELETE', `/api/wallets/${id}/payees/${known.id}`);
      break;
    }
  }
}
