import { expect, type Route } from '@playwright/test';
import { enter, person, send, test } from './accounts.js';

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
