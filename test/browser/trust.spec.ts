import { expect } from '@playwright/test';
import {
  enter,
  fund,
  pay,
  type Person,
  person,
  type Purse,
  send,
  test,
  twoFactorOf,
  walletOf,
} from './accounts.js';
import { looksRight } from './looks.js';

/** The bank accepts a payout to it, and never says what became of it. */
const NEVER_SETTLED = '9000000003';

const as = ({ token }: Person) => ({ authorization: `Bearer ${token}` });
const change = (owner: Person, { id }: Purse, body: object) =>
  send(`/api/wallets/${id}`, { method: 'PATCH', headers: as(owner), body });

test('new bank details are compared with the known ones, holders and all, before they are trusted', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  await change(owner, wallet, { payeePolicy: 'first_use' });
  await pay(wallet, 10_000, 'Konga');
  const blocked = await pay(wallet, 20_000, 'Konga', 'Invoice 1190, new bank details', '0123456780');
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?transaction=${blocked}`);
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText(/New bank details are a common way to steal money/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Trust this payee' })).toHaveCount(0);
  // The first thing to do is to look at what was paid before.
  const actions = drawer.getByRole('link', { name: 'See payments to Konga' });
  await expect(actions).toBeVisible();
  await drawer.getByRole('button', { name: 'Compare the accounts' }).click();
  const dialog = page.getByRole('dialog', { name: 'Trust this payee?' });
  const known = dialog.getByRole('region', { name: 'Known account' });
  const asked = dialog.getByRole('region', { name: 'New account' });
  await expect(known).toContainText('Sandbox Holder 6789');
  await expect(known).toContainText('GTBank 0123456789');
  await expect(asked).toContainText('Sandbox Holder 6780');
  await expect(asked).toContainText('GTBank 0123456780');
  await expect(dialog.getByRole('alert')).toContainText(
    'Sandbox Holder 6789 before, Sandbox Holder 6780 now',
  );
  const trust = dialog.getByRole('button', { name: 'Trust this payee' });
  await expect(trust).toBeDisabled();
  await looksRight(page, 'trust a payee', true);

  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await actions.click();
  await expect(drawer).toBeHidden();
  await expect(page).toHaveURL(/merchant=Konga/);
  await page.goBack();
  await drawer.getByRole('button', { name: 'Compare the accounts' }).click();
  await dialog.getByRole('checkbox', { name: 'Did you call them?' }).check();
  await trust.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/Konga may be paid at GTBank 0123456780/)).toBeVisible();
});

test('after all wallets were frozen a banner stays until the last of them pays again', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { name: 'Errands' });
  const groceries = await walletOf(owner, { name: 'Groceries' });
  const alone = await walletOf(owner, { name: 'Travel desk' });
  await fund(wallet, 9_000);
  await change(owner, wallet, { approvalThreshold: 100_000 });
  const waiting = await pay(wallet, 150_000, 'Shoprite', 'Party');
  await pay(wallet, 41_000, 'Konga', undefined, NEVER_SETTLED);
  await send(`/api/wallets/${alone.id}/suspend`, { headers: as(owner) });
  await enter(context, owner);
  await page.goto('/');
  await expect(page.getByRole('status').filter({ hasText: 'stopped' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Freeze all' }).click();
  await page.getByRole('button', { name: 'Freeze all now' }).click();
  const banner = page.getByRole('status').filter({ hasText: 'All agents are stopped' });
  await expect(banner).toContainText('2 wallets were frozen by you');
  await expect(banner).toContainText('1 payout of ₦410.00 is still with the bank');
  await expect(page.getByRole('button', { name: 'Resume wallets' })).toHaveCount(1);
  await looksRight(page, 'all frozen', false);

  // It is on every screen, and outlives the page.
  await page.goto('/approvals');
  await expect(banner).toBeVisible();
  const party = page.getByRole('region', { name: 'Shoprite' });
  await expect(party.getByText('The wallet is frozen. Resume it to approve.')).toBeVisible();
  await expect(party.getByRole('button', { name: 'Approve ₦1,500' })).toBeDisabled();
  await expect(party.getByRole('button', { name: 'Deny' })).toBeEnabled();
  await page.goto(`/wallets/${wallet.id}?transaction=${waiting}`);
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByRole('button', { name: 'Approve ₦1,500' })).toBeDisabled();
  await page.goto('/');
  await page.getByRole('button', { name: 'Resume wallets' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resume wallets' });
  await expect(dialog.getByRole('checkbox', { name: 'Errands' })).toBeChecked();
  await expect(dialog.getByRole('checkbox', { name: 'Groceries' })).toBeChecked();
  await expect(dialog.getByRole('checkbox', { name: 'Travel desk' })).not.toBeChecked();
  await dialog.getByRole('checkbox', { name: 'Errands' }).uncheck();
  await dialog.getByRole('button', { name: 'Resume 1 wallet' }).click();
  await expect(dialog).toBeHidden();
  const rest = page.getByRole('status').filter({ hasText: 'Agents are stopped' });
  await expect(rest).toContainText('1 wallet was frozen by you');
  await send(`/api/wallets/${wallet.id}/resume`, { headers: as(owner) });
  await expect(rest).toHaveCount(0);
  // What was frozen alone is resumed by choice, and says no such thing.
  await page.getByRole('button', { name: 'Resume wallets' }).click();
  await expect(dialog.getByRole('checkbox', { name: 'Travel desk' })).not.toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Resume 0 wallets' })).toBeDisabled();
  expect(groceries.id).not.toBe(wallet.id);
});

test('what waits for approval is held in the bar: spent, held and left are the limit', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { spendLimitPeriod: 1_000_000 });
  await fund(wallet, 9_000);
  await change(owner, wallet, { approvalThreshold: 100_000 });
  await pay(wallet, 50_000, 'Shoprite');
  await pay(wallet, 450_000, 'Konga');
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}`);
  const hero = page.getByRole('region', { name: 'Balance' });
  await expect(hero).toContainText('₦500.00 spent, ₦4,500.00 held');
  await expect(hero).toContainText('of ₦10,000.00');
  await expect(hero).toContainText('Left to spend₦5,000.00');
  const bar = hero.getByRole('progressbar', { name: 'Spent: ₦500.00 of ₦10,000.00, ₦4,500.00 held' });
  await expect(bar).toHaveAttribute('aria-valuenow', '50');
  const widths = await bar
    .locator('> div')
    .evaluateAll((parts) =>
      parts.map((part) => (part as unknown as { style: { width: string } }).style.width),
    );
  expect(widths).toEqual(['5%', '45%']);
  await looksRight(page, 'held money', false);
  await page.goto('/');
  // What needs somebody names the wallet, too.
  const row = page.getByRole('row', { name: /^Groceries agent/ }).filter({ hasText: 'held' });
  await expect(row).toContainText('₦4,500.00 held');
});

test('with two-factor on an approval asks for a code, saying what for, and the next ten minutes need none', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 9_000);
  await change(owner, wallet, { approvalThreshold: 100_000 });
  await pay(wallet, 150_000, 'Shoprite');
  await pay(wallet, 160_000, 'Konga');
  const [code = '', second = ''] = await twoFactorOf(owner);
  await enter(context, owner);
  await page.goto('/approvals');
  await page.getByRole('button', { name: 'Approve ₦1,500' }).click();
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await expect(proof).toContainText('To approve this payment, enter the code of your authenticator app');
  await expect(proof).toContainText('You won’t be asked again for 10 minutes');
  await looksRight(page, 'second factor for an approval', true);
  await proof.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Enter the code of your authenticator app.')).toBeVisible();
  await page.getByRole('button', { name: 'Approve ₦1,500' }).click();
  await proof.getByLabel('Two-factor code').fill(` ${code.toUpperCase()} `);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('₦1,500 to Shoprite approved')).toBeVisible();
  await page.getByRole('button', { name: 'Approve ₦1,600' }).click();
  await expect(page.getByText('₦1,600 to Konga approved')).toBeVisible();
  // A key and a raised limit, too, within these minutes.
  await page.goto(`/wallets/${wallet.id}?tab=keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  const made = page.getByRole('dialog', { name: 'New API key' });
  await made.getByLabel('Name').fill('Second');
  await made.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Second' })).toBeVisible();

  // Another session has given none.
  const login = await send<{ data: { token: string } }>('/v1/auth/login', {
    body: { email: owner.email, password: 'correct horse', totpCode: second },
  });
  await enter(context, { ...owner, token: login.data.token });
  await page.goto(`/wallets/${wallet.id}?edit=rules`);
  const rules = page.getByRole('dialog', { name: 'Edit rules' });
  await rules.getByLabel('Per-payment limit').fill('4,000');
  await rules.getByRole('button', { name: 'Save rules' }).click();
  await expect(rules).toBeHidden();
  await page.goto(`/wallets/${wallet.id}?edit=rules`);
  await rules.getByLabel('Per-payment limit').fill('6,000');
  await rules.getByRole('button', { name: 'Save rules' }).click();
  await expect(proof).toContainText('To weaken a safeguard of this wallet, enter');
});

test('the payments of a key are found from its menu and from a payment, the dead key’s too', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await walletOf(owner, { name: 'Savings' });
  await fund(wallet, 9_000);
  await pay(wallet, 10_000, 'Shoprite');
  const { data } = await send<{ data: { apiKey: { id: string; fullKey: string; keyPrefix: string } } }>(
    `/api/wallets/${wallet.id}/keys`,
    { headers: as(owner), body: { name: 'Scraper' } },
  );
  const { id, fullKey, keyPrefix } = data.apiKey;
  await pay({ ...wallet, key: fullKey }, 20_000, 'Konga');
  await send(`/api/wallets/${wallet.id}/keys/${id}`, { method: 'DELETE', headers: as(owner) });
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?tab=keys`);
  await page.getByText('1 inactive key').click();
  await page.getByRole('button', { name: 'Actions for the key Scraper' }).click();
  await page.getByRole('menuitem', { name: 'Payments of this key' }).click();
  await expect(page.getByRole('link', { name: /Konga/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Shoprite/ })).toHaveCount(0);
  await expect(page.getByLabel('Key', { exact: true })).toHaveValue(`Scraper (${keyPrefix}…)`);
  await looksRight(page, 'payments of a key', false);
  await expect(page.getByRole('link', { name: 'CSV' })).toHaveAttribute('href', new RegExp(`key=${id}`));
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(page.getByRole('link', { name: /Shoprite/ })).toBeVisible();

  await page.goto('/payments');
  await page.getByRole('button', { name: 'More filters' }).click();
  await expect(page.getByLabel('Key', { exact: true })).toBeDisabled();
  await page.getByRole('link', { name: /Konga/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText(`${keyPrefix}…`)).toBeVisible();
  await drawer.getByRole('link', { name: 'Scraper' }).click();
  await expect(drawer).toBeHidden();
  await expect(page.getByRole('link', { name: /Shoprite/ })).toHaveCount(0);
  await expect(page.getByRole('link', { name: /Konga/ })).toBeVisible();
  await expect(page.getByLabel('Key', { exact: true })).toHaveValue(`Scraper (${keyPrefix}…)`);
});
