import { expect, type Locator, type Page } from '@playwright/test';
import { goTo, PASSWORD, test } from './accounts.js';
import { type Fixture, fixture } from './fixtures.js';

interface Address {
  readonly path: (at: Fixture) => string;
  readonly shows: (page: Page) => Locator;
  /** It is open over the screen: going back closes it. */
  readonly isDrawer?: boolean;
}

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, level: 1 });
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name, selected: true });
const dialog = (name: string | RegExp) => (page: Page) => page.getByRole('dialog', { name });

/** Every screen, and what of it the address keeps. */
const ADDRESSES: Address[] = [
  { path: () => '/', shows: heading('Wallets') },
  { path: () => '/?search=travel', shows: (page) => page.getByRole('link', { name: /^Travel desk/ }) },
  {
    path: () => '/?sort=name',
    shows: (page) => page.getByRole('link', { name: /^(Groceries agent|Travel desk)/ }).first(),
  },
  { path: () => '/wallets/new', shows: heading('New wallet') },
  { path: ({ wallet }) => `/wallets/${wallet.id}`, shows: heading('Groceries agent') },
  ...['Ledger', 'Keys', 'Payees', 'Rules', 'Activity'].map((name): Address => ({
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=${name.toLowerCase()}`,
    shows: tab(name),
  })),
  {
    path: ({ wallet }) => `/wallets/${wallet.id}?status=blocked`,
    shows: (page) => page.getByRole('tabpanel').getByText('2 payments', { exact: true }),
  },
  {
    path: ({ wallet }) => `/wallets/${wallet.id}?days=7`,
    shows: (page) => page.getByText('Last 7 days', { exact: true }),
  },
  {
    path: ({ wallet }) =>
      `/wallets/${wallet.id}?tab=rules&trial=${encodeURIComponent('{"spendLimitPerTx":300000}')}`,
    shows: (page) => page.getByText(/would have ended otherwise/),
  },
  { path: ({ wallet }) => `/wallets/${wallet.id}?test=open`, shows: dialog(/Test/), isDrawer: true },
  { path: ({ wallet }) => `/wallets/${wallet.id}?fund=open`, shows: dialog(/Fund/), isDrawer: true },
  { path: ({ wallet }) => `/wallets/${wallet.id}?edit=rules`, shows: dialog('Edit rules'), isDrawer: true },
  {
    path: ({ wallet, paid }) => `/wallets/${wallet.id}?transaction=${paid}`,
    shows: dialog('Payment'),
    isDrawer: true,
  },
  { path: () => '/payments', shows: heading('Payments') },
  {
    path: () => '/payments?search=Jumia&min=100',
    shows: (page) => page.getByText('1 payment', { exact: true }),
  },
  {
    path: ({ wallet, blocked }) => `/payments?status=blocked&transaction=${blocked}&of=${wallet.id}`,
    shows: dialog('Payment'),
    isDrawer: true,
  },
  { path: () => '/approvals', shows: (page) => page.getByText('Nothing waits for you', { exact: true }) },
  { path: () => '/approvals?show=all', shows: (page) => page.getByText('Nothing yet', { exact: true }) },
  { path: () => '/webhooks', shows: heading('Webhooks') },
  { path: ({ endpoint }) => `/webhooks/${endpoint}`, shows: heading('https://example.com/hooks/wallet') },
  {
    path: ({ endpoint, delivery }) => `/webhooks/${endpoint}?delivery=${delivery}`,
    shows: dialog('Delivery'),
    isDrawer: true,
  },
  { path: () => '/settings', shows: heading('Settings') },
];

/** Of these it is seen too that who isn't signed in comes back to them. */
const AFTER_SIGNING_IN = 2;

test('every screen is there by its address and when one goes back, with rows to hit', async ({ page }) => {
  test.setTimeout(480_000);
  const at = await fixture();
  const where = () => page.url().replace(process.env.SERVICE_URL ?? '', '');
  const signIn = async () => {
    await page.getByLabel('Email').fill(at.owner.email);
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  for (const [i, { path, shows, isDrawer }] of ADDRESSES.entries()) {
    const address = path(at);
    await test.step(address, async () => {
      // Each one asks for signing in; all of them would take long.
      const isGuest = i % Math.ceil(ADDRESSES.length / AFTER_SIGNING_IN) === 0;
      if (isGuest) await page.context().clearCookies();
      // As a link, a bookmark and a reload do.
      await page.goto(address);
      if (isGuest) {
        await expect(
          page
            .getByText('Sign in to continue.')
            .or(page.getByRole('heading', { name: 'Sign in' }))
            .first(),
        ).toBeVisible();
        await signIn();
      }
      await expect(shows(page), address).toBeVisible();
      expect(where()).toBe(address);
      const low: number[] = await page.evaluate(
        `[...document.querySelectorAll('.rows .row')].map((row) => row.offsetHeight).filter((height) => height > 0 && height < 44)`,
      );
      expect.soft(low, `rows lower than 44 px at ${address}`).toEqual([]);
      // Elsewhere and back again.
      await page.keyboard.press('Escape');
      if (isDrawer) {
        await expect(shows(page), address).toBeHidden();
        await page.goBack();
        await expect(shows(page), address).toBeVisible();
        expect(where()).toBe(address);
        await page.goForward();
        await expect(shows(page), address).toBeHidden();
      } else {
        const elsewhere = address.startsWith('/approvals') ? 'Payments' : 'Approvals';
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: elsewhere }).click();
        await expect(page.getByRole('heading', { name: elsewhere, level: 1 })).toBeVisible();
        await page.goBack();
        await expect(shows(page), address).toBeVisible();
        expect(where()).toBe(address);
      }
    });
  }

  // What was opened by hand is closed by going back, and the screen stays as it was.
  await goTo(page, `/wallets/${at.wallet.id}?status=paid`);
  await page
    .getByRole('link', { name: /Shoprite/ })
    .first()
    .click();
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer).toBeVisible();
  await page.goBack();
  await expect(drawer).toBeHidden();
  expect(where()).toBe(`/wallets/${at.wallet.id}?status=paid`);
  await expect(page.getByRole('heading', { name: 'Groceries agent' })).toBeVisible();
});
