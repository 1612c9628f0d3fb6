import { expect } from '@playwright/test';
import { PASSWORD, person, test, walletOf } from './accounts.js';
import { lookAt } from './looks.js';

/** Browsers keep no passkeys for an IP address. */
const at = (path: string) => `${(process.env.SERVICE_URL ?? '').replace('127.0.0.1', 'localhost')}${path}`;

test('a passkey is added, confirms an act, signs in after the password, and is renamed and removed', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await context.addCookies([
    { name: 'session', value: owner.token, url: at('/'), httpOnly: true, sameSite: 'Strict' },
  ]);
  const browser = await context.newCDPSession(page);
  await browser.send('WebAuthn.enable');
  await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });

  await page.goto(at('/settings'));
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const adding = page.getByRole('dialog', { name: 'Add a passkey' });
  await expect(adding.getByLabel('Name')).toBeFocused();
  await adding.getByRole('button', { name: 'Continue' }).click();
  await expect(adding.getByLabel('Name')).toHaveAccessibleDescription(/Enter a name/);
  await adding.getByLabel('Name').fill('Work laptop');
  await adding.getByLabel('Current password').fill('wrong horse');
  await adding.getByRole('button', { name: 'Continue' }).click();
  await expect(adding.getByLabel('Current password')).toHaveAccessibleDescription(
    /isn’t your current password/,
  );
  await adding.getByLabel('Current password').fill(PASSWORD);
  await adding.getByRole('button', { name: 'Continue' }).click();
  const codes = (await page.locator('pre[aria-label="recovery codes"]').innerText()).split('\n');
  expect(codes).toHaveLength(10);
  await page.getByRole('button', { name: 'I’ve stored them' }).click();
  await expect(page.getByText('Recovery codes: 10 left')).toBeVisible();
  await expect(page.getByText('not used yet')).toBeVisible();
  await lookAt(page, { name: 'passkeys', scheme: 'light', isWindow: false, axeAt: 'html' });
  await page.emulateMedia({ colorScheme: 'dark' });

  await test.step('confirms an act', async () => {
    await page.goto(at(`/wallets/${wallet.id}`));
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await expect(proof.getByText('use a passkey, or enter the code')).toBeVisible();
    await lookAt(page, { name: 'passkey-proof', scheme: 'dark', isWindow: true, axeAt: '[role=dialog]' });
    await proof.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(proof).toHaveCount(0);
    await expect(page.getByText('Active', { exact: true })).toBeVisible();
  });

  await test.step('signs in after the password', async () => {
    await context.clearCookies();
    await page.goto(at('/sign-in'));
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByLabel('Two-factor code')).toBeFocused();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page.getByRole('link', { name: 'Settings', exact: true })).toBeVisible();
  });

  await test.step('is renamed and removed', async () => {
    await page.goto(at('/settings'));
    await expect(page.getByText(/last used/)).toBeVisible();
    await page.getByRole('button', { name: 'Rename Work laptop' }).click();
    const renaming = page.getByRole('dialog', { name: 'Rename a passkey' });
    await renaming.getByLabel('Name').fill('Old laptop');
    await renaming.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove Old laptop' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await expect(proof.getByText('To remove this passkey')).toBeVisible();
    await proof.getByLabel('Two-factor code').fill(codes[0] ?? '');
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByText('Old laptop is removed')).toBeVisible();
    await expect(page.getByText('Without a second factor, whoever learns your password')).toBeVisible();
  });
});
