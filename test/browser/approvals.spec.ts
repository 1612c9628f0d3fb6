import { expect, type Page } from '@playwright/test';
import { enter, fund, pay, person, send, signUp, test, walletOf } from './accounts.js';

/** The bank accepts a payout to it and refuses it 2 seconds later. */
const REFUSED_LATER = '9000000002';

/** The buttons come to rest when the test says so. */
async function holdButtons(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(`const later = setTimeout;
    globalThis.setTimeout = (call, ms, ...rest) => {
      if (ms !== 700) return later(call, ms, ...rest);
      globalThis.rest = call;
    };`);
  return async () => {
    await expect.poll(() => page.evaluate(`'rest' in globalThis`)).toBe(true);
    await page.evaluate('rest(); delete globalThis.rest');
  };
}

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
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page.getByRole('link', { name: /Konga.*Awaiting approval/ })).toBeVisible();
  await expect(page.getByText('₦7,000.00 held for approval')).toBeVisible();
  await expect(page.getByRole('link', { name: /Approvals.*3 waiting/ })).toBeVisible();

  await page.setViewportSize({ width: 375, height: 740 });
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await page.getByRole('link', { name: /Approvals/ }).click();
  const row = (name: string) => page.getByRole('link', { name: new RegExp(`^${name}.*Expires in 3 h`) });
  await row('Konga').click();
  const konga = page.getByRole('region', { name: 'Konga' });
  await expect(konga).toContainText('Suitcase');
  await expect(konga).toContainText('GTBank 0123456789');
  await expect(konga).toContainText(/Account holder[A-Z]/);
  await konga.getByRole('button', { name: 'Approve ₦2,500' }).click();
  await expect(page.getByText('₦2,500 to Konga approved')).toBeVisible();
  await expect(konga).toBeHidden();
  await expect(row('Konga')).toBeHidden();
  await row('Jumia').click();
  const jumia = page.getByRole('region', { name: 'Jumia' });
  await jumia.getByRole('button', { name: 'Deny' }).click();
  await jumia.getByLabel('Note').fill('Not this month');
  await jumia.getByRole('button', { name: 'Deny ₦3,000' }).click();
  await expect(page.getByText('₦3,000 to Jumia denied')).toBeVisible();

  // What the owner decided elsewhere meanwhile is not decided again.
  await row('Shoprite').click();
  const shoprite = page.getByRole('region', { name: 'Shoprite' });
  const headers = { authorization: `Bearer ${owner.token}` };
  const { data } = await send<{ data: { id: string }[] }>('/v1/approvals?status=pending', {
    method: 'GET',
    headers,
  });
  const id = data[0]?.id ?? '';
  // What the service answers to the press is on the screen although the payment waits no more.
  await page.route('**/v1/approvals/*/approve', async (route) => {
    await send(`/v1/approvals/${id}/deny`, { headers, body: {} });
    await expect(row('Shoprite')).toBeHidden();
    await route.continue();
  });
  await shoprite.getByRole('button', { name: 'Approve ₦1,500' }).click();
  await expect(page.getByText('₦1,500 to Shoprite: It was already decided, or has expired.')).toBeVisible();
  await expect(page.getByText('Nothing waits for you')).toBeVisible();
  // On a phone the message lies over the choice.
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByText('It was already decided')).toBeHidden();
  await page.getByText('All', { exact: true }).click();
  await expect(
    page.getByRole('link', { name: /Jumia “Not this month” · Groceries agent Denied/ }),
  ).toBeVisible();
  // What was approved shows what became of it, by itself.
  const lampId = await pay(wallet, 110_000, 'Spar', 'Lamp', REFUSED_LATER);
  const lamp = page.getByRole('row', { name: /Spar Lamp/ });
  await expect(lamp).toContainText('Awaiting approval');
  await send(`/v1/approvals/${lampId}/approve`, { headers, body: {} });
  await expect(lamp).toContainText('Failed, refunded');
  await page.getByRole('link', { name: /Konga Suitcase · Groceries agent Paid/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('Approved by you')).toBeVisible();
  await page.goto(`/wallets/${wallet.id}`);
  await expect(page.getByRole('link', { name: /Jumia.*Denied/ })).toBeVisible();
  await expect(page.getByText('₦7,500.00', { exact: true }).first()).toBeVisible();
});

test('what expires soonest is decided first, by keys and several at once, with all that one decides by', async ({
  page,
  context,
}) => {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  const wallet = await walletOf(owner);
  await fund(wallet, 10_000);
  await pay(wallet, 10_000, 'Spar', 'Lamp', '0123456780');
  const expiresIn = (approvalTtlMinutes: number) =>
    send(`/api/wallets/${wallet.id}`, {
      method: 'PATCH',
      headers,
      body: { approvalThreshold: 100_000, approvalTtlMinutes },
    });
  await expiresIn(600);
  await pay(wallet, 110_000, 'Last', 'Fridge');
  await expiresIn(30);
  await pay(wallet, 120_000, 'First', 'Stove', '0123456780');
  await expiresIn(300);
  for (const name of ['Second', 'Third', 'Fourth']) await pay(wallet, 130_000, name);
  await enter(context, owner);
  const comeToRest = await holdButtons(page);
  await page.goto('/approvals');
  const rows = page.getByRole('link', { name: /Expires in/ });
  await expect(rows).toHaveText([
    /^First₦1,200\.00.*Stove.*Expires in 29 min/,
    /^Second.*Expires in 4 h 59 min/,
    /^Third/,
    /^Fourth/,
    /^Last.*Expires in 9 h/,
  ]);
  const shown = (name: string) => page.getByRole('region', { name, exact: true });
  const facts = shown('First');
  await expect(facts).toContainText('Why it waitsAbove ₦1,000.00');
  await expect(facts).toContainText('KeyFirst key apw_live_');
  await expect(facts).toContainText(/Paid before1 time, last/);
  await expect(facts).toContainText('Balance₦8,700.00 of ₦9,900.00');
  await expect(facts).toContainText('of ₦20,000.00');

  // Not while typing; Escape leaves the note, and nothing is decided.
  await page.keyboard.press('d');
  const note = facts.getByLabel('Note');
  await expect(note).toBeFocused();
  await page.keyboard.type('dada');
  await expect(note).toHaveValue('dada');
  await page.keyboard.press('Escape');
  await expect(note).toBeHidden();
  await page.keyboard.press('a');
  await expect(page.getByText('₦1,200 to First approved')).toBeVisible();
  // What is pressed as the next one comes to stand there was meant for the one before.
  const second = shown('Second');
  await expect(second.getByRole('button', { name: 'Approve ₦1,300' })).toBeDisabled();
  await page.keyboard.press('a');
  await comeToRest();
  await expect(second.getByRole('button', { name: 'Approve ₦1,300' })).toBeEnabled();
  await expect(second).toContainText('No: first payment to this account');
  await expect(rows).toHaveCount(4);
  // The help says so, and turns them off.
  await page.getByRole('button', { name: 'Help' }).click();
  await page.getByRole('switch', { name: 'Use these keys' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.keyboard.press('d');
  await page.keyboard.press('a');
  await expect(second.getByLabel('Note')).toBeHidden();

  // Several: as many as the sum allows, confirmed once, with what became of each.
  await page.getByRole('button', { name: 'Approve up to a sum' }).click();
  const several = page.getByRole('dialog', { name: 'Approve several payments' });
  await several.getByLabel('Up to a sum of').fill('2,600');
  await expect(several.getByRole('listitem')).toHaveText([/^Second/, /^Third/]);
  await several.getByLabel('Up to a sum of').fill('3,800');
  await expect(several.getByRole('button', { name: 'Approve 3 payments of ₦3,700' })).toBeVisible();
  await expect(several.getByRole('listitem')).toHaveText([/^Second/, /^Third/, /^Last/]);
  await several.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('3 selected, ₦3,700.00')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select Last' }).uncheck();
  await page.getByRole('button', { name: 'Approve 2', exact: true }).click();
  let calls = 0;
  await page.route('**/v1/approvals/*/approve', async (route) => {
    calls += 1;
    // One is denied elsewhere in between.
    if (calls === 2) {
      const id = /approvals\/([^/]+)/.exec(route.request().url())?.[1] ?? '';
      await send(`/v1/approvals/${id}/deny`, { headers, body: {} });
    }
    await route.continue();
  });
  await several.getByRole('button', { name: 'Approve 2 payments of ₦2,600' }).click();
  await expect(several.getByText('1 of 2 approved')).toBeVisible();
  await expect(several.getByRole('listitem')).toHaveText([/^Second.*Approved$/, /^Third.*already decided/]);
  await several.getByRole('button', { name: 'Done' }).click();
  await expect(rows).toHaveText([/^Fourth/, /^Last/]);
});
