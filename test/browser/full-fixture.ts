import {
  fund,
  memberOf,
  pay,
  type Person,
  person,
  type Purse,
  send,
  twoFactorOf,
  walletOf,
} from './accounts.js';
import { query } from './operators.js';
import { receiver } from './receiver.js';

/** As long as a name may be. */
const LONG_NAME =
  'Procurement agent for the offices, warehouses and field teams of the northern regions, quarter four'.padEnd(
    100,
    's',
  );
const LONG_MERCHANT =
  'Adebayo, Chukwuemeka & Daughters Agricultural Machinery and Cold Storage Company (Nigeria) Limited'.padEnd(
    100,
    '.',
  );
/** ₦90,000,000,000.00 */
const LARGE = 9_000_000_000_000;

const PAYMENTS = 300;
const AT_ONCE = 20;
const MERCHANTS = ['Shoprite', 'Jumia', 'Bolt Rides', 'Konga', LONG_MERCHANT] as const;

/** Somebody who has one of everything, with the smallest and the largest amounts and the longest names. */
export interface FullFixture {
  readonly owner: Person;
  readonly wallet: Purse;
  readonly restricted: Purse;
  readonly paid: string;
  readonly blocked: string;
  readonly notAllowed: string;
  readonly waiting: string;
  readonly endpoint: string;
  readonly delivery: string;
  /** Whose every attempt fails. */
  readonly failing: string;
  /** Its receiver answered 410. */
  readonly paused: string;
  readonly viewer: Person;
  /** Somebody else, with an authenticator app. */
  readonly secured: Person;
}

/** The last month, this one so far, one that is written for as long as the tests run, and one that failed. */
async function statementsOf({ token }: Person, { id: walletId }: Purse): Promise<void> {
  const month = (ago: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 15)).toISOString().slice(0, 7);
  };
  const ask = (body: object) =>
    send<{ data: { id: string } }>('/v1/statements', { headers: { authorization: `Bearer ${token}` }, body });
  const { data: made } = await ask({ month: month(1) });
  await ask({ month: new Date(Date.now() + 3_600_000).toISOString().slice(0, 7), walletId });
  const another = (changes: object) =>
    query(
      `INSERT INTO statements
       SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()) || $2::jsonb)).* FROM statements s
        WHERE id = $1`,
      [made.id, JSON.stringify({ opening: null, signature: null, ...changes })],
    );
  await another({
    month: month(2),
    status: 'making',
    rows: 48_200,
    rows_done: 31_000,
    lease: made.id,
    leased_until: 'infinity',
  });
  await another({
    month: month(3),
    status: 'failed',
    problem: 'This month has 200,001 entries, and a statement takes 200,000. Ask for one wallet at a time.',
  });
}

export async function fullFixture(): Promise<FullFixture> {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  const asOwner = <Answer>(path: string, body: object, method = 'POST') =>
    send<Answer>(path, { method, headers, body });
  await asOwner('/v1/onboarding', { businessName: LONG_NAME, contactEmail: owner.email });
  const viewer = await memberOf(owner, 'viewer');
  await asOwner('/v1/invitations', { email: `${'n'.repeat(60)}@example.com`, role: 'accountant' });
  const restricted = await walletOf(owner, {
    name: 'Travel desk',
    useAllowlist: true,
    merchantAllowlist: ['Shoprite', 'Jumia', 'Bolt Rides', LONG_MERCHANT],
  });
  const notAllowed = await pay(restricted, 90_000, 'Konga');
  const wallet = await walletOf(owner, {
    name: LONG_NAME,
    spendLimitPerTx: LARGE,
    spendLimitPeriod: 9 * LARGE,
  });
  for (let i = 0; i < 3; i += 1) await fund(wallet, LARGE / 100, LONG_MERCHANT);
  await fund(wallet, 0.01, 'The smallest amount');
  const frozen = await walletOf(owner, { name: LONG_NAME.replace('Procurement', 'Frozen') });
  await asOwner(`/api/wallets/${frozen.id}/suspend`, {});
  await asOwner(`/api/wallets/${wallet.id}/shadow-rules`, { spendLimitPerTx: 400_000 }, 'PATCH');
  for (let i = 0; i < PAYMENTS; i += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, j) =>
        pay(wallet, (i + j + 1) * 1_525, MERCHANTS[(i + j) % MERCHANTS.length] ?? '', `Order ${i + j}`),
      ),
    );
  }
  const blocked = await pay(wallet, LARGE + 1, LONG_MERCHANT, 'More than a payment may be');
  await pay(wallet, 1, 'Shoprite', 'The smallest amount');
  const paid = await pay(wallet, LARGE, LONG_MERCHANT, LONG_MERCHANT);
  await asOwner(`/api/wallets/${wallet.id}`, { approvalThreshold: 50_000_000 }, 'PATCH');
  const waiting = await pay(wallet, LARGE - 1, LONG_MERCHANT, 'A combine harvester');
  await asOwner(`/api/wallets/${wallet.id}/keys`, {
    name: LONG_NAME,
    purpose: LONG_MERCHANT,
    limits: { totalCap: LARGE, maxPayments: 1_000_000, allowedMerchants: [LONG_MERCHANT] },
  });
  await asOwner(`/api/wallets/${wallet.id}/payees`, {
    merchantName: LONG_MERCHANT,
    bankCode: '058',
    accountNumber: '0123456789',
  });
  const made = await asOwner<{ data: { id: string } }>('/v1/webhook-endpoints', {
    url: `https://example.com/hooks/${'wallet-'.repeat(12)}`,
    events: ['wallet.funded', 'payment.blocked', 'payment.approved'],
    description: LONG_NAME,
  });
  const sent = await asOwner<{ data: { id: string } }>(`/v1/webhook-endpoints/${made.data.id}/test`, {});
  const endpoint = async (url: string) =>
    (await asOwner<{ data: { id: string } }>('/v1/webhook-endpoints', { url })).data.id;
  const [takes, refuses, gone] = [await receiver(), await receiver(500), await receiver(410)];
  for (const { server } of [takes, refuses, gone]) server.unref();
  await endpoint(takes.url);
  const failing = await endpoint(refuses.url);
  const paused = await endpoint(gone.url);
  await fund(restricted, 1_000);
  await statementsOf(owner, wallet);
  const view = (name: string, sought: string) => asOwner('/v1/saved-views', { name, query: sought });
  await view('Blocked', 'status=blocked');
  await view('Large payments to the suppliers in the north', 'min=1000000.00');
  const secured = await person();
  await twoFactorOf(secured);
  return {
    owner,
    wallet,
    restricted,
    paid,
    blocked,
    notAllowed,
    waiting,
    endpoint: made.data.id,
    delivery: sent.data.id,
    failing,
    paused,
    viewer,
    secured,
  };
}
