import { expect } from '@playwright/test';
import { fund, pay, send, signUp, test, walletOf } from './accounts.js';

/** The bank accepts a payout to it and refuses it 2 seconds later. */
const REFUSED_LATER = '9000000002';

test('large payments wait for their owner, who approves and denies them on a phone', async ({ page }) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 10_000);
  await page.goto(`/wallets/${wallet.id}?tab=rules`);
  await page.getByRole('button', { name: 'Edit safeguards' }).click();
  await page.getByLabel('Approval threshold').fill('1,000');
  await page.getByLabel('Approval expires after').selectOption('4 hours');
  await page.getByRole('button', { name: 'Save safeguards' }).click();
  await expect(page.getByText('expires after 4 hours')).toBeVisible();

  await pay(wallet, 250_000, 'Konga', 'Suitcase');
  await pay(wallet, 300_000, 'Jumia', 'Phone');
  await pay(wallet, 150_000, 'Shoprite', 'Party');
  await page.getByRole('tab', { name: 'Payments' }).click();
  await expect(page.getByRole('link', { name: /Konga.*Awaiting approval/ })).toBeVisible();
  await expect(page.getByText('₦7,000.00 held for approval')).toBeVisible();
  await expect(page.getByRole('link', { name: /Approvals.*3 waiting/ })).toBeVisible();

  // The cards come to rest when this test says so.
  await page.addInitScript(`const later = setTimeout;
    globalThis.setTimeout = (call, ms, ...rest) => {
      if (ms !== 700) return later(call, ms, ...rest);
      globalThis.rest = call;
    };`);
  const comeToRest = async () => {
    await expect.poll(() => page.evaluate(`'rest' in globalThis`)).toBe(true);
    await page.evaluate('rest(); delete globalThis.rest');
  };
  await page.reload();
  await page.setViewportSize({ width: 375, height: 740 });
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await page.getByRole('link', { name: /Approvals/ }).click();
  const konga = page.getByRole('region', { name: 'Konga' });
  await expect(konga).toContainText('Suitcase');
  await expect(konga).toContainText('GTBank 0123456789');
  await expect(konga).toContainText(/Account holder[A-Z]/);
  await konga.getByLabel('Note').fill('Fine by the office');
  await konga.getByRole('button', { name: 'Approve ₦2,500' }).click();
  await expect(page.getByText('₦2,500 to Konga approved')).toBeVisible();
  await expect(konga).toBeHidden();
  // What is pressed while the cards move was meant for another one.
  const deny = page.getByRole('region', { name: 'Jumia' }).getByRole('button', { name: 'Deny' });
  await expect(deny).toBeDisabled();
  await comeToRest();
  await deny.click();
  await expect(page.getByText('₦3,000 to Jumia denied')).toBeVisible();

  // What the owner decided elsewhere meanwhile is not decided again.
  const shoprite = page.getByRole('region', { name: 'Shoprite' });
  await expect(shoprite).toBeVisible();
  const { data } = await send<{ data: { id: string }[] }>('/v1/approvals?status=pending', {
    method: 'GET',
    headers: { authorization: `Bearer ${owner.token}` },
  });
  const decided = `/v1/approvals/${data[0]?.id ?? ''}/deny`;
  await comeToRest();
  // What the service answers to the press is on the screen although the card goes.
  await page.route('**/v1/approvals/*/approve', async (route) => {
    await send(decided, { headers: { authorization: `Bearer ${owner.token}` }, body: {} });
    await expect(shoprite).toBeHidden();
    await route.continue();
  });
  await shoprite.getByRole('button', { name: 'Approve ₦1,500' }).click();
  await expect(page.getByText('₦1,500 to Shoprite: It was already decided, or has expired.')).toBeVisible();
  await expect(page.getByText('Nothing waits for you')).toBeVisible();
  // On a phone the message lies over the choice.
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByText('It was already decided')).toBeHidden();
  await page.getByText('All', { exact: true }).click();
  await expect(page.getByRole('link', { name: /Jumia Phone Denied/ })).toBeVisible();
  // What was approved shows what became of it, by itself.
  const id = await pay(wallet, 110_000, 'Spar', 'Lamp', REFUSED_LATER);
  const lamp = page.getByRole('link', { name: /Spar Lamp/ });
  await expect(lamp).toContainText('Awaiting approval');
  await send(`/v1/approvals/${id}/approve`, {
    headers: { authorization: `Bearer ${owner.token}` },
    body: {},
  });
  await expect(lamp).toContainText('Failed, refunded');
  await page.getByRole('link', { name: /Konga “Fine by the office” Paid/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('Approved by you')).toBeVisible();
  await expect(drawer.getByText('“Fine by the office”')).toBeVisible();
  await page.goto(`/wallets/${wallet.id}`);
  await expect(page.getByRole('link', { name: /Jumia.*Denied/ })).toBeVisible();
  await expect(page.getByText('₦7,500.00', { exact: true }).first()).toBeVisible();
});
