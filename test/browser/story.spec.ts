import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import {
  endSession,
  enter,
  fund,
  PASSWORD,
  pay,
  person,
  signIn,
  signUp,
  test,
  walletOf,
  withoutStream,
} from './accounts.js';

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
  await page.getByLabel('Spending limit').fill('20000.5');
  await page.getByRole('switch', { name: 'Restrict to specific merchants' }).click();
  await page.getByRole('combobox', { name: 'Merchants' }).fill('Shoprite');
  await page.getByRole('combobox', { name: 'Merchants' }).press('Enter');
  await page.getByRole('combobox', { name: 'Merchants' }).fill('Jumia');
  await page.getByRole('combobox', { name: 'Merchants' }).press('Enter');
  await expect(
    page.getByText(
      /can spend up to ₦5,000 per payment and ₦20,000\.50 in any 30 days, until .*, only at Shoprite or Jumia\./,
    ),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Create wallet' }).click();

  await expect(page.getByRole('heading', { name: 'Groceries agent is ready' })).toBeFocused();
  const key = await page.locator('pre[aria-label="API key"]').innerText();
  expect(key).toMatch(/^apw_live_/);
  await expect(page.locator('pre[aria-label="command"]')).toContainText(`x-api-key: ${key}`);
  expect(page.url()).not.toContain(key);
  await page.getByRole('link', { name: 'I’ve stored it, open the wallet' }).click();
  await page.getByRole('link', { name: 'Test', exact: true }).click();

  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('₦10,000.00 sent.')).toBeVisible();
  await expect(page.getByText('₦10,000.00', { exact: true }).first()).toBeVisible();

  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByText('₦1,250.50 to Shoprite.')).toBeVisible();
  await expect(page.getByText('₦8,749.50', { exact: true }).first()).toBeVisible();

  const amount = page.getByRole('region', { name: 'Test payment' }).getByLabel('Amount');
  await amount.fill('6000');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByRole('link', { name: 'See the payment' }).click();

  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('₦6,000.00 requested, limit ₦5,000.00')).toBeVisible();
  await expect(drawer.getByLabel('Passed')).toHaveCount(2);
  await expect(drawer.getByLabel('Failed')).toHaveCount(1);
  await expect(drawer.getByLabel('Not checked')).toHaveCount(3);
  await expect(drawer.getByText('No money moved.')).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: /Shoprite.*Paid/ }).click();
  await expect(drawer.getByText('Paid to the recipient')).toBeVisible();
  await expect(drawer.getByLabel('Passed').first()).toBeHidden();
  await drawer.getByText('6 of 6 passed').click();
  await expect(drawer.getByLabel('Passed')).toHaveCount(6);
  await expect(drawer.getByLabel('Passed').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();

  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Blocked' }).click();
  await expect(page.getByRole('tabpanel').getByText('1 payment', { exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Ledger' }).click();
  await expect(page.getByText('+₦10,000.00')).toBeVisible();
  await page.getByRole('link', { name: /^Shoprite Payment/ }).click();
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

test('at most eight clicks lead from the landing page to the first paid payment', async ({ page }) => {
  await page.addInitScript(`
    sessionStorage.clicks ??= '0';
    document.addEventListener('pointerdown', () => { sessionStorage.clicks = Number(sessionStorage.clicks) + 1; }, true);
  `);
  const type = async (field: string | RegExp, text: string) => {
    await expect(page.getByLabel(field)).toBeFocused();
    await page.keyboard.type(text);
  };
  await page.goto('/');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await type('Email', `ada-${randomUUID().slice(0, 8)}@example.com`);
  await page.keyboard.press('Tab');
  await type(/^Password/, PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('link', { name: 'Create a wallet' }).click();
  await type('Name', 'First agent');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await page.getByRole('link', { name: 'I’ve stored it, open the wallet' }).click();
  await page.getByRole('link', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('₦10,000.00 sent.')).toBeVisible();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  const paid = page.getByRole('region', { name: 'Test payment' }).getByRole('alert');
  await expect(paid).toContainText('Paid');
  await expect(paid).toContainText('₦1,250.50 to Shoprite.');
  const clicks = Number(await page.evaluate('sessionStorage.clicks'));
  expect(clicks).toBeGreaterThan(0);
  expect(clicks).toBeLessThanOrEqual(8);
});

test('errors of the server stand at their fields', async ({ page }) => {
  await page.goto('/sign-up');
  await page.getByLabel('Email').fill('no-address');
  await page.getByLabel(/^Password/).fill('short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription(
    'Enter a valid email address, such as ada@example.com',
  );
  await expect(page.getByLabel(/^Password/)).toHaveAccessibleDescription(/at least 6 characters/);

  const known = await person();
  await page.getByLabel('Email').fill(known.email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription(/already exists/);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await page.getByLabel('Email').fill(known.email);
  await page.getByLabel(/^Password/).fill('wrong horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('Incorrect email or password.');

  await enter(page.context(), known);
  await page.goto('/wallets/new');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByLabel('Name')).toBeFocused();
  await page.getByLabel('Name').fill('Errands');
  await page.getByLabel('Per-payment limit').fill('1.234');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByLabel('Per-payment limit')).toHaveAccessibleDescription(/An amount in naira/);
  await page.getByLabel('Per-payment limit').fill('50,000');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByLabel('Spending limit')).toHaveAccessibleDescription(/.+/);
  await page.getByLabel('Spending limit').fill('50,000');
  await page.getByRole('textbox', { name: 'Expires on' }).fill('2020-01-01');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByRole('textbox', { name: 'Expires on' })).toHaveAccessibleDescription(/future|past/);

  const wallet = await walletOf(known);
  await page.goto(`/wallets/${wallet.id}?test=open`);
  await page.getByPlaceholder('apw_live_…').fill('apw_live_wrong');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByPlaceholder('apw_live_…')).toHaveAccessibleDescription(/isn’t valid/);
});

test('what can no longer be asked for stays on the screen, and is said to be old', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  await withoutStream(context);
  await page.goto(`/wallets/${wallet.id}`);
  await expect(page.getByRole('heading', { name: 'Groceries agent' })).toBeVisible();
  await page.route(/\/(api|v1)\//, (route) => route.abort());
  const old = page.getByText(/What you see may be out of date/);
  await expect(old).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('heading', { name: 'Groceries agent' })).toBeVisible();
  // It lets through what lies under it, and the end of the page can be scrolled clear of it.
  const { x, y, height } = (await page.locator('.floating > *').boundingBox()) ?? { x: 0, y: 0, height: 0 };
  expect(
    await page.evaluate(`document.elementFromPoint(${x + 20}, ${y + height / 2}).closest('.floating')`),
  ).toBeNull();
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
  await expect
    .poll(() =>
      page.evaluate(`document.querySelector('.content').lastElementChild.getBoundingClientRect().bottom`),
    )
    .toBeLessThanOrEqual(y);
  await page.unroute(/\/(api|v1)\//);
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect(old).toBeHidden();
});

test('a session that ended leads back to where one was', async ({ page, context }) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?tab=ledger`);
  await expect(page.getByRole('heading', { name: 'Groceries agent' })).toBeVisible();
  await endSession(owner);
  await signIn(page, owner);
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
  // Nobody was interrupted: who signs in next starts at the beginning.
  await expect(page.getByText('Sign in to continue.')).toHaveCount(0);
  expect(new URL(page.url()).search).toBe('');
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
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.keyboard.type(email);
  await tabTo(/^Password/);
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Give your first agent a wallet')).toBeVisible();
  await tabTo(/Create a wallet/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'New wallet' })).toBeVisible();
  await expect(page.getByLabel('Name')).toBeFocused();
  await page.keyboard.type('Keyboard agent');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Keyboard agent is ready' })).toBeFocused();
  await tabTo(/open the wallet/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Keyboard agent' })).toBeVisible();
  await tabTo(/^Test$/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: /Test/ })).toBeVisible();
  await tabTo(/^Amount/);
  await page.keyboard.press('Enter');
  await expect(page.getByText('₦10,000.00 sent.')).toBeVisible();
  await tabTo(/^Merchant/);
  await page.keyboard.press('Enter');
  await expect(page.getByText('₦1,250.50 to Shoprite.')).toBeVisible();
  await tabTo(/See the payment/);
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('6 of 6 passed')).toBeVisible();
  await tabTo(/Rule checks/);
  await page.keyboard.press('Enter');
  await expect(drawer.getByLabel('Passed')).toHaveCount(6);
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
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

test('a failure says what failed, and the page recovers by itself', async ({ page, context }) => {
  const owner = await person();
  await enter(context, owner);
  await page.route('**/v1/business', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'OVERLOADED', message: 'Too much at once.' } } }),
  );
  await page.goto('/settings');
  await expect(page.getByText('Your business couldn’t be loaded')).toBeVisible();
  await expect(page.getByText('The service is busy.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  await page.unroute('**/v1/business');
  await page.getByLabel('Business name').fill('K');
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByLabel('Business name')).toHaveAccessibleDescription(/2 to 200/);
  await page.getByLabel('Business name').fill('Kudi Foods Ltd');
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByText('Business saved')).toBeVisible();
});

test('a wallet or an endpoint that is not there is said so, with a way back', async ({ page, context }) => {
  await enter(context, await person());
  for (const [path, what, list] of [
    ['wallets', 'This wallet wasn’t found', 'Wallets'],
    ['webhooks', 'This endpoint wasn’t found', 'Webhooks'],
  ] as const) {
    await page.goto(`/${path}/${randomUUID()}`);
    await expect(page.getByText(what)).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: list }).click();
    await expect(page.getByRole('heading', { name: list, level: 1 })).toBeVisible();
  }
});
