import { execFileSync } from 'node:child_process';
import { expect, type Page } from '@playwright/test';
import {
  enter,
  fund,
  PASSWORD,
  pay,
  person,
  type Purse,
  send,
  signedInWithMoney,
  test,
  walletOf,
  withoutStream,
} from './accounts.js';

/** The sandbox bank refuses payouts to it, after a moment. */
const REFUSED_LATER = '9000000002';

async function payTo({ key }: Purse, recipientAccountNo: string, merchantName: string): Promise<string> {
  const { data } = await send<{ data: { transaction: { id: string } } }>('/api/payment-intent', {
    headers: { 'x-api-key': key },
    body: { amount: 10_000, merchantName, recipientAccountNo, recipientBankCode: '058' },
  });
  return data.transaction.id;
}

interface Shown {
  readonly id: string;
  status: string;
  settlement: { status: string } | null;
  auditEvents?: { type: string; at: string; detail: object }[];
}

/** As the service tells it once the bank took the payout back. */
function takeBack(payment: Shown): void {
  payment.status = 'returned';
  const at = new Date().toISOString();
  if (payment.settlement)
    Object.assign(payment.settlement, { status: 'reversed', reversedAt: at, refundedAt: null });
  const detail = { reason: 'the bank sent the money back' };
  payment.auditEvents?.push({ type: 'settlement.failed', at, detail });
}

const row = (page: Page, name: RegExp) => page.getByRole('link', { name });

test('a payment has one final status wherever it is shown', async ({ page, context }) => {
  test.setTimeout(240_000);
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000, 'Float');
  const returned = await payTo(wallet, '0123456788', 'Konga');
  await payTo(wallet, REFUSED_LATER, 'Jumia');
  await payTo(wallet, '0123456789', 'Bolt');
  await pay(wallet, 600_000, 'Shoprite');
  await enter(context, owner);
  // What is made up below, no event tells of.
  await withoutStream(context);

  await page.goto(`/wallets/${wallet.id}?transaction=${returned}`);
  const drawer = page.getByRole('dialog', { name: 'Payment' });
  await expect(drawer.getByText('Paid to the recipient')).toBeVisible();
  // An open payment follows what becomes of it. That the bank took a payout back is found by the reconciliation.
  await context.route(/\/(transactions)/, async (route) => {
    const response = await route.fetch();
    const answer = JSON.parse(await response.text()) as { data: Shown | Shown[] };
    for (const each of [answer.data].flat()) if (each.id === returned) takeBack(each);
    await route.fulfill({ response, json: answer });
  });
  await expect(drawer.getByText('Sent back by the bank', { exact: true })).toHaveCount(2);
  await expect(drawer.getByText(/^Being resolved by our operators since /)).toBeVisible();
  await expect(drawer.getByText('Being resolved by our operators', { exact: true })).toBeVisible();
  await expect(drawer.getByText('Refunded to the wallet')).toHaveCount(0);
  await page.keyboard.press('Escape');
  const everywhere = async () => {
    await expect(
      row(page, /Konga.*Being resolved by our operators since.*Sent back by the bank/),
    ).toBeVisible();
    await expect(row(page, /Jumia.*Failed, refunded/)).toBeVisible();
    await expect(row(page, /Bolt.*Paid/)).toBeVisible();
    await expect(row(page, /Shoprite.*Over the per-payment limit.*Blocked/)).toBeVisible();
    await expect(page.getByText('Approved', { exact: true })).toHaveCount(0);
  };
  await expect(row(page, /Konga.*Sent back by the bank/)).toBeVisible();
  await page.goto('/');
  await everywhere();
  await expect(row(page, /Money in.*Float.*Received.*\+₦5,000\.00/)).toBeVisible();
  await row(page, /Money in/).click();
  await expect(page.getByText('Jumia').first()).toBeVisible();
  await expect(page.getByRole('link', { name: /^Jumia Refund/ })).toBeVisible();
});

test('no amount is cut, however large and wherever it stands', async ({ browser }) => {
  test.setTimeout(240_000);
  const owner = await person();
  const wallet = await walletOf(owner, { spendLimitPerTx: 9e12, spendLimitPeriod: 9e12 });
  await fund(wallet, 90_000_000_000);
  await fund(wallet, 0.01);
  await pay(wallet, 8_999_999_999_999, 'A supplier of heavy machinery');
  for (const width of [375, 800, 1280, 1920]) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      baseURL: process.env.SERVICE_URL ?? '',
    });
    await enter(context, owner);
    const page = await context.newPage();
    for (const path of ['/', `/wallets/${wallet.id}`, `/wallets/${wallet.id}?tab=ledger`]) {
      await page.goto(path);
      await expect(page.getByText('₦89,999,999,999.99').last()).toBeVisible();
      // An amount is cut when it, or a box around it, hides what is past its edge.
      const cut = await page.evaluate(`[...document.querySelectorAll('.money')].filter((money) => {
        const { left, right, width } = money.getBoundingClientRect();
        if (width === 0) return false;
        if (right > innerWidth || left < 0) return true;
        for (let box = money.parentElement; box && box !== document.body; box = box.parentElement) {
          const edge = box.getBoundingClientRect();
          if (getComputedStyle(box).overflowX !== 'visible' && right > edge.right + 0.5) return true;
        }
        return false;
      }).map((money) => money.textContent)`);
      expect.soft(cut, `${path} at ${width}`).toEqual([]);
    }
    await context.close();
  }
});

test('the address keeps tab, page and filter, and an unknown tab is the first one', async ({
  page,
  context,
}) => {
  const wallet = await signedInWithMoney(context, 20_000);
  for (let i = 1; i <= 22; i += 1) await pay(wallet, i * 1_000, 'Jumia');
  await page.goto(`/wallets/${wallet.id}?tab=zzz`);
  await expect(page.getByRole('tab', { name: 'Overview', selected: true })).toBeVisible();
  await expect(row(page, /Jumia.*₦220\.00/)).toBeVisible();
  await page.getByRole('link', { name: 'Next', exact: true }).click();
  await expect(row(page, /Jumia.*₦10\.00/)).toBeVisible();
  await page.reload();
  await expect(row(page, /Jumia.*₦10\.00/)).toBeVisible();
  await row(page, /Jumia.*₦10\.00/).click();
  await expect(page.getByRole('dialog', { name: 'Payment' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('dialog', { name: 'Payment' })).toBeHidden();
  await expect(row(page, /Jumia.*₦10\.00/)).toBeVisible();
  await page.getByRole('tab', { name: 'Ledger' }).click();
  await expect(page.getByRole('link', { name: /^Jumia Payment/ }).first()).toBeVisible();
  expect(new URL(page.url()).search).toBe('?tab=ledger');
});

test('a key that was not stored is not lost by going on, and a reload asks first', async ({
  page,
  context,
}) => {
  const owner = await person();
  await enter(context, owner);
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Errands');
  await page.getByRole('switch', { name: 'Restrict to specific merchants' }).click();
  await page.getByRole('combobox', { name: 'Merchants' }).fill('Ada’s Kitchen');
  await page.getByRole('combobox', { name: 'Merchants' }).press('Enter');
  await page.getByLabel('Per-payment limit').fill('500');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  const key = page.locator('pre[aria-label="API key"]');
  const shown = await key.innerText();
  // What is ready to paste would pass the wallet's own rules.
  await expect(page.locator('pre[aria-label="command"]')).toContainText('"merchantName": "Ada’s Kitchen"');
  const command = await page.locator('pre[aria-label="command"]').innerText();
  expect(command).toContain('"amount": 50000');
  // Any shell fills in a key.
  const header = /"idempotency-key: .*"/.exec(command)?.[0] ?? '';
  const filledIn = execFileSync('sh', ['-c', `printf %s ${header}`], { encoding: 'utf8' });
  expect(filledIn).toMatch(/^idempotency-key: order-\d+$/);

  await page.getByRole('link', { name: 'Webhooks' }).click();
  await expect(page.getByRole('heading', { name: 'Webhooks' })).toBeVisible();
  const asked = page.waitForEvent('dialog');
  void page.reload().catch(() => undefined);
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();

  await page.getByRole('link', { name: 'Wallets', exact: true }).click();
  await row(page, /Errands/).click();
  await page.getByRole('link', { name: 'Show the key' }).click();
  await expect(key).toHaveText(shown);
  await page.getByRole('link', { name: 'I’ve stored it, open the wallet' }).click();
  await expect(page.getByText('Store this wallet’s API key')).toBeHidden();
  await page.getByRole('link', { name: 'Test', exact: true }).click();
  await expect(page.getByLabel('Merchant')).toHaveValue('Ada’s Kitchen');
  await page.reload();
  await expect(page.getByLabel('Merchant')).toHaveValue('Ada’s Kitchen');
});

test('signing out with a key that was not stored asks first, and nothing breaks on the way out', async ({
  page,
  context,
}) => {
  const broken: string[] = [];
  page.on('pageerror', (error) => broken.push(String(error)));
  await enter(context, await person());
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Errands');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  const key = page.locator('pre[aria-label="API key"]');
  const shown = await key.innerText();
  const signOut = async () => {
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  await signOut();
  const asked = page.getByRole('dialog', { name: 'Sign out and lose the key?' });
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await expect(asked).toBeHidden();
  await expect(key).toHaveText(shown);
  await page.getByRole('link', { name: 'Wallets', exact: true }).click();
  await expect(page.getByText('Your wallets')).toBeVisible();
  await signOut();
  await asked.getByRole('button', { name: 'Sign out anyway' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(broken).toEqual([]);
});

test('a business says its name at sign-up, and a phone number is one', async ({ page }) => {
  await page.goto('/sign-up');
  await page.getByLabel('Email').fill(`ada-${Date.now()}@example.com`);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('radio', { name: 'Business' }).check();
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByLabel('Business name')).toHaveAccessibleDescription(/2 to 200 characters/);
  await page.getByLabel('Business name').fill('Kudi Foods Ltd');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('Give your first agent a wallet')).toBeVisible();
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByLabel('Business name')).toHaveValue('Kudi Foods Ltd');
  await page.getByLabel('Contact phone').fill('abc');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByLabel('Contact phone')).toHaveAccessibleDescription(/Enter a phone number/);
});

test('a deleted endpoint is gone, also for the back button', async ({ page, context }) => {
  const owner = await person();
  const { data } = await send<{ data: { id: string } }>('/v1/webhook-endpoints', {
    headers: { authorization: `Bearer ${owner.token}` },
    body: { url: 'https://example.com/hooks', events: ['wallet.funded'] },
  });
  await enter(context, owner);
  await page.goto('/webhooks');
  await row(page, /example\.com/).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await expect(
    page.getByText(/Paused by you\. Nothing has been sent to this endpoint since .*\./),
  ).toBeVisible();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete endpoint' }).click();
  await expect(page.getByText('No endpoints yet')).toBeVisible();
  await page.goto(`/webhooks/${data.id}`);
  await expect(page.getByText('This endpoint wasn’t found')).toBeVisible();
  await expect(page.getByText(/Can’t reach the service/)).toHaveCount(0);
});

test('the page stands while the session loads, and recovers when the service is back', async ({
  page,
  context,
}) => {
  const owner = await person();
  await enter(context, owner);
  await page.route(/\/(api|v1)\//, (route) => route.abort());
  await page.goto('/');
  await expect(page.getByRole('img', { name: 'Loading' })).toBeVisible();
  await expect(page.getByText('Can’t reach the service.')).toBeVisible();
  await page.unroute(/\/(api|v1)\//);
  await expect(page.getByText('Give your first agent a wallet')).toBeVisible();
});
