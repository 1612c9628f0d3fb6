import { setTimeout as delay } from 'node:timers/promises';
import { type BrowserContext, expect, type Page, type Request } from '@playwright/test';
import {
  enter,
  fund,
  pay,
  PASSWORD,
  person,
  type Person,
  type Purse,
  send,
  signedInWithMoney,
  test,
  walletOf,
} from './accounts.js';
import { Proxy } from './proxy.js';

/** Longer than any pause between two questions on a clock. */
const LONGER_THAN_A_CLOCK_MS = 4_000;

const row = (page: Page, name: RegExp) => page.getByRole('link', { name });
const isCall = (request: Request) =>
  /\/(api|v1)\//.test(request.url()) && !request.url().endsWith('/v1/events');

/** Opens a screen, and waits until its events are heard and what it shows is there. */
async function open(page: Page, path: string): Promise<void> {
  const stream = page.waitForResponse('**/v1/events');
  await page.goto(path);
  expect((await stream).status()).toBe(200);
  await calm(page);
}

/** Waits until the screen is whole, all that was asked for is answered, and nothing more is asked for. */
async function calm(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  let last = Date.now();
  const note = () => (last = Date.now());
  const changes = ['request', 'requestfinished', 'requestfailed'] as const;
  for (const change of changes) page.on(change as 'request', note);
  await expect.poll(() => Date.now() - last > 1_500, { intervals: [100] }).toBe(true);
  for (const change of changes) page.off(change as 'request', note);
}

/** What the page asks for while `act` runs. */
async function callsDuring(page: Page, act: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const note = (request: Request) => {
    const { pathname } = new URL(request.url());
    // Notifications come behind the events: the bell asks on a clock of its own, once a minute.
    if (isCall(request) && pathname !== '/v1/notifications') calls.push(`${request.method()} ${pathname}`);
  };
  page.on('request', note);
  await act();
  page.off('request', note);
  return calls;
}

async function somebody(context: BrowserContext): Promise<{ owner: Person; wallet: Purse }> {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  await enter(context, owner);
  return { owner, wallet };
}

for (const [name, pathOf] of [
  ['Home', () => '/'],
  ['a wallet', (wallet: Purse) => `/wallets/${wallet.id}`],
  ['the payments', () => '/payments'],
  ['analytics', () => '/payments/analytics'],
  ['the approvals', () => '/approvals'],
  ['the webhooks', () => '/webhooks'],
  ['the statements', () => '/statements'],
  ['the members', () => '/settings/members'],
] as const) {
  test(`${name} and the frame ask for everything once, also where the events come late`, async ({
    page,
    context,
  }) => {
    const { wallet } = await somebody(context);
    for (const latency of [0, 300]) {
      await page.route('**/v1/events', async (route) => {
        await delay(latency);
        await route.continue();
      });
      const calls: string[] = [];
      const note = (request: Request) => {
        if (isCall(request)) calls.push(request.url());
      };
      page.on('request', note);
      await open(page, pathOf(wallet));
      page.off('request', note);
      await page.unrouteAll();
      expect(calls.length).toBeGreaterThan(3);
      expect(calls.toSorted()).toEqual([...new Set(calls)].toSorted());
    }
  });
}

test('Home asks for everything once after a user signed in', async ({ page }) => {
  const owner = await person();
  await fund(await walletOf(owner), 20_000);
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  const calls = await callsDuring(page, async () => {
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(row(page, /Groceries agent/).first()).toBeVisible();
    await calm(page);
  });
  expect(calls).toContain('GET /v1/home');
  // Of these there are two, with other pages.
  const twice = ['GET /v1/approvals'];
  expect(calls.filter((call, i) => calls.indexOf(call) !== i)).toEqual(twice);
});

test('what changed behind an answer that came before the app is on the screen', async ({ page, context }) => {
  const { wallet } = await somebody(context);
  // Home comes once the answers are there, and one more payment was made.
  await page.route(
    /\/assets\/home-[^/]+\.js$/,
    async (route) => {
      await delay(1_000);
      await pay(wallet, 10_000, 'Late Shop');
      await delay(2_000);
      await route.continue();
    },
    { times: 1 },
  );
  await open(page, '/');
  await expect(row(page, /^Late Shop Groceries/)).toHaveCount(1);
});

test('a payment is on the screen by its event, and nothing is asked for meanwhile', async ({
  page,
  context,
}) => {
  const { wallet } = await somebody(context);
  await open(page, `/wallets/${wallet.id}`);
  expect(await callsDuring(page, () => page.waitForTimeout(LONGER_THAN_A_CLOCK_MS))).toEqual([]);
  // No clock runs: what comes now comes by events. How long it took stands in the report.
  const took: number[] = [];
  for (const merchant of ['Jumia', 'Konga', 'Bolt']) {
    await pay(wallet, 10_000, merchant);
    const paid = Date.now();
    await expect(row(page, new RegExp(merchant))).toBeVisible();
    took.push(Date.now() - paid);
    await calm(page);
    await expect(row(page, new RegExp(`${merchant}.*Paid`))).toBeVisible();
  }
  test.info().annotations.push({ type: 'milliseconds', description: took.join(' ') });
  await expect(page.getByText('₦19,700.00', { exact: true }).first()).toBeVisible();
  // A wallet that nobody looks at costs nothing.
  const calls = await callsDuring(page, async () => {
    await pay(wallet, 10_000, 'Shoprite');
    await expect(row(page, /Shoprite.*Paid/)).toBeVisible();
    await calm(page);
  });
  expect(calls.filter((call) => /webhook|approvals|payees|changes/.test(call))).toEqual([]);
});

test('the end of an old payment of a burst is on the screen, though no event tells of it', async ({
  page,
  context,
}) => {
  const wallet = await signedInWithMoney(context, 20_000);
  await open(page, `/wallets/${wallet.id}?search=Konga`);
  const burst = (count: number) => Array.from({ length: count }, () => pay(wallet, 1_000, 'Jumia'));
  // The sandbox bank says later what became of the one.
  await Promise.all([...burst(10), pay(wallet, 10_000, 'Konga', undefined, '9000000005'), ...burst(90)]);
  await row(page, /Konga.*Processing/).click();
  const payment = page.getByRole('dialog', { name: 'Payment' });
  await expect(payment.getByText('Paid', { exact: true }).first()).toBeVisible({ timeout: 60_000 });
  await page.keyboard.press('Escape');
  await expect(row(page, /Konga.*Paid/)).toBeVisible({ timeout: 60_000 });
});

test('the end of a withdrawal and the use of a key are on the screen by their events', async ({
  page,
  context,
}) => {
  const { owner, wallet } = await somebody(context);
  await open(page, `/wallets/${wallet.id}?tab=keys`);
  await expect(page.getByText('Never used')).toBeVisible();
  await pay(wallet, 10_000, 'Jumia');
  await expect(page.getByText('Never used')).toBeHidden();
  await open(page, `/wallets/${wallet.id}?tab=ledger`);
  await send(`/api/wallets/${wallet.id}/withdrawals`, {
    headers: { authorization: `Bearer ${owner.token}`, 'idempotency-key': crypto.randomUUID() },
    body: { amount: 100_000, accountNumber: '0123456789', bankCode: '058' },
  });
  await expect(page.getByText(/^Paid · to GTBank 0123456789/)).toBeVisible();
  // It stays so without a clock.
  await calm(page);
  expect(await callsDuring(page, () => page.waitForTimeout(LONGER_THAN_A_CLOCK_MS))).toEqual([]);
});

test('payments that wait are counted at once, on every screen', async ({ page, context }) => {
  const { owner, wallet } = await somebody(context);
  const headers = { authorization: `Bearer ${owner.token}` };
  await send(`/api/wallets/${wallet.id}`, { method: 'PATCH', headers, body: { approvalThreshold: 100_000 } });
  await open(page, '/settings');
  const calls = await callsDuring(page, async () => {
    await pay(wallet, 200_000, 'Konga');
    await expect(row(page, /Approvals.*1 waiting/)).toBeVisible();
    await pay(wallet, 300_000, 'Jumia');
    await expect(row(page, /Approvals.*2 waiting/)).toBeVisible();
    const { data } = await send<{ data: { id: string }[] }>('/v1/approvals?status=pending', {
      method: 'GET',
      headers,
    });
    await send(`/v1/approvals/${data[0]?.id ?? ''}/deny`, { headers, body: {} });
    await expect(row(page, /Approvals.*1 waiting/)).toBeVisible();
  });
  expect(new Set(calls)).toEqual(new Set(['GET /v1/approvals']));
  expect(calls.length).toBeLessThanOrEqual(6);
});

test('a stream that was cut goes on behind its last event, and misses nothing', async ({ browser }) => {
  const proxy = await Proxy.start(process.env.SERVICE_URL ?? '');
  const context = await browser.newContext({ baseURL: proxy.url });
  try {
    const { wallet } = await somebody(context);
    const page = await context.newPage();
    await open(page, `/wallets/${wallet.id}`);
    await pay(wallet, 10_000, 'Jumia');
    await expect(row(page, /Jumia.*Paid/)).toBeVisible();
    proxy.sent = '';
    proxy.cut();
    await pay(wallet, 10_000, 'Konga');
    await fund(wallet, 1_000);
    await expect(page.getByText(/What you see may be out of date/)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Groceries agent' })).toBeVisible();
    proxy.mend();
    await expect(row(page, /Konga.*Paid/)).toBeVisible();
    await expect(page.getByText('₦20,800.00', { exact: true }).first()).toBeVisible();
    await expect(page.getByText(/What you see may be out of date/)).toBeHidden();
    await expect
      .poll(() => proxy.sent)
      .toMatch(/GET \/v1\/events(?:(?!\r\n\r\n)[^])*last-event-id: \w{8}\.\d+/i);
    await calm(page);
    expect(await callsDuring(page, () => page.waitForTimeout(LONGER_THAN_A_CLOCK_MS))).toEqual([]);
  } finally {
    await context.close();
    await proxy.stop();
  }
});

test('where there is no stream it is asked on a clock, until there is one', async ({ page, context }) => {
  const { wallet } = await somebody(context);
  await page.route('**/v1/events', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'OVERLOADED', message: 'Too many streams.' } } }),
  );
  await page.goto(`/wallets/${wallet.id}`);
  await expect(page.getByText('No payments yet')).toBeVisible();
  await pay(wallet, 10_000, 'Jumia');
  await expect(row(page, /Jumia.*Paid/)).toBeVisible();
  // A stream that can't be had is no failure of the service.
  await expect(page.getByText(/What you see may be out of date/)).toBeHidden();
  const stream = page.waitForResponse((response) => response.url().endsWith('/v1/events') && response.ok());
  await page.unroute('**/v1/events');
  await stream;
  await calm(page);
  expect(await callsDuring(page, () => page.waitForTimeout(LONGER_THAN_A_CLOCK_MS))).toEqual([]);
  await pay(wallet, 10_000, 'Bolt');
  await expect(row(page, /Bolt/)).toBeVisible();
});

test('the tabs of a browser share one stream, and another one takes it over', async ({ context }) => {
  const { wallet } = await somebody(context);
  const streams: Request[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/v1/events')) streams.push(request);
  });
  const first = await context.newPage();
  await open(first, `/wallets/${wallet.id}`);
  const second = await context.newPage();
  await second.goto(`/wallets/${wallet.id}`);
  await calm(second);
  await pay(wallet, 10_000, 'Jumia');
  for (const page of [first, second]) await expect(row(page, /Jumia/)).toBeVisible();
  // What becomes of the payment is told too.
  await calm(second);
  expect(await callsDuring(second, () => second.waitForTimeout(LONGER_THAN_A_CLOCK_MS))).toEqual([]);
  expect(streams).toHaveLength(1);
  await first.close();
  await expect.poll(() => streams.length).toBe(2);
  await pay(wallet, 10_000, 'Konga');
  await expect(row(second, /Konga/)).toBeVisible();
});

test('a session that is ended elsewhere ends here', async ({ page, context }) => {
  const { owner, wallet } = await somebody(context);
  await open(page, `/wallets/${wallet.id}`);
  await send('/v1/auth/logout', { headers: { authorization: `Bearer ${owner.token}` } });
  await expect(page.getByText('Sign in to continue.')).toBeVisible();
});
