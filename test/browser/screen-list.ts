import { expect, type Page } from '@playwright/test';
import { goTo, PASSWORD } from './accounts.js';
import type { BusyFixture } from './busy-fixture.js';
import type { FullFixture } from './full-fixture.js';
import type { OperatorFixture } from './operators.js';
import type { SpendingFixture } from './spending-fixture.js';

type Everything = FullFixture & SpendingFixture;

/** A screen, by the name of its picture. */
export interface Screen<At = Everything> {
  readonly name: string;
  readonly path: (at: At) => string;
  /** What leads to it, and shows that it is all there. */
  readonly ready: (page: Page, at: At) => Promise<void>;
  /** A state of a screen that is looked at in full elsewhere. */
  readonly isBrief?: boolean;
}

const text = (words: string | RegExp) => (page: Page) => expect(page.getByText(words).first()).toBeVisible();
const heading = (name: string | RegExp) => (page: Page) =>
  expect(page.getByRole('heading', { name }).first()).toBeVisible();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first();
const dialog = async (page: Page, name: string | RegExp) =>
  expect(page.getByRole('dialog', { name })).toBeVisible();

/** Opens a dialog by these steps. */
const opened =
  <At>(name: string | RegExp, ...steps: ((page: Page, at: At) => Promise<unknown>)[]) =>
  async (page: Page, at: At) => {
    for (const step of steps) await step(page, at);
    await dialog(page, name);
  };
const click = (name: string | RegExp) => (page: Page) => button(page, name).click();
const choose = (name: string) => (page: Page) => page.getByRole('menuitem', { name, exact: true }).click();

const ofMember = (page: Page, { viewer }: FullFixture) => button(page, `Actions for ${viewer.email}`).click();

export const FOR_GUESTS: Screen[] = [
  { name: 'sign-in', path: () => '/sign-in?next=%2Fsettings', ready: heading('Sign in') },
  {
    name: 'sign-up-errors',
    path: () => '/sign-up',
    ready: async (page) => {
      await page.getByLabel('Email').fill('ada');
      await button(page, 'Create account').click();
      await text(/valid email/)(page);
    },
  },
  {
    name: 'sign-up-business',
    path: () => '/sign-up',
    ready: async (page) => {
      await page.getByRole('radio', { name: 'Business' }).check();
      await expect(page.getByLabel('Business name')).toBeVisible();
    },
  },
  {
    name: 'sign-in-refused',
    path: () => '/sign-in',
    ready: async (page) => {
      await page.getByLabel('Email').fill('nobody@example.com');
      await page.getByLabel(/^Password/).fill('wrong horse');
      await button(page, 'Sign in').click();
      await text('Incorrect email or password.')(page);
    },
  },
  { name: 'forgot-password', path: () => '/forgot-password', ready: heading(/password/i) },
  { name: 'reset-password', path: () => '/reset-password#token=x', ready: heading(/password/i) },
];

export const FOR_NEWCOMERS: Screen[] = [
  { name: 'home-empty', path: () => '/', ready: text('Give your first agent a wallet') },
  { name: 'payments-empty', path: () => '/payments', ready: text('No payments yet') },
  { name: 'statements-empty', path: () => '/statements', ready: text('No statements yet') },
  { name: 'approvals-empty', path: () => '/approvals', ready: text('Nothing waits for you') },
  { name: 'notifications-empty', path: () => '/notifications', ready: text('Nothing yet') },
  { name: 'webhooks-empty', path: () => '/webhooks', ready: text('No endpoints yet') },
  { name: 'settings-new', path: () => '/settings', ready: heading('Register your business') },
  {
    name: 'wallet-created',
    path: () => '/wallets/new',
    ready: async (page) => {
      await page.getByLabel('Name').fill('Errands');
      await button(page, 'Create wallet').click();
      await heading('Errands is ready')(page);
    },
  },
  {
    name: 'start',
    path: () => '/',
    ready: async (page) => {
      await heading('Get started')(page);
      await button(page, 'Or from your code').click();
      await page.getByText('TypeScript', { exact: true }).click();
      await text(/WalletClient/)(page);
    },
  },
];

const OVERVIEW: Screen[] = [
  {
    name: 'home',
    path: () => '/',
    ready: async (page) => {
      await text('Last 28 days')(page);
      await expect(page.getByRole('link', { name: /Bolt/ }).first()).toBeVisible();
    },
  },
  {
    name: 'search',
    path: () => '/',
    ready: async (page) => {
      await heading('Wallets')(page);
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog').getByText('Travel desk')).toBeVisible();
    },
  },
  {
    name: 'search-found',
    path: () => '/',
    ready: async (page) => {
      await heading('Wallets')(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: /^Search wallets/ }).fill('adebayo');
      await text(/^All payments that match/)(page);
      await text(/0123456789 · Procurement/)(page);
    },
  },
  {
    name: 'search-none',
    path: () => '/',
    ready: async (page) => {
      await heading('Wallets')(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: /^Search wallets/ }).fill('no such thing');
      await text('Nothing found')(page);
    },
  },
  { name: 'freeze-all', path: () => '/', ready: opened(/^Freeze all/, click('Freeze all')) },
  {
    name: 'resume-wallets',
    path: () => '/',
    ready: opened('Resume wallets', click('Resume wallets')),
  },
  { name: 'payments', path: () => '/payments', ready: text('₦90,000,000,000.00') },
  { name: 'payments-none', path: () => '/payments?status=expired', ready: text('No payment matches') },
  {
    name: 'payments-filtered',
    path: () => '/payments?from=2026-01-01&min=1&max=90000000000.00',
    ready: text('Order 299'),
  },
  {
    name: 'view-save',
    path: () => '/payments?search=Order',
    ready: opened('Save this view', click('Save this view')),
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
      await button(page, 'Create wallet').click();
      await text(/An amount in naira/)(page);
    },
  },
  {
    name: 'statements',
    path: () => '/statements',
    ready: async (page) => {
      await text('Final, signed')(page);
      await text('So far')(page);
      await text('31,000 of 48,200 entries')(page);
    },
  },
  { name: 'approvals', path: () => '/approvals', ready: text(/^Left after it$/) },
  {
    name: 'approvals-several',
    path: () => '/approvals',
    ready: async (page) => {
      await page.getByRole('checkbox').first().check();
      await page.getByRole('button', { name: 'Approve 1', exact: true }).click();
      await dialog(page, 'Approve several payments');
    },
  },
  { name: 'approvals-all', path: () => '/approvals?show=all', ready: text('Awaiting approval') },
  { name: 'settings', path: () => '/settings', ready: heading('Sessions') },
  {
    name: 'settings-app',
    path: () => '/settings',
    ready: async (page) => {
      await page.getByLabel('Your password').fill(PASSWORD);
      await button(page, 'Set up').click();
      await expect(page.getByRole('img', { name: 'QR code of the key' })).toBeVisible();
    },
  },
  { name: 'members', path: () => '/settings/members', ready: text('Link expires') },
  {
    name: 'member-invite',
    path: () => '/settings/members',
    ready: opened('Invite a member', click('Invite')),
  },
  {
    name: 'member-role',
    path: () => '/settings/members',
    ready: opened('Change role', ofMember, choose('Change role')),
  },
  {
    name: 'member-remove',
    path: () => '/settings/members',
    ready: opened('Remove this member?', ofMember, choose('Remove')),
  },
  { name: 'activity', path: () => '/settings/activity', ready: text('Member invited') },
  {
    name: 'activity-none',
    path: () => '/settings/activity?from=2020-01-01&to=2020-01-02',
    ready: text('Nothing matches'),
  },
  {
    name: 'settings-notifications',
    path: () => '/settings?tab=notifications',
    ready: heading('What you are notified of'),
  },
  { name: 'nowhere', path: () => '/nowhere', ready: heading('Page not found') },
  {
    name: 'not-loaded',
    path: () => '/nowhere',
    ready: async (page) => {
      await page.route(/\/v1\/webhook-endpoints\?/, (route) => route.abort());
      await goTo(page, '/webhooks?page=7');
      await text('Your endpoints couldn’t be loaded')(page);
    },
  },
  {
    name: 'offline',
    path: () => '/webhooks',
    ready: async (page) => {
      await heading('Endpoints')(page);
      await page.context().setOffline(true);
      await text(/^You are offline/)(page);
    },
  },
];

const wallet =
  (search = '') =>
  ({ wallet: { id } }: FullFixture) =>
    `/wallets/${id}${search}`;
const ofKey = (action: string) => [click(/^Actions for the key/), choose(action)];
const inMenu = (name: string) => [click('More actions'), choose(name)];

const OF_A_WALLET: Screen[] = [
  {
    name: 'wallet',
    path: wallet(),
    ready: async (page) => {
      await text('Last 28 days')(page);
      await expect(page.getByRole('link', { name: /Bolt/ }).first()).toBeVisible();
    },
  },
  { name: 'wallet-ledger', path: wallet('?tab=ledger'), ready: text('−₦90,000,000,000.00') },
  {
    name: 'wallet-ledger-out',
    path: wallet('?tab=ledger&type=debit&from=2026-01-01'),
    ready: text(/^Days begin at midnight/),
  },
  {
    name: 'wallet-ledger-none',
    path: wallet('?tab=ledger&type=refund&from=2030-01-01&to=2029-01-01'),
    ready: text('No entry matches'),
  },
  {
    name: 'calendar',
    path: wallet('?tab=ledger&from=2024-01-31'),
    ready: async (page) => {
      await button(page, 'Choose a day: From').click();
      await expect(page.getByRole('button', { name: '31 Jan 2024', exact: true })).toBeFocused();
    },
  },
  { name: 'wallet-payees', path: wallet('?tab=payees'), ready: heading('Merchants paid') },
  { name: 'payee-add', path: wallet('?tab=payees'), ready: opened('Add payee', click('Add payee')) },
  { name: 'wallet-keys', path: wallet('?tab=keys'), ready: heading('Connect an agent') },
  { name: 'key-new', path: wallet('?tab=keys'), ready: opened('New API key', click('New key')) },
  { name: 'key-rename', path: wallet('?tab=keys'), ready: opened('Rename key', ...ofKey('Rename')) },
  { name: 'key-rotate', path: wallet('?tab=keys'), ready: opened('Rotate key', ...ofKey('Rotate')) },
  { name: 'key-revoke', path: wallet('?tab=keys'), ready: opened('Revoke this key?', ...ofKey('Revoke')) },
  { name: 'wallet-rules', path: wallet('?tab=rules'), ready: heading('On trial beside the real limits') },
  {
    name: 'wallet-rules-tried',
    path: wallet(`?tab=rules&trial=${encodeURIComponent('{"spendLimitPerTx":300000}')}`),
    ready: text(/would have ended otherwise/),
  },
  { name: 'rules-edit', path: wallet('?tab=rules&edit=rules'), ready: opened('Edit rules') },
  {
    name: 'safeguards-edit',
    path: wallet('?tab=rules'),
    ready: opened('Edit safeguards', click('Edit safeguards')),
  },
  { name: 'wallet-activity', path: wallet('?tab=activity'), ready: text('Approval threshold from none') },
  { name: 'wallet-test', path: wallet('?test=open'), ready: heading('Test payment') },
  {
    name: 'wallet-fund',
    path: wallet(),
    ready: async (page) => {
      await button(page, 'Fund').click();
      await text('Account name')(page);
    },
  },
  { name: 'wallet-withdraw', path: wallet(), ready: opened('Withdraw', click('Withdraw')) },
  {
    name: 'wallet-move',
    path: wallet(),
    ready: opened('Move money', ...inMenu('Move to another wallet')),
  },
  { name: 'wallet-close', path: wallet(), ready: opened(/^Close/, ...inMenu('Close wallet')) },
  {
    name: 'transaction-blocked',
    path: (at) => `/wallets/${at.wallet.id}?transaction=${at.blocked}`,
    ready: text('No money moved.'),
  },
  {
    name: 'transaction-not-allowed',
    path: (at) => `/wallets/${at.restricted.id}?transaction=${at.notAllowed}`,
    ready: text('Allow this merchant'),
  },
  {
    name: 'transaction-paid',
    path: (at) => `/payments?of=${at.wallet.id}&transaction=${at.paid}`,
    ready: text('Paid to the recipient'),
  },
  {
    name: 'transaction-waiting',
    path: (at) => `/wallets/${at.wallet.id}?transaction=${at.waiting}`,
    ready: text('The amount is held; no money has moved.'),
  },
  {
    name: 'wallet-not-found',
    path: () => '/wallets/00000000-0000-7000-8000-000000000000',
    ready: text('This wallet wasn’t found'),
  },
];

const endpoint = ({ endpoint: id }: FullFixture) => `/webhooks/${id}`;

const WEBHOOKS: Screen[] = [
  {
    name: 'webhooks',
    path: () => '/webhooks',
    ready: async (page) => {
      await text(/^100% delivered/)(page);
      await text(/Failing since/)(page);
      await text('Paused')(page);
    },
  },
  {
    name: 'webhook-new',
    path: () => '/webhooks',
    ready: async (page) => {
      await button(page, 'New endpoint').click();
      await expect(page.getByRole('dialog').getByLabel('URL')).toBeFocused();
    },
  },
  { name: 'webhook-endpoint', path: endpoint, ready: text('wallet.funded (test)') },
  { name: 'webhook-edit', path: endpoint, ready: opened('Edit endpoint', click('Edit')) },
  { name: 'webhook-rotate', path: endpoint, ready: opened(/secret/, ...inMenu('Rotate secret')) },
  { name: 'webhook-recover', path: endpoint, ready: opened(/Resend/, ...inMenu('Resend failed')) },
  { name: 'webhook-delete', path: endpoint, ready: opened(/Delete/, ...inMenu('Delete')) },
  {
    name: 'webhook-delivery',
    path: (at) => `${endpoint(at)}?delivery=${at.delivery}`,
    ready: heading('Body'),
  },
  {
    name: 'webhook-failing',
    path: ({ failing }) => `/webhooks/${failing}`,
    ready: text(/3 tries, next/),
  },
  {
    name: 'webhook-delivery-failing',
    path: ({ failing }) => `/webhooks/${failing}`,
    ready: opened('Delivery', (page) => page.getByRole('link', { name: /^wallet\.funded/ }).click()),
  },
  {
    name: 'webhook-paused',
    path: ({ paused }) => `/webhooks/${paused}`,
    ready: text(/^Paused automatically/),
  },
  {
    name: 'webhook-not-found',
    path: () => '/webhooks/00000000-0000-7000-8000-000000000000',
    ready: text('This endpoint wasn’t found'),
  },
];

export const FOR_VIEWERS: Screen[] = [
  { name: 'viewer-statements', path: () => '/statements', ready: text('Not for your role') },
  { name: 'viewer-members', path: () => '/settings/members', ready: text('Link expires') },
  { name: 'viewer-webhook', path: ({ failing }) => `/webhooks/${failing}`, ready: text(/^3 tries/) },
];

export const FOR_SECURED: Screen[] = [
  { name: 'settings-secured', path: () => '/settings', ready: heading('Recovery codes: 10 left') },
  {
    name: 'second-factor',
    path: () => '/settings',
    ready: opened('Confirm it’s you', click('New recovery codes')),
  },
  { name: 'members-alone', path: () => '/settings/members', ready: text('Only you') },
];

const spending =
  (search = '') =>
  ({ spending: { id } }: Everything) =>
    `/wallets/${id}${search}`;
const payment =
  (name: keyof Everything['ended']) =>
  ({ spending: { id }, ended }: Everything) =>
    `/wallets/${id}?transaction=${ended[name]}`;
const analytics = (by: string, shows: string | RegExp): Screen => ({
  name: `analytics-${by}`,
  path: () => `/payments/analytics?by=${by}`,
  ready: async (page) => {
    const row = page.getByRole('row', { name: shows });
    await expect(row).toBeVisible();
  },
  isBrief: true,
});
const brief = (name: string, path: Screen['path'], ready: Screen['ready']): Screen => ({
  name,
  path,
  ready,
  isBrief: true,
});
const tested = async (page: Page, { spending: { key } }: Everything, amount: string) => {
  const test = page.getByRole('region', { name: 'Test payment' });
  await test.getByLabel('API key').fill(key);
  await test.getByLabel('Amount').fill(amount);
  await button(page, 'Pay').click();
  await expect(test.getByRole('alert')).toBeVisible();
};

/** What an owner of ordinary payments meets. */
export const FOR_SPENDING: Screen[] = [
  {
    name: 'analytics',
    path: () => '/payments/analytics',
    ready: async (page) => expect(page.getByRole('row', { name: /^Mile 12 Market/ })).toBeVisible(),
  },
  analytics('wallet', /^Field team/),
  analytics('key', /^Market runs/),
  analytics('purpose', /^Market purchases/),
  analytics('category', /^Food/),
  analytics('blockReason', /^Approval denied/),
  brief(
    'analytics-none',
    () => '/payments/analytics?from=2020-01-01&to=2020-01-31',
    text('Nothing in this period'),
  ),
  brief(
    'payments-of-key',
    ({ market }) => `/payments?key=${market.id}&status=paid,processing`,
    async (page) => {
      await expect(page.getByLabel('Key', { exact: true })).toHaveValue(/^Market runs/);
      await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('Paid or processing');
    },
  ),
  {
    name: 'approval',
    path: ({ stopped }) => `/approvals?id=${stopped}`,
    ready: text('The wallet is frozen. Resume it to approve.'),
  },
  brief(
    'approvals-deny',
    () => '/approvals',
    async (page) => {
      const first = page.getByRole('link', { name: /Expires in/ }).first();
      await first.click();
      await button(page, /^Deny/).click();
      await expect(page.getByLabel('Note')).toBeFocused();
    },
  ),
  brief(
    'approval-decided',
    ({ ended }) => `/approvals?id=${ended.denied}`,
    text(/Ask the second supplier first/),
  ),
  brief('approvals-help', () => '/approvals', opened('Help with approvals', click('Help'))),
  brief(
    'approvals-sum',
    () => '/approvals',
    async (page) => {
      await button(page, 'Approve up to a sum').click();
      await page.getByLabel('Up to a sum of').fill('250,000');
      await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
    },
  ),
  {
    name: 'transaction-recorded',
    path: payment('recorded'),
    ready: async (page) => {
      await text('Asked for by Ben, delivered on Friday.')(page);
      await text('receipt-mile-12.png')(page);
    },
  },
  brief('transaction-failed', payment('failed'), text('Refunded to the wallet')),
  brief('transaction-returned', payment('returned'), text('Being resolved by our operators')),
  brief('transaction-other-account', payment('otherAccount'), text('Compare the accounts')),
  brief('transaction-unknown-account', payment('unknownAccount'), text(/The bank knows no such account/)),
  brief('transaction-duplicate', payment('duplicate'), text('See the first payment')),
  brief('transaction-denied', payment('denied'), text(/^Denied by you/)),
  {
    name: 'wallet-spending',
    path: spending(),
    ready: async (page) => {
      await text('Last 28 days')(page);
      await page.locator('[data-day="20"]').focus();
      await expect(page.locator('.chart-tip')).toBeVisible();
    },
  },
  brief('wallet-13-weeks', spending('?days=91'), text('Last 91 days')),
  brief('wallet-payees-known', spending('?tab=payees'), text('First use')),
  brief('wallet-keys-ended', spending('?tab=keys'), async (page) => {
    await page.getByText('1 inactive key').click();
    await text('Old laptop')(page);
  }),
  brief('key-new-limited', spending('?tab=keys'), async (page) => {
    await button(page, 'New key').click();
    await page.getByRole('switch', { name: 'Limit this key' }).click();
    await page.getByRole('switch', { name: 'Pays one account only' }).click();
  }),
  brief('rules-edit-tried', spending('?tab=rules&edit=rules'), async (page) => {
    await page.getByLabel('Per-payment limit').fill('20,000');
    await button(page, 'See what this would have done').click();
    await text(/would have ended otherwise/)(page);
  }),
  brief('wallet-test-paid', spending('?test=open'), (page, at) => tested(page, at, '1,250.50')),
  brief('wallet-test-blocked', spending('?test=open'), (page, at) => tested(page, at, '250,000')),
  brief('wallet-frozen-held', ({ frozen }) => `/wallets/${frozen.id}`, text('Left to spend once resumed')),
  brief('wallet-ended', ({ closed }) => `/wallets/${closed.id}`, text(/This wallet is closed/)),
];

export const FOR_OPERATORS: Screen<OperatorFixture>[] = [
  { name: 'operator-cases', path: () => '/operator', ready: text('Awaiting a second operator') },
  {
    name: 'operator-case-returned',
    path: ({ returned }) => `/operator/cases/${returned}`,
    ready: text(/asked for “Refund the wallet”/),
  },
  {
    name: 'operator-case-unmatched',
    path: ({ unmatched }) => `/operator/cases/${unmatched}`,
    ready: text('Assign to me'),
  },
  {
    name: 'operator-act',
    path: ({ unmatched }) => `/operator/cases/${unmatched}`,
    ready: opened('Credit to a wallet', click('Credit to a wallet')),
  },
  { name: 'operator-transfers', path: () => '/operator/transfers', ready: text('Held') },
  {
    name: 'operator-payouts',
    path: ({ payout }) => `/operator/payouts?reference=${payout}`,
    ready: text('Ask the bank'),
  },
  { name: 'operator-jobs', path: () => '/operator/jobs', ready: text('no.such.job') },
  { name: 'operator-endpoints', path: () => '/operator/endpoints', ready: heading(/^Failing webhook/) },
  {
    name: 'operator-find',
    path: ({ owner }) => `/operator/find?text=${encodeURIComponent(owner.email)}`,
    ready: text('Suspend wallet'),
  },
  { name: 'operator-find-none', path: () => '/operator/find?text=nobody', ready: text('No user found') },
  { name: 'operator-cases-closed', path: () => '/operator?state=closed', ready: heading('Cases') },
  {
    name: 'operator-outcome',
    path: ({ stuck }) => `/operator/payouts?reference=${stuck}`,
    ready: opened('Record the bank’s answer', click('Record the bank’s answer')),
  },
  { name: 'operator-record', path: () => '/operator/record', ready: text('made the user an operator') },
];

const typed =
  (words: string, found: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await heading('Needs you')(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).getByRole('textbox').fill(words);
    await expect(page.getByRole('dialog', { name: 'Search' }).getByText(found).first()).toBeVisible();
  };

export const FOR_THE_BUSY: Screen<BusyFixture>[] = [
  {
    name: 'home-needs',
    path: () => '/',
    ready: async (page) => {
      await expect(page.getByText(/came back from the bank/)).toHaveCount(2);
      await text(/^The webhook endpoint at .* fails$/)(page);
      await expect(page.getByRole('link', { name: /Air Peace/ }).last()).toBeVisible();
    },
  },
  { name: 'home-week', path: () => '/?since=7', ready: text('Repeated') },
  {
    name: 'home-blocked',
    path: () => '/',
    ready: async (page) => {
      const since = page.getByRole('region', { name: /^Since / });
      await since.getByRole('link', { name: '11 payments' }).click();
      await text('11 payments')(page);
    },
  },
  { name: 'notifications', path: () => '/notifications', ready: text(/^Denied by /) },
  { name: 'search-payments', path: () => '/', ready: typed('Konga', /All payments that match/) },
  { name: 'search-action', path: () => '/', ready: typed('freeze', 'all wallets') },
  { name: 'search-nothing', path: () => '/', ready: typed('zzzz', 'Nothing found') },
];

export const FOR_THE_FROZEN: Screen<BusyFixture>[] = [
  { name: 'home-frozen', path: () => '/', ready: text(/is still with the bank/) },
  {
    name: 'wallet-frozen',
    path: ({ groceries }) => `/wallets/${groceries.id}`,
    ready: text('Left to spend once resumed'),
  },
  { name: 'approvals-frozen', path: () => '/approvals', ready: text(/The wallet is frozen\./) },
  {
    name: 'resume-frozen',
    path: () => '/',
    ready: opened('Resume wallets', click('Resume wallets')),
  },
  // The last: from then on the page is offline.
  {
    name: 'home-offline',
    path: () => '/',
    ready: async (page) => {
      await heading('Needs you')(page);
      await page.context().setOffline(true);
      await text('You are offline. What you see may be out of date.')(page);
    },
  },
];

export const FOR_USERS: Screen[] = [...OVERVIEW, ...OF_A_WALLET, ...WEBHOOKS];

/** Those with something over the page: the window is pictured. */
export const OVER_THE_PAGE =
  /^(transaction|key-(new|re|ro)|approvals-(several|help|sum)|member-(invite|role|remove)|view-save|second-factor|payee-add|wallet-(test|fund|withdraw|move|close)|rules-edit|safeguards|webhook-(new|edit|ro|re|de)|search|freeze|resume-|operator-(act|outcome))/;

/** The dialogs that do something: each can be left without it by a button beside the main one. */
export const CAN_BE_LEFT =
  /^(key-(new|re|ro)|member-(invite|role|remove)|view-save|second-factor|payee-add|wallet-(withdraw|move|close)|rules-edit|safeguards|webhook-(new|edit|ro|rec|del(?!iv))|freeze|resume-|operator-(act|outcome))/;
