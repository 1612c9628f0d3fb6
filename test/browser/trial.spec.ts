import { expect } from '@playwright/test';
import { fund, pay, type Purse, send, signUp, test, walletOf } from './accounts.js';

test('what other limits would have done, tried beside the real ones, and applied', async ({ page }) => {
  const owner = await signUp(page);
  const wallet: Purse = await walletOf(owner);
  await fund(wallet, 15_000);
  await pay(wallet, 125_050, 'Shoprite');
  await pay(wallet, 480_000, 'Jumia');
  await pay(wallet, 600_000, 'Konga');

  await page.goto(`/wallets/${wallet.id}?tab=rules&edit=rules`);
  const edit = page.getByRole('dialog', { name: 'Edit rules' });
  await edit.getByLabel('Per-payment limit').fill('3000');
  await edit.getByRole('button', { name: 'See what this would have done' }).click();
  await expect(
    edit.getByText('1 of 3 payments in the last 30 days would have ended otherwise.'),
  ).toBeInViewport();
  await expect(edit.getByText(/^Jumia/)).toBeVisible();
  await edit.getByRole('link', { name: 'Try these limits beside the real ones' }).click();

  const card = page.getByRole('region', { name: 'What would these limits have done?' });
  await expect(
    card.getByText('1 of 3 payments in the last 30 days would have ended otherwise.'),
  ).toBeVisible();
  await expect(card.getByRole('textbox', { name: 'Per-payment limit' })).toHaveValue('3,000.00');
  await expect(card.getByText('instead of ₦6,050.50')).toBeVisible();
  await expect(card.getByRole('link', { name: /Jumia.*per-payment limit.*Would be blocked/ })).toBeVisible();

  await card.getByRole('textbox', { name: 'Per-payment limit' }).fill('7000');
  await card.getByRole('button', { name: 'See what they would have done' }).click();
  await expect(card.getByRole('link', { name: /Konga.*Was blocked.*Would pass/ })).toBeVisible();
  await expect(card.getByText('instead of ₦6,050.50')).toBeVisible();
  await expect(card.getByText('₦12,050.50')).toBeVisible();
  await page.reload();
  await card.getByRole('link', { name: /Konga/ }).click();
  await expect(page.getByRole('dialog', { name: 'Payment' }).getByText('No money moved.')).toBeVisible();
  await page.keyboard.press('Escape');

  await card.getByRole('textbox', { name: 'Per-payment limit' }).fill('1000');
  await card.getByRole('button', { name: 'See what they would have done' }).click();
  await expect(card.getByText(/^2 of 3 payments/)).toBeVisible();
  await card.getByRole('button', { name: 'Try beside the real ones' }).click();
  const trial = page.getByRole('region', { name: 'On trial beside the real limits' });
  await expect(trial.getByText('Per-payment limit from ₦5,000 to ₦1,000')).toBeVisible();
  await expect(trial.getByText('0 of 0 payments').first()).toBeVisible();
  await pay(wallet, 150_000, 'Bolt');
  await expect(trial.getByText('1 of 1 payment', { exact: true })).toBeVisible();
  await expect(trial.getByRole('link', { name: /Bolt.*Would be blocked/ })).toBeVisible();

  await trial.getByRole('button', { name: 'Apply the limits on trial' }).click();
  await expect(page.getByText('These limits apply from the next payment on')).toBeVisible();
  await expect(trial).toBeHidden();
  const { data } = await send<{ data: { wallet: { spendLimitPerTx: number } } }>(
    `/api/wallets/${wallet.id}`,
    {
      method: 'GET',
      headers: { authorization: `Bearer ${owner.token}` },
    },
  );
  expect(data.wallet.spendLimitPerTx).toBe(100_000);
});
