import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { fund, pay, signUp, test, walletOf } from './accounts.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('a memo, a category, a note and a receipt are put on a payment, and it is found and totalled by them', async ({
  page,
}) => {
  const wallet = await walletOf(await signUp(page));
  await fund(wallet, 20_000);
  await pay(wallet, 100_000, 'Jumia', 'Order 1');
  await pay(wallet, 50_000, 'Konga', 'Order 2');
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('link', { name: /Jumia/ }).click();
  const records = page.getByRole('region', { name: 'Records' });
  await records.getByLabel('Memo').fill('Printer paper');
  await records.getByLabel('Category').fill('Office');
  await records.getByRole('button', { name: 'Save' }).click();
  await expect(records.getByRole('button', { name: 'Save' })).toBeDisabled();
  await records.getByLabel('New note').fill('Asked for by Ben.');
  await records.getByRole('button', { name: 'Add note' }).click();
  await expect(records.getByText('Asked for by Ben.')).toBeVisible();
  const choose = async (name: string, buffer: Buffer) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      records.getByRole('button', { name: 'Add files' }).click(),
    ]);
    await chooser.setFiles({ name, mimeType: 'image/png', buffer });
  };
  await choose('notes.png', Buffer.from('no picture'));
  await expect(records.getByRole('alert')).toContainText('Save it as one of these');
  await choose('receipt.png', PNG);
  const link = records.getByRole('link', { name: 'receipt.png' });
  await expect(link).toBeVisible();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect((await readFile(await download.path())).equals(PNG)).toBe(true);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await page.reload();
  await expect(records.getByLabel('Memo')).toHaveValue('Printer paper');
  await expect(records.getByText('Asked for by Ben.')).toBeVisible();
  await page.goto('/payments?category=Office');
  await expect(page.getByRole('link', { name: /Jumia/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Konga/ })).toHaveCount(0);
  await page.goto('/payments/analytics?by=category');
  await expect(page.getByRole('row', { name: /No category 1 ₦500\.00/ })).toBeVisible();
  await page
    .getByRole('row', { name: /Office 1 ₦1,000\.00/ })
    .getByRole('link')
    .first()
    .click();
  await expect(page.getByRole('link', { name: /Jumia/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Konga/ })).toHaveCount(0);
});
