import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { enter, person, signedInWithMoney, test, walletOf } from './accounts.js';

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const day = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a day is typed as people write it, and kept in the address', async ({ page, context }) => {
  const wallet = await signedInWithMoney(context, 5_000);
  await page.goto(`/wallets/${wallet.id}?tab=ledger`);
  const from = field(page, 'From');
  for (const [typed, kept] of [
    ['29 nov 2024', '2024-11-29'],
    ['3/2/2024', '2024-02-03'],
    ['2024-06-05', '2024-06-05'],
  ] as const) {
    await from.fill(typed);
    await expect(page).toHaveURL(new RegExp(`from=${kept}`));
    await expect(from).toHaveValue(typed);
  }
  await from.blur();
  await expect(from).toHaveValue('5 Jun 2024');
  await expect(page.getByText(/^1 entry$/)).toBeVisible();
  await from.fill('soon');
  await from.blur();
  await expect(from).toHaveAccessibleDescription('Enter a date such as 29 Nov 2026');
  await expect(page.getByText(/^1 entry$/)).toBeVisible();
  await from.fill('');
  await expect(page).not.toHaveURL(/from=/);
  await field(page, 'To').fill('1 Jan 2020');
  await expect(page.getByText('No entry matches')).toBeVisible();
  await page.reload();
  await expect(field(page, 'To')).toHaveValue('1 Jan 2020');
});

test('a day is picked by the keys of a calendar, light and dark', async ({ page, context }) => {
  const wallet = await signedInWithMoney(context, 5_000);
  await page.goto(`/wallets/${wallet.id}?tab=ledger&from=2024-01-31`);
  const open = page.getByRole('button', { name: 'Choose a day: From' });
  await open.press('Enter');
  await expect(day(page, '31 Jan 2024')).toBeFocused();
  for (const [key, lands] of [
    ['PageDown', '29 Feb 2024'],
    ['ArrowRight', '1 Mar 2024'],
    ['ArrowUp', '23 Feb 2024'],
    ['PageUp', '23 Jan 2024'],
    ['ArrowDown', '30 Jan 2024'],
    ['ArrowDown', '6 Feb 2024'],
    ['ArrowLeft', '5 Feb 2024'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(day(page, lands)).toBeFocused();
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  }
  await page.keyboard.press('Escape');
  await expect(day(page, '5 Feb 2024')).toHaveCount(0);
  await expect(open).toBeFocused();
  await expect(page).toHaveURL(/from=2024-01-31/);

  await page.keyboard.press('Enter');
  await expect(day(page, '31 Jan 2024')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(field(page, 'From')).toHaveValue('30 Jan 2024');
  await expect(page).toHaveURL(/from=2024-01-30/);
  await expect(open).toBeFocused();

  // By hand, a month back, on a phone.
  await page.setViewportSize({ width: 375, height: 700 });
  await open.click();
  await page.getByRole('button', { name: 'Previous month' }).click();
  await day(page, '24 Dec 2023').click();
  await expect(field(page, 'From')).toHaveValue('24 Dec 2023');
});

test('a calendar over a dialog closes alone, and picks no day that is too early', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?tab=keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New API key' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Soon over');
  await field(page, 'Expires on').fill('when it is done');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(field(page, 'Expires on')).toHaveAccessibleDescription(/such as 29 Nov 2026/);
  await field(page, 'Expires on').fill('1 Feb 2099');
  await dialog.getByRole('button', { name: 'Choose a day: Expires on' }).click();
  await expect(day(page, '1 Feb 2099')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(day(page, '1 Feb 2099')).toHaveCount(0);
  await expect(dialog).toBeVisible();
  await expect(field(page, 'Expires on')).toHaveValue('1 Feb 2099');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByText(/until 1 Feb 2099/).first()).toBeVisible();
});
