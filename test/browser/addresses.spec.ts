import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { matchRoutes } from 'react-router';
import { enter, PASSWORD, person, test } from './accounts.js';
import { type Fixture, fixture } from './fixtures.js';

interface Address {
  readonly path: (at: Fixture) => string;
  readonly shows: (page: Page) => Locator;
  /** It is open over the screen: going back closes it. */
  readonly isDrawer?: boolean;
  /** What the address becomes. */
  readonly leadsTo?: (at: Fixture) => string;
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
  ...['Ledger', 'Keys', 'Payees', 'Rules'].map((name): Address => ({
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=${name.toLowerCase()}`,
    shows: tab(name),
  })),
  { path: ({ wallet }) => `/wallets/${wallet.id}?tab=activity`, shows: tab('Changes') },
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
  { path: () => '/payments/analytics', shows: heading('Analytics') },
  { path: () => '/statements', shows: heading('Statements') },
  { path: () => '/notifications', shows: heading('Notifications') },
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
  { path: () => '/settings/members', shows: heading('Members') },
  { path: () => '/settings/activity?kind=sign-in', shows: heading('Activity log') },
  { path: () => '/settings?tab=notifications', shows: tab('Notifications') },
  {
    path: ({ paid }) => `/approvals?id=${paid}`,
    shows: (page) => page.getByText('This approval wasn’t found', { exact: true }),
  },
  // Of operators alone: theirs are tried in operators.spec.
  { path: () => '/operator', shows: heading('Page not found') },
  { path: () => '/business', shows: heading('Settings'), leadsTo: () => '/settings' },
  // A key that is no longer at hand can't be shown again.
  {
    path: ({ wallet }) => `/wallets/${wallet.id}/created`,
    shows: heading('Groceries agent'),
    leadsTo: ({ wallet }) => `/wallets/${wallet.id}`,
  },
  { path: () => '/nowhere/at/all', shows: heading('Page not found') },
];

interface GuestAddress {
  readonly path: string;
  readonly title: string;
  /** A link to another screen of guests. */
  readonly link: string;
}

/** The screens of who isn't signed in. */
const FOR_GUESTS: GuestAddress[] = [
  { path: '/sign-in', title: 'Sign in', link: 'Create an account' },
  { path: '/sign-in?next=%2Fsettings', title: 'Sign in', link: 'Forgot your password?' },
  { path: '/sign-up', title: 'Create an account', link: 'Sign in' },
  { path: '/sign-up?next=%2Fwallets%2Fnew', title: 'Create an account', link: 'Sign in' },
  { path: '/forgot-password', title: 'Reset your password', link: 'Back to sign in' },
  { path: '/reset-password#token=nobodys', title: 'Choose a new password', link: 'Ask for another link' },
  { path: '/invitation#token=nobodys', title: 'Join a business', link: 'Sign in' },
];

/** The paths of the app's routes, as they stand in its table. */
function routes(): string[] {
  const app = readFileSync(join(import.meta.dirname, '../../dashboard/src/app.tsx'), 'utf8');
  return app
    .split(/<Route\b/)
    .slice(1)
    .flatMap((route) => {
      if (/^\s+index\b/.test(route)) return ['/'];
      // Those without a path are the frames around others.
      return /\bpath="([^"]+)"/.exec(route)?.[1] ?? [];
    });
}

test('no route is without a case here', () => {
  const table = routes().map((path) => ({ path }));
  expect(table.length).toBeGreaterThanOrEqual(15);
  const id = '01990000-0000-7000-8000-000000000000';
  const anybody = { wallet: { id }, endpoint: id, delivery: id, paid: id, blocked: id } as unknown as Fixture;
  const tried = [...ADDRESSES.map(({ path }) => path(anybody)), ...FOR_GUESTS.map(({ path }) => path)];
  const reached = new Set(
    tried.map((address) => matchRoutes(table, new URL(address, 'http://app').pathname)?.[0]?.route.path),
  );
  expect(table.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

test('every screen of guests is there by its address, when it is reloaded and when one goes back', async ({
  page,
  context,
}) => {
  const where = () => page.url().replace(process.env.SERVICE_URL ?? '', '');
  for (const { path, title, link } of FOR_GUESTS) {
    await test.step(path, async () => {
      const isShown = () => expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
      await page.goto(path);
      await isShown();
      await page.reload();
      await isShown();
      expect(where()).toBe(path);
      await page.getByRole('link', { name: link, exact: true }).click();
      await expect(page.getByRole('heading', { name: title, level: 1, exact: true })).toBeHidden();
      await page.goBack();
      await isShown();
      expect(where()).toBe(path);
    });
  }
  // Who is signed in has no use for them, but for a link that was mailed.
  await enter(context, await person());
  for (const { path } of FOR_GUESTS) {
    await page.goto(path);
    const next = new URLSearchParams(path.split('?')[1]).get('next') ?? '/';
    await expect.poll(where).toBe(/^\/(reset-password|invitation)#/.test(path) ? path : next);
  }
});

/** Side by side. */
const PARTS = 2;

for (let part = 0; part < PARTS; part += 1) {
  test(`every screen is there by its address and when one goes back, with rows to hit, part ${part + 1} of ${PARTS}`, async ({
    page,
  }) => {
    test.setTimeout(300_000);
    const at = await fixture();
    const where = () => page.url().replace(process.env.SERVICE_URL ?? '', '');
    const signIn = async () => {
      await page.getByLabel('Email').fill(at.owner.email);
      await page.getByLabel(/^Password/).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    const mine = ADDRESSES.filter((_, i) => i % PARTS === part);
    for (const [i, { path, shows, isDrawer, leadsTo }] of mine.entries()) {
      const asked = path(at);
      const address = leadsTo?.(at) ?? asked;
      await test.step(asked, async () => {
        // Each one asks for signing in; of the first it is seen that one comes back. All of them would take long.
        const isGuest = i === 0;
        if (isGuest) await page.context().clearCookies();
        // As a link, a bookmark and a reload do.
        await page.goto(asked);
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
  });
}

test('what was opened by hand is closed by going back', async ({ page, context }) => {
  const at = await fixture();
  const where = () => page.url().replace(process.env.SERVICE_URL ?? '', '');
  await enter(context, at.owner);
  await page.goto(`/wallets/${at.wallet.id}?status=paid`);
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

test('a new wallet’s key is still there when one goes back, and is given up knowingly', async ({
  page,
  context,
}) => {
  await enter(context, await person());
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Errands');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  const isReady = page.getByRole('heading', { name: 'Errands is ready', level: 1 });
  await expect(isReady).toBeVisible();
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Payments', level: 1 })).toBeVisible();
  await page.goBack();
  await expect(isReady).toBeVisible();
  expect(new URL(page.url()).pathname).toMatch(/^\/wallets\/[^/]+\/created$/);
  // The browser asks whether to leave; who does has the wallet, without the key.
  let asked = '';
  page.once('dialog', (dialog) => {
    asked = dialog.type();
    void dialog.accept();
  });
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Errands', level: 1, exact: true })).toBeVisible();
  expect(asked).toBe('beforeunload');
  expect(new URL(page.url()).pathname).toMatch(/^\/wallets\/[^/]+$/);
});
