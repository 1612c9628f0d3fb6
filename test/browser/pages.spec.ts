import { expect } from '@playwright/test';
import { enter, fund, pay, person, test, walletOf } from './accounts.js';

test('the last approval of a page leaves those of the page before it, not an empty list', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { approvalThreshold: 100 });
  await fund(wallet, 5_000);
  for (let i = 1; i <= 21; i += 1) await pay(wallet, 1_000 + i, `Shop ${i}`);
  await enter(context, owner);
  await page.goto('/approvals?page=2');
  const approve = page.getByRole('button', { name: /^Approve ₦/ });
  const rows = page.getByRole('link', { name: /^Shop/ });
  await expect(rows).toHaveCount(1);
  await approve.click();
  await expect(rows).toHaveCount(20);
  await expect(page.getByText('Nothing waits for you')).toHaveCount(0);
  await page.getByRole('link', { name: 'Wallets', exact: true }).click();
  await expect(page.getByRole('link', { name: /Approvals.*20 waiting/ })).toBeVisible();
});

test('a page past the end of a list shows its last one, and does not say that there is nothing', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  for (let i = 1; i <= 11; i += 1) await fund(wallet, i);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?tab=ledger&page=9`);
  await expect(page.getByText('11 entries')).toBeVisible();
  await expect(page.getByRole('tabpanel').getByText('+₦1.00')).toBeVisible();
  await page.goto('/approvals?show=all&page=9');
  await expect(page.getByText('Nothing yet')).toBeVisible();
});
