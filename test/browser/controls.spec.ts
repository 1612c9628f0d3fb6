import { expect } from '@playwright/test';
import { enter, fund, pay, person, send, test, walletOf } from './accounts.js';

test('an owner freezes a wallet with one click, takes it back, and sees both', async ({ page, context }) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}`);
  await page.getByRole('button', { name: 'Freeze', exact: true }).click();
  await expect(page.getByText('Frozen', { exact: true })).toBeVisible();
  await expect(page.getByText('Left to spend once resumed')).toBeVisible();
  await pay(wallet, 10_000, 'Bolt');
  await expect(page.getByRole('link', { name: /Bolt.*Wallet not active.*Blocked/ })).toBeVisible();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  await expect(page.getByText('Left to spend', { exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Changes' }).click();
  await expect(page.getByText('Resumed by you')).toBeVisible();
  await expect(page.getByText('Frozen by you')).toBeVisible();

  // What is said of an expired wallet is told apart by the page's clock.
  await page.clock.setFixedTime('2099-03-01T00:00:00Z');
  await page.reload();
  await expect(page.getByText('Expired', { exact: true })).toBeVisible();
  await expect(page.getByText('Left to spend once extended')).toBeVisible();
  await page.clock.setFixedTime('2099-02-28T23:59:59.999Z');
  await page.reload();
  await expect(page.getByText('Left to spend', { exact: true })).toBeVisible();

  await page.goto('/');
  await page.getByRole('button', { name: 'Freeze all' }).click();
  await page.getByRole('button', { name: 'Freeze all now' }).click();
  await expect(page.getByText('Frozen', { exact: true })).toBeVisible();
});

test('all wallets that were suspended together are resumed at once: by undoing it, or later in one dialog', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallets = [];
  for (const name of ['Errands', 'Groceries', 'Travel desk']) wallets.push(await walletOf(owner, { name }));
  const status = async () => {
    const { data } = await send<{ data: { name: string; status: string }[] }>('/v1/wallets/names', {
      method: 'GET',
      headers: { authorization: `Bearer ${owner.token}` },
    });
    return Object.fromEntries(data.map(({ name, status: is }) => [name, is]));
  };
  const [A, F] = ['ACTIVE', 'SUSPENDED'];
  // One was frozen before, and stays so when the panic is over.
  await send(`/api/wallets/${wallets[2]?.id}/suspend`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  await enter(context, owner);
  await page.goto('/');
  const freezeAll = async () => {
    await page.getByRole('button', { name: 'Freeze all' }).click();
    await page.getByRole('button', { name: 'Freeze all now' }).click();
  };
  await freezeAll();
  await expect(page.getByText('2 wallets frozen')).toBeVisible();
  expect(await status()).toEqual({ Errands: F, Groceries: F, 'Travel desk': F });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('2 wallets can pay again')).toBeVisible();
  expect(await status()).toEqual({ Errands: A, Groceries: A, 'Travel desk': F });

  await freezeAll();
  await expect(page.getByText('2 wallets frozen')).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Resume wallets' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resume wallets' });
  await expect(dialog.getByRole('checkbox', { name: 'Travel desk' })).not.toBeChecked();
  await dialog.getByRole('button', { name: 'Resume 2 wallets' }).click();
  await expect(dialog).toBeHidden();
  expect(await status()).toEqual({ Errands: A, Groceries: A, 'Travel desk': F });
  await expect(page.getByRole('link', { name: /^Travel desk.*Frozen/ })).toBeVisible();
  await expect(page.getByText('Frozen', { exact: true })).toHaveCount(1);
});

test('a blocked merchant is allowed from the payment, and limits are raised in words', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { useAllowlist: true, merchantAllowlist: ['Shoprite'] });
  await fund(wallet, 50_000);
  const konga = await pay(wallet, 10_000, 'Konga');
  const dear = await pay(wallet, 600_000, 'Shoprite');
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?transaction=${konga}`);
  await page.getByRole('button', { name: 'Allow this merchant' }).click();
  await expect(page.getByText('Konga is allowed from the next payment on')).toBeVisible();
  await pay(wallet, 10_000, 'Konga');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: /Konga.*Paid/ })).toBeVisible();

  await page.goto(`/wallets/${wallet.id}?transaction=${dear}`);
  await page.getByRole('link', { name: 'Raise the limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit rules' });
  await expect(dialog.getByText('Nothing yet.')).toBeVisible();
  await dialog.getByLabel('Per-payment limit').fill('7,500');
  await expect(dialog.getByText('Per-payment limit from ₦5,000 to ₦7,500.')).toBeVisible();
  await dialog.getByLabel('Spending limit').fill('7,000');
  await dialog.getByRole('button', { name: 'Save rules' }).click();
  await expect(dialog.getByLabel('Spending limit')).toHaveAccessibleDescription(
    /at least the per-payment limit/,
  );
  await dialog.getByLabel('Spending limit').fill('20,000');
  await dialog.getByRole('button', { name: 'Save rules' }).click();
  await expect(dialog).toBeHidden();
  await pay(wallet, 600_000, 'Shoprite');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page.getByRole('link', { name: /Shoprite.*Paid.*₦6,000\.00/ })).toBeVisible();
  await page.getByRole('tab', { name: 'Changes' }).click();
  await expect(page.getByText('Per-payment limit from ₦5,000 to ₦7,500')).toBeVisible();
  await expect(page.getByText('Konga allowed')).toBeVisible();
});

test('what somebody else changed while a form is open is not overwritten, and stands in it before one saves again', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  const elsewhere = (body: object) =>
    send(`/api/wallets/${wallet.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${owner.token}` },
      body,
    });
  const now = async () => {
    const { data } = await send<{ data: { wallet: object } }>(`/api/wallets/${wallet.id}`, {
      method: 'GET',
      headers: { authorization: `Bearer ${owner.token}` },
    });
    return data.wallet;
  };
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?edit=rules`);
  const rules = page.getByRole('dialog', { name: 'Edit rules' });
  await rules.getByLabel('Spending limit').fill('30,000');
  await elsewhere({ spendLimitPerTx: 100_000 });
  // What lies behind the form follows the change.
  await expect(page.getByText('₦1,000.00', { exact: true })).toBeAttached();
  await rules.getByRole('button', { name: 'Save rules' }).click();
  await expect(rules.getByRole('alert').filter({ hasText: 'Someone else changed this' })).toBeVisible();
  await expect(rules.getByLabel('Per-payment limit')).toHaveValue('1,000.00');
  await expect(rules.getByText('Spending limit from ₦20,000 to ₦30,000.')).toBeVisible();
  await expect(rules.getByText(/Per-payment limit from/)).toHaveCount(0);
  await rules.getByRole('button', { name: 'Save rules' }).click();
  await expect(rules).toBeHidden();
  expect(await now()).toMatchObject({ spendLimitPerTx: 100_000, spendLimitPeriod: 3_000_000 });

  await page.goto(`/wallets/${wallet.id}?tab=rules&edit=safeguards`);
  const guards = page.getByRole('dialog', { name: 'Edit safeguards' });
  await guards.getByLabel('New key limit').fill('500');
  await guards.getByLabel('A key is new for').fill('24');
  await elsewhere({ approvalThreshold: 50_000 });
  await expect(page.getByRole('tabpanel').getByText('₦500.00')).toBeAttached();
  await guards.getByRole('button', { name: 'Save safeguards' }).click();
  await expect(guards.getByRole('alert').filter({ hasText: 'Someone else changed this' })).toBeVisible();
  await expect(guards.getByLabel('Approval threshold')).toHaveValue('500.00');
  await guards.getByRole('button', { name: 'Save safeguards' }).click();
  await expect(guards).toBeHidden();
  expect(await now()).toMatchObject({
    approvalThreshold: 50_000,
    coolingOff: { newKeyCap: 50_000, newKeyHours: 24 },
  });
});

test('an owner takes money out, moves it, and closes the wallet', async ({ page, context }) => {
  const owner = await person();
  const savings = await walletOf(owner, { name: 'Savings' });
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}`);
  await page.getByRole('button', { name: 'Withdraw' }).click();
  const out = page.getByRole('dialog', { name: 'Withdraw' });
  await out.getByLabel('Amount').fill('6,000');
  await out.getByRole('button', { name: 'Withdraw' }).click();
  await expect(out.getByLabel('Amount')).toHaveAccessibleDescription('At most ₦5,000');
  await expect(out.getByRole('combobox', { name: 'Bank' })).toHaveAccessibleDescription('Choose a bank');
  await expect(out.getByLabel('Amount')).toBeFocused();
  await out.getByLabel('Amount').fill('1,000');
  await out.getByRole('combobox', { name: 'Bank' }).click();
  await page.getByRole('option', { name: 'GTBank' }).click();
  await out.getByLabel('Account number').fill('0123456789');
  await expect(out.getByText(/Account holder: ./)).toBeVisible();
  await out.getByRole('button', { name: 'Withdraw' }).click();
  await expect(page.getByText('₦1,000 is on its way to the bank')).toBeVisible();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Move to another wallet' }).click();
  const move = page.getByRole('dialog', { name: 'Move money' });
  await move.getByRole('combobox', { name: 'To wallet' }).click();
  await page.getByRole('option', { name: 'Savings' }).click();
  await move.getByLabel('Amount').fill('4,000');
  await move.getByRole('button', { name: 'Move' }).click();
  await expect(page.getByText('₦4,000 moved to Savings')).toBeVisible();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Close wallet' }).click();
  await page.getByRole('button', { name: 'Close wallet' }).click();
  await expect(page.getByText('Closed', { exact: true })).toBeVisible();
  // Nothing is offered that would put money in or that says a key still pays.
  await expect(page.getByText('can no longer pay')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Fund' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Keys' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'First key' })).toContainText('Wallet closed');
  await page.getByRole('tab', { name: 'Ledger' }).click();
  const entries = page.getByRole('tabpanel');
  await expect(entries.getByText(/^(Processing|Paid) · to GTBank 0123456789$/)).toBeVisible();
  await expect(entries.getByText('Moved to Savings')).toBeVisible();
  await page.goto(`/wallets/${savings.id}`);
  await expect(page.getByText('₦4,000.00', { exact: true }).first()).toBeVisible();
  await page.goto('/');
  await expect(page.getByRole('link', { name: /^Withdrawal.*(Processing|Paid)/ })).toBeVisible();
});

test('a toast lets through what lies under it, keeps its buttons, and goes although a pointer rests there', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}`);
  await page.getByRole('button', { name: 'Freeze', exact: true }).click();
  const toast = page.locator('.mantine-Notification-root').filter({ hasText: 'Groceries agent is frozen' });
  const undo = toast.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeVisible();
  // All of its word.
  expect(
    await page.evaluate(`[...document.querySelectorAll('.mantine-Notification-root button *')]
      .every((part) => part.clientWidth === 0 || part.scrollWidth <= part.clientWidth)`),
  ).toBe(true);
  const box = (await toast.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [x, y] = [box.x + 30, box.y + box.height / 2];
  expect(
    await page.evaluate(`document.elementFromPoint(${x}, ${y}).closest('.mantine-Notifications-root')`),
  ).toBeNull();
  await toast.getByRole('button', { name: 'Dismiss' }).click({ trial: true });
  await undo.click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  await expect(page.getByText('Groceries agent can pay again')).toBeVisible();
  await page.mouse.move(x, y);
  await expect(page.locator('.mantine-Notification-root')).toHaveCount(0);
});

test('on a phone the newest toast alone shows, and never over the head of a dialog', async ({ page }) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(page.context(), owner);
  await page.setViewportSize({ width: 375, height: 740 });
  await page.goto(`/wallets/${wallet.id}`);
  const toasts = page.locator('.mantine-Notification-root');
  await page.getByRole('button', { name: 'Freeze', exact: true }).click();
  await expect(toasts.getByText('is frozen')).toBeVisible();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(toasts.getByText('can pay again')).toBeVisible();
  await expect(toasts.filter({ visible: true })).toHaveCount(1);
  await page.getByRole('button', { name: 'Fund' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  const head = await dialog.getByRole('button', { name: 'Close' }).boundingBox();
  const toast = await toasts.filter({ visible: true }).boundingBox();
  expect(toast?.y).toBeGreaterThan((head?.y ?? Infinity) + (head?.height ?? 0));
});
