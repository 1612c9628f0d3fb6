import { expect, type Route } from '@playwright/test';
import { enter, fund, person, send, signUp, test, twoFactorOf, walletOf } from './accounts.js';

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
  await page.goto(`/wallets/${wallet.id}`);
  await page.getByRole('button', { name: 'Withdraw' }).click();
  const out = page.getByRole('dialog', { name: 'Withdraw' });
  const submit = out.getByRole('button', { name: 'Withdraw' });
  await out.getByLabel('Amount').fill('1,000');
  await out.getByRole('combobox', { name: 'Bank' }).click();
  await page.getByRole('option', { name: 'GTBank' }).click();
  await out.getByLabel('Account number').fill('0123456789');
  await page.route('**/withdrawals', async (route) => {
    expect((await route.fetch()).status()).toBe(201);
    await route.abort();
  });
  await submit.click();
  await expect(out.getByText('Can’t reach the service.')).toBeVisible();
  await page.unroute('**/withdrawals');

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
