import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { generateSync } from 'otplib';
import { type BrowserContext, expect, type Locator, type Page, test as base } from '@playwright/test';

export const PASSWORD = 'correct horse';

function serviceUrl(path = ''): string {
  return `${process.env.SERVICE_URL ?? ''}${path}`;
}

export const test = base.extend({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the pattern
  baseURL: async ({}, use) => {
    await use(serviceUrl());
  },
});

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

interface Sent {
  method?: string;
  body?: object;
  headers?: Record<string, string>;
}

export async function send<Answer>(
  path: string,
  { method = 'POST', body, headers = {} }: Sent,
): Promise<Answer> {
  const response = await fetch(serviceUrl(path), {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Answer;
}

/** Somebody with an account, made by way of the API. */
export async function person(): Promise<Person> {
  const email = `ada-${randomUUID().slice(0, 8)}@example.com`;
  const { data } = await send<{ data: { user: { id: string }; token: string } }>('/v1/auth/signup', {
    body: { email, password: PASSWORD, accountType: 'developer' },
  });
  return { id: data.user.id, email, token: data.token };
}

/** Signs up on the screen, as somebody new does. */
export async function signUp(page: Page): Promise<Person> {
  const email = `ada-${randomUUID().slice(0, 8)}@example.com`;
  await page.goto('/sign-up');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('Give your first agent a wallet')).toBeVisible();
  const token = (await page.context().cookies()).find(({ name }) => name === 'session')?.value ?? '';
  const { data } = await send<{ data: { user: { id: string } } }>('/v1/auth/session', {
    method: 'GET',
    headers: { authorization: `Bearer ${token}` },
  });
  return { id: data.user.id, email, token };
}

/** Signs the browser in, as the dashboard would. */
export async function enter(context: BrowserContext, { token }: Person): Promise<void> {
  await context.addCookies([
    { name: 'session', value: token, url: serviceUrl(), httpOnly: true, sameSite: 'Strict' },
  ]);
}

/** Turns two-factor on, by way of the API; answers the recovery codes. */
export async function twoFactorOf({ token }: Person): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const made = await send<{ data: { secret: string } }>('/v1/auth/two-factor', {
    headers,
    body: { currentPassword: PASSWORD },
  });
  const { data } = await send<{ data: { recoveryCodes: string[] } }>('/v1/auth/two-factor/confirm', {
    headers,
    body: { code: generateSync({ secret: made.data.secret }) },
  });
  return data.recoveryCodes;
}

/** Ends a session from elsewhere. */
export async function endSession({ token }: Person): Promise<void> {
  await send('/v1/auth/logout', { headers: { authorization: `Bearer ${token}` } });
}

/** Signs in again where the session ended. */
export async function signIn(page: Page, { email }: Person): Promise<void> {
  await expect(page.getByText('Sign in to continue.')).toBeVisible();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Goes to a screen within the page, which is faster than loading it; nothing that was open stays open. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.keyboard.press('Escape');
  const push = (to: string) =>
    page.evaluate(`history.pushState({}, '', ${JSON.stringify(to)});
      dispatchEvent(new PopStateEvent('popstate', { state: {} }));
      new Promise((done) => requestAnimationFrame(() => setTimeout(done)));`);
  // Else what stood there before would be taken for the screen, and be filled in. A page that was just loaded may not
  // listen yet when it is first told.
  await expect(async () => {
    await push('/nowhere');
    await page.getByRole('heading', { name: /^(Page not found|Sign in)$/ }).waitFor({ timeout: 1_000 });
  }).toPass({ timeout: 30_000 });
  await push(path);
}

/** Somebody who joined the business of the owner. */
export async function memberOf(owner: Person, role: string): Promise<Person> {
  const member = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  await send('/v1/invitations', { headers, body: { email: member.email, role } });
  const token = (await linkMailedTo(member.email)).split('#token=')[1] ?? '';
  await send('/v1/invitations/accept', {
    headers: { authorization: `Bearer ${member.token}` },
    body: { token },
  });
  return member;
}

/** Has what is shown asked for on a clock. */
export async function withoutStream(context: BrowserContext): Promise<void> {
  await context.route('**/v1/events', (route) => route.abort());
}

/** The link of the last mail to `email` that has one, once it was sent. */
export async function linkMailedTo(email: string): Promise<string> {
  let link: string | undefined;
  await expect(async () => {
    const log = await readFile(process.env.SERVICE_LOG ?? '', 'utf8');
    const mails = log.split('\n').filter((line) => line.includes(`to ${email}: `));
    link = mails.flatMap((line) => /http[^\s"\\]+#token=[\w.-]+/.exec(line) ?? []).at(-1);
    expect(link).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return link ?? '';
}

export interface Purse {
  readonly id: string;
  readonly key: string;
}

export async function walletOf(owner: Person, rules: object = {}): Promise<Purse> {
  const { data } = await send<{ data: { wallet: { id: string }; apiKey: { fullKey: string } } }>(
    '/api/wallets',
    {
      headers: { authorization: `Bearer ${owner.token}` },
      body: {
        name: 'Groceries agent',
        userId: owner.id,
        spendLimitPerTx: 500_000,
        spendLimitPeriod: 2_000_000,
        expiry: '2099-03-01T00:00:00Z',
        ...rules,
      },
    },
  );
  return { id: data.wallet.id, key: data.apiKey.fullKey };
}

export async function fund({ id }: Purse, naira: number, narration = 'Float for the week'): Promise<void> {
  await send('/api/webhooks', {
    body: {
      event: 'charge.success',
      data: {
        reference: `TRF-${randomUUID().slice(0, 13)}`,
        amount: naira,
        currency: 'NGN',
        narration,
        virtual_bank_account: { account_reference: id },
      },
    },
  });
}

/** Signs a new owner in on every page of the context, with a wallet that has so many naira. */
export async function signedInWithMoney(context: BrowserContext, naira: number): Promise<Purse> {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, naira);
  await enter(context, owner);
  return wallet;
}

export async function pay(
  { key }: Purse,
  amount: number,
  merchantName: string,
  reason?: string,
  recipientAccountNo = '0123456789',
): Promise<string> {
  const answer = await send<{ transactionId?: string; data?: { transaction: { id: string } } }>(
    '/api/payment-intent',
    {
      headers: { 'x-api-key': key },
      body: { amount, merchantName, recipientAccountNo, recipientBankCode: '058', reason },
    },
  );
  return answer.transactionId ?? answer.data?.transaction.id ?? '';
}

/** Fills in a withdrawal of ₦1,000, and answers its dialog. */
export async function typeWithdrawal(page: Page, { id }: Purse): Promise<Locator> {
  await page.goto(`/wallets/${id}`);
  await page.getByRole('button', { name: 'Withdraw' }).click();
  const out = page.getByRole('dialog', { name: 'Withdraw' });
  await out.getByLabel('Amount').fill('1,000');
  await out.getByRole('combobox', { name: 'Bank' }).click();
  await page.getByRole('option', { name: 'GTBank' }).click();
  await out.getByLabel('Account number').fill('0123456789');
  return out;
}
