import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { fund, pay, signUp, test, walletOf } from './accounts.js';

test('what was spent is totalled by who spent it, and each figure opens its payments', async ({ page }) => {
  const owner = await signUp(page);
  const groceries = await walletOf(owner);
  const travel = await walletOf(owner, { name: 'Travel desk' });
  await fund(groceries, 20_000);
  await fund(travel, 20_000);
  await pay(groceries, 100_000, 'Jumia', 'Order 1');
  await pay(groceries, 50_000, 'jumia', 'Order 2');
  await pay(travel, 125_050, 'Konga', 'Suitcase');
  await pay(groceries, 600_000, 'Shoprite', 'Party');
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('link', { name: 'Analytics' }).click();
  await expect(page.getByRole('heading', { name: 'Analytics' })).toBeVisible();
  const row = (name: RegExp) => page.getByRole('row', { name });
  await expect(row(/Jumia 2 ₦1,500\.00 0 ₦0\.00/i)).toBeVisible();
  await expect(row(/Konga 1 ₦1,250\.50/)).toBeVisible();
  await expect(row(/Shoprite 0 ₦0\.00 1 ₦6,000\.00/)).toBeVisible();
  await expect(row(/Total 3 ₦2,750\.50 1 ₦6,000\.00/)).toBeVisible();
  await expect(page.getByRole('img', { name: 'Spent by day over 30 days, ₦2,750.50 in all' })).toBeVisible();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    // The menu slides away first.
    await expect
      .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'))
      .toBeLessThanOrEqual(width);
  }

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV' }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toContain('konga,Konga,1,1250.50,125050,0,0,0');

  await page.getByRole('combobox', { name: 'By' }).click();
  await page.getByRole('option', { name: 'Wallet' }).click();
  await expect(row(/Travel desk 1 ₦1,250\.50/)).toBeVisible();
  await page.reload();
  await row(/Travel desk/)
    .getByRole('link')
    .click();
  await expect(page.getByRole('link', { name: /Konga.*Suitcase/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Jumia/ })).toHaveCount(0);
  await page.goBack();
  await page.getByRole('combobox', { name: 'By' }).click();
  await page.getByRole('option', { name: 'Block reason' }).click();
  await row(/Over the per-payment limit/)
    .getByRole('link')
    .click();
  await expect(page.getByRole('link', { name: /Shoprite.*Over the per-payment limit/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Konga/ })).toHaveCount(0);
});
