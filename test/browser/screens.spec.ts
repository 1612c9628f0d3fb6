import { expect, type Page } from '@playwright/test';
import { enter, goTo, person, test } from './accounts.js';
import { type FullFixture, fullFixture } from './full-fixture.js';
import { lookAt, type Size, SIZES } from './looks.js';
import { FOR_GUESTS, FOR_NEWCOMERS, FOR_USERS, OVER_THE_PAGE, type Screen } from './screen-list.js';

/** Axe looks at each screen once in each theme: the narrow layout in one and the wide one in the other. */
const SCHEMES = { light: '375', dark: '1280' } as const satisfies Record<string, Size>;
type Scheme = keyof typeof SCHEMES;

test.describe.configure({ mode: 'parallel' });
// A trace of every step here takes longer than the steps.
test.use({ trace: 'off' });

interface Shown {
  readonly scheme: Scheme;
  readonly at: FullFixture;
  readonly isSignedIn: boolean;
}

async function show(
  page: Page,
  { name, path, ready }: Screen,
  { scheme, at, isSignedIn }: Shown,
): Promise<void> {
  await page.setViewportSize(SIZES[1280]);
  if (isSignedIn && page.url().startsWith('http')) await goTo(page, path(at));
  else await page.goto(path(at));
  await test.step(name, () => ready(page));
  const isWindow = OVER_THE_PAGE.test(name);
  // What stands behind a dialog was looked at without it.
  const axeAt = isWindow ? '[role=dialog]' : 'html';
  await lookAt(page, { name, scheme, axeSize: SCHEMES[scheme], isWindow, axeAt });
}

for (const scheme of Object.keys(SCHEMES) as Scheme[]) {
  test(`every screen at every size, ${scheme}`, async ({ browser }) => {
    test.setTimeout(600_000);
    const at = await fullFixture();
    const context = await browser.newContext({
      colorScheme: scheme,
      viewport: SIZES[1280],
      baseURL: process.env.SERVICE_URL ?? '',
      reducedMotion: 'reduce',
    });
    const only = process.env.SCREENS ? new RegExp(process.env.SCREENS) : /./;
    const showAll = async (screens: readonly Screen[], isSignedIn = true) => {
      const page = await context.newPage();
      for (const screen of screens.filter(({ name }) => only.test(name))) {
        await show(page, screen, { scheme, at, isSignedIn });
      }
      await page.close();
    };
    await showAll(FOR_GUESTS, false);
    await enter(context, await person());
    await showAll(FOR_NEWCOMERS);
    await enter(context, at.owner);
    await showAll(FOR_USERS);
    await context.close();
  });
}

for (const scheme of Object.keys(SCHEMES) as Scheme[]) {
  test(`the API reference at every size, ${scheme}`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme: scheme, baseURL: process.env.SERVICE_URL ?? '' });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    const look = { scheme, axeSize: SCHEMES[scheme], isWindow: true, axeAt: 'html' } as const;
    await page.goto('/docs');
    await expect(page.getByRole('button', { name: /Expand operation/ }).first()).toBeVisible();
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
