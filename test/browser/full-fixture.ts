import { fund, pay, type Person, person, type Purse, send, walletOf } from './accounts.js';

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
}

export async function fullFixture(): Promise<FullFixture> {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  const asOwner = <Answer>(path: string, body: object, method = 'POST') =>
    send<Answer>(path, { method, headers, body });
  await asOwner('/v1/onboarding', { businessName: LONG_NAME, contactEmail: owner.email });
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
  };
}
