import { setTimeout as sleep } from 'node:timers/promises';
import { expect, type Page } from '@playwright/test';
import { enter, fund, pay, person, send, test, walletOf, withoutStream } from './accounts.js';
import { type Fixture, fixture } from './fixtures.js';
import { receiver } from './receiver.js';

/** Google calls 0.1 good; what is loaded here stands where its skeleton stood. */
const SHIFT_MAX = 0.02;
const DELAY_MS = 300;
const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 375, height: 740 } } as const;

/** Notes each layout shift that no input caused, with what moved, as `window.shifts`. */
const NOTE_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      const moved = sources.map(({ node, previousRect, currentRect }) =>
        [node?.nodeName, node?.className, previousRect.y, currentRect.y].join(' '));
      window.shifts.push({ value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

interface Shift {
  readonly value: number;
  readonly moved: readonly string[];
}

async function shiftsOf(page: Page): Promise<{ sum: number; shifts: Shift[] }> {
  const shifts: Shift[] = await page.evaluate('window.shifts');
  return { sum: shifts.reduce((sum, { value }) => sum + value, 0), shifts };
}

interface Watched {
  readonly name: string;
  readonly path: (at: Fixture) => string;
  /** Texts that show that all of it is there. */
  readonly loaded: readonly RegExp[];
}

const SCREENS: Watched[] = [
  { name: 'home', path: () => '/', loaded: [/^Last 28 days/, /^Bolt Rides$/, /^Travel desk$/] },
  {
    name: 'wallet',
    path: ({ wallet }) => `/wallets/${wallet.id}`,
    loaded: [/^Last 28 days/, /^Bolt Rides$/, /^Test$/],
  },
  {
    name: 'wallet, ledger',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=ledger`,
    loaded: [/^−₦602\.00$/, /^Test$/],
  },
  {
    name: 'wallet, a paid payment open',
    path: ({ wallet, paid }) => `/wallets/${wallet.id}?transaction=${paid}`,
    loaded: [/^Paid to the recipient$/, /^Payment −/],
  },
  {
    name: 'wallet, a blocked payment open',
    path: ({ wallet, blocked }) => `/wallets/${wallet.id}?transaction=${blocked}`,
    loaded: [/^No money moved\.$/],
  },
  { name: 'webhooks', path: () => '/webhooks', loaded: [/^https:\/\/example\.com/] },
  {
    name: 'endpoint',
    path: ({ endpoint }) => `/webhooks/${endpoint}`,
    loaded: [/^https:\/\/example\.com/, /wallet\.funded \(test\)/],
  },
  {
    name: 'endpoint, a delivery open',
    path: ({ endpoint, delivery }) => `/webhooks/${endpoint}?delivery=${delivery}`,
    loaded: [/^Body$/],
  },
  { name: 'settings', path: () => '/settings', loaded: [/^Contact phone$/] },
];

for (const [size, viewport] of Object.entries(SIZES)) {
  test(`what is loaded slowly moves nothing, ${size}`, async ({ browser }) => {
    test.setTimeout(240_000);
    const at = await fixture();
    const context = await browser.newContext({ viewport, baseURL: process.env.SERVICE_URL ?? '' });
    await enter(context, at.owner);
    await context.addInitScript(NOTE_SHIFTS);
    await context.route(/\/(api|v1)\//, async (route) => {
      await sleep(DELAY_MS);
      await route.continue();
    });
    for (const { name, path, loaded } of SCREENS) {
      const page = await context.newPage();
      await page.goto(path(at));
      for (const text of loaded) await expect(page.getByText(text).first()).toBeVisible();
      await page.waitForTimeout(DELAY_MS + 400);
      const { sum, shifts } = await shiftsOf(page);
      test
        .info()
        .annotations.push({ type: 'layout shift', description: `${name}, ${size}: ${sum.toFixed(4)}` });
      expect.soft(sum, `${name}: ${JSON.stringify(shifts, null, 1)}`).toBeLessThanOrEqual(SHIFT_MAX);
      await page.close();
    }
    await context.close();
  });
}

for (const [size, viewport] of Object.entries(SIZES)) {
  test(`what stands above the wallets moves nothing, ${size}`, async ({ page, context }) => {
    const { url, server } = await receiver(410);
    try {
      const owner = await person();
      const headers = { authorization: `Bearer ${owner.token}` };
      const wallet = await walletOf(owner);
      await send('/v1/webhook-endpoints', { headers, body: { url } });
      await fund(wallet, 2_500);
      await send(`/api/wallets/${wallet.id}/suspend`, { headers, body: {} });
      await enter(context, owner);
      await page.setViewportSize(viewport);
      await page.goto('/');
      // Put away, the first steps keep the screen waiting for nothing.
      await page.getByRole('button', { name: 'Hide', exact: true }).click();
      const said = page.getByText(/^The webhook endpoint at .* is paused$/);
      await expect(said).toBeVisible();
      await page.addInitScript(NOTE_SHIFTS);
      await page.route(/\/v1\/(webhook-endpoints|wallets\/names)/, async (route) => {
        await sleep(2 * DELAY_MS);
        await route.continue();
      });
      await page.reload();
      await expect(said).toBeVisible();
      await expect(page.getByRole('button', { name: 'Resume wallets' })).toBeVisible();
      await expect(page.getByText(/^Last 28 days/)).toBeVisible();
      await page.waitForTimeout(DELAY_MS);
      const { sum, shifts } = await shiftsOf(page);
      expect(sum, JSON.stringify(shifts, null, 1)).toBeLessThanOrEqual(SHIFT_MAX);
    } finally {
      server.close();
    }
  });
}

/** Notes each change of the page below `main`, as `window.changes`. */
const NOTE_CHANGES = `
  window.changes = [];
  new MutationObserver((list) => {
    for (const { type, target, addedNodes } of list)
      window.changes.push([type, target.className, ...[...addedNodes].map((node) => node.textContent)].join(' '));
  }).observe(document.getElementById('main'), { childList: true, subtree: true, characterData: true });
`;

test('asking again changes nothing on the screen but what is new', async ({ page, context }) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 9_000);
  for (let i = 1; i <= 11; i += 1) await pay(wallet, i * 1_000, 'Jumia');
  await enter(context, owner);
  await withoutStream(context);
  await page.addInitScript(NOTE_SHIFTS);
  await page.goto(`/wallets/${wallet.id}`);
  await expect(page.getByRole('link', { name: 'Test', exact: true })).toBeVisible();
  await expect(page.getByText(/^Last 28 days/)).toBeVisible();
  await expect(page.getByRole('link', { name: /Jumia/ })).toHaveCount(11);
  const rounds = (count: number) =>
    Array.from({ length: count }).reduce<Promise<unknown>>(
      (before) => before.then(() => page.waitForResponse(/\/transactions\?/)),
      Promise.resolve(),
    );
  // The payments settle in the meantime.
  await rounds(2);
  const before = await shiftsOf(page);
  await page.evaluate(NOTE_CHANGES);
  await rounds(3);
  expect(await page.evaluate('window.changes')).toEqual([]);
  expect((await shiftsOf(page)).sum).toBe(before.sum);

  const oldest = await page.getByRole('link', { name: /₦30\.00/ }).elementHandle();
  await pay(wallet, 70_000, 'Bolt');
  await expect(page.getByRole('link', { name: /Bolt/ })).toBeVisible();
  await rounds(2);
  const changes: string[] = await page.evaluate('window.changes');
  expect(changes.filter((change) => change.includes('Loading'))).toEqual([]);
  expect(await oldest.evaluate((row: { isConnected: boolean }) => row.isConnected)).toBe(true);
  const { sum, shifts } = await shiftsOf(page);
  test.info().annotations.push({ type: 'layout shift', description: `a new row: ${sum.toFixed(4)}` });
  expect(sum - before.sum, JSON.stringify(shifts, null, 1)).toBeLessThanOrEqual(0.1);
});

test('on a phone, the menu leads to the search, and that to a wallet by its name', async ({
  page,
  context,
}) => {
  const ada = await person();
  const wallet = await walletOf(ada, { name: 'Travel desk' });
  await walletOf(ada, { name: 'Office supplies' });
  await enter(context, ada);
  await page.setViewportSize(SIZES.narrow);
  await page.goto('/');
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const search = page.getByRole('textbox', { name: /^Search wallets/ });
  await expect(search).toBeFocused();
  await search.fill('freeze');
  await page.getByRole('button', { name: 'Freeze all wallets' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Control+k');
  await search.fill('travel');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/wallets/${wallet.id}$`));
  await expect(page.getByRole('heading', { name: 'Travel desk' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Close the menu' })).toBeHidden();
  await page.keyboard.press('Control+k');
  await search.fill('fund travel');
  await page.getByRole('button', { name: 'Fund Travel desk' }).click();
  await expect(page.getByRole('dialog', { name: /Fund/ })).toBeVisible();
});

/** The lines that the balance and the limits take. A character that stands left of the one before begins a line. */
const LINES_OF_AMOUNTS = `[...document.querySelectorAll('.hero-amount .money, .hero-facts .money')].map((amount) => {
  const texts = document.createTreeWalker(amount, NodeFilter.SHOW_TEXT);
  const lines = [''];
  for (let last = -1, text; (text = texts.nextNode()); ) {
    for (let i = 0; i < text.data.length; i += 1) {
      const range = document.createRange();
      range.setStart(text, i);
      range.setEnd(text, i + 1);
      const { left } = range.getBoundingClientRect();
      if (left < last) lines.push('');
      lines[lines.length - 1] += text.data[i];
      last = left;
    }
  }
  return lines;
})`;

test('the largest balance and limits break at a separator of thousands, and inside no number, on a phone', async ({
  page,
  context,
}) => {
  const owner = await person();
  const spendLimitPerTx = Number.MAX_SAFE_INTEGER - 1;
  const spendLimitPeriod = Number.MAX_SAFE_INTEGER;
  const wallet = await walletOf(owner, { spendLimitPerTx, spendLimitPeriod });
  await fund(wallet, 90_071_992_547_409);
  await enter(context, owner);
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await page.goto(`/wallets/${wallet.id}`);
    await expect(page.getByText('₦90,071,992,547,409.91').first()).toBeVisible();
    let amounts: string[][] = [];
    await expect(async () => {
      amounts = await page.evaluate(LINES_OF_AMOUNTS);
      expect(amounts.map((lines) => lines.join(''))).toEqual([
        '₦90,071,992,547,409.00',
        '₦90,071,992,547,409.90',
        '₦90,071,992,547,409.91',
      ]);
    }).toPass();
    for (const line of amounts.flatMap((lines) => lines.slice(0, -1))) expect(line).toMatch(/,$/);
  }
});
