import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { fund, pay, send, signUp, test, walletOf } from './accounts.js';

test('a key that requires a run and a rationale says so, and its payments are found by their run', async ({
  page,
}) => {
  const wallet = await walletOf(await signUp(page));
  await fund(wallet, 5_000);
  await pay(wallet, 10_000, 'Shoprite');
  await page.goto(`/wallets/${wallet.id}?tab=keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  const create = page.getByRole('dialog', { name: 'New API key' });
  await create.getByLabel('Name').fill('Errands');
  await create.getByRole('switch', { name: 'Require a run ID' }).click();
  await create.getByRole('switch', { name: 'Require a rationale' }).click();
  await create.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new API key' });
  const key = await shown.locator('pre[aria-label="API key"]').innerText();
  await shown.getByRole('button', { name: 'I’ve stored it' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Errands' })).toContainText(
    'requires a run ID and a rationale',
  );
  const ask = (more: object) =>
    send<{ success: boolean; errors?: { field: string }[] }>('/api/payment-intent', {
      headers: { 'x-api-key': key },
      body: {
        ...{
          amount: 20_000,
          merchantName: 'Konga',
          recipientAccountNo: '0123456789',
          recipientBankCode: '058',
        },
        ...more,
      },
    });
  expect((await ask({})).errors?.map(({ field }) => field)).toEqual(['runId', 'rationale']);
  const rationale = 'The printer has paper for two days.';
  expect((await ask({ runId: 'run-0417', rationale })).success).toBe(true);
  expect((await ask({ runId: 'run-0418', rationale: 'Ink' })).success).toBe(true);

  await page.goto('/payments');
  // The key stands in each row.
  await expect(page.getByRole('link', { name: /^Konga.*Errands/ })).toHaveCount(2);
  await expect(page.getByRole('link', { name: /^Shoprite.*First key/ })).toHaveCount(1);
  await page
    .getByRole('link', { name: /^Konga/ })
    .last()
    .click();
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByRole('region', { name: 'Details' })).toContainText(`Rationale${rationale}`);
  await drawer.getByRole('link', { name: 'run-0417' }).click();
  await expect(page.getByLabel('Run', { exact: true })).toHaveValue('run-0417');
  await expect(page.getByRole('link', { name: /^(Konga|Shoprite)/ })).toHaveCount(1);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV' }).click(),
  ]);
  const [head = '', ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(head).toContain('key_id,key_prefix,key_name,purpose,run_id,rationale');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`${key.slice(0, 16)},Errands,,run-0417,${rationale}`);
});
