import { expect } from '@playwright/test';
import { enter, fund, pay, person, send, signUp, test, walletOf } from './accounts.js';
import { receiver } from './receiver.js';

test('an endpoint is told of money that came in, and told again', async ({ page, context }) => {
  const { url, received, server } = await receiver();
  try {
    const owner = await person();
    const wallet = await walletOf(owner);
    await enter(context, owner);
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.getByLabel('URL').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await expect(page.getByLabel('URL')).toHaveAccessibleDescription(/.+/);
    await page.getByLabel('URL').fill(url);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await expect(page.locator('pre[aria-label="signing secret"]')).toContainText('whsec_');
    // Left before it was stored, it can still be seen.
    await page.goBack();
    await page.getByRole('link', { name: url }).click();
    await expect(page.locator('pre[aria-label="signing secret"]')).toContainText('whsec_');
    await page.getByRole('button', { name: 'I’ve stored it' }).click();
    await expect(page.getByRole('heading', { name: url })).toBeVisible();

    await fund(wallet, 2_500);
    await expect.poll(() => received.length).toBe(1);
    expect(JSON.parse(received[0]?.body ?? '{}')).toMatchObject({
      event: 'wallet.funded',
      data: { walletId: wallet.id, amountCredited: 250_000 },
    });
    await expect(page.getByLabel('Sums')).toHaveText('Pending0Delivered1Failed0');
    await page.getByRole('link', { name: /wallet\.funded/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Delivery' });
    await expect(drawer.getByText(/^200 in/)).toBeVisible();
    await expect(drawer.getByText('thank you')).toBeVisible();
    await drawer.getByRole('button', { name: 'Resend' }).click();
    await expect.poll(() => received.length).toBe(2);
    expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
  } finally {
    server.close();
  }
});

test('a balance that falls below its threshold is told', async ({ page, context }) => {
  const { url, received, server } = await receiver();
  try {
    const owner = await person();
    const wallet = await walletOf(owner);
    await fund(wallet, 1_000);
    await send('/v1/webhook-endpoints', {
      headers: { authorization: `Bearer ${owner.token}` },
      body: { url, events: ['wallet.low_balance'] },
    });
    await enter(context, owner);
    await page.goto(`/wallets/${wallet.id}?tab=rules`);
    const card = page.getByRole('region', { name: 'Low-balance alert' });
    await card.getByLabel('Alert me below').fill('a little');
    await card.getByRole('button', { name: 'Save' }).click();
    await expect(card.getByLabel('Alert me below')).toHaveAccessibleDescription(/An amount in naira/);
    await card.getByLabel('Alert me below').fill('500');
    await card.getByRole('button', { name: 'Save' }).click();
    await expect(card.getByText('Alert me below ₦500.00')).toBeVisible();
    await card.getByRole('button', { name: 'Edit' }).click();
    await expect(card.getByLabel('Alert me below')).toBeFocused();
    await card.getByLabel('Alert me below').fill('750.50');
    await card.getByRole('button', { name: 'Save' }).click();
    await page.reload();
    await expect(card.getByText('Alert me below ₦750.50')).toBeVisible();

    await pay(wallet, 30_000, 'Bolt');
    await expect.poll(() => received.length).toBe(1);
    expect(JSON.parse(received[0]?.body ?? '{}')).toMatchObject({
      event: 'wallet.low_balance',
      data: { walletId: wallet.id, threshold: 75_050, newBalance: 70_000 },
    });
    await card.getByRole('button', { name: 'Remove' }).click();
    await expect(card.getByLabel('Alert me below')).toHaveValue('');
  } finally {
    server.close();
  }
});

test('an endpoint is edited, and a test of the chosen event is sent to it', async ({ page }) => {
  const { url, received, server } = await receiver();
  try {
    await signUp(page);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.getByLabel('URL').fill(url);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('button', { name: 'I’ve stored it' }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const edit = page.getByRole('dialog', { name: 'Edit endpoint' });
    await edit.getByLabel('URL').fill(`${url}/v2`);
    await edit.getByLabel('Description').fill('Books');
    await edit.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('heading', { name: `${url}/v2` })).toBeVisible();
    await expect(page.getByText(/^Books · /)).toBeVisible();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('menuitem', { name: 'wallet.funded' }).click();
    await expect.poll(() => received.length).toBe(1);
    expect(JSON.parse(received[0]?.body ?? '{}')).toMatchObject({ event: 'wallet.funded' });
    await page.getByRole('link', { name: /wallet\.funded \(test\)/ }).click();
    await expect(page.getByRole('dialog', { name: 'Delivery' }).getByText('thank you')).toBeVisible();
    await page.goto('/webhooks');
    await expect(page.getByRole('link', { name: /\/v2.*100%/ })).toBeVisible();
  } finally {
    server.close();
  }
});

test('the first page says that an endpoint was paused by the service, and not that its owner paused one', async ({
  page,
  context,
}) => {
  const { url, server } = await receiver(410);
  try {
    const owner = await person();
    const wallet = await walletOf(owner);
    const headers = { authorization: `Bearer ${owner.token}` };
    const add = (at: string) =>
      send<{ data: { id: string } }>('/v1/webhook-endpoints', { headers, body: { url: at } });
    const { data: own } = await add(`${url}/own`);
    await send(`/v1/webhook-endpoints/${own.id}`, { method: 'PATCH', headers, body: { status: 'disabled' } });
    await add(url);
    await enter(context, owner);
    await page.goto('/');
    await fund(wallet, 2_500);
    const needs = page.getByRole('region', { name: 'Needs you' });
    const said = needs.getByRole('listitem').filter({ hasText: 'is paused' });
    await expect(said).toHaveText(
      new RegExp(
        `^The webhook endpoint at ${new URL(url).host} is pausedSince .*: the receiver answered 410 Gone\\. Nothing`,
      ),
    );
    await said.getByRole('link', { name: 'Open' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Resume' }).click();
    await expect(page.getByText('Endpoint resumed')).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'Wallets', level: 1 })).toBeVisible();
    await expect(said).toBeHidden();
  } finally {
    server.close();
  }
});

test('an endpoint that refuses each delivery is failing since then, and a delivery says when it is tried next', async ({
  page,
  context,
}) => {
  const { url, received, server } = await receiver(500);
  try {
    const owner = await person();
    const wallet = await walletOf(owner);
    await send('/v1/webhook-endpoints', {
      headers: { authorization: `Bearer ${owner.token}` },
      body: { url },
    });
    await fund(wallet, 2_500);
    await enter(context, owner);
    await page.goto('/webhooks');
    const endpoint = page.getByRole('link', {
      name: /0% delivered.*Failing since \d+ \w+, \d\d:\d\d, answered 500, next try .*Failing$/,
    });
    await endpoint.click();
    await expect.poll(() => received.length).toBe(3);
    const delivery = page.getByRole('link', {
      name: /^wallet\.funded 3 tries, next \d+ \w+, \d\d:\d\d · Answered 500 .*Retrying$/,
    });
    await delivery.click();
    await expect(page.getByText(/^Next attempt: \d/)).toBeVisible();
  } finally {
    server.close();
  }
});

test('a description without a space stays on the page of its endpoint', async ({ page, context }) => {
  const owner = await person();
  const { data } = await send<{ data: { id: string } }>('/v1/webhook-endpoints', {
    headers: { authorization: `Bearer ${owner.token}` },
    body: { url: 'https://example.com/hooks', description: 'W'.repeat(200) },
  });
  await enter(context, owner);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/webhooks/${data.id}`);
  await expect(page.getByText(/^WWW/)).toBeVisible();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});
