import { expect } from '@playwright/test';
import { enter, fund, memberOf, person, send, test, walletOf } from './accounts.js';

test('one search finds payments by all that names them, and wallets, keys, payees, members and actions', async ({
  page,
  context,
}) => {
  const owner = await person();
  const headers = { authorization: `Bearer ${owner.token}` };
  await send('/v1/onboarding', { headers, body: { businessName: 'Ada Foods', contactEmail: owner.email } });
  const member = await memberOf(owner, 'viewer');
  const wallet = await walletOf(owner, { name: 'Ọjà Ẹ̀kọ́', spendLimitPerTx: 1_000_000 });
  await fund(wallet, 20_000);
  const account = { recipientAccountNo: '0690000031', recipientBankCode: '044' };
  const { data: made } = await send<{ data: { apiKey: { fullKey: string } } }>(
    `/api/wallets/${wallet.id}/keys`,
    {
      headers,
      body: { name: 'Invoice robot', purpose: 'Server bills' },
    },
  );
  const { data: paid } = await send<{ data: { transaction: { id: string } } }>('/api/payment-intent', {
    headers: { 'x-api-key': made.apiKey.fullKey },
    body: {
      ...account,
      amount: 735_000,
      merchantName: 'Hetzner',
      reason: 'Invoice 1190',
      runId: 'nightly-42',
    },
  });
  await send(`/api/wallets/${wallet.id}/payees`, {
    headers,
    body: { merchantName: 'Contabo', bankCode: '058', accountNumber: '0123456789' },
  });
  await enter(context, owner);
  await page.goto('/payments');
  await expect(page.getByRole('link', { name: /^Hetzner/ })).toBeVisible();

  const payment = /^₦7,350\.00 to Hetzner.*Ọjà Ẹ̀kọ́/;
  const { id } = paid.transaction;
  const ofPayment = ['hetz', '₦7,350', '0690000031', 'nightly-42', 'server bills', 'invoice 1190', id];
  const found: [string, RegExp][] = [
    ...ofPayment.map((words): [string, RegExp] => [words, payment]),
    ['invoice robot', payment],
    ['invoice robot', /^Invoice robot.*apw_live_.*Ọjà Ẹ̀kọ́/],
    ['ỌJÀ', /^Ọjà Ẹ̀kọ́/],
    ['contabo', /^Contabo.*0123456789.*Ọjà Ẹ̀kọ́/],
    [member.email, /^ada-.*Viewer/],
    ['freeze', /^Freeze all wallets/],
    ['fund', /^Fund Ọjà Ẹ̀kọ́/],
    ['statements', /^Statements/],
  ];
  const search = page.getByRole('textbox', { name: /^Search wallets/ });
  await page.keyboard.press('Control+k');
  for (const [words, name] of found) {
    await search.fill(words);
    await expect(page.getByRole('dialog').getByRole('button', { name }).first(), words).toBeVisible();
  }
  await search.fill('no such thing');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await search.fill('hetz');
  await expect(page.getByRole('dialog').getByRole('button', { name: payment })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Payment' })).toContainText('Invoice 1190');
  await page.keyboard.press('Escape');

  for (const words of [...ofPayment, 'invoice robot']) {
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill(words);
    await expect(page).toHaveURL(new RegExp(`search=${encodeURIComponent(words).slice(0, 6)}`));
    await expect(page.getByRole('link', { name: /^Hetzner/ }), words).toBeVisible();
  }
});
