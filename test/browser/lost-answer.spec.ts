import { expect, type Page, type Route } from '@playwright/test';
import {
  endSession,
  enter,
  fund,
  person,
  type Person,
  send,
  signIn,
  signUp,
  test,
  twoFactorOf,
  typeWithdrawal,
  walletOf,
} from './accounts.js';

/** Has the service do what `act` posts to `path`, and its answer lost. */
async function loseAnswer(page: Page, path: string, act: () => Promise<unknown>): Promise<void> {
  const lose = async (route: Route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    expect((await route.fetch()).status()).toBe(201);
    await route.abort();
  };
  await page.route(path, lose);
  await act();
  await expect(page.getByText('Can’t reach the service.')).toBeVisible();
  await page.unroute(path, lose);
}

/** How many there are in the list at `path` of the API. */
async function count({ token }: Person, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await send<{ data: object[] }>(path, { method: 'GET', headers })).data.length;
}

/** A new owner withdraws ₦1,000 of ₦5,000. The service does it; its answer does not arrive. */
async function loseWithdrawal(page: Page) {
  const owner = await signUp(page);
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  const out = await typeWithdrawal(page, wallet);
  const submit = out.getByRole('button', { name: 'Withdraw' });
  await loseAnswer(page, '**/withdrawals', () => submit.click());
  return { owner, wallet, out, submit };
}

test('a wallet whose answer was lost is pointed out before a second one is created', async ({
  page,
  context,
}) => {
  const owner = await person();
  await enter(context, owner);
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Errands');
  const create = page.getByRole('button', { name: 'Create wallet' });
  await loseAnswer(page, '**/api/wallets', () => create.click());
  await create.click();
  const alike = page.getByRole('alert').filter({ hasText: 'There is a wallet named “Errands”' });
  await expect(alike).toBeVisible();
  const names = async () => {
    const headers = { authorization: `Bearer ${owner.token}` };
    const { data } = await send<{ data: { name: string }[] }>('/v1/wallets/names', {
      method: 'GET',
      headers,
    });
    return data.map(({ name }) => name);
  };
  expect(await names()).toEqual(['Errands']);
  await alike.getByRole('link', { name: 'Open it' }).click();
  await expect(page.getByRole('heading', { name: 'Errands' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Keys' })).toHaveAttribute('aria-selected', 'true');

  // Who wants another one of the same name gets it.
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Errands');
  const drop = (route: Route) => (route.request().method() === 'POST' ? route.abort() : route.fallback());
  await page.route('**/api/wallets', drop);
  await create.click();
  await expect(page.getByText('Can’t reach the service.')).toBeVisible();
  await page.unroute('**/api/wallets', drop);
  await create.click();
  await expect(alike).toBeVisible();
  await create.click();
  await expect(page.getByText('Errands is ready')).toBeVisible();
  expect(await names()).toEqual(['Errands', 'Errands']);
});

test('a withdrawal whose answer was lost is made once, also where the code for the next try is not given', async ({
  page,
}) => {
  const { owner, wallet, out, submit } = await loseWithdrawal(page);

  const [code = ''] = await twoFactorOf(owner);
  await submit.click();
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await proof.getByRole('button', { name: 'Cancel' }).click();
  await expect(out.getByText('Enter the code of your authenticator app.')).toBeVisible();
  await submit.click();
  await proof.getByLabel('Two-factor code').fill(code);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('₦1,000 is on its way to the bank')).toBeVisible();
  const { balance } = await send<{ balance: number }>(`/v1/wallets/${wallet.id}/stats`, {
    method: 'GET',
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(balance).toBe(400_000);
});

test('a withdrawal whose answer was lost is made once, also where the session ends before the next try', async ({
  page,
}) => {
  const { owner, out, submit } = await loseWithdrawal(page);

  const [first = '', second = ''] = await twoFactorOf(owner);
  await endSession(owner);
  await signIn(page, owner);
  await page.getByLabel('Two-factor code').fill(first);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(out.getByLabel('Amount')).toHaveValue('1,000.00');
  await submit.click();
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await proof.getByLabel('Two-factor code').fill(second);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('₦1,000 is on its way to the bank')).toBeVisible();
  await expect(page.getByText('₦4,000.00', { exact: true }).first()).toBeVisible();
});

test('a key whose answer was lost is pointed out before a second one is created', async ({
  page,
  context,
}) => {
  const owner = await person();
  const { id } = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${id}?tab=keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New API key' });
  await dialog.getByLabel('Name').fill('Errands');
  const create = dialog.getByRole('button', { name: 'Create key' });
  await loseAnswer(page, '**/keys', () => create.click());
  // The list behind the dialog says so at once.
  await expect(page.getByText('Errands', { exact: true })).toBeVisible();
  await create.click();
  const alike = page.getByRole('alert').filter({ hasText: 'There is an active key named “Errands”' });
  await expect(alike).toBeVisible();
  const list = `/api/wallets/${id}/keys`;
  expect(await count(owner, list)).toBe(2);
  await create.click();
  await expect(page.getByText('Your new API key')).toBeVisible();
  expect(await count(owner, list)).toBe(3);
});

test('a key is rotated once where the answer was lost', async ({ page, context }) => {
  const owner = await person();
  const { id } = await walletOf(owner);
  await enter(context, owner);
  await page.goto(`/wallets/${id}?tab=keys`);
  await page.getByRole('button', { name: /^Actions for the key/ }).click();
  await page.getByRole('menuitem', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate key' });
  const rotate = dialog.getByRole('button', { name: 'Rotate key' });
  await loseAnswer(page, '**/keys', () => rotate.click());
  await rotate.click();
  await expect(dialog.getByText('There is an active key named “First key”')).toBeVisible();
  expect(await count(owner, `/api/wallets/${id}/keys`)).toBe(2);
});

test('a webhook endpoint whose answer was lost is pointed out before a second one is created', async ({
  page,
  context,
}) => {
  const owner = await person();
  await enter(context, owner);
  await page.goto('/webhooks');
  await page.getByRole('button', { name: 'Add an endpoint' }).click();
  const dialog = page.getByRole('dialog', { name: 'New endpoint' });
  // It is stored as a parser writes it.
  await dialog.getByLabel('URL').fill('http://127.0.0.1:80/hooks');
  const add = dialog.getByRole('button', { name: 'Add endpoint' });
  await loseAnswer(page, '**/webhook-endpoints', () => add.click());
  await add.click();
  const alike = page
    .getByRole('alert')
    .filter({ hasText: 'There is an endpoint for http://127.0.0.1/hooks' });
  await expect(alike).toBeVisible();
  expect(await count(owner, '/v1/webhook-endpoints')).toBe(1);
  await alike.getByRole('link', { name: 'Open it' }).click();
  await expect(page.getByRole('heading', { name: 'http://127.0.0.1/hooks' })).toBeVisible();
  await expect(dialog).toBeHidden();
});
