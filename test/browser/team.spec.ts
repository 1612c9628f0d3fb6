import { randomUUID } from 'node:crypto';
import { type Browser, expect, type Page } from '@playwright/test';
import { generateSync } from 'otplib';
import {
  enter,
  fund,
  linkMailedTo,
  PASSWORD,
  pay,
  type Person,
  person,
  send,
  test,
  twoFactorOf,
  walletOf,
} from './accounts.js';
import { lookAt } from './looks.js';

/** Joins by the link of the mail, in a browser of their own. */
async function join(browser: Browser, email: string): Promise<Page> {
  const { data } = await send<{ data: { user: { id: string }; token: string } }>('/v1/auth/signup', {
    body: { email, password: PASSWORD, accountType: 'developer' },
  });
  const context = await browser.newContext({ baseURL: process.env.SERVICE_URL ?? '' });
  await enter(context, { id: data.user.id, email, token: data.token });
  const page = await context.newPage();
  await page.goto(`/invitation${new URL(await linkMailedTo(email)).hash}`);
  await page.getByRole('button', { name: 'Join' }).click();
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible();
  return page;
}

async function approve(page: Page, says: RegExp): Promise<void> {
  await page.goto('/approvals');
  await page
    .getByRole('button', { name: /^Approve/ })
    .first()
    .click();
  await expect(page.getByText(says)).toBeVisible();
}

test('a team approves by two, each by their role; a removed member is out, and two-factor is demanded', async ({
  page,
  browser,
  context,
}) => {
  const owner: Person = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  await send('/v1/onboarding', {
    headers,
    body: { businessName: 'Ada Foods', contactEmail: owner.email },
  });
  const wallet = await walletOf(owner);
  await fund(wallet, 5_000);
  const rules = { approvalThreshold: 10_000, secondApprovalAbove: 50_000 };
  await send(`/api/wallets/${wallet.id}`, { method: 'PATCH', headers, body: rules });
  const [ben, dan, vera] = ['ben', 'dan', 'vera'].map(
    (name) => `${name}-${randomUUID().slice(0, 8)}@example.com`,
  ) as [string, string, string];
  for (const [email, role] of [
    [dan, 'approver'],
    [vera, 'viewer'],
  ])
    await send('/v1/invitations', { headers, body: { email, role } });

  await enter(context, owner);
  await page.goto('/settings/members');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const inviting = page.getByRole('dialog', { name: 'Invite a member' });
  await inviting.getByLabel('Email').fill(ben);
  await inviting.getByRole('radio', { name: 'Approver' }).check();
  await inviting.getByRole('button', { name: 'Send invitation' }).click();
  await expect(inviting).toHaveCount(0);
  const ofBen = await join(browser, ben);
  const ofDan = await join(browser, dan);
  const ofVera = await join(browser, vera);

  await pay(wallet, 60_000, 'Server Rack Ltd');
  await approve(ofBen, /a second member must approve it too/);
  await ofVera.goto('/approvals');
  await expect(ofVera.getByText('Server Rack Ltd').first()).toBeVisible();
  await approve(ofDan, /approved$/);
  await ofVera.goto('/payments');
  await ofVera.getByRole('link', { name: /^Server Rack Ltd/ }).click();
  await expect(ofVera.getByRole('dialog', { name: 'Payment' })).toContainText(`Approved by ${dan}`);
  await ofVera.goto('/');
  const refused = ofVera.getByRole('group', { name: 'Only an owner may create wallets.' });
  await expect(refused.getByRole('button', { name: 'New wallet' })).toBeDisabled();

  await send('/v1/wallets/suspend-all', { headers });
  await expect(ofVera.getByText(`1 wallet was frozen by ${owner.email}`)).toBeVisible();
  await ofVera.goto(`/wallets/${wallet.id}?tab=activity`);
  await expect(ofVera.getByText(`by ${owner.email}`).first()).toBeVisible();

  await page.reload();
  await page.getByRole('button', { name: `Actions for ${ben}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove member' }).click();
  await expect(ofBen).toHaveURL(/\/sign-in/);

  await expect(page.getByRole('button', { name: 'Require two-factor' })).toBeDisabled();
  const [code = ''] = await twoFactorOf(owner);
  await page.reload();
  await page.getByRole('button', { name: 'Require two-factor' }).click();
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await proof.getByRole('textbox').fill(code);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('button', { name: 'Make two-factor optional' })).toBeVisible();

  await ofVera.goto('/payments');
  await expect(ofVera.getByRole('heading', { name: 'Set up two-factor', level: 1 })).toBeVisible();
  for (const scheme of ['light', 'dark'] as const) {
    await ofVera.emulateMedia({ colorScheme: scheme });
    await lookAt(ofVera, { name: 'two-factor-demanded', scheme, isWindow: false, axeAt: 'html' });
  }
  await ofVera.getByLabel('Your password').fill(PASSWORD);
  await ofVera.getByRole('button', { name: 'Set up', exact: true }).click();
  await ofVera.getByText('Type the key instead').click();
  const secret = await ofVera.locator('pre[aria-label="key"]').innerText();
  await ofVera.getByLabel('Code from the app').fill(generateSync({ secret: secret.trim() }));
  await ofVera.getByRole('button', { name: 'Turn on' }).click();
  await ofVera.getByRole('button', { name: 'I’ve stored them' }).click();
  await expect(ofVera.getByRole('heading', { name: 'Payments', exact: true })).toBeVisible();
});
