import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { enter, fund, PASSWORD, pay, person, test, walletOf } from './accounts.js';

async function signUp(page: Page): Promise<string> {
  const email = `ada-${randomUUID().slice(0, 8)}@example.com`;
  await page.goto('/sign-up');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('Give your first agent a wallet')).toBeVisible();
  return email;
}

test('from signing up to a blocked payment and its explanation', async ({ page }) => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A blocked payment and a guest's session are answered with a status that the browser notes by itself.
    if (message.type() === 'error' && !/status of (401|402|403)/.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));

  await signUp(page);
  await page.getByRole('link', { name: 'Create a wallet' }).click();
  await page.getByLabel('Name').fill('Groceries agent');
  await page.getByLabel('In a period, at most').fill('20000.5');
  await page.getByRole('switch', { name: 'Only at merchants that I list' }).click();
  await page.getByRole('combobox', { name: 'Merchants' }).fill('Shoprite');
  await page.getByRole('combobox', { name: 'Merchants' }).press('Enter');
  await page.getByRole('combobox', { name: 'Merchants' }).fill('Jumia');
  await page.getByRole('combobox', { name: 'Merchants' }).press('Enter');
  await expect(
    page.getByText(
      /may spend up to ₦5,000 at a time and ₦20,000\.50 in any 30 days, until .*, only at Shoprite or Jumia\./,
    ),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Create wallet' }).click();

  await expect(page.getByRole('heading', { name: 'Groceries agent is ready' })).toBeFocused();
  const key = await page.locator('pre[aria-label="API key"]').innerText();
  expect(key).toMatch(/^apw_live_/);
  await expect(page.locator('pre[aria-label="command"]')).toContainText(`x-api-key: ${key}`);
  expect(page.url()).not.toContain(key);
  await page.getByRole('link', { name: 'Open the wallet' }).click();

  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('₦10,000.00 sent.')).toBeVisible();
  await expect(page.getByText('₦10,000.00', { exact: true }).first()).toBeVisible();

  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByText('₦1,250.50 to Shoprite.')).toBeVisible();
  await expect(page.getByText('₦8,749.50', { exact: true }).first()).toBeVisible();

  const amount = page.locator('section', { hasText: 'Try a payment' }).getByLabel('Amount');
  await amount.fill('6000');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByRole('link', { name: 'See the six checks' }).click();

  const drawer = page.getByRole('dialog', { name: 'Attempt to pay' });
  await expect(drawer.getByText('₦6,000.00 asked, ₦5,000.00 allowed at a time')).toBeVisible();
  await expect(drawer.getByLabel('Passed')).toHaveCount(2);
  await expect(drawer.getByLabel('Failed')).toHaveCount(1);
  await expect(drawer.getByLabel('Not reached')).toHaveCount(3);
  await expect(drawer.getByText('Nothing moved.')).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: /Shoprite.*Approved/ }).click();
  await expect(drawer.getByLabel('Passed')).toHaveCount(6);
  await expect(drawer.getByText('The recipient was paid')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();

  await page.getByText('Blocked', { exact: true }).first().click();
  await expect(page.getByText('1 attempt', { exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Ledger' }).click();
  await expect(page.getByText('+₦10,000.00')).toBeVisible();
  await page.getByText('−₦1,250.50').click();
  await expect(drawer.getByText('to Shoprite')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^ledger-.*\.csv$/);
  expect(complaints).toEqual([]);
});

test('errors of the server stand at their fields', async ({ page }) => {
  await page.goto('/sign-up');
  await page.getByLabel('E-mail').fill('no-address');
  await page.getByLabel(/^Password/).fill('short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Must be a valid e-mail address');
  await expect(page.getByLabel(/^Password/)).toHaveAccessibleDescription(/6 to 200 characters/);

  const known = await person();
  await page.getByLabel('E-mail').fill(known.email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(/already registered/);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail').fill(known.email);
  await page.getByLabel(/^Password/).fill('wrong horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('The e-mail or the password is wrong.');

  await enter(page.context(), known);
  await page.goto('/wallets/new');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByLabel('Name')).toBeFocused();
  await page.getByLabel('Name').fill('Errands');
  await page.getByLabel('At a time, at most').fill('1.234');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByLabel('At a time, at most')).toHaveAccessibleDescription(/An amount in naira/);
  await page.getByLabel('At a time, at most').fill('50,000');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByLabel('In a period, at most')).toHaveAccessibleDescription(/.+/);
  await page.getByLabel('In a period, at most').fill('50,000');
  await page.getByLabel('Until the end of').fill('2020-01-01');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByLabel('Until the end of')).toHaveAccessibleDescription(/future|past/);

  const wallet = await walletOf(known);
  await page.goto(`/wallets/${wallet.id}`);
  await page.getByPlaceholder('apw_live_…').fill('apw_live_wrong');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByPlaceholder('apw_live_…')).toHaveAccessibleDescription(/belongs to no wallet/);
});

test('what can no longer be asked for stays on the screen, and is said to be old', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}`);
  await expect(page.getByRole('heading', { name: 'Groceries agent' })).toBeVisible();
  await page.route(/\/(api|v1)\//, (route) => route.abort());
  const old = page.getByText('What you see may be out of date.');
  await expect(old).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('heading', { name: 'Groceries agent' })).toBeVisible();
  await page.unroute(/\/(api|v1)\//);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(old).toBeHidden();
});

test('a session that ended leads back to where one was', async ({ page, context }) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?tab=ledger`);
  await expect(page.getByRole('heading', { name: 'Groceries agent' })).toBeVisible();
  await context.clearCookies();
  await expect(page.getByText('Sign in to go on where you were.')).toBeVisible();
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('No money has moved yet')).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(`/wallets/${wallet.id}`);

  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Strict' });
  expect(
    await page.evaluate(
      'JSON.stringify([document.cookie, Object.values(localStorage), Object.values(sessionStorage)])',
    ),
  ).not.toContain(cookie?.value);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  expect(await context.cookies()).toEqual([]);
  await page.goto('/sign-in?next=//evil.example/');
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

test('all of it by keyboard', async ({ page }) => {
  const email = `ada-${randomUUID().slice(0, 8)}@example.com`;
  const tabTo = async (name: RegExp) => {
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press('Tab');
      const label = await page.evaluate(
        'document.activeElement.ariaLabel || document.activeElement.labels?.[0]?.innerText || document.activeElement.innerText',
      );
      if (name.test(String(label))) return;
    }
    throw new Error(`Tab never reaches ${String(name)}`);
  };
  await page.goto('/sign-up');
  await expect(page.getByLabel('E-mail')).toBeFocused();
  await page.keyboard.type(email);
  await tabTo(/^Password/);
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Give your first agent a wallet')).toBeVisible();
  await tabTo(/Create a wallet/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'New wallet' })).toBeVisible();
  await tabTo(/^Name/);
  await page.keyboard.type('Keyboard agent');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Keyboard agent is ready' })).toBeFocused();
  await tabTo(/Open the wallet/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Keyboard agent' })).toBeVisible();
  await tabTo(/^Amount/);
  await page.keyboard.press('Enter');
  await expect(page.getByText('₦10,000.00 sent.')).toBeVisible();
  await tabTo(/^Merchant/);
  await page.keyboard.press('Enter');
  await expect(page.getByText('₦1,250.50 to Shoprite.')).toBeVisible();
  await tabTo(/See the six checks/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog').getByLabel('Passed')).toHaveCount(6);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('a wallet refreshes by itself', async ({ page, context }) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}`);
  await expect(page.getByText('No payments yet')).toBeVisible();
  await fund(wallet, 3_000);
  await pay(wallet, 100_000, 'Bolt');
  await expect(page.getByRole('link', { name: /Bolt/ })).toBeVisible();
  await expect(page.getByText('₦2,000.00', { exact: true }).first()).toBeVisible();
});

test('a failure says what failed, and trying again helps', async ({ page, context }) => {
  const owner = await person();
  await enter(context, owner);
  await page.route('**/v1/business', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'OVERLOADED', message: 'Too much at once.' } } }),
  );
  await page.goto('/business');
  await expect(page.getByText('Your business could not be loaded')).toBeVisible({ timeout: 15_000 });
  await page.unroute('**/v1/business');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('Name').fill('K');
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/2 to 200/);
  await page.getByLabel('Name').fill('Kudi Foods Ltd');
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
});

test('a wallet or an endpoint that is not there is said so, with a way back', async ({ page, context }) => {
  await enter(context, await person());
  for (const [path, what, list] of [
    ['wallets', 'This wallet was not found', 'Wallets'],
    ['webhooks', 'This endpoint was not found', 'Webhooks'],
  ] as const) {
    await page.goto(`/${path}/${randomUUID()}`);
    await expect(page.getByText(what)).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: list }).click();
    await expect(page.getByRole('heading', { name: list, level: 1 })).toBeVisible();
  }
});
