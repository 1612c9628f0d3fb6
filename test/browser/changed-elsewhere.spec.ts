import { expect } from '@playwright/test';
import { enter, fund, pay, person, type Person, type Purse, send, test, walletOf } from './accounts.js';

interface Rules {
  readonly merchantAllowlist: string[];
  readonly spendLimitPerTx: number;
  readonly approvalTtlMinutes?: number;
  readonly duplicateGuardMinutes?: number;
}

/** What the owner does by the API, or in another tab. */
function elsewhere({ token }: Person, { id }: Purse) {
  const headers = { authorization: `Bearer ${token}` };
  const path = `/api/wallets/${id}`;
  return {
    change: (body: Partial<Rules>) => send(path, { method: 'PATCH', headers, body }),
    rules: async () =>
      (await send<{ data: { wallet: Rules } }>(path, { method: 'GET', headers })).data.wallet,
  };
}

test('taking back that a merchant is allowed does not allow one that was taken off since', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { useAllowlist: true, merchantAllowlist: ['Shoprite', 'Bolt'] });
  await fund(wallet, 5_000);
  const konga = await pay(wallet, 10_000, 'Konga');
  const { change, rules } = elsewhere(owner, wallet);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?transaction=${konga}`);
  await page.getByRole('button', { name: 'Allow this merchant' }).click();
  await expect(page.getByText('Konga is allowed from the next payment on')).toBeVisible();
  await change({ merchantAllowlist: ['Shoprite', 'Konga'] });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Someone else changed this in the meantime.')).toBeVisible();
  expect((await rules()).merchantAllowlist).toEqual(['Shoprite', 'Konga']);
});

test('allowing a merchant does not allow one that was taken off since the payment was opened', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { useAllowlist: true, merchantAllowlist: ['Shoprite', 'Bolt'] });
  await fund(wallet, 5_000);
  const konga = await pay(wallet, 10_000, 'Konga');
  const { change, rules } = elsewhere(owner, wallet);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?transaction=${konga}`);
  const allow = page.getByRole('button', { name: 'Allow this merchant' });
  await expect(allow).toBeVisible();
  // The change comes between what is shown and what is pressed.
  await page.route(`**/api/wallets/${wallet.id}`, async (route) => {
    if (route.request().method() === 'PATCH') await change({ merchantAllowlist: ['Shoprite'] });
    await route.fallback();
  });
  await allow.click();
  await expect(page.getByText('Someone else changed this in the meantime.')).toBeVisible();
  expect((await rules()).merchantAllowlist).toEqual(['Shoprite']);
  await page.unroute(`**/api/wallets/${wallet.id}`);
  await expect(page.getByText('1 merchant', { exact: true })).toBeAttached();
  await allow.click();
  await expect(page.getByText('Konga is allowed from the next payment on')).toBeVisible();
  expect((await rules()).merchantAllowlist).toEqual(['Shoprite', 'Konga']);
});

test('minutes that the API alone can set are shown as they are in the form of the safeguards', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  const { change, rules } = elsewhere(owner, wallet);
  await change({ approvalTtlMinutes: 90, duplicateGuardMinutes: 7 });
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?tab=rules&edit=safeguards`);
  const guards = page.getByRole('dialog', { name: 'Edit safeguards' });
  const chosen = (label: string) => guards.getByLabel(label).locator('option:checked');
  await expect(chosen('Approval expires after')).toHaveText('90 minutes');
  await expect(chosen('Duplicate guard')).toHaveText('Within 7 minutes');
  await guards.getByRole('button', { name: 'Save safeguards' }).click();
  await expect(guards).toBeHidden();
  expect(await rules()).toMatchObject({ approvalTtlMinutes: 90, duplicateGuardMinutes: 7 });
});

test('another wallet is asked for only once it is known that there is none', async ({ page, context }) => {
  const owner = await person();
  await walletOf(owner, { name: 'Savings' });
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  await enter(context, owner);
  const names = '**/v1/wallets/names';
  await page.route(names, (route) => route.abort());
  await page.goto(`/wallets/${wallet.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Move to another wallet' }).click();
  const move = page.getByRole('dialog', { name: 'Move money' });
  await expect(move.getByText('Your wallets couldn’t be loaded')).toBeVisible();
  await expect(move.getByText('Create another wallet first.')).toHaveCount(0);
  await page.unroute(names);
  await move.getByRole('combobox', { name: 'To wallet' }).click();
  await page.getByRole('option', { name: 'Savings' }).click();
});

test('closing a wallet says what waits for approval and is denied, and denies it', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { approvalThreshold: 100_000 });
  await fund(wallet, 5_000);
  await pay(wallet, 150_000, 'Konga', 'Suitcase');
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Close wallet' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close this wallet?' });
  await expect(dialog.getByText('₦1,500.00 is held for approval: those payments are denied.')).toBeVisible();
  await expect(dialog.getByText('₦5,000.00 in it is paid out to:')).toBeVisible();
  await dialog.getByRole('combobox', { name: 'Bank' }).click();
  await page.getByRole('option', { name: 'GTBank' }).click();
  await dialog.getByLabel('Account number').fill('0123456789');
  await dialog.getByRole('button', { name: 'Close wallet' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('link', { name: /Konga.*Denied/ })).toBeVisible();
  await expect(page.getByText('₦0.00', { exact: true }).first()).toBeVisible();
});
