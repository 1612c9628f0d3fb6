import { expect } from '@playwright/test';
import { enter, fund, goTo, PASSWORD, pay, person, send, signUp, test, walletOf } from './accounts.js';
import { looksRight } from './looks.js';

/** The status of a payment that is tried with a key. */
async function tryKey(key: string): Promise<string> {
  const answer = await send<{ success?: boolean; code?: string; errors?: { code: string }[] }>(
    '/api/payment-intent',
    {
      headers: { 'x-api-key': key },
      body: {
        amount: 1_000,
        merchantName: 'Bolt',
        recipientAccountNo: '0123456789',
        recipientBankCode: '058',
      },
    },
  );
  return answer.success ? 'paid' : (answer.code ?? answer.errors?.[0]?.code ?? 'refused');
}

test('an owner creates, renames, rotates and revokes keys', async ({ page }) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  await page.getByRole('link', { name: /^Groceries agent/ }).click();
  await page.getByRole('tab', { name: 'Keys' }).click();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const shown = page.getByRole('dialog', { name: 'Your new API key' });
  const key = shown.locator('pre[aria-label="API key"]');
  await expect(row('First key').getByText('Never used')).toBeVisible();

  await page.getByRole('button', { name: 'New key' }).click();
  const create = page.getByRole('dialog', { name: 'New API key' });
  await create.getByRole('button', { name: 'Create key' }).click();
  await expect(create.getByLabel('Name')).toHaveAccessibleDescription(/Enter a name/);
  await create.getByLabel('Name').fill('Errands, production');
  await create.getByRole('textbox', { name: 'Expires on' }).fill('2099-01-31');
  await create.getByRole('button', { name: 'Create key' }).click();
  const errands = await key.innerText();
  expect(await tryKey(errands)).toBe('paid');
  const asked = page.waitForEvent('dialog');
  void page.reload().catch(() => undefined);
  await (await asked).dismiss();
  await page.keyboard.press('Escape');
  await expect(key).toHaveText(errands);
  await shown.getByRole('button', { name: 'I’ve stored it' }).click();
  await expect(shown).toBeHidden();
  await expect(row('Errands, production')).toContainText(`${errands.slice(0, 16)}…`);
  await expect(row('Errands, production')).toContainText('until 31 Jan 2099');
  await expect(page.locator('pre[aria-label="command"]')).toContainText(errands);

  await page.getByRole('button', { name: 'Actions for the key Errands, production' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Errands');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

  // Rotated for a leak: the old one pays nothing from then on.
  await page.getByRole('button', { name: 'Actions for the key Errands', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Rotate' }).click();
  await page.getByRole('radio', { name: 'At once' }).check();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const rotated = await key.innerText();
  expect([await tryKey(errands), await tryKey(rotated)]).toEqual(['INVALID_API_KEY', 'paid']);
  await shown.getByRole('button', { name: 'I’ve stored it' }).click();
  // Rotated with time to put the new one in place: both pay.
  await page.getByRole('button', { name: 'Actions for the key First key' }).click();
  await page.getByRole('menuitem', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const second = await key.innerText();
  expect([await tryKey(wallet.key), await tryKey(second)]).toEqual(['paid', 'paid']);
  // Left before it was stored, it can still be seen.
  await page.goBack();
  await page.getByRole('link', { name: 'Show the key' }).click();
  await expect(key).toHaveText(second);
  await shown.getByRole('button', { name: 'I’ve stored it' }).click();

  await page.getByRole('button', { name: 'Actions for the key Errands', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await expect(page.getByText('Errands was revoked')).toBeVisible();
  expect(await tryKey(rotated)).toBe('INVALID_API_KEY');
  await page.getByText('2 inactive keys').click();
  await expect(row('Errands').getByText('Revoked', { exact: true })).toHaveCount(2);

  await page.getByRole('tab', { name: 'Changes' }).click();
  await expect(page.getByText('Key revoked by you')).toHaveCount(2);
  await expect(page.getByText('Errands was “Errands, production”')).toBeVisible();
  await page.getByRole('tab', { name: 'Keys' }).click();
  await expect(page.getByText(/^Used /).first()).toBeVisible();
});

test('a key that was made here pays test payments from every tab of its wallet, until a reload or the end of the session', async ({
  page,
}) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  await page.goto(`/wallets/${wallet.id}?tab=keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  const create = page.getByRole('dialog', { name: 'New API key' });
  await create.getByLabel('Name').fill('Errands');
  await create.getByRole('button', { name: 'Create key' }).click();
  const made = await page.locator('pre[aria-label="API key"]').innerText();
  await page.getByRole('button', { name: 'I’ve stored it' }).click();
  const test = page.getByRole('link', { name: 'Test', exact: true });
  const key = page.getByPlaceholder('apw_live_…');
  for (const name of ['Overview', 'Ledger', 'Payees', 'Rules', 'Changes', 'Keys']) {
    await page.getByRole('tab', { name, exact: true }).click();
    await test.click();
    await expect(key).toHaveValue(made);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await expect(key).toBeHidden();
  }
  await goTo(page, '/payments');
  await expect(page.getByRole('heading', { name: 'Payments', level: 1 })).toBeVisible();
  await goTo(page, `/wallets/${wallet.id}?test=open`);
  await expect(key).toHaveValue(made);

  const stored = (fullKey: string) =>
    page.evaluate(`(async () => {
      const cached = await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)));
      return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, cached, await indexedDB.databases()])
        .includes(${JSON.stringify(fullKey)});
    })()`);
  expect(await stored(made)).toBe(false);
  await page.reload();
  await expect(key).toHaveValue('');
  // One that was typed is kept as soon as it has paid, or was blocked by a rule.
  await key.fill(wallet.key);
  await page.getByRole('region', { name: 'Test payment' }).getByLabel('Amount').fill('9,000');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByRole('alert').getByText('Blocked')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('tab', { name: 'Ledger' }).click();
  await test.click();
  await expect(key).toHaveValue(wallet.key);
  expect(await stored(wallet.key)).toBe(false);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Wallets', level: 1 })).toBeVisible();
  await goTo(page, `/wallets/${wallet.id}?test=open`);
  await expect(key).toHaveValue('');
});

test('right after a rotation the payments of the old key are one click away, and the new key’s are its own', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 9_000);
  await pay(wallet, 10_000, 'Shoprite');
  const { data } = await send<{ data: { apiKey: { fullKey: string; keyPrefix: string } } }>(
    `/api/wallets/${wallet.id}/keys`,
    { headers: { authorization: `Bearer ${owner.token}` }, body: { name: 'Scraper' } },
  );
  await pay({ ...wallet, key: data.apiKey.fullKey }, 20_000, 'Konga');
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?tab=keys`);
  await page.getByRole('button', { name: 'Actions for the key Scraper' }).click();
  await page.getByRole('menuitem', { name: 'Rotate' }).click();
  await page.getByRole('radio', { name: 'At once' }).check();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new API key' });
  const fresh = await shown.locator('pre[aria-label="API key"]').innerText();
  await looksRight(page, 'rotated key', true);
  await shown.getByRole('link', { name: 'I’ve stored it, show the payments of the old key' }).click();
  const payments = page.getByRole('tabpanel');
  const chosen = page.getByLabel('Key', { exact: true });
  await expect(payments.getByRole('link', { name: /Konga/ })).toBeVisible();
  await expect(payments.getByRole('link', { name: /Shoprite/ })).toHaveCount(0);
  await expect(chosen).toHaveValue(`Scraper (${data.apiKey.keyPrefix}…)`);
  await expect(page.getByText('Store this wallet’s API key')).toHaveCount(0);

  const ofNewKey = async () => {
    await page.getByRole('tab', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Actions for the key Scraper' }).click();
    await page.getByRole('menuitem', { name: 'Payments of this key' }).click();
    await expect(chosen).toHaveValue(`Scraper (${fresh.slice(0, 16)}…)`);
  };
  await ofNewKey();
  await expect(payments.getByRole('link', { name: /Konga|Shoprite/ })).toHaveCount(0);
  await pay({ ...wallet, key: fresh }, 30_000, 'Jumia');
  await expect(payments.getByRole('link', { name: /Jumia/ })).toBeVisible();
  await expect(payments.getByRole('link', { name: /Konga|Shoprite/ })).toHaveCount(0);
});

test('a key is narrowed to a purpose, an amount, one payment and one merchant', async ({ page }) => {
  const owner = await signUp(page);
  const wallet = await walletOf(owner, { useAllowlist: true, merchantAllowlist: ['Bolt', 'Shoprite'] });
  await fund(wallet, 5_000);
  await page.goto(`/wallets/${wallet.id}?tab=keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  const create = page.getByRole('dialog', { name: 'New API key' });
  await create.getByLabel('Name').fill('One ride');
  await create.getByLabel('Purpose').fill('Ride to the airport');
  await create.getByRole('switch', { name: 'Limit this key' }).click();
  await create.getByLabel('Per-payment limit').fill('90,000');
  await create.getByLabel('Number of payments').fill('1');
  await create.getByRole('combobox', { name: 'Merchants' }).click();
  await page.getByRole('option', { name: 'Bolt' }).click();
  await create.getByLabel('Name').click();
  await create.getByRole('button', { name: 'Create key' }).click();
  // More than the wallet itself may pay at a time. The field has a description of its own, before it is answered.
  await expect(create.getByLabel('Per-payment limit')).toHaveAccessibleDescription(/of the wallet/);
  await create.getByLabel('Per-payment limit').fill('900');
  await create.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new API key' });
  const key = await shown.locator('pre[aria-label="API key"]').innerText();
  await shown.getByRole('button', { name: 'I’ve stored it' }).click();
  const row = page.getByRole('row').filter({ hasText: 'One ride' });
  await expect(row).toContainText(
    'Ride to the airport · ₦900 per payment · 1 payment, 1 left · only at Bolt',
  );
  expect(await tryKey(key)).toBe('paid');
  expect(await tryKey(key)).toBe('KEY_LIMIT_EXCEEDED');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('link', { name: /Bolt.*Over a limit of the API key.*Blocked/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('Key’s number of payments')).toBeVisible();
  await expect(drawer.getByText('Payment 2 of 1')).toBeVisible();
  await expect(drawer.getByText('Ride to the airport')).toBeVisible();
});

test('an agent’s code and settings are ready to paste, with the key while it is at hand', async ({
  page,
}) => {
  await signUp(page);
  await page.getByRole('link', { name: 'Create a wallet' }).click();
  await page.getByLabel('Name').fill('Errands');
  await page.getByRole('switch', { name: 'Restrict to specific merchants' }).click();
  await page.getByRole('combobox', { name: 'Merchants' }).fill("Mama Cass's");
  await page.getByRole('combobox', { name: 'Merchants' }).press('Enter');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  const key = await page.locator('pre[aria-label="API key"]').innerText();
  const choose = (name: string) => page.getByText(name, { exact: true }).click();
  const origin = new URL(page.url()).origin;

  await expect(page.locator('pre[aria-label="command"]')).toContainText(`Mama Cass'\\''s`);
  await choose('TypeScript');
  const code = page.locator('pre[aria-label="code"]');
  await expect(code).toContainText(`baseUrl: '${origin}'`);
  await expect(code).toContainText(`apiKey: '${key}'`);
  await expect(code).toContainText(`merchantName: "Mama Cass's"`);
  const settings = page.locator('pre[aria-label="settings"]');
  await choose('MCP');
  expect(JSON.parse(await settings.innerText())).toEqual({
    mcpServers: {
      purser: { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${key}` } },
    },
  });
  await choose('Desktop');
  expect(JSON.parse(await settings.innerText())).toEqual({
    mcpServers: { purser: { command: 'wallet-mcp', env: { WALLET_URL: origin, WALLET_KEY: key } } },
  });

  await page.getByRole('link', { name: 'I’ve stored it, open the wallet' }).click();
  await page.goto('/');
  await page.getByRole('button', { name: 'Or from your code' }).click();
  await expect(page.locator('pre[aria-label="command"]')).toContainText('x-api-key: <API key>');
});
