import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { fund, pay, signUp, test, walletOf } from './accounts.js';
import { looksRight } from './looks.js';

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
  await page
    .getByRole('row', { name: /No category 1 ₦500\.00/ })
    .getByRole('link')
    .first()
    .click();
  await expect(page.getByRole('link', { name: /Konga/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Jumia/ })).toHaveCount(0);
  await expect(page.getByRole('combobox', { name: 'Without a' })).toHaveValue('Category');
  await page.goBack();
  await page
    .getByRole('row', { name: /Office 1 ₦1,000\.00/ })
    .getByRole('link')
    .first()
    .click();
  await expect(page.getByRole('link', { name: /Jumia/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Konga/ })).toHaveCount(0);
});

test('a file says how much of it is sent, can be cancelled, and says what to do when it takes too long', async ({
  page,
}) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  const id = await pay(wallet, 100_000, 'Jumia', 'Order 1');
  await page.goto(`/wallets/${wallet.id}?transaction=${id}`);
  const files = page.getByRole('region', { name: 'Files' });
  const add = files.getByRole('button', { name: 'Add files' });
  const choose = async (...named: [string, number][]) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), add.click()]);
    await chooser.setFiles(
      named.map(([name, bytes]) => ({
        name,
        mimeType: 'image/png',
        buffer: Buffer.concat([PNG, Buffer.alloc(bytes)]),
      })),
    );
  };
  const network = await page.context().newCDPSession(page);
  const uploadAt = (bytesPerSecond: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond,
    });
  await network.send('Network.enable');
  const progress = files.getByRole('progressbar', { name: 'Sending slow.png' });
  const percent = async () => Number(await progress.getAttribute('aria-valuenow'));

  await uploadAt(300_000);
  await choose(['slow.png', 3_000_000]);
  await expect.poll(percent).toBeGreaterThan(0);
  const first = await percent();
  await expect.poll(percent).toBeGreaterThan(first);
  expect(await percent()).toBeLessThan(100);
  await expect(files.getByText(/^[1-9]\d?% of 2\.9 MB$/)).toBeVisible();
  await files.getByRole('button', { name: 'Cancel' }).click();
  await expect(files.getByRole('status')).toHaveText('Cancelled.');
  await expect(add).toBeFocused();
  await expect(progress).toBeHidden();
  await expect(files.getByRole('alert')).toHaveCount(0);
  await expect(files.getByRole('link')).toHaveCount(0);

  await uploadAt(100_000);
  await choose(['slow.png', 4_000_000]);
  await expect(progress).toBeVisible();
  await looksRight(page, 'file being sent', true);
  await expect(files.getByRole('alert')).toContainText(
    /slow\.png wasn’t stored: only 1\.\d MB of 3\.8 MB were sent in 15 seconds\. Use a faster connection, or make the file smaller\./,
  );
  await looksRight(page, 'file too slow', true);
  await expect(files.getByRole('link')).toHaveCount(0);

  await uploadAt(-1);
  await choose(['slow.png', 1_000_000]);
  await expect(files.getByRole('status')).toHaveText('slow.png is stored.');
  await expect(files.getByRole('alert')).toHaveCount(0);
  await expect(files.getByRole('link', { name: 'slow.png' })).toBeVisible();
  await choose(['two.png', 100], ['large.png', 6 * 1024 * 1024], ['four.png', 100]);
  await expect(files.getByRole('alert')).toContainText('large.png is more than 5 MB. Choose a smaller file.');
  await expect(files.getByRole('status')).toHaveText('1 of 3 files are stored.');
  await expect(files.getByRole('link')).toHaveText(['slow.png', 'two.png']);
});
