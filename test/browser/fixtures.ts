import { fund, pay, type Person, person, type Purse, send, walletOf } from './accounts.js';

/** Somebody whose wallets and webhooks have something to show. */
export interface Fixture {
  readonly owner: Person;
  readonly wallet: Purse;
  readonly blocked: string;
  readonly paid: string;
  readonly endpoint: string;
  readonly delivery: string;
}

export async function fixture(): Promise<Fixture> {
  const owner = await person();
  await walletOf(owner, { name: 'Travel desk', spendLimitPerTx: 5_000_000, spendLimitPeriod: 25_000_000 });
  const wallet = await walletOf(owner, {
    useAllowlist: true,
    merchantAllowlist: ['Shoprite', 'Jumia', 'Bolt Rides'],
  });
  await fund(wallet, 15_000);
  const paid = await pay(wallet, 125_050, 'Shoprite', 'Groceries for Thursday');
  await pay(
    wallet,
    480_000,
    'Jumia',
    'Phone charger and a very long reason that will not fit on one line of a phone',
  );
  await pay(wallet, 90_000, 'Konga');
  const blocked = await pay(wallet, 600_000, 'Shoprite', 'Party');
  for (let i = 1; i <= 8; i += 1) await pay(wallet, i * 7_525, 'Bolt Rides', `Ride ${i}`);
  const headers = { authorization: `Bearer ${owner.token}` };
  const made = await send<{ data: { id: string } }>('/v1/webhook-endpoints', {
    headers,
    body: {
      url: 'https://example.com/hooks/wallet',
      events: ['wallet.funded', 'payment.blocked'],
      description: 'Books',
    },
  });
  const sent = await send<{ data: { id: string } }>(`/v1/webhook-endpoints/${made.data.id}/test`, {
    headers,
    body: {},
  });
  return { owner, wallet, blocked, paid, endpoint: made.data.id, delivery: sent.data.id };
}
