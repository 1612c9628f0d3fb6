import { randomUUID } from 'node:crypto';
import { expect, type Locator, type Page, type Request, type Route } from '@playwright/test';
import {
  enter,
  fund,
  goTo,
  PASSWORD,
  pay,
  person,
  type Person,
  type Purse,
  send,
  test,
  walletOf,
} from './accounts.js';

interface At {
  readonly owner: Person;
  readonly wallet: Purse;
  readonly endpoint: string;
}

interface Form {
  readonly name: string;
  readonly path: (at: At) => string;
  /** Opens it and fills it in; answers what was typed last, and the button that sends it. */
  readonly fill: (page: Page, at: At) => Promise<{ typed: Locator; value: string; submit: Locator }>;
  /** What it sends. */
  readonly call: RegExp;
  readonly isDone: (page: Page) => Locator;
}

const CALLS = /\/(api|v1)\//;
const text = (words: string | RegExp) => (page: Page) => page.getByText(words).first();

async function account(page: Page, form: Locator): Promise<void> {
  await form.getByRole('combobox', { name: 'Bank' }).click();
  await page.getByRole('option', { name: 'GTBank' }).click();
  await form.getByLabel('Account number').fill('0123456789');
  await expect(form.getByText(/Account holder: ./)).toBeVisible();
}

const FOR_GUESTS: Form[] = [
  {
    name: 'sign-up',
    path: () => '/sign-up',
    call: /POST .*\/auth\/signup$/,
    fill: async (page) => {
      await page.getByLabel('Email').fill(`ada-${randomUUID().slice(0, 8)}@example.com`);
      const typed = page.getByLabel(/^Password/);
      await typed.fill(PASSWORD);
      return { typed, value: PASSWORD, submit: page.getByRole('button', { name: 'Create account' }) };
    },
    isDone: text('Give your first agent a wallet'),
  },
  {
    name: 'sign-in',
    path: () => '/sign-in',
    call: /POST .*\/auth\/login$/,
    fill: async (page, { owner }) => {
      await page.getByLabel('Email').fill(owner.email);
      const typed = page.getByLabel(/^Password/);
      await typed.fill(PASSWORD);
      return { typed, value: PASSWORD, submit: page.getByRole('button', { name: 'Sign in' }) };
    },
    isDone: text('Groceries agent'),
  },
];

const FORMS: Form[] = [
  {
    name: 'new wallet',
    path: () => '/wallets/new',
    call: /POST .*\/api\/wallets$/,
    fill: async (page) => {
      const typed = page.getByLabel('Name');
      await typed.fill('Errands');
      return { typed, value: 'Errands', submit: page.getByRole('button', { name: 'Create wallet' }) };
    },
    isDone: text('Errands is ready'),
  },
  {
    name: 'rules',
    path: ({ wallet }) => `/wallets/${wallet.id}?edit=rules`,
    call: /PATCH .*\/api\/wallets\/[^/]+$/,
    fill: async (page) => {
      const dialog = page.getByRole('dialog', { name: 'Edit rules' });
      const typed = dialog.getByLabel('Per-payment limit');
      await typed.fill('7,500.00');
      return { typed, value: '7,500.00', submit: dialog.getByRole('button', { name: 'Save rules' }) };
    },
    isDone: text(/^Rules saved/),
  },
  {
    name: 'safeguards',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=rules`,
    call: /PATCH .*\/api\/wallets\/[^/]+$/,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Edit safeguards' }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit safeguards' });
      const typed = dialog.getByLabel('New key limit');
      await typed.fill('3,000.00');
      await dialog.getByLabel('A key is new for').fill('24');
      return { typed, value: '3,000.00', submit: dialog.getByRole('button', { name: 'Save safeguards' }) };
    },
    isDone: text(/^Safeguards saved/),
  },
  {
    name: 'low-balance alert',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=rules`,
    call: /PUT .*\/low-balance-threshold$/,
    fill: async (page) => {
      const card = page.getByRole('region', { name: 'Low-balance alert' });
      const typed = card.getByLabel('Alert me below');
      await typed.fill('500.00');
      return { typed, value: '500.00', submit: card.getByRole('button', { name: 'Save' }) };
    },
    isDone: text('Alert me below ₦500.00'),
  },
  {
    name: 'new key',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=keys`,
    call: /POST .*\/keys$/,
    fill: async (page) => {
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New API key' });
      const typed = dialog.getByLabel('Name');
      await typed.fill('Nightly');
      return { typed, value: 'Nightly', submit: dialog.getByRole('button', { name: 'Create key' }) };
    },
    isDone: (page) => page.getByRole('dialog', { name: 'Your new API key' }),
  },
  {
    name: 'payee',
    path: ({ wallet }) => `/wallets/${wallet.id}?tab=payees`,
    call: /POST .*\/payees$/,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Add payee' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add payee' });
      const typed = dialog.getByLabel('Merchant');
      await typed.fill('Shoprite');
      await account(page, dialog);
      return { typed, value: 'Shoprite', submit: dialog.getByRole('button', { name: 'Add payee' }) };
    },
    isDone: text(/^Shoprite may be paid at/),
  },
  {
    name: 'withdrawal',
    path: ({ wallet }) => `/wallets/${wallet.id}`,
    call: /POST .*\/withdrawals$/,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Withdraw' }).click();
      const dialog = page.getByRole('dialog', { name: 'Withdraw' });
      await dialog.getByLabel('Amount').fill('1,000');
      await account(page, dialog);
      const typed = dialog.getByLabel('Narration');
      await typed.fill('Back to us');
      return { typed, value: 'Back to us', submit: dialog.getByRole('button', { name: 'Withdraw' }) };
    },
    isDone: text('₦1,000 is on its way to the bank'),
  },
  {
    name: 'transfer',
    path: ({ wallet }) => `/wallets/${wallet.id}`,
    call: /POST .*\/transfers$/,
    fill: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Move to another wallet' }).click();
      const dialog = page.getByRole('dialog', { name: 'Move money' });
      await dialog.getByRole('combobox', { name: 'To wallet' }).click();
      await page.getByRole('option', { name: 'Savings' }).click();
      const typed = dialog.getByLabel('Amount');
      await typed.fill('400.00');
      return { typed, value: '400.00', submit: dialog.getByRole('button', { name: 'Move' }) };
    },
    isDone: text('₦400 moved to Savings'),
  },
  {
    name: 'test payment',
    path: ({ wallet }) => `/wallets/${wallet.id}?test=open`,
    call: /POST .*\/payment-intent$/,
    fill: async (page, { wallet }) => {
      const form = page.getByRole('region', { name: 'Test payment' });
      await form.getByPlaceholder('apw_live_…').fill(wallet.key);
      const typed = form.getByLabel('Amount');
      await typed.fill('123.00');
      return { typed, value: '123.00', submit: form.getByRole('button', { name: 'Pay' }) };
    },
    isDone: text(/^₦123\.00 to /),
  },
  {
    name: 'webhook endpoint',
    path: () => '/webhooks',
    call: /POST .*\/webhook-endpoints$/,
    fill: async (page) => {
      await page.getByRole('button', { name: 'New endpoint' }).click();
      const dialog = page.getByRole('dialog', { name: 'New endpoint' });
      const typed = dialog.getByLabel('URL');
      await typed.fill('https://example.com/second');
      return {
        typed,
        value: 'https://example.com/second',
        submit: dialog.getByRole('button', { name: 'Add endpoint' }),
      };
    },
    isDone: (page) => page.locator('pre[aria-label="signing secret"]'),
  },
  {
    name: 'business',
    path: () => '/settings',
    call: /POST .*\/onboarding$/,
    fill: async (page) => {
      const typed = page.getByLabel('Business name');
      await typed.fill('Kudi Foods Ltd');
      return {
        typed,
        value: 'Kudi Foods Ltd',
        submit: page.getByRole('button', { name: /^(Register|Save)$/ }),
      };
    },
    isDone: text('Business saved'),
  },
  {
    name: 'approval',
    path: () => '/approvals',
    call: /POST .*\/approve$/,
    fill: async (page) => {
      // Nothing is typed to approve: what was ticked stays.
      const typed = page.getByRole('checkbox', { name: 'Select Konga', checked: true });
      await page.getByRole('checkbox', { name: 'Select Konga' }).check();
      const card = page.getByRole('region', { name: 'Konga' });
      return { typed, value: 'on', submit: card.getByRole('button', { name: /^Approve/ }) };
    },
    isDone: text('₦6,000 to Konga approved'),
  },
  {
    name: 'denial',
    path: () => '/approvals',
    call: /POST .*\/deny$/,
    fill: async (page) => {
      const card = page.getByRole('region', { name: 'Konga' });
      await card.getByRole('button', { name: 'Deny' }).click();
      const typed = card.getByLabel('Note');
      await typed.fill('Not this month');
      return { typed, value: 'Not this month', submit: card.getByRole('button', { name: /^Deny/ }) };
    },
    isDone: text('₦6,000 to Konga denied'),
  },
  {
    name: 'password',
    path: () => '/settings',
    call: /POST .*\/auth\/password$/,
    fill: async (page) => {
      await page.getByLabel('Current password').fill(PASSWORD);
      const typed = page.getByLabel('New password');
      await typed.fill('battery staple');
      return {
        typed,
        value: 'battery staple',
        submit: page.getByRole('button', { name: 'Change password' }),
      };
    },
    isDone: text(/^Password changed/),
  },
];

async function seeded(): Promise<At> {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  await walletOf(owner, { name: 'Savings' });
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  await send(`/api/wallets/${wallet.id}`, { method: 'PATCH', headers, body: { approvalThreshold: 400_000 } });
  await send(`/api/wallets/${wallet.id}`, { method: 'PATCH', headers, body: { spendLimitPerTx: 700_000 } });
  await pay(wallet, 600_000, 'Konga');
  const made = await send<{ data: { id: string } }>('/v1/webhook-endpoints', {
    headers,
    body: { url: 'https://example.com/hooks', events: ['wallet.funded'] },
  });
  return { owner, wallet, endpoint: made.data.id };
}

/** Of these an answer may be lost after the money went. */
const MOVES_MONEY = new Set(['withdrawal', 'transfer', 'test payment']);
const WITH_MONEY = new Set([...MOVES_MONEY, 'approval']);

/**
 * The service is away while the form is sent: by a connection that fails, by a proxy that says so, and where money
 * moves by an answer that is lost.
 */
async function outage(page: Page, { name, fill, call, isDone }: Form, at: At): Promise<void> {
  const { typed, value, submit } = await fill(page, at);
  const isCall = (request: Request) => call.test(`${request.method()} ${request.url()}`);
  const failed = page
    .getByRole('alert')
    .filter({ hasText: /Can’t reach the service\. Check|The service isn’t answering/ });
  const fails = async (route: (route: Route) => Promise<void>) => {
    await page.route(CALLS, route);
    await submit.click();
    await expect(failed.first(), name).toBeVisible();
    await expect(typed, name).toHaveValue(value);
    await expect(submit, name).toBeEnabled();
    await page.unroute(CALLS, route);
  };
  await fails((route) => route.abort());
  await fails((route) =>
    isCall(route.request())
      ? route.fulfill({ status: 503, body: '<h1>Service Unavailable</h1>' })
      : route.abort(),
  );
  if (MOVES_MONEY.has(name)) {
    await fails(async (route) => {
      if (!isCall(route.request())) return route.fallback();
      expect((await route.fetch()).ok(), name).toBe(true);
      return route.abort();
    });
  }
  let sent = 0;
  const count = (request: Request) => {
    if (isCall(request)) sent += 1;
  };
  page.on('request', count);
  await submit.click();
  await expect(isDone(page), name).toBeVisible();
  page.off('request', count);
  expect(sent, name).toBe(1);
}

test('the service is away in the middle of each form of guests: what was typed stays, and it works once it is back', async ({
  page,
  context,
}) => {
  const at = await seeded();
  for (const form of FOR_GUESTS) {
    await page.goto(form.path(at));
    await test.step(form.name, () => outage(page, form, at));
    await context.clearCookies();
  }
});

async function eachOf(forms: readonly Form[], page: Page): Promise<At> {
  const at = await seeded();
  await enter(page.context(), at.owner);
  await page.goto('/');
  for (const form of forms) {
    await goTo(page, form.path(at));
    await test.step(form.name, () => outage(page, form, at));
  }
  return at;
}

test('the service is away in the middle of each form: what was typed stays, and it works once it is back', async ({
  page,
}) => {
  test.setTimeout(300_000);
  await eachOf(
    FORMS.filter(({ name }) => !WITH_MONEY.has(name)),
    page,
  );
});

test('the service is away while money is sent: what was typed stays, it works once it is back, and no money moves twice', async ({
  page,
}) => {
  test.setTimeout(300_000);
  const at = await eachOf(
    FORMS.filter(({ name }) => WITH_MONEY.has(name)),
    page,
  );
  const { data } = await send<{ data: { amount: number; type: string }[] }>(
    `/api/wallets/${at.wallet.id}/ledgers?pageSize=50`,
    { method: 'GET', headers: { authorization: `Bearer ${at.owner.token}` } },
  );
  const debits = data.filter(({ type }) => type === 'debit').map(({ amount }) => amount);
  // Among them is the payment that was approved.
  expect(debits.sort((a, b) => a - b)).toEqual([12_300, 40_000, 100_000, 600_000]);
});

test('what couldn’t be loaded stays said, with its button, while it is asked for again', async ({ page }) => {
  const owner = await person();
  await walletOf(owner);
  await enter(page.context(), owner);
  await page.route(/\/(api|v1)\/(?!auth\/session)/, (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'OVERLOADED', message: 'Too much at once.' } } }),
  );
  for (const [path, words] of [
    ['/', 'The totals couldn’t be loaded'],
    ['/payments', 'The payments couldn’t be loaded'],
  ] as const) {
    await page.goto(path);
    const said = page.getByText(words);
    await expect(said).toBeVisible();
    // Each attempt is an entry: through twenty of them the message never leaves the page.
    const removed = await said.evaluate((element) => {
      const node = element as unknown as { isConnected: boolean };
      return new Promise<boolean>((done) => {
        let asked = 0;
        new PerformanceObserver((list) => {
          asked += list.getEntries().length;
          if (asked > 20 || !node.isConnected) done(!node.isConnected);
        }).observe({ type: 'resource' });
      });
    });
    expect(removed, path).toBe(false);
  }
});
