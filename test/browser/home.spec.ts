import { expect, type Locator, type Page } from '@playwright/test';
import { enter, fund, pay, person, send, test, walletOf } from './accounts.js';
import { looksRight } from './looks.js';

/** What a person does on the way is counted. */
function counting() {
  let clicks = 0;
  const click = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  return { click, clicks: () => clicks };
}

async function busyOwner() {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  const as = (path: string, body: object, method = 'PATCH') => send(path, { method, headers, body });
  const errands = await walletOf(owner, {
    name: 'Errands',
    spendLimitPerTx: 200_000,
    spendLimitPeriod: 300_000,
  });
  await fund(errands, 3_000);
  await as(`/v1/wallets/${errands.id}/low-balance-threshold`, { threshold: 100_000 }, 'PUT');
  for (const amount of [100_000, 110_000, 75_000]) await pay(errands, amount, 'Bolt', 'Ride');
  const groceries = await walletOf(owner, { name: 'Groceries' });
  await fund(groceries, 20_000);
  for (let i = 0; i < 10; i += 1) await pay(groceries, 600_000, 'Konga', 'Generator');
  await as(`/api/wallets/${groceries.id}`, { approvalThreshold: 100_000, approvalTtlMinutes: 600 });
  await pay(groceries, 150_000, 'Later');
  await as(`/api/wallets/${groceries.id}`, { approvalTtlMinutes: 30 });
  await pay(groceries, 160_000, 'Sooner');
  return { owner, errands, groceries };
}

const needs = (page: Page) => page.getByRole('region', { name: 'Needs you' });
const homeLink = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Wallets', exact: true });

test('on a Monday Home says what needs its owner and what happened, and all is done in ten clicks', async ({
  page,
  context,
}) => {
  const { owner, errands, groceries } = await busyOwner();
  await enter(context, owner);
  await page.goto('/');
  const rows = needs(page).getByRole('listitem');
  await expect(rows).toHaveText([
    /^₦1,600\.00 to Sooner.*Expires in 29 min.*Decide/,
    /^₦1,500\.00 to Later.*Expires in 9 h.*Decide/,
    /^10 payments of Groceries were blocked in a burst.*its first key/,
    /^Errands used 95 % of its limit₦2,850\.00 spent of ₦3,000\.00 in 30 days/,
    /^Errands is low: ₦150\.00Your alert is set at ₦1,000\.00/,
  ]);
  const since = page.getByRole('region', { name: /^Since / });
  await expect(since).toContainText('Paid₦2,850.003 payments');
  await expect(since).toContainText('Blocked₦60,000.0010 payments');
  await expect(since).toContainText('Failed₦0.00None');
  await expect(since.getByRole('region', { name: 'Blocked, by reason' })).toContainText('10');
  await expect(since.getByRole('region', { name: 'By wallet' }).getByRole('listitem')).toHaveText([
    /^Errands3 paid₦2,850\.00/,
    /^Groceries10 blocked₦0\.00/,
  ]);
  await expect(since.getByRole('region', { name: 'By agent key' })).toContainText('First key of Errands');
  await expect(since.getByRole('region', { name: 'Repeated' })).toContainText('10 × Konga');

  const { click, clicks } = counting();
  await click(rows.first().getByRole('link', { name: 'Decide' }));
  await click(page.getByRole('button', { name: 'Approve ₦1,600' }));
  await expect(page.getByText('₦1,600 to Sooner approved')).toBeVisible();
  await click(homeLink(page));
  await click(rows.filter({ hasText: 'limit' }).getByRole('link', { name: 'Change limit' }));
  const rules = page.getByRole('dialog', { name: 'Edit rules' });
  await rules.getByLabel('Spending limit').fill('9,000');
  await click(rules.getByRole('button', { name: 'Save rules' }));
  await expect(rules).toBeHidden();
  await click(homeLink(page));
  await expect(rows.filter({ hasText: 'limit' })).toHaveCount(0);
  await click(rows.filter({ hasText: 'is low' }).getByRole('link', { name: 'Fund' }));
  await expect(page.getByRole('dialog', { name: /Fund/ })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/wallets/${errands.id}`));
  await page.keyboard.press('Escape');
  await click(homeLink(page));
  await click(rows.filter({ hasText: 'burst' }).getByRole('link', { name: 'See them' }));
  await expect(page).toHaveURL(new RegExp(`wallet=${groceries.id}&status=blocked&key=`));
  await expect(page.getByRole('link', { name: /Konga/ })).toHaveCount(10);
  expect(clicks()).toBeLessThanOrEqual(10);
  // A figure opens the payments that it counts, and no others.
  await page.goto('/');
  await expect(since).toContainText('Paid₦4,450.004 payments');
  await since.getByRole('link', { name: '4 payments', exact: true }).click();
  await expect(page.getByRole('main').getByText('4 payments', { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('Paid or processing');
  await expect(page.getByRole('textbox', { name: 'From' })).toHaveValue(/^\d+ \w+( \d{4})?, \d\d:\d\d$/);
  await page.goBack();
  await since.getByRole('link', { name: /^10 × Konga/ }).click();
  await expect(page.getByRole('link', { name: /Konga/ })).toHaveCount(10);
  // The period is chosen, and kept in the address.
  await page.goto('/?since=7');
  await expect(since.getByRole('radio', { name: '7 days' })).toBeChecked();
  await expect(since).toContainText('4 payments');
});

test('at night, on a phone, all is stopped in two taps, the leak ended in four, and the rest resumed in two', async ({
  page,
  context,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { owner, groceries } = await busyOwner();
  await enter(context, owner);
  await page.goto('/');
  await expect(needs(page)).toContainText('10 payments of Groceries were blocked in a burst');
  const stop = counting();
  await stop.click(page.getByRole('button', { name: 'Freeze all' }));
  await stop.click(page.getByRole('button', { name: 'Freeze all now' }));
  const banner = page.getByRole('status').filter({ hasText: 'All agents are stopped' });
  await expect(banner).toContainText('2 wallets were frozen by you');
  expect(stop.clicks()).toBe(2);
  const blocked = await pay(groceries, 1_000, 'Konga');
  expect(blocked).not.toBe('');

  const end = counting();
  await end.click(needs(page).getByRole('link', { name: 'its first key' }));
  await end.click(page.getByRole('button', { name: /^Actions for the key/ }));
  await end.click(page.getByRole('menuitem', { name: 'Revoke', exact: true }));
  await end.click(page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }));
  await expect(page.getByRole('button', { name: /^Actions for the key/ })).toHaveCount(0);
  expect(end.clicks()).toBe(4);
  // The banner stands here too, and approving says why it can't be done.
  await page.goto('/approvals');
  await page.getByRole('link', { name: /^Sooner/ }).click();
  const sooner = page.getByRole('region', { name: 'Sooner' });
  await expect(sooner.getByRole('button', { name: 'Approve ₦1,600' })).toBeDisabled();
  await expect(sooner).toContainText('The wallet is frozen. Resume it to approve.');
  await page.keyboard.press('Escape');
  const resume = counting();
  await resume.click(page.getByRole('button', { name: 'Resume wallets' }));
  await resume.click(page.getByRole('button', { name: 'Resume 2 wallets' }));
  await expect(banner).toHaveCount(0);
  expect(resume.clicks()).toBe(2);
});

test('the activity says once what repeats, and opens all of it', async ({ page, context }) => {
  const { owner, groceries } = await busyOwner();
  await pay(groceries, 600_000, 'Konga', 'Generator');
  await enter(context, owner);
  await page.goto('/');
  const rows = page.getByRole('region', { name: 'Activity' }).locator('.rows > .row');
  await expect(rows).toHaveText([
    /^Konga.*Blocked/,
    /^Sooner.*Awaiting approval/,
    /^Later.*Awaiting approval/,
    /^10 × Konga.*Over the per-payment limit · Groceries.*Blocked.*₦60,000\.00/,
    /^Money in.*Groceries/,
    /^Bolt.*₦750\.00/,
    /^Bolt.*₦1,100\.00/,
    /^Bolt.*₦1,000\.00/,
    /^Money in.*Errands/,
  ]);
  await looksRight(page, 'home with repeats', false);
  await rows.filter({ hasText: '10 × Konga' }).getByRole('link').click();
  await expect(page).toHaveURL(
    new RegExp(`/payments\\?wallet=${groceries.id}&merchant=Konga&status=blocked&reason=`),
  );
  await expect(page.getByRole('link', { name: /Konga/ })).toHaveCount(11);
});

test('a withdrawal that the bank sent back needs its owner', async ({ page, context }) => {
  const owner = await person();
  const wallet = await walletOf(owner, { name: 'Savings' });
  await fund(wallet, 5_000);
  const { data } = await send<{ data: { withdrawal: { id: string } } }>(
    `/api/wallets/${wallet.id}/withdrawals`,
    {
      headers: { authorization: `Bearer ${owner.token}`, 'idempotency-key': owner.id },
      body: { amount: 100_000, accountNumber: '9000000004', bankCode: '058' },
    },
  );
  await enter(context, owner);
  await page.goto('/');
  const row = needs(page).getByRole('listitem').filter({ hasText: 'came back from the bank' });
  await expect(async () => {
    // The bank tells of it as soon as it took the money back.
    await send('/api/webhooks/payouts', {
      body: { event: 'transfer.failed', data: { reference: data.withdrawal.id } },
    });
    await page.reload();
    await expect(row).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
  await expect(row).toHaveText(
    /^₦1,000\.00 withdrawn to GTBank 9000000004 came back from the bankRequested .* from Savings; being resolved.*Sent back/,
  );
  await looksRight(page, 'home with a returned withdrawal', false);
  await row.getByRole('link', { name: 'See it' }).click();
  await expect(page).toHaveURL(`/wallets/${wallet.id}?tab=ledger`);
});
