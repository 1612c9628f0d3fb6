import { expect, type Page } from '@playwright/test';
import { enter, person, test, walletOf } from './accounts.js';

const SETTINGS = /\/assets\/settings-[^/]+\.js$/;

async function home(page: Page): Promise<void> {
  const owner = await person();
  await walletOf(owner);
  await enter(page.context(), owner);
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Groceries agent/ })).toBeVisible();
}

const openSettings = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
const notLoaded = (page: Page) => page.getByRole('alert').filter({ hasText: 'This page couldn’t be loaded' });

function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('load', () => (loads += 1));
  return () => loads;
}

test('a screen that can’t be loaded says so within the frame, and is loaded by Try again', async ({
  page,
}) => {
  await home(page);
  await page.route(SETTINGS, (route) => route.abort());
  await openSettings(page);
  await expect(notLoaded(page)).toContainText('Check your connection, then try again.');
  await page.getByRole('link', { name: 'Payments' }).click();
  await expect(page.getByRole('heading', { name: 'Payments', level: 1 })).toBeVisible();
  await expect(notLoaded(page)).toBeHidden();
  await openSettings(page);
  await expect(notLoaded(page)).toBeVisible();
  await page.unroute(SETTINGS);
  await notLoaded(page).getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
});

test('the frame that can’t be loaded says so, and is loaded by Try again', async ({ page }) => {
  const owner = await person();
  await enter(page.context(), owner);
  await page.route(/\/assets\/shell-[^/]+\.js$/, (route) => route.abort());
  await page.goto('/');
  await expect(notLoaded(page)).toBeVisible();
  await page.unrouteAll();
  await notLoaded(page).getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Give your first agent a wallet')).toBeVisible();
});

test('a dialog that can’t be loaded says so in a toast, and opens once it can', async ({ page }) => {
  await home(page);
  await page.waitForResponse(/\/assets\/toast-stack-[^/]+\.js$/);
  await page.context().setOffline(true);
  const said = page.getByText('Part of the app couldn’t be loaded');
  const buttons = { 'Freeze all': 'Freeze all wallets?', Search: 'Search' };
  for (const name of Object.keys(buttons)) {
    await page.getByRole('button', { name, exact: true }).click();
    await expect(said).toBeVisible();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(said).toBeHidden();
  }
  await page.context().setOffline(false);
  for (const [name, title] of Object.entries(buttons)) {
    await page.getByRole('button', { name, exact: true }).click();
    await expect(page.getByRole('dialog', { name: title })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog', { name: title })).toBeHidden();
  }
});

test('a tab that was left open over a release reloads once, and no second time', async ({ page }) => {
  await home(page);
  const loads = countLoads(page);
  // The service has another release, and the chunks of this one no more.
  await page.route(SETTINGS, (route) => route.fulfill({ status: 404, body: '' }));
  await page.route('/', (route) =>
    route.fulfill({ body: '<script type="module" src="/assets/next.js"></script>' }),
  );
  await openSettings(page);
  await expect.poll(loads).toBe(1);
  // Here the reload brings the same release again.
  await expect(notLoaded(page)).toBeVisible();
  await page.waitForTimeout(1_000);
  expect(loads()).toBe(1);
});
