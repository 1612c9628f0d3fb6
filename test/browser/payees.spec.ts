import { expect } from '@playwright/test';
import { fund, pay, send, signUp, test, walletOf } from './accounts.js';

test('an owner adds a payee, removes it, takes that back, and sets the duplicate guard', async ({ page }) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await page.goto(`/wallets/${wallet.id}?tab=payees`);
  await expect(page.getByText('No payees yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add payee' }).click();
  const add = page.getByRole('dialog', { name: 'Add payee' });
  await add.getByRole('button', { name: 'Add payee' }).click();
  await expect(add.getByLabel('Merchant')).toHaveAccessibleDescription(/3 characters or more/);
  await add.getByLabel('Merchant').fill('Shoprite');
  await add.getByRole('combobox', { name: 'Bank' }).click();
  await page.getByRole('option', { name: 'GTBank' }).click();
  await add.getByLabel('Account number').fill('0123456789');
  await expect(add.getByText(/Account holder: ./)).toBeVisible();
  await add.getByRole('button', { name: 'Add payee' }).click();
  await expect(page.getByText(/Shoprite may be paid at GTBank 0123456789/)).toBeVisible();
  const row = page.getByRole('row').filter({ hasText: 'Shoprite' });
  await expect(row).toContainText('Added');
  await page.getByRole('button', { name: 'Remove Shoprite' }).click();
  await expect(page.getByText('No payees yet')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(row).toBeVisible();

  await page.getByRole('tab', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Edit safeguards' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit safeguards' });
  await edit.getByLabel('Duplicate guard').selectOption('Within 10 minutes');
  await edit.getByLabel('Allowed accounts').selectOption('Only payees you added');
  await edit.getByRole('button', { name: 'Use the Central Bank’s ₦20,000 in 24 hours' }).click();
  await edit.getByRole('button', { name: 'Save safeguards' }).click();
  await expect(edit).toBeHidden();
  await expect(page.getByText('Within 10 minutes')).toBeVisible();
  await expect(page.getByText('₦20,000 in the first 24 hours')).toHaveCount(2);
  await fund(wallet, 5_000);
  await pay(wallet, 10_000, 'Konga');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('link', { name: /Konga.*Payee not allowed/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('No account of Konga is trusted yet.')).toBeVisible();
  await drawer.getByRole('button', { name: 'Check the account' }).click();
  const trust = page.getByRole('dialog', { name: 'Trust this payee?' });
  await expect(trust).toContainText('None yet');
  await trust.getByRole('checkbox', { name: 'Did you call them?' }).check();
  await trust.getByRole('button', { name: 'Trust this payee' }).click();
  await expect(page.getByText(/^Konga may be paid at GTBank 0123456789/)).toBeVisible();
  await pay(wallet, 10_000, 'Konga');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: /Konga.*(Paid|Processing)/ })).toBeVisible();
  await page.getByRole('tab', { name: 'Payees' }).click();
  const paid = page.getByRole('region', { name: 'Merchants paid' });
  await expect(paid.getByRole('link', { name: /^Konga.*1 payment.*₦100\.00/ })).toBeVisible();
  await expect(paid.getByLabel('Sums')).toHaveText('1 payment₦100.00');
  await page.getByRole('tab', { name: 'Changes' }).click();
  await expect(page.getByText('Shoprite at GTBank 0123456789')).toHaveCount(3);
  await expect(
    page.getByText('Duplicate guard from “For MCP clients only” to “Within 10 minutes”'),
  ).toBeVisible();
  // What was not changed is not told as a change.
  await expect(page.getByText(/Check recipient’s account from/)).toHaveCount(0);
});

test('a payment to an account that its bank does not know offers no trust, and says what to do', async ({
  page,
}) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  const headers = { authorization: `Bearer ${owner.token}` };
  await send(`/api/wallets/${wallet.id}`, { method: 'PATCH', headers, body: { verifyRecipient: true } });
  await fund(wallet, 5_000);
  await pay(wallet, 10_000, 'Konga', undefined, '9000000001');
  await page.goto(`/wallets/${wallet.id}`);
  await page.getByRole('link', { name: /Konga.*Payee not allowed/ }).click();
  await expect(page.getByText(/The bank knows no such account\. Check the account number/)).toBeVisible();
  await expect(page.getByText('Recipient’s account exists')).toBeVisible();
  await expect(page.getByRole('button', { name: /Compare|Check the account/ })).toHaveCount(0);
});

test('what cooling off or the duplicate guard stopped leads to the rule, and to the first payment', async ({
  page,
}) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  const change = (body: object) =>
    send(`/api/wallets/${wallet.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${owner.token}` },
      body,
    });
  await change({ duplicateGuardMinutes: 10 });
  const first = await pay(wallet, 10_000, 'Konga');
  const again = await pay(wallet, 10_000, 'Konga');
  await page.goto(`/wallets/${wallet.id}?transaction=${again}`);
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(
    drawer.getByText(/If a second purchase is meant, the agent can confirm it, or pay again after/),
  ).toBeVisible();
  await drawer.getByRole('link', { name: 'See the first payment' }).click();
  await expect(page).toHaveURL(new RegExp(`transaction=${first}`));
  await expect(drawer.getByText('6 of 6 passed').or(drawer.getByText('7 of 7 passed'))).toBeVisible();
  await page.goBack();
  await drawer.getByRole('link', { name: 'Change the duplicate guard' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit safeguards' });
  await expect(edit.getByLabel('Duplicate guard')).toHaveValue('10');

  await change({ duplicateGuardMinutes: 0, coolingOff: { newPayeeCap: 20_000, newPayeeHours: 24 } });
  const dear = await pay(wallet, 50_000, 'Konga');
  await page.goto(`/wallets/${wallet.id}?transaction=${dear}`);
  await drawer.getByRole('link', { name: 'Change the cooling-off limit' }).click();
  await expect(edit.getByLabel('New payee limit')).toHaveValue('200.00');
  await page.keyboard.press('Escape');
  await expect(edit).toBeHidden();
});
