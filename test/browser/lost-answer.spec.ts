import { expect, type Page, type Route } from '@playwright/test';
import {
  endSession,
  enter,
  fund,
  person,
  type Purse,
  send,
  signIn,
  signUp,
  test,
  twoFactorOf,
  typeWithdrawal,
  walletOf,
} from './accounts.js';

/** Withdraws ₦1,000. The service does it; its answer does not arrive. */
async function loseWithdrawal(page: Page, wallet: Purse) {
  const out = await typeWithdrawal(page, wallet);
  const submit = out.getByRole('button', { name: 'Withdraw' });
  await page.route('**/withdrawals', async (route) => {
    expect((await route.fetch()).status()).toBe(201);
    await route.abort();
  });
  await submit.click();
  await expect(out.getByText('Can’t reach the service.')).toBeVisible();
  await page.unroute('**/withdrawals');
  return { out, submit };
}

test('a wallet whose answer was lost is pointed out before a second one is created', async ({
  page,
  context,
}) => {
  const owner = await person();
  await enter(context, owner);
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Errands');
  const create = page.getByRole('button', { name: 'Create wallet' });
  const lose = async (route: Route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    expect((await route.fetch()).status()).toBe(201);
    await route.abort();
  };
  await page.route('**/api/wallets', lose);
  await create.click();
  await expect(page.getByText('Can’t reach the service.')).toBeVisible();
  await page.unroute('**/api/wallets', lose);
  await create.click();
  const alike = page.getByRole('alert').filter({ hasText: 'There is a wallet named “Errands”' });
  await expect(alike).toBeVisible();
  const names = async () => {
    const headers = { authorization: `Bearer ${owner.token}` };
    const { data } = await send<{ data: { name: string }[] }>('/v1/wallets/names', {
      method: 'GET',
      headers,
    });
    return data.map(({ name }) => name);
  };
  expect(await names()).toEqual(['Errands']);
  await alike.getByRole('link', { name: 'Open it' }).click();
  await expect(page.getByRole('heading', { name: 'Errands' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Keys' })).toHaveAttribute('aria-selected', 'true');

  // Who wants another one of the same name gets it.
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Errands');
  const drop = (route: Route) => (route.request().method() === 'POST' ? route.abort() : route.fallback());
  await page.route('**/api/wallets', drop);
  await create.click();
  await expect(page.getByText('Can’t reach the service.')).toBeVisible();
  await page.unroute('**/api/wallets', drop);
  await create.click();
  await expect(alike).toBeVisible();
  await create.click();
  await expect(page.getByText('Errands is ready')).toBeVisible();
  expect(await names()).toEqual(['Errands', 'Errands']);
});

test('a withdrawal whose answer was lost is made once, also where the code for the next try is not given', async ({
  page,
}) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  const { out, submit } = await loseWithdrawal(page, wallet);

  const [code = ''] = await twoFactorOf(owner);
  await submit.click();
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await proof.getByRole('button', { name: 'Cancel' }).click();
  await expect(out.getByText('Enter the code of your authenticator app.')).toBeVisible();
  await submit.click();
  await proof.getByLabel('Two-factor code').fill(code);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('₦1,000 is on its way to the bank')).toBeVisible();
  const { balance } = await send<{ balance: number }>(`/v1/wallets/${wallet.id}/stats`, {
    method: 'GET',
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(balance).toBe(400_000);
});

test('a withdrawal whose answer was lost is made once, also where the session ends before the next try', async ({
  page,
}) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  const { out, submit } = await loseWithdrawal(page, wallet);

  const [first = '', second = ''] = await twoFactorOf(owner);
  await endSession(owner);
  await signIn(page, owner);
  await page.getByLabel('Two-factor code').fill(first);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(out.getByLabel('Amount')).toHaveValue('1,000.00');
  await submit.click();
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await proof.getByLabel('Two-factor code').fill(second);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('₦1,000 is on its way to the bank')).toBeVisible();
  await expect(page.getByText('₦4,000.00', { exact: true }).first()).toBeVisible();
});
