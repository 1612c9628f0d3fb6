import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { fund, pay, send, signUp, test, walletOf } from './accounts.js';

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
  const chart = page.getByRole('group', { name: 'Spent by day over 30 days, ₦2,750.50 in all' });
  const today = chart.getByRole('link').last();
  await expect(today).toHaveAccessibleName(/₦2,750\.50$/);
  // One on the other, each as high as its share: Jumia 1,500 and Konga 1,250.50, Shoprite nothing.
  const heights = await today
    .locator('.stack-bar > div')
    .evaluateAll((parts) => parts.map((part) => (part as unknown as { offsetHeight: number }).offsetHeight));
  expect(heights[0]).toBeGreaterThan(30);
  expect(heights[0]! / heights[1]!).toBeCloseTo(1_500 / 1_250.5, 1);
  expect(heights[2]).toBe(0);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    // The menu slides away first.
    await expect
      .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'))
      .toBeLessThanOrEqual(width);
  }

  await page.setViewportSize({ width: 1280, height: 900 });
  await today.click();
  await expect(page).toHaveURL(/status=spent&from=(\d{4}-\d\d-\d\d)&to=\1$/);
  await expect(page.getByLabel('Sums')).toHaveText('3 paid₦2,750.50');
  await page.goBack();

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
    .first()
    .click();
  await expect(page.getByRole('link', { name: /Konga.*Suitcase/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Jumia/ })).toHaveCount(0);
  await page.goBack();
  await page.getByRole('combobox', { name: 'By' }).click();
  await page.getByRole('option', { name: 'Block reason' }).click();
  await row(/Over the per-payment limit/)
    .getByRole('link')
    .first()
    .click();
  await expect(page.getByRole('link', { name: /Shoprite.*Over the per-payment limit/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Konga/ })).toHaveCount(0);
});

test('a figure opens all that it counts: payments on their way, denied ones, and the total’s', async ({
  page,
}) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  const headers = { authorization: `Bearer ${owner.token}` };
  const { data } = await send<{ data: { apiKey: { fullKey: string; keyPrefix: string } } }>(
    `/api/wallets/${wallet.id}/keys`,
    { headers, body: { name: 'Scraper' } },
  );
  const scraper = { ...wallet, key: data.apiKey.fullKey };
  await pay(scraper, 100_000, 'Jumia', 'Order 1');
  await pay(scraper, 20_000, 'Jumia', 'Order 2', '9000000003');
  await pay(scraper, 600_000, 'Jumia', 'Party');
  await send(`/api/wallets/${wallet.id}`, { method: 'PATCH', headers, body: { approvalThreshold: 200_000 } });
  const denied = await pay(scraper, 300_000, 'Jumia', 'Phone');
  await send(`/v1/approvals/${denied}/deny`, { headers, body: {} });
  await pay(wallet, 30_000, 'Konga', 'Suitcase');
  await page.goto('/payments/analytics?by=key');
  const row = page.getByRole('row', { name: /^Scraper/ });
  await expect(row).toHaveText(/^Scraper \(.*…\)2₦1,200\.002₦9,000\.00$/);
  const sums = page.getByLabel('Sums');
  const listed = page.getByRole('link', { name: /^(Jumia|Konga)/ });
  const opens = async (figure: number, payments: number, says: string) => {
    await row.getByRole('link').nth(figure).click();
    await expect(sums).toHaveText(says);
    await expect(listed).toHaveCount(payments);
    // No wallet was chosen: what was found names the key.
    await expect(page.getByLabel('Key', { exact: true })).toHaveValue(`Scraper (${data.apiKey.keyPrefix}…)`);
    await page.goBack();
  };
  await opens(0, 2, '1 paid₦1,000.001 processing₦200.00');
  await opens(1, 2, '1 paid₦1,000.001 processing₦200.00');
  await opens(2, 2, '2 blocked, denied or expired₦9,000.00');
  await opens(3, 2, '2 blocked, denied or expired₦9,000.00');
  await page
    .getByRole('row', { name: /^Total 3/ })
    .getByRole('link')
    .first()
    .click();
  await expect(listed).toHaveCount(3);
  await page.goto('/payments/analytics?by=blockReason');
  await page
    .getByRole('row', { name: /^Approval denied/ })
    .getByRole('link')
    .first()
    .click();
  await expect(listed).toHaveCount(1);
  await expect(listed).toHaveAccessibleName(/Denied/);
});

test('groups past the eighth are shown one by one when they are asked for, and open their payments', async ({
  page,
}) => {
  const owner = await signUp(page);
  const groceries = await walletOf(owner);
  await fund(groceries, 20_000);
  for (let i = 0; i < 10; i += 1) await pay(groceries, 10_000 + 100 * i, `Shop ${i}`, 'Order');
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('link', { name: 'Analytics' }).click();
  await expect(page.getByRole('row', { name: /^2 others 2 ₦201\.00/ })).toBeVisible();
  await page.getByRole('link', { name: '2 others' }).click();
  const smallest = page.getByRole('row', { name: /^Shop 0 1 ₦100\.00/ });
  await smallest.getByRole('link').first().click();
  await expect(page.getByRole('link', { name: /Shop 0/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Shop 1/ })).toHaveCount(0);
  await page.goBack();
  await expect(smallest).toBeVisible();
});
