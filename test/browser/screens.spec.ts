import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { enter, person, test } from './accounts.js';
import { type Fixture, fixture } from './fixtures.js';

/** Every screen, by the name of its picture. */
interface Screen {
  readonly name: string;
  readonly path: (at: Fixture) => string;
  /** What shows that it is all there. */
  readonly ready: (page: Page) => Promise<void>;
}

const text = (words: string | RegExp) => (page: Page) => expect(page.getByText(words).first()).toBeVisible();
const heading = (name: string) => (page: Page) => expect(page.getByRole('heading', { name })).toBeVisible();

const FOR_GUESTS: Screen[] = [
  { name: 'sign-in', path: () => '/sign-in?next=%2Fsettings', ready: heading('Sign in') },
  {
    name: 'sign-up-errors',
    path: () => '/sign-up',
    ready: async (page) => {
      await page.getByLabel('Email').fill('ada');
      await page.getByRole('button', { name: 'Create account' }).click();
      await text(/valid email/)(page);
    },
  },
];

const FOR_USERS: Screen[] = [
  {
    name: 'home',
    path: () => '/',
    ready: async (page) => {
      await text('Last 30 days')(page);
      await expect(page.getByRole('link', { name: /Bolt/ }).first()).toBeVisible();
    },
  },
  {
    name: 'new-wallet',
    path: () => '/wallets/new',
    ready: async (page) => {
      await page.getByLabel('Name').fill('Groceries agent');
      await page.getByRole('switch').click();
      await page.getByRole('combobox', { name: 'Merchants' }).fill('Shoprite');
      await page.getByRole('combobox', { name: 'Merchants' }).press('Enter');
      await text(/only at Shoprite\./)(page);
    },
  },
  {
    name: 'new-wallet-errors',
    path: () => '/wallets/new',
    ready: async (page) => {
      await page.getByLabel('Per-payment limit').fill('a lot');
      await page.getByRole('button', { name: 'Create wallet' }).click();
      await text(/An amount in naira/)(page);
    },
  },
  {
    name: 'wallet-created',
    path: () => '/wallets/new',
    ready: async (page) => {
      await page.getByLabel('Name').fill('Errands');
      await page.getByRole('button', { name: 'Create wallet' }).click();
      await heading('Errands is ready')(page);
    },
  },
  {
    name: 'wallet',
    path: ({ wallet }) => `/wallets/${wallet.id}`,
    ready: async (page) => {
      await text('Last 30 days')(page);
      await expect(page.getByRole('link', { name: /Bolt/ }).first()).toBeVisible();
      await expect(page.getByRole('link', { name: 'Test', exact: true })).toBeVisible();
    },
  },
  {
    name: 'wallet-ledger',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=ledger`,
    ready: async (page) => {
      await text('Last 30 days')(page);
      await text('−₦602.00')(page);
    },
  },
  {
    name: 'wallet-payees',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=payees`,
    ready: heading('Merchants paid'),
  },
  {
    name: 'wallet-keys',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=keys`,
    ready: heading('API keys'),
  },
  {
    name: 'wallet-rules',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=rules`,
    ready: heading('Low-balance alert'),
  },
  {
    name: 'wallet-test',
    path: ({ wallet }) => `/wallets/${wallet.id}?test=open`,
    ready: heading('Test payment'),
  },
  {
    name: 'wallet-fund',
    path: ({ wallet }) => `/wallets/${wallet.id}`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Fund' }).click();
      await text('Account name')(page);
    },
  },
  {
    name: 'transaction-blocked',
    path: ({ wallet, blocked }) => `/wallets/${wallet.id}?transaction=${blocked}`,
    ready: async (page) => {
      await heading('Rule checks')(page);
      await text('No money moved.')(page);
    },
  },
  {
    name: 'transaction-approved',
    path: ({ wallet, paid }) => `/wallets/${wallet.id}?transaction=${paid}`,
    ready: text('Paid to the recipient'),
  },
  {
    name: 'wallet-not-found',
    path: () => '/wallets/00000000-0000-7000-8000-000000000000',
    ready: text('This wallet wasn’t found'),
  },
  { name: 'settings', path: () => '/settings', ready: heading('Register your business') },
  { name: 'nowhere', path: () => '/nowhere', ready: heading('Page not found') },
];

const WITH_WEBHOOKS: Screen[] = [
  { name: 'webhooks', path: () => '/webhooks', ready: text('https://example.com/hooks') },
  {
    name: 'webhook-new',
    path: () => '/webhooks',
    ready: async (page) => {
      await page.getByRole('button', { name: 'New endpoint' }).click();
      await expect(page.getByRole('dialog').getByLabel('URL')).toBeFocused();
    },
  },
  {
    name: 'webhook-endpoint',
    path: ({ endpoint }) => `/webhooks/${endpoint}`,
    ready: text('wallet.funded (test)'),
  },
  {
    name: 'webhook-delivery',
    path: ({ endpoint, delivery }) => `/webhooks/${endpoint}?delivery=${delivery}`,
    ready: heading('Body'),
  },
];

/** The first is what a page is loaded at; then the window is drawn to the others. */
const SIZES = {
  '1280': { width: 1280, height: 900 },
  '1920': { width: 1920, height: 1080 },
  '800': { width: 800, height: 1000 },
  '375': { width: 375, height: 740 },
} as const;
/** Axe looks at each screen once in each theme: the narrow layout in one and the wide one in the other. */
const SCHEMES = { light: '375', dark: '1280' } as const;

test.describe.configure({ mode: 'parallel' });

for (const [colorScheme, axeSize] of Object.entries(SCHEMES) as ['light' | 'dark', '375' | '1280'][]) {
  test(`every screen at every size, ${colorScheme}`, async ({ browser }) => {
    test.setTimeout(600_000);
    const at = await fixture();
    const context = await browser.newContext({
      colorScheme,
      viewport: SIZES[1280],
      baseURL: process.env.SERVICE_URL ?? '',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const look = async (name: string, size: keyof typeof SIZES) => {
      await page.setViewportSize(SIZES[size]);
      await page.waitForTimeout(250);
      // The header is fixed: a picture of the whole page shows it where the page was scrolled to.
      await page.evaluate('window.scrollTo(0, 0)');
      await page.screenshot({
        path: `dist/screens/${name}-${colorScheme}-${size}.png`,
        fullPage: !/transaction|-test|-fund|webhook-(new|delivery)/.test(name),
      });
      // What is fixed, such as the header, widens no document.
      const width = await page.evaluate(`Math.max(document.documentElement.scrollWidth,
        ...[...document.querySelectorAll('header button')].map((each) => each.getBoundingClientRect().right))`);
      expect
        .soft(width, `${name} is no wider than its window of ${size}`)
        .toBeLessThanOrEqual(SIZES[size].width);
      if (size !== axeSize) return;
      const { violations } = await new AxeBuilder({ page }).analyze();
      const findings = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
      );
      expect.soft(findings, `${name} has no finding`).toEqual([]);
    };
    const show = async ({ name, path, ready }: Screen) => {
      await page.setViewportSize(SIZES[1280]);
      await page.goto(path(at));
      await ready(page);
      for (const size of ['1280', '1920', '800', '375'] as const) await look(name, size);
    };
    for (const screen of FOR_GUESTS) await show(screen);
    const newcomer = await person();
    await enter(context, newcomer);
    await show({ name: 'home-empty', path: () => '/', ready: text('Give your first agent a wallet') });
    await enter(context, at.owner);
    for (const screen of FOR_USERS) await show(screen);
    for (const screen of WITH_WEBHOOKS) await show(screen);
    await context.close();
  });
}
