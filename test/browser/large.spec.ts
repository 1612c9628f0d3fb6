import { expect, type Page, type Response } from '@playwright/test';
import { enter, fund, pay, person, type Purse, test, walletOf } from './accounts.js';

const WALLETS = 60;
const PAYMENTS = 300;
const AT_ONCE = 10;
/** A list of all wallets would be 4,900 px tall. */
const HEIGHT_PX_MAX = 3_300;
/** What a screen is made of, whatever the account has. */
const ELEMENTS_MAX = 1_500;
const ROWS_MAX = 20;
const CALLS_MAX = 15;
const ANSWERS_BYTES_MAX = 60_000;

/** Notes the longest task, as `window.longest`: for the report alone, as it depends on the machine. */
const NOTE_TASKS = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
`;

interface Screen {
  readonly name: string;
  readonly path: (wallet: Purse) => string;
  /** Shows that all of it is there. */
  readonly loaded: (page: Page) => Promise<void>;
}

const listed = (page: Page) =>
  page.getByRole('region', { name: 'Your wallets' }).getByRole('link', { name: /^Agent \d\d/ });
const rides = (page: Page) => page.getByRole('link', { name: /Bolt Rides/ });
const chart = (page: Page) => expect(page.getByText(/^Last 28 days/)).toBeVisible();

const SCREENS: Screen[] = [
  {
    name: 'home',
    path: () => '/',
    loaded: async (page) => {
      await expect(page.getByText(/^60 wallets$/)).toBeVisible();
      await expect(listed(page)).toHaveCount(10);
      await expect(
        page.getByRole('region', { name: 'Activity' }).getByRole('link', { name: /Bolt Rides/ }),
      ).toHaveCount(10);
      await chart(page);
    },
  },
  {
    name: 'wallet',
    path: ({ id }) => `/wallets/${id}`,
    loaded: async (page) => {
      await expect(rides(page)).toHaveCount(20);
      await chart(page);
    },
  },
  { name: 'payments', path: () => '/payments', loaded: (page) => expect(rides(page)).toHaveCount(20) },
  {
    name: 'approvals',
    path: () => '/approvals',
    loaded: (page) => expect(page.getByText(/^Nothing waits for you$/)).toBeVisible(),
  },
];

const bytesOf = (response: Response): Promise<number> =>
  response.body().then(
    ({ length }) => length,
    () => 0,
  );

async function somebodyLarge() {
  const owner = await person();
  const wallets: Purse[] = [];
  for (let i = 1; i <= WALLETS; i += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, j) =>
      walletOf(owner, { name: `Agent ${String(i + j).padStart(2, '0')}` }),
    );
    wallets.push(...(await Promise.all(some)));
  }
  const payers = wallets.slice(0, AT_ONCE);
  await Promise.all(payers.map((wallet) => fund(wallet, 10_000)));
  for (let i = 1; i <= PAYMENTS / AT_ONCE; i += 1) {
    await Promise.all(payers.map((wallet, j) => pay(wallet, i * 1_000 + j, 'Bolt Rides', `Ride ${i}`)));
  }
  return { owner, wallet: payers[0] as Purse };
}

test('60 wallets and 300 payments make no screen larger, and the wallets are searched, sorted and paged by the API', async ({
  page,
  context,
}) => {
  test.setTimeout(300_000);
  const { owner, wallet } = await somebodyLarge();
  await enter(context, owner);
  await page.addInitScript(NOTE_TASKS);
  // What changes meanwhile is asked for again: each counts once.
  const answers = new Map<string, Promise<number>>();
  page.on('response', (response) => {
    const url = response.url();
    // Of a page that was left, the browser has no bodies any more.
    if (/\/(api|v1)\//.test(url) && !url.endsWith('/v1/events')) answers.set(url, bytesOf(response));
  });
  for (const { name, path, loaded } of SCREENS) {
    answers.clear();
    await page.goto(path(wallet));
    await loaded(page);
    const { longest, ...size }: Record<'longest' | 'height' | 'elements' | 'rows' | 'unopened', number> =
      await page.evaluate(`({
        longest: window.longest,
        unopened: document.querySelectorAll('.mantine-Modal-root, .mantine-Drawer-root, .mantine-Popover-dropdown').length,
        height: document.documentElement.scrollHeight,
        elements: document.querySelectorAll('*').length,
        rows: Math.max(0, ...[...document.querySelectorAll('.rows')].map((list) => list.querySelectorAll('.row').length)),
      })`);
    const lengths = await Promise.all(answers.values());
    const bytes = lengths.reduce((sum, length) => sum + length, 0);
    const said = `${name}: ${JSON.stringify({ ...size, calls: answers.size, bytes })}`;
    test.info().annotations.push({
      type: 'large account',
      description: `${said}, longest task ${longest.toFixed(0)} ms`,
    });
    expect.soft(size.height, said).toBeLessThanOrEqual(HEIGHT_PX_MAX);
    expect.soft(size.elements, said).toBeLessThanOrEqual(ELEMENTS_MAX);
    // What nobody opened is neither drawn nor measured.
    expect.soft(size.unopened, said).toBe(0);
    expect.soft(size.rows, said).toBeLessThanOrEqual(ROWS_MAX);
    expect.soft(answers.size, said).toBeLessThanOrEqual(CALLS_MAX);
    expect.soft(bytes, said).toBeLessThanOrEqual(ANSWERS_BYTES_MAX);
  }

  // The address keeps the search, the order and the page.
  const agents = listed(page);
  await page.goto('/?search=agent%205');
  await expect(agents).toHaveCount(10);
  await expect(page.getByLabel('Search wallets')).toHaveValue('agent 5');
  await page.getByLabel('Search wallets').fill('agent 07');
  await expect(agents).toHaveCount(1);
  expect(new URL(page.url()).search).toBe('?search=agent+07');
  await page.getByLabel('Search wallets').fill('nobody');
  await expect(page.getByText('No wallet’s name contains “nobody”.')).toBeVisible();
  await page.getByLabel('Search wallets').fill('');
  await expect(agents).toHaveCount(10);
  await page.getByLabel('Sort by').selectOption('Most spent');
  await expect(agents.first()).toContainText('Agent 10');
  await page.getByLabel('Sort by').selectOption('Highest balance');
  await expect(agents.first()).toContainText('Agent 01');
  await page.getByLabel('Sort by').selectOption('Name');
  await page.getByRole('link', { name: 'Last', exact: true }).click();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toHaveText('FirstPreviousPage 6 of 6Next');
  await expect(agents.last()).toContainText('Agent 60');
  await page.reload();
  await expect(agents.last()).toContainText('Agent 60');
  await page.goBack();
  await expect(agents.first()).toContainText('Agent 01');
  // Past the end is the end.
  await page.goto('/?sort=name&page=99');
  await expect(agents.last()).toContainText('Agent 60');

  await page.goto('/payments');
  await page.getByRole('combobox', { name: 'Wallet' }).fill('Agent 0');
  await expect(page.getByRole('option', { name: /^Agent 0\d$/ })).toHaveCount(9);
  await page.getByRole('option', { name: 'Agent 07' }).click();
  await expect(page.getByRole('link', { name: /Bolt Rides.*Agent 07/ })).toHaveCount(20);
});
