import { expect } from '@playwright/test';
import { enter, fund, pay, person, test, walletOf } from './accounts.js';

test('a test payment ends as was chosen, said where it was sent and in the list', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?test=open`);
  const form = page.getByRole('region', { name: 'Test payment' });
  await form.getByLabel('API key').fill(wallet.key);
  for (const [choice, ends] of [
    ['Is paid', 'Paid'],
    ['Fails after 2 seconds', 'Failed, refunded'],
    ['Stays open', 'Processing'],
    ['Is refused at once', 'Failed, refunded'],
    ['Is paid, then sent back', 'Sent back by the bank'],
  ] as const) {
    await form.getByLabel('Merchant').fill(choice);
    await form.getByLabel('Once approved, the payout …').selectOption(choice);
    await form.getByRole('button', { name: 'Pay', exact: true }).click();
    const answer = form.getByRole('alert').filter({ hasText: `to ${choice}.` });
    await expect(answer).toContainText(ends);
    await expect(answer).toBeInViewport();
  }
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: /^Fails after 2 seconds.*Failed, refunded/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /^Is paid, then.*Sent back by the bank/ })).toBeVisible();

  // What moved no money stands back behind what did.
  await pay(wallet, 600_000, 'Party');
  const amountOf = (name: string) =>
    page.getByRole('row').filter({ hasText: name }).locator('.amount .money').first();
  await expect(amountOf('Party')).toBeVisible();
  const look = (name: string) =>
    amountOf(name).evaluate((element) => {
      const { getComputedStyle: of } = globalThis as unknown as {
        getComputedStyle: (of: unknown) => Record<'color' | 'fontWeight', string>;
      };
      const { color, fontWeight } = of(element);
      return { color, fontWeight };
    });
  const [blocked, open] = [await look('Party'), await look('Stays open')];
  expect(Number(blocked.fontWeight)).toBeLessThan(Number(open.fontWeight));
  expect(blocked.color).not.toBe(open.color);
  expect(await look('Fails after 2 seconds')).toEqual(blocked);
});

test('what a tab shows begins on the first screen, under the balance', async ({ page, context }) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  for (const [width, height] of [
    [1440, 900],
    [768, 1000],
    [375, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`/wallets/${wallet.id}?tab=keys`);
    await expect(page.getByRole('row').filter({ hasText: 'First key' })).toBeInViewport({ ratio: 0.9 });
    const box = async (target: ReturnType<typeof page.getByRole>) =>
      (await target.boundingBox()) ?? { y: NaN, height: NaN };
    const hero = await box(page.getByRole('region', { name: 'Balance' }));
    const tabs = await box(page.getByRole('tablist'));
    expect(tabs.y - (hero.y + hero.height)).toBeGreaterThanOrEqual(0);
    expect(tabs.y - (hero.y + hero.height)).toBeLessThan(40);
  }
});
