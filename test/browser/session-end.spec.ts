import { expect } from '@playwright/test';
import {
  endSession,
  enter,
  fund,
  PASSWORD,
  person,
  send,
  signIn,
  test,
  typeWithdrawal,
  walletOf,
} from './accounts.js';

test('what was typed into a new wallet is there again for the user who signs in again, and for no other', async ({
  page,
  context,
}) => {
  const owner = await person();
  await enter(context, owner);
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Errands');
  await page.getByLabel('Per-payment limit').fill('1,250.50');
  await page.getByLabel('Restrict to specific merchants').click();
  await page.getByRole('combobox', { name: 'Merchants' }).fill('Jumia');
  await page.keyboard.press('Enter');
  await endSession(owner);
  await signIn(page, owner);
  await expect(page.getByLabel('Name')).toHaveValue('Errands');
  await expect(page.getByLabel('Per-payment limit')).toHaveValue('1,250.50');
  await expect(page.getByText('Jumia', { exact: true })).toBeVisible();

  // Typed on, and ended once more: another person comes.
  await page.getByLabel('Name').fill('Errands of Ada');
  const [session] = await context.cookies();
  await endSession({ ...owner, token: session?.value ?? '' });
  const other = await person();
  await signIn(page, other);
  await expect(page.getByLabel('Name')).toHaveValue('');
  await page.getByLabel('Name').fill('Their own');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByText('Their own is ready')).toBeVisible();
});

test('a dialog that the end of the session closed is open again with what was typed', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  await enter(context, owner);
  const out = await typeWithdrawal(page, wallet);
  await out.getByLabel('Narration').fill('Back to us');
  await endSession(owner);
  await signIn(page, owner);
  await expect(out.getByLabel('Narration')).toHaveValue('Back to us');
  await expect(out.getByRole('combobox', { name: 'Bank' })).toHaveValue('GTBank');
  await out.getByRole('button', { name: 'Withdraw' }).click();
  await expect(page.getByText('₦1,000 is on its way to the bank')).toBeVisible();
  await expect(out).toBeHidden();
  // It was sent, and is not there the next time.
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await expect(out.getByLabel('Narration')).toHaveValue('');
});

test('a form that the end of the session left keeps what was changed in it alone', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${wallet.id}?tab=rules&edit=rules`);
  const rules = page.getByRole('dialog', { name: 'Edit rules' });
  await rules.getByLabel('Per-payment limit').fill('4,000');
  await endSession(owner);
  await expect(page.getByText('Sign in to continue.')).toBeVisible();
  const { data } = await send<{ data: { token: string } }>('/v1/auth/login', {
    body: { email: owner.email, password: PASSWORD },
  });
  await send(`/api/wallets/${wallet.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${data.token}` },
    body: { spendLimitPeriod: 3_000_000 },
  });
  await signIn(page, owner);
  await expect(rules.getByLabel('Per-payment limit')).toHaveValue('4,000');
  await expect(rules.getByLabel('Spending limit')).toHaveValue('30,000.00');
});
