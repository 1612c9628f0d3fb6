import { expect } from '@playwright/test';
import { enter, fund, pay, person, test, walletOf } from './accounts.js';

test('a notification arrives under the bell, leads to its approval, and says later what was done about it', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { approvalThreshold: 100_000 });
  await fund(wallet, 10_000);
  const id = await pay(wallet, 150_000, 'Konga', 'Suitcase');
  await pay(wallet, 160_000, 'Jumia', 'Phone');
  await enter(context, owner);
  const bell = page.getByRole('link', { name: /^Notifications, \d unread/ });
  await expect(async () => {
    await page.goto('/settings');
    await expect(bell).toHaveAccessibleName(/[23] unread/, { timeout: 2_000 });
  }).toPass();
  await bell.click();
  const row = page.getByRole('link', { name: /Approve ₦1,500\.00 to Konga\?/ });
  await expect(row).toContainText('New');
  await row.click();
  await expect(page).toHaveURL(`/approvals?id=${id}`);
  const konga = page.getByRole('region', { name: 'Konga' });
  await konga.getByRole('button', { name: 'Approve ₦1,500' }).click();
  await expect(page.getByText('₦1,500 to Konga approved')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Jumia' })).toBeVisible();
  await page.goto('/notifications');
  await expect(async () => {
    await page.reload();
    await expect(row).toContainText(`Approved by ${owner.email}`, { timeout: 2_000 });
  }).toPass();
  await expect(row).not.toContainText('New');
  // Its link still leads to it, and says who decided and when.
  await row.click();
  await expect(konga.getByRole('status')).toContainText(/^Approved by you, \d+ \w+, \d\d:\d\d\./);
  await expect(konga.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
  await page.goBack();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(page.getByRole('heading', { name: 'All read' })).toBeVisible();
  await page.getByRole('link', { name: 'Notification settings' }).click();
  await expect(page).toHaveURL('/settings?tab=notifications');
  await expect(page.getByRole('tab', { name: 'Notifications', selected: true })).toBeVisible();
  await expect(page.getByRole('switch', { name: 'A payment waits for approval: Email' })).toBeVisible();
});
