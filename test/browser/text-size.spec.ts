import { expect } from '@playwright/test';
import { enter, fund, pay, person, send, test, walletOf } from './accounts.js';
import config from './playwright.config.js';

/** Twice what browsers begin with. */
const ROOT_PX = 32;
const { launchOptions } = config.use ?? {};
const args = [...(launchOptions?.args ?? []), `--blink-settings=defaultFontSize=${ROOT_PX}`];

test.use({ launchOptions: { ...launchOptions, args } });

test('statuses, amounts and choices are as large as the browser is told to show text', async ({
  page,
  context,
}) => {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  await pay(wallet, 10_000, 'Jumia');
  const rules = { approvalThreshold: 100_000 };
  await send(`/api/wallets/${wallet.id}`, { method: 'PATCH', headers, body: rules });
  await pay(wallet, 200_000, 'Konga');
  await enter(context, owner);
  const sizeOf = async (selector: string) => {
    await expect(page.locator(selector).first()).toBeAttached();
    return page.evaluate<number>(
      `parseFloat(getComputedStyle(document.querySelector(${JSON.stringify(selector)})).fontSize)`,
    );
  };
  const least = async (selector: string, rem: number) =>
    expect(await sizeOf(selector), selector).toBeGreaterThanOrEqual(rem * ROOT_PX);
  await page.goto('/');
  await expect(page.getByText(/^Last 28 days/)).toBeVisible();
  await expect(page.getByRole('link', { name: /Jumia/ })).toBeVisible();
  await least('.row .tag', 0.6875);
  await least('.figure-amount', 1.375);
  await least('.choice span', 0.8125);
  await least('.count', 0.75);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
  await page.goto(`/wallets/${wallet.id}`);
  await expect(page.getByText(/^Last 28 days/)).toBeVisible();
  await least('.hero-amount', 1.375);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
});
