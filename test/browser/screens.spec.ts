import { type Browser, expect, type Page } from '@playwright/test';
import { enter, goTo, person, test } from './accounts.js';
import { busyFixture, frozenFixture } from './busy-fixture.js';
import { fullFixture } from './full-fixture.js';
import { lookAt, type Scheme, SCHEMES, SIZES } from './looks.js';
import { operatorFixture } from './operators.js';
import {
  CAN_BE_LEFT,
  FOR_GUESTS,
  FOR_NEWCOMERS,
  FOR_OPERATORS,
  FOR_SECURED,
  FOR_SPENDING,
  FOR_THE_BUSY,
  FOR_THE_FROZEN,
  FOR_USERS,
  FOR_VIEWERS,
  OVER_THE_PAGE,
  type Screen,
} from './screen-list.js';
import { spendingFixture } from './spending-fixture.js';

// A trace of every step here takes longer than the steps.
test.use({ trace: 'off' });

async function show<At>(page: Page, { name, path, ready, isBrief }: Screen<At>, at: At): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(SIZES[1280]);
  // What a screen before needed.
  await page.unrouteAll();
  await page.context().setOffline(false);
  if (page.url().startsWith('http')) await goTo(page, path(at));
  else await page.goto(path(at));
  await test.step(name, () => ready(page, at));
  if (CAN_BE_LEFT.test(name)) {
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }), name).toBeVisible();
  }
  const isWindow = OVER_THE_PAGE.test(name);
  // What stands behind a dialog was looked at without it.
  const look = { name, isWindow, axeAt: isWindow ? '[role=dialog]' : 'html', ...(isBrief && { isBrief }) };
  for (const scheme of Object.keys(SCHEMES) as Scheme[]) {
    await page.emulateMedia({ colorScheme: scheme });
    await lookAt(page, { ...look, scheme });
  }
}

const only = process.env.SCREENS ? new RegExp(process.env.SCREENS) : /./;

const newContext = (browser: Browser) =>
  browser.newContext({
    viewport: SIZES[1280],
    baseURL: process.env.SERVICE_URL ?? '',
    reducedMotion: 'reduce',
  });

/** Side by side, each with a part of the screens: one of them alone would be the longest of all tests. */
const PARTS = 3;

for (let part = 0; part < PARTS; part += 1) {
  test(`every screen at every size, light and dark, part ${part + 1} of ${PARTS}`, async ({ browser }) => {
    test.setTimeout(600_000);
    const mine = (screens: readonly Screen[]) =>
      screens.filter(({ name }, i) => i % PARTS === part && only.test(name));
    const at = { ...(await fullFixture()), ...(await spendingFixture()) };
    const context = await newContext(browser);
    // Each has a page that is loaded, whose place in the app the next one takes.
    const showAll = async (screens: readonly Screen[]) => {
      const page = await context.newPage();
      for (const screen of screens) await show(page, screen, at);
      await page.close();
    };
    for (const screen of mine(FOR_GUESTS)) await showAll([screen]);
    // Together: the last ones show what the ones before made.
    if (part === PARTS - 1) {
      await enter(context, await person());
      await showAll(FOR_NEWCOMERS.filter(({ name }) => only.test(name)));
    }
    await enter(context, at.owner);
    await showAll(mine(FOR_USERS));
    for (const [who, screens] of [
      [at.spender, mine(FOR_SPENDING)],
      [at.viewer, mine(FOR_VIEWERS)],
      [at.secured, mine(FOR_SECURED)],
    ] as const) {
      if (screens.length === 0) continue;
      await enter(context, who);
      await showAll(screens);
    }
    await context.close();
  });
}

for (const [state, fixture, screens] of [
  ['has news', busyFixture, FOR_THE_BUSY],
  ['froze all', frozenFixture, FOR_THE_FROZEN],
] as const) {
  test(`every screen of who ${state} at every size, light and dark`, async ({ browser }) => {
    test.setTimeout(600_000);
    const shown = screens.filter(({ name }) => only.test(name));
    test.skip(shown.length === 0);
    const at = await fixture();
    const context = await newContext(browser);
    await enter(context, at.owner);
    const page = await context.newPage();
    for (const screen of shown) await show(page, screen, at);
    await context.close();
  });
}

test('every screen of operators at every size, light and dark', async ({ browser }) => {
  test.setTimeout(600_000);
  const at = await operatorFixture();
  const context = await newContext(browser);
  await enter(context, at.operator);
  const page = await context.newPage();
  for (const screen of FOR_OPERATORS.filter(({ name }) => only.test(name))) await show(page, screen, at);
  await context.close();
});

for (const scheme of Object.keys(SCHEMES) as Scheme[]) {
  test(`the API reference at every size, ${scheme}`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme: scheme, baseURL: process.env.SERVICE_URL ?? '' });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    const look = { scheme, isWindow: true, axeAt: 'html' } as const;
    await page.goto('/docs');
    await expect(page.getByRole('button', { name: /Expand operation/ }).first()).toBeVisible();
    const fonts = `document.fonts.ready.then((all) => [...all].map(({ family, status }) => family + ' ' + status))`;
    expect(await page.evaluate(fonts)).toContain('Inter Variable loaded');
    await lookAt(page, { name: 'docs', ...look });
    await page.goto('/docs#/payments/getReceipt');
    await page.reload();
    await expect(page.getByText('which any JOSE library verifies')).toBeVisible();
    await lookAt(page, { name: 'docs-operation', ...look });
    expect(complaints).toEqual([]);
    await page.getByRole('link', { name: 'Back to the dashboard' }).click();
    await expect(page).toHaveURL(/\/sign-in$/);
    await context.close();
  });
}
