import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { fund, pay, send, signedInWithMoney, signUp, test, walletOf } from './accounts.js';

const row = (page: Page, name: RegExp) => page.getByRole('link', { name });

test('payments of all wallets are searched and filtered, kept in the address, and downloaded', async ({
  page,
}) => {
  const owner = await signUp(page);
  const groceries = await walletOf(owner);
  const travel = await walletOf(owner, { name: 'Travel desk' });
  await fund(groceries, 20_000);
  await fund(travel, 20_000);
  for (let i = 1; i <= 26; i += 1) await pay(groceries, i * 1_000, 'Jumia', `Order ${i}`);
  await pay(groceries, 600_000, 'Shoprite', 'Party');
  await pay(travel, 125_050, 'Konga', 'Suitcase');
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await expect(row(page, /Konga.*Suitcase · Travel desk.*₦1,250\.50/)).toBeVisible();

  // What all pages sum up to stands under the list.
  const sums = page.getByLabel('Sums');
  await expect(sums).toHaveText('27 paid₦4,760.501 blocked, denied or expired₦6,000.00');
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  // Older ones are a step of the address: the back button leads to the newer ones.
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await expect(pages).toHaveText('PreviousPage 1 of 2Next');
  await pages.getByRole('link', { name: 'Next' }).click();
  await expect(row(page, /Jumia.*Order 1 /)).toBeVisible();
  await expect(pages).toHaveText('PreviousPage 2 of 2Next');
  await page.reload();
  await pages.getByRole('link', { name: 'Previous' }).click();
  await expect(row(page, /Konga/)).toBeVisible();
  await expect(page).toHaveURL(/\/payments$/);
  await page.goBack();
  await expect(row(page, /Jumia.*Order 1 /)).toBeVisible();
  await page.goBack();
  await expect(row(page, /Konga/)).toBeVisible();

  // One search finds a payment by its amount, and leads to all that match.
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: /^Search wallets/ }).fill('1,250.50');
  await page.getByRole('button', { name: /₦1,250.50 to Konga.*Travel desk/ }).click();
  await expect(page.getByRole('dialog', { name: 'Payment' })).toContainText('Suitcase');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: /^Search wallets/ }).fill('order 25');
  await expect(page.getByRole('button', { name: /All payments that match/ })).toBeVisible();
  // What comes behind the typing is there for Enter, too.
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 payment', { exact: true })).toBeVisible();

  await page.getByRole('textbox', { name: 'Search', exact: true }).fill('order 26');
  await expect(row(page, /Konga/)).toHaveCount(0);
  await expect(row(page, /Jumia.*Order 26/)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Search', exact: true })).toHaveValue('order 26');
  await expect(page.getByText('1 payment', { exact: true })).toBeVisible();
  await expect(sums).toHaveText('1 paid₦260.00');
  await page.getByRole('button', { name: 'Clear', exact: true }).click();

  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Blocked' }).click();
  await expect(row(page, /Shoprite.*Over the per-payment limit.*Blocked/)).toBeVisible();
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByLabel('Name').fill('Stopped');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(row(page, /Jumia.*Order 26/)).toBeVisible();
  await page.getByRole('link', { name: 'Stopped' }).click();
  await expect(row(page, /Shoprite.*Over the per-payment limit.*Blocked/)).toBeVisible();
  await page.getByRole('button', { name: 'Remove the view Stopped' }).click();
  await expect(page.getByRole('link', { name: 'Stopped' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('link', { name: 'Stopped' })).toHaveAttribute('aria-current', 'true');
  await page.getByRole('button', { name: 'Remove the view Stopped' }).click();
  await expect(page.getByRole('link', { name: 'Stopped' })).toHaveCount(0);
  await expect(row(page, /Jumia/)).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Wallet' }).click();
  await page.getByRole('option', { name: 'Travel desk' }).click();
  await expect(page.getByText('No payment matches')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();

  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('At least').fill('250');
  await page.getByLabel('At most').fill('200');
  await expect(page.getByLabel('At most')).toHaveAccessibleDescription('Less than “At least”');
  await page.getByLabel('At most').fill('2,000');
  await expect(page.getByText('3 payments', { exact: true })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain('Konga');
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await expect(page.getByText('No payment matches')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();

  await row(page, /Konga/).click();
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('Paid to the recipient')).toBeVisible();
  await page.reload();
  await expect(drawer.getByRole('link', { name: 'Travel desk' })).toBeVisible();
  await page.goBack();
  await expect(drawer).toBeHidden();
  await expect(row(page, /Konga/)).toBeVisible();
});

test('a payment whose address lost its wallet is said not to be found, and asks the API for nothing', async ({
  page,
  context,
}) => {
  const wallet = await signedInWithMoney(context, 5_000);
  const paid = await pay(wallet, 10_000, 'Jumia');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`/payments?transaction=${paid}`);
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('This payment wasn’t found')).toBeVisible();
  expect(asked.filter((path) => /wallets\/($|\/)/.test(path))).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await row(page, /Jumia/).click();
  await expect(drawer.getByText('to Jumia')).toBeVisible();
});

test('a checklist leads through the first steps until they are done', async ({ page }) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await page.reload();
  await expect(page.getByText('1 of 4 done')).toBeVisible();
  await page.getByRole('link', { name: 'Fund the wallet' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('₦10,000.00 sent.')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Test', exact: true }).click();
  await page.getByPlaceholder('apw_live_…').fill(wallet.key);
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByText('₦1,250.50 to Shoprite.')).toBeVisible();
  // As the list behind says it.
  await expect(page.getByRole('alert').filter({ hasText: 'Shoprite' })).toContainText(/^Paid/);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Wallets', exact: true }).first().click();
  await expect(page.getByText('3 of 4 done')).toBeVisible();
  await send('/v1/webhook-endpoints', {
    headers: { authorization: `Bearer ${owner.token}` },
    body: { url: 'https://example.com/hooks', events: ['payment.blocked'] },
  });
  await page.reload();
  await expect(page.getByText('Your wallets')).toBeVisible();
  await expect(page.getByText('Get started')).toHaveCount(0);
});

test('a receipt is downloaded of what was approved and of what was refused, and verifies offline', async ({
  page,
}) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  const ids = {
    approved: await pay(wallet, 125_050, 'Shoprite'),
    blocked: await pay(wallet, 600_000, 'Konga'),
  };
  const keys = await send<JSONWebKeySet>('/.well-known/jwks.json', { method: 'GET' });
  for (const [outcome, id] of Object.entries(ids)) {
    await page.goto(`/wallets/${wallet.id}?transaction=${id}`);
    const drawer = page.getByRole('dialog', { name: 'Payment' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      drawer.getByRole('button', { name: 'Download receipt' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${id}.jws`);
    const receipt = await readFile(await download.path(), 'utf8');
    const { payload } = await jwtVerify(receipt, createLocalJWKSet(keys), { issuer: 'agent-payment-wallet' });
    expect(payload).toMatchObject({ jti: id, sub: wallet.id, outcome });
  }
  await page.getByRole('link', { name: 'how to verify a receipt' }).click();
  await expect(page.getByText('which any JOSE library verifies')).toBeVisible();
});
