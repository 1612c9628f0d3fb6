import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { enter, fund, memberOf, pay, person, send, test, walletOf } from './accounts.js';

const CLICKS_MAX = 10;

interface Ledger {
  readonly totals: Record<'opening' | 'received' | 'paidOut' | 'refunded' | 'closing', number>;
}
interface Statements {
  readonly data: readonly { readonly figures: Record<'opening' | 'closing', number> | null }[];
}

const naira = (kobo: number) =>
  `₦${(kobo / 100).toLocaleString('en-NG', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** The day in Lagos, an hour ahead of UTC. */
const today = () => new Date(Date.now() + 3_600_000).toISOString().slice(0, 10);

test('an accountant ends a month: statement, ledger with its sums, and the file for the books', async ({
  page,
  context,
}) => {
  const owner = await person();
  const ofOwner = { authorization: `Bearer ${owner.token}` };
  const business = { businessName: 'Ada Logistics Ltd', contactEmail: owner.email };
  await send('/v1/onboarding', { headers: ofOwner, body: business });
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  await pay(wallet, 125_050, 'Shoprite', 'Groceries for Thursday');
  await pay(wallet, 90_000, 'Konga');
  const accountant = await memberOf(owner, 'accountant');
  await enter(context, accountant);
  let clicks = 0;
  const click = async (at: Locator) => {
    clicks += 1;
    await at.click();
  };
  const saved = async (at: Locator): Promise<Buffer> => {
    const [download] = await Promise.all([page.waitForEvent('download'), click(at)]);
    return readFile(await download.path());
  };
  const linkOf = (name: string | RegExp) => page.getByRole('link', { name, exact: true });

  await page.goto('/');
  await click(linkOf('Statements'));
  await expect(page.getByText('No statements yet')).toBeVisible();
  await expect(page.getByText('Only an owner may change business details.')).toBeVisible();
  await click(page.getByRole('combobox', { name: 'Month' }));
  await click(page.getByRole('option', { name: /, so far$/ }));
  await click(page.getByRole('button', { name: 'Create statement' }));
  await expect(page.getByText('So far', { exact: true })).toBeVisible({ timeout: 30_000 });
  const headers = { authorization: `Bearer ${accountant.token}` };
  const { data } = await send<Statements>('/v1/statements', { method: 'GET', headers });
  const figures = data[0]?.figures ?? { opening: 0, closing: 0 };
  expect(figures).toMatchObject({ opening: 0, closing: 2_000_000 - 125_050 - 90_000 });
  await expect(page.getByLabel('Figures').getByText(naira(figures.closing), { exact: true })).toBeVisible();
  expect((await saved(linkOf(/^PDF of /))).subarray(0, 5).toString()).toBe('%PDF-');
  const lines = (await saved(linkOf('CSV for bookkeeping'))).toString().trimEnd().split('\r\n').slice(1);
  expect(lines.filter((line) => line.includes('Shoprite'))).toHaveLength(1);
  const amounts = lines.map((line) => Number(/,(-?\d+\.\d{2}),/.exec(line)?.[1]));
  expect(Math.round(amounts.reduce((sum, each) => sum + each, 0) * 100)).toBe(
    figures.closing - figures.opening,
  );

  await click(linkOf('Wallets'));
  const row = page.getByRole('row', { name: /^Groceries agent/ });
  await click(row.filter({ hasText: naira(figures.closing) }));
  await click(page.getByRole('tab', { name: 'Ledger' }));
  const panel = page.getByRole('tabpanel');
  const from = `${today().slice(0, 7)}-01`;
  await panel.getByRole('textbox', { name: 'From' }).fill(from);
  await panel.getByRole('textbox', { name: 'To' }).fill(today());
  await expect(panel.getByText('Days begin at midnight in Africa/Lagos')).toBeVisible();
  await expect(panel.getByText('Payment · Groceries for Thursday')).toBeVisible();
  const { totals } = await send<Ledger>(`/v1/wallets/${wallet.id}/ledger?from=${from}&to=${today()}`, {
    method: 'GET',
    headers,
  });
  expect(totals).toMatchObject({ received: 2_000_000, paidOut: 215_050, closing: figures.closing });
  const sum = (name: string) =>
    panel.locator('.sums > div').filter({ has: page.getByText(name, { exact: true }) });
  await expect(sum('In')).toContainText(naira(totals.received));
  await expect(sum('Out')).toContainText(naira(totals.paidOut));
  await expect(sum('Closing')).toContainText(naira(totals.closing));
  const csv = (await saved(panel.getByRole('link', { name: 'CSV' }))).toString();
  expect(csv).toContain(',created_at (Africa/Lagos),');
  expect(csv).toContain(',Shoprite,');
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);

  await panel.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Money out' }).click();
  await expect(panel.getByText('2 entries', { exact: true })).toBeVisible();
  await expect(sum('Out')).toContainText('₦2,150.50');
  await page.reload();
  await expect(panel.locator('.sums > div')).toHaveText('Out₦2,150.50');

  await page.emulateMedia({ media: 'print' });
  await isOnPaper(page);
});

async function isOnPaper(page: Page): Promise<void> {
  await expect(page.locator('.frame-nav')).toBeHidden();
  await expect(page.locator('.frame-header')).toBeHidden();
  await expect(page.locator('.toolbar').first()).toBeHidden();
  await expect(page.getByText('Shoprite').first()).toBeVisible();
}
