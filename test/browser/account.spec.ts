import { expect, type Locator, type Page } from '@playwright/test';
import jsqr from 'jsqr';
import { generateSync } from 'otplib';
import {
  enter,
  fund,
  linkMailedTo,
  PASSWORD,
  person,
  signUp,
  test,
  typeWithdrawal,
  walletOf,
} from './accounts.js';

const NEW_PASSWORD = 'battery staple';

/** What the authenticator app shows, `steps` of 30 seconds from now. */
const codeOf = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });

/** What a phone reads of the code. */
async function scanned(image: Locator): Promise<string | undefined> {
  const width = Number((await image.getAttribute('viewBox'))?.split(' ').at(-1));
  const path = (await image.locator('path').getAttribute('d')) ?? '';
  const scale = 4;
  const pixels = new Uint8ClampedArray(width * scale * width * scale * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let down = 0; down < scale; down += 1)
      for (let right = 0; right < scale; right += 1)
        pixels.fill(0, ...pixelAt(Number(x) * scale + right, Number(y) * scale + down));
  return jsqr.default(pixels, width * scale, width * scale)?.data;

  function pixelAt(x: number, y: number): [number, number] {
    const at = (y * width * scale + x) * 4;
    return [at, at + 3];
  }
}

async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('with two-factor on, money leaves only with a code, and what was typed outlives a wrong one', async ({
  page,
}) => {
  const owner = await signUp(page);
  await page.goto('/settings');
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up' }).click();
  const qr = page.getByRole('img', { name: 'QR code of the key' });
  await expect(qr).toBeVisible();
  const key = page.locator('pre[aria-label="key"]');
  await expect(key).toBeHidden();
  await page.getByText('Type the key instead').click();
  const secret = await key.innerText();
  expect(await scanned(qr)).toContain(`secret=${secret}`);
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByLabel('Code from the app')).toHaveAccessibleDescription(/wrong or was used/);
  // As an app shows it.
  await page.getByLabel('Code from the app').fill(codeOf(secret).replace(/^.../, '$& - '));
  await page.getByRole('button', { name: 'Turn on' }).click();
  const codes = (await page.locator('pre[aria-label="recovery codes"]').innerText()).split('\n');
  expect(codes).toHaveLength(10);
  // Left before they were stored, they can still be seen.
  await page.getByRole('link', { name: 'Wallets', exact: true }).click();
  await expect(page.getByText('Give your first agent a wallet')).toBeVisible();
  await page.goBack();
  await expect(page.locator('pre[aria-label="recovery codes"]')).toHaveText(codes.join('\n'));
  const asked = page.waitForEvent('dialog');
  void page.reload().catch(() => undefined);
  await (await asked).dismiss();
  await page.getByRole('button', { name: 'I’ve stored them' }).click();

  const wallet = await walletOf(owner);
  const savings = await walletOf(owner, { name: 'Savings' });
  await fund(wallet, 5_000);
  const out = await typeWithdrawal(page, wallet);
  await out.getByLabel('Narration').fill('Back to us');
  await out.getByRole('button', { name: 'Withdraw' }).click();
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
  const code = proof.getByLabel('Two-factor code');
  await expect(code).toBeFocused();
  await proof.getByRole('button', { name: 'Cancel' }).click();
  await expect(out.getByText('Enter the code of your authenticator app.')).toBeVisible();
  await expect(out.getByLabel('Amount')).toHaveValue('1,000.00');
  await out.getByRole('button', { name: 'Withdraw' }).click();
  await code.fill('000000');
  await code.press('Enter');
  await expect(code).toHaveAccessibleDescription('This code is wrong or was used before');
  await expect(out.getByLabel('Narration')).toHaveValue('Back to us');
  await code.fill(codeOf(secret, 1));
  await code.press('Enter');
  await expect(page.getByText('₦1,000 is on its way to the bank')).toBeVisible();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Move to another wallet' }).click();
  const move = page.getByRole('dialog', { name: 'Move money' });
  await move.getByRole('combobox', { name: 'To wallet' }).click();
  await page.getByRole('option', { name: 'Savings' }).click();
  await move.getByLabel('Amount').fill('4,000');
  await move.getByRole('button', { name: 'Move' }).click();
  // The code of a moment ago is good for ten minutes.
  await expect(page.getByText('₦4,000 moved to Savings')).toBeVisible();
  await expect(proof).toHaveCount(0);

  await page.getByRole('button', { name: 'Freeze', exact: true }).click();
  await expect(page.getByText('Frozen', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Close wallet' }).click();
  await page.getByRole('button', { name: 'Close wallet' }).click();
  await expect(page.getByText('Closed', { exact: true })).toBeVisible();
  await page.goto(`/wallets/${savings.id}`);
  await expect(page.getByText('₦4,000.00', { exact: true }).first()).toBeVisible();

  await page.context().clearCookies();
  await page.goto('/sign-in');
  await logIn(page, owner.email, PASSWORD);
  await expect(page.getByLabel('Two-factor code')).toBeFocused();
  await page.getByLabel('Two-factor code').fill('000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByLabel('Two-factor code')).toHaveAccessibleDescription(/wrong or was used/);
  await expect(page.getByLabel(/^Password/)).toHaveValue(PASSWORD);
  await page.getByLabel('Two-factor code').fill(codes[3] ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('link', { name: /^Savings/ })).toBeVisible();
});

test('a forgotten password is set anew by the link of a mail, which ends the old sessions', async ({
  page,
  browser,
  context,
  baseURL,
}) => {
  const owner = await person();
  await enter(context, owner);
  await page.goto('/settings');
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();

  const elsewhere = await (await browser.newContext({ baseURL: baseURL ?? '' })).newPage();
  await elsewhere.goto('/sign-in');
  await elsewhere.getByRole('link', { name: 'Forgot your password?' }).click();
  // The screen before has an email too.
  await expect(elsewhere.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
  const told = elsewhere.getByText(/^If this email belongs to an account, a link is on its way/);
  await elsewhere.getByLabel('Email').fill('nobody@example.com');
  await elsewhere.getByRole('button', { name: 'Send link' }).click();
  await expect(told).toBeVisible();
  await elsewhere.reload();
  await elsewhere.getByLabel('Email').fill(owner.email);
  await elsewhere.getByRole('button', { name: 'Send link' }).click();
  await expect(told).toBeVisible();

  const link = await linkMailedTo(owner.email);
  await elsewhere.goto(link);
  await elsewhere.getByLabel('New password').fill('short');
  await elsewhere.getByRole('button', { name: 'Save password' }).click();
  await expect(elsewhere.getByLabel('New password')).toHaveAccessibleDescription(/at least 6 characters/);
  await elsewhere.getByLabel('New password').fill(NEW_PASSWORD);
  await elsewhere.getByRole('button', { name: 'Save password' }).click();
  await expect(elsewhere.getByText(/Your password is changed, and all sessions are ended/)).toBeVisible();

  await page.reload();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await logIn(page, owner.email, PASSWORD);
  await expect(page.getByText(/e-?mail or (the )?password/i)).toBeVisible();
  await logIn(page, owner.email, NEW_PASSWORD);
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();

  await elsewhere.goto(link);
  await elsewhere.reload();
  await elsewhere.getByLabel('New password').fill('another one');
  await elsewhere.getByRole('button', { name: 'Save password' }).click();
  await expect(elsewhere.getByText('This link was used or has expired.')).toBeVisible();
  await expect(elsewhere.getByRole('link', { name: 'Ask for another link' })).toBeVisible();
  await elsewhere.context().close();
});
