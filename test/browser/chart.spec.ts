import { expect } from '@playwright/test';
import { enter, test } from './accounts.js';
import { spendingFixture } from './spending-fixture.js';

test('the chart says of each day what was spent then and four weeks before, and opens its payments', async ({
  page,
  context,
}) => {
  const { spender, spending } = await spendingFixture();
  await enter(context, spender);
  await page.goto(`/wallets/${spending.id}`);
  const chart = page.getByRole('group', { name: /^Spend by day over the last 28 days/ });
  const days = chart.getByRole('link');
  await expect(days).toHaveCount(28);
  // The four weeks before are a line, no second row of bars.
  await expect(chart.locator('.chart-before polyline')).toHaveCount(1);
  const paid = days.filter({ has: page.locator('i') }).nth(5);
  const index = Number(await paid.getAttribute('data-day'));
  const rows = chart.getByRole('table', { name: 'Spend by day' }).getByRole('row');
  const cells = await rows
    .nth(index + 1)
    .getByRole('cell')
    .allInnerTexts();
  const name = await rows
    .nth(index + 1)
    .getByRole('rowheader')
    .innerText();
  const [spent = '', before = '', blocked = ''] = cells;
  const chosen = days.nth(index);
  await chosen.hover();
  const tip = chart.locator('.chart-tip');
  await expect(tip).toContainText(name + spent);
  await expect(tip).toContainText(before);
  const [first = '', second = ''] = (await tip.innerText()).match(/\w{3}, \d+ \w+/g) ?? [];
  expect(first).toBe(name);
  // The same weekday.
  expect(second.slice(0, 3)).toBe(name.slice(0, 3));
  expect(second).not.toBe(first);
  await expect(chosen).toHaveAccessibleName(
    `${name}: ${spent} spent, ${blocked} payment${blocked === '1' ? '' : 's'} blocked`,
  );
  // A day with something blocked is marked.
  const stopped = days.filter({ has: page.locator('b') });
  await expect(stopped.first()).toHaveAccessibleName(/: .* spent, [1-9]\d* payments? blocked$/);

  // One stop of Tab, then the arrow keys.
  await expect(chart.locator('[tabindex="0"]')).toHaveCount(1);
  await days.last().focus();
  for (let i = 0; i < 27 - index; i += 1) await page.keyboard.press('ArrowLeft');
  await expect(chosen).toBeFocused();
  await expect(tip).toContainText(name);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/payments\?from=(\d{4}-\d\d-\d\d)&to=\1&wallet=/);
  await expect(page.getByLabel('Sums')).toContainText(spent);
  await page.goBack();
  await chosen.click();
  await expect(page).toHaveURL(/\/payments\?from=/);
});
