import { expect, type Locator } from '@playwright/test';
import { enter, goTo, test } from './accounts.js';
import { type FullFixture, fullFixture } from './full-fixture.js';
import { operatorFixture } from './operators.js';

interface List {
  readonly path: string;
  readonly name: string;
  readonly columns: readonly string[];
}

const PAYMENT = ['Payment', 'Status', 'When', 'Amount'];
const KEY = ['Key', 'Status', 'Last used', 'Actions'];

const listsOf = ({ wallet: { id }, endpoint }: FullFixture): List[] => [
  { path: '/', name: 'Your wallets', columns: ['Wallet', 'Spent of the limit', 'Expires on', 'Balance'] },
  { path: '/', name: 'Activity', columns: PAYMENT },
  { path: '/payments', name: 'Payments', columns: PAYMENT },
  {
    path: '/payments/analytics',
    name: 'By merchant',
    columns: ['Merchant', 'Payments', 'Spent', 'Blocked', 'Blocked amount'],
  },
  { path: '/approvals?show=all', name: 'All approvals', columns: PAYMENT },
  { path: `/wallets/${id}`, name: 'Payments', columns: PAYMENT },
  { path: `/wallets/${id}?tab=ledger`, name: 'Ledger', columns: ['Entry', 'When', 'Amount', 'Balance'] },
  { path: `/wallets/${id}?tab=keys`, name: 'API keys', columns: KEY },
  {
    path: `/wallets/${id}?tab=payees`,
    name: 'Payees',
    columns: ['Payee', 'How', 'Since', 'Actions'],
  },
  { path: `/wallets/${id}?tab=payees`, name: 'Merchants paid', columns: ['Merchant', 'Payments', 'Spent'] },
  {
    path: `/wallets/${id}?tab=rules&trial=${encodeURIComponent('{"spendLimitPerTx":300000}')}`,
    name: 'Decisions that change',
    columns: ['Payment', 'Under these limits', 'When', 'Amount'],
  },
  { path: `/wallets/${id}?tab=activity`, name: 'Changes', columns: ['Change', 'When'] },
  { path: '/webhooks', name: 'Endpoints', columns: ['Endpoint', 'Delivered', 'Status'] },
  { path: `/webhooks/${endpoint}`, name: 'Deliveries', columns: ['Event', 'When', 'Status'] },
  { path: '/settings/activity', name: 'Activity', columns: ['Action', 'When'] },
];

/** Roles as assistive technology is told them: a table of rows, each with a cell for each column. */
async function isTable(table: Locator, columns: readonly string[], at: string): Promise<void> {
  await expect(table, at).toBeVisible();
  await expect(table.getByRole('columnheader'), at).toHaveText([...columns]);
  const rows = table.getByRole('row').filter({ hasNot: table.page().getByRole('columnheader') });
  await expect(rows.first(), at).toBeVisible();
  for (const row of await rows.all()) {
    const cells = row.getByRole('cell').or(row.getByRole('rowheader'));
    const spans = await cells.evaluateAll((all) => {
      const spanOf = ({ ariaColSpan }: { ariaColSpan: string | null }) => Number(ariaColSpan ?? 1);
      return (all as unknown as { ariaColSpan: string | null }[]).map(spanOf);
    });
    expect(
      spans.reduce((sum, span) => sum + span, 0),
      at,
    ).toBe(columns.length);
  }
}

for (const [device, width] of [
  ['a desk', 1280],
  ['a phone', 375],
] as const) {
  test(`each list is a table with its columns on ${device}`, async ({ page, context }) => {
    const at = await fullFixture();
    await enter(context, at.owner);
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/');
    for (const { path, name, columns } of listsOf(at)) {
      await goTo(page, path);
      // Analytics names the region around its table.
      const named = page.getByRole('table', { name });
      const table =
        path === '/payments/analytics' ? page.getByRole('region', { name }).getByRole('table') : named;
      await isTable(table.first(), columns, `${name} at ${path}`);
    }
  });
}

test('the cases of operators are a table with its columns', async ({ page, context }) => {
  const { operator } = await operatorFixture();
  await enter(context, operator);
  await page.goto('/operator');
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: 900 });
    await isTable(page.getByRole('table', { name: 'Cases' }), ['Case', 'Owner', 'Age'], `cases at ${width}`);
  }
});

test('a row is opened by its link, which is as large as the row and named by all of it', async ({
  page,
  context,
}) => {
  const at = await fullFixture();
  await enter(context, at.owner);
  await page.goto('/payments');
  const row = page.getByRole('row').filter({ hasText: 'Order 299' });
  await expect(row.getByRole('link', { name: /Order 299.*Paid.*₦4,575\.00/ })).toHaveCount(1);
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: 900 });
    const box = await row.boundingBox();
    for (const share of [0.03, 0.97]) {
      await row.click({ position: { x: (box?.width ?? 0) * share, y: (box?.height ?? 0) / 2 } });
      const drawer = page.getByRole('dialog', { name: 'Payment' });
      await expect(drawer).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(drawer).toBeHidden();
    }
  }
});
