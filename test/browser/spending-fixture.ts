import { fund, pay, type Person, person, type Purse, send, walletOf } from './accounts.js';
import { FORGET_WINDOW, query } from './operators.js';

const DAYS = 40;
const MERCHANTS = ['Mile 12 Market', 'Bolt Rides', 'Ikeja Electric', 'Shoprite', 'Jumia', 'Total Energies'];
const CATEGORIES = ['Food', 'Travel', 'Power', 'Office'];
/** ₦200,000 */
const LIMIT = 20_000_000;
const [FAILS_LATER, SENT_BACK, UNKNOWN] = ['9000000002', '9000000004', '9000000001'];
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Payments of some weeks that ended in every way, in everyday amounts, with what was written on them. */
export interface SpendingFixture {
  readonly spender: Person;
  readonly spending: Purse;
  readonly market: { readonly id: string };
  readonly frozen: Purse;
  readonly closed: Purse;
  /** Ids of payments. */
  readonly ended: Readonly<
    Record<
      'recorded' | 'failed' | 'returned' | 'otherAccount' | 'unknownAccount' | 'duplicate' | 'denied',
      string
    >
  >;
  /** Waits in a frozen wallet. */
  readonly stopped: string;
}

export async function spendingFixture(): Promise<SpendingFixture> {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  const asOwner = <Answer>(path: string, body: object, method = 'POST') =>
    send<Answer>(path, { method, headers, body });
  const limits = { spendLimitPerTx: LIMIT, spendLimitPeriod: 10 * LIMIT };
  const spending = await walletOf(owner, { name: 'Field team', ...limits });
  await fund(spending, 1_500_000);
  const change = (wallet: Purse, body: object) => asOwner(`/api/wallets/${wallet.id}`, body, 'PATCH');
  const keyOf = async (name: string, purpose: string) => {
    const path = `/api/wallets/${spending.id}/keys`;
    const { data } = await asOwner<{ data: { apiKey: { id: string; fullKey: string } } }>(path, {
      name,
      purpose,
    });
    return { id: data.apiKey.id, purse: { ...spending, key: data.apiKey.fullKey } };
  };
  const market = await keyOf('Market runs', 'Market purchases');
  const repairs = await keyOf('Repairs', 'Generator repairs');
  const ended = await keyOf('Old laptop', 'Tests');
  await asOwner(`/api/wallets/${spending.id}/keys/${ended.id}`, {}, 'DELETE');

  const past: string[] = [];
  for (let i = 0; i < DAYS; i += 1) {
    const merchant = MERCHANTS[(i * i + (i >> 2)) % MERCHANTS.length] ?? '';
    const amount = i % 9 === 4 ? LIMIT + 100 : 350_000 + ((i * 791_917) % 3_400_000) * (i % 7 === 5 ? 4 : 1);
    past.push(await pay(i % 3 === 0 ? repairs.purse : market.purse, amount, merchant, `Order ${1_001 + i}`));
  }
  // Time passes by the database alone.
  await query(
    `WITH moved AS (
       UPDATE transactions t SET created_at = t.created_at - ($3 - place) * interval '23 hours 40 minutes'
         FROM unnest($2::uuid[]) WITH ORDINALITY AS past (id, place) WHERE t.id = past.id)
     ${FORGET_WINDOW}`,
    [spending.id, past, DAYS],
  );
  const at = (id: string) => `/v1/wallets/${spending.id}/transactions/${id}`;
  for (const [i, id] of past.slice(-16).entries())
    await asOwner(at(id), { category: CATEGORIES[i % CATEGORIES.length], costCentre: 'Lagos' }, 'PATCH');

  const failed = await pay(spending, 1_250_000, 'Kano Haulage', 'Delivery to Kano', FAILS_LATER);
  const returned = await pay(spending, 2_400_000, 'Enugu Printing', '500 flyers', SENT_BACK);
  const intent = {
    amount: 4_875_050,
    merchantName: 'Mile 12 Market',
    recipientAccountNo: '0123456789',
    recipientBankCode: '058',
    reason: 'Rice and beans for the canteen',
    runId: 'run-2026-11-29-0417',
    rationale:
      'The canteen has rice for two days. Mile 12 asks ₦48,750.50 for 50 kg delivered, the least of three offers.',
  };
  const ask = async (amount: number, by: Purse, approvalTtlMinutes: number) => {
    await change(spending, { approvalTtlMinutes });
    const answer = await send<{ data: { transaction: { id: string } } }>('/api/payment-intent', {
      headers: { 'x-api-key': by.key },
      body: { ...intent, amount },
    });
    return answer.data.transaction.id;
  };
  const recorded = await ask(intent.amount, market.purse, 60);
  await asOwner(
    at(recorded),
    { memo: 'Agreed with the kitchen', category: 'Food', costCentre: 'Lagos' },
    'PATCH',
  );
  await asOwner(`${at(recorded)}/notes`, { text: 'Asked for by Ben, delivered on Friday.' });
  await fetch(`${process.env.SERVICE_URL ?? ''}${at(recorded)}/files?name=receipt-mile-12.png`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: PNG,
  });

  await change(spending, { payeePolicy: 'first_use', verifyRecipient: true, duplicateGuardMinutes: 10 });
  const otherAccount = await pay(spending, 310_000, 'Shoprite', 'New bank details', '0123456780');
  const unknownAccount = await pay(spending, 320_000, 'Aba Textiles', 'Uniforms', UNKNOWN);
  await pay(spending, 330_000, 'Jumia', 'Two chargers');
  const duplicate = await pay(spending, 330_000, 'Jumia', 'Two chargers');
  await change(spending, { duplicateGuardMinutes: 0, approvalThreshold: 5_000_000 });
  const denied = await ask(6_000_000, repairs.purse, 600);
  await asOwner(`/v1/approvals/${denied}/deny`, { note: 'Ask the second supplier first' });
  for (const [amount, minutes] of [
    [7_200_000, 1_440],
    [9_150_000, 45],
    [8_400_000, 200],
  ] as const)
    await ask(amount, market.purse, minutes);

  const frozen = await walletOf(owner, { name: 'Warehouse', ...limits });
  await fund(frozen, 90_000);
  await change(frozen, { approvalThreshold: 100_000 });
  const stopped = await pay(frozen, 2_500_000, 'Apapa Forklifts', 'Forklift, one week');
  await asOwner(`/api/wallets/${frozen.id}/suspend`, {});
  const closed = await walletOf(owner, { name: 'Pop-up shop' });
  await asOwner(`/api/wallets/${closed.id}/close`, {});
  return {
    spender: owner,
    spending,
    market,
    frozen,
    closed,
    ended: { recorded, failed, returned, otherAccount, unknownAccount, duplicate, denied },
    stopped,
  };
}
