import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator } from '@playwright/test';
import { enter, fund, PASSWORD, pay, person, send, test, walletOf } from './accounts.js';

/** As somebody does who has no mouse. */
async function press(button: Locator): Promise<void> {
  await button.focus();
  await button.press('Enter');
}

test('the focus is where it was after an action, or where the page goes on', async ({ page, context }) => {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  const wallet = await walletOf(owner);
  await fund(wallet, 10_000);
  const rules = { approvalThreshold: 100_000 };
  await send(`/api/wallets/${wallet.id}`, { method: 'PATCH', headers, body: rules });
  await pay(wallet, 250_000, 'Konga');
  await pay(wallet, 300_000, 'Jumia');
  const endpoint = await send<{ data: { id: string } }>('/v1/webhook-endpoints', {
    headers,
    body: { url: 'https://example.com/hooks', events: ['wallet.funded'] },
  });
  await enter(context, owner);

  await test.step('a button that was loading', async () => {
    await page.goto(`/wallets/${wallet.id}`);
    for (const [name, then] of [
      ['Freeze', 'Resume'],
      ['Resume', 'Freeze'],
    ] as const) {
      await press(page.getByRole('button', { name, exact: true }));
      await expect(page.getByRole('button', { name: then, exact: true })).toBeFocused();
    }
  });

  await test.step('a menu', async () => {
    await page.goto(`/webhooks/${endpoint.data.id}`);
    const more = page.getByRole('button', { name: 'More actions' });
    await press(more);
    await expect(page.getByRole('menuitem').first()).toBeFocused();
    // Mantine puts it at the end of the body, outside of the landmarks.
    const { violations } = await new AxeBuilder({ page }).disableRules('region').analyze();
    expect(violations).toEqual([]);
    await press(page.getByRole('menuitem', { name: 'Pause' }));
    await expect(page.getByText('Paused').first()).toBeVisible();
    await expect(more).toBeFocused();
  });

  await test.step('payments that waited', async () => {
    await page.goto('/approvals');
    const rows = page.getByRole('link', { name: /Expires in/ });
    await expect(rows).toHaveCount(2);
    const deny = page.getByRole('button', { name: /^Deny/ });
    await press(deny);
    await expect(page.getByLabel('Note')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(rows).toHaveCount(1);
    await expect(page.locator('.queue-details h2')).toBeFocused();
    await expect(deny).toBeEnabled();
    await press(deny);
    await press(deny);
    await expect(page.getByText('Nothing waits for you')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Approvals', level: 1 })).toBeFocused();
  });

  await test.step('two-factor authentication', async () => {
    await page.goto('/settings');
    await page.getByLabel('Your password').fill(PASSWORD);
    await press(page.getByRole('button', { name: 'Set up' }));
    await expect(page.getByLabel('Code from the app')).toBeFocused();
  });
});
