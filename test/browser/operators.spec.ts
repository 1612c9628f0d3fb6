import { type Browser, expect, type Locator, type Page } from '@playwright/test';
import { brokenInvariants } from '../support/invariants.js';
import { enter, fund, goTo, pay, type Person, person, type Purse, send, test, walletOf } from './accounts.js';
import {
  aDayPassed,
  caseOf,
  jobGivenUp,
  objectionsOfReconcile,
  type OperatorPerson,
  operators,
  query,
  theBankFails,
  transferIn,
  transferToNobody,
} from './operators.js';

/** The six incidents of docs/operation.md, each ended by two operators on their screens. */

const NEVER_SETTLES = '9000000003';
const SENT_BACK = '9000000004';

const button = (at: Page | Locator, name: string) => at.getByRole('button', { name, exact: true }).first();

async function pageOf(browser: Browser, who: Person): Promise<Page> {
  const context = await browser.newContext({
    baseURL: process.env.SERVICE_URL ?? '',
    reducedMotion: 'reduce',
  });
  await enter(context, who);
  return context.newPage();
}

/** One operator's browser. */
class Desk {
  private hasGivenCode = false;

  constructor(
    readonly page: Page,
    readonly who: OperatorPerson,
  ) {}

  async open(caseId: string, name: string): Promise<void> {
    await this.goTo(`/operator/cases/${caseId}`);
    await expect(this.page.getByRole('heading', { name })).toBeVisible();
  }

  async goTo(path: string): Promise<void> {
    await (this.page.url().startsWith('http') ? goTo(this.page, path) : this.page.goto(path));
  }

  /** `fill` answers what else the dialog asks. */
  async act(name: string, reason: string, fill?: (dialog: Locator) => Promise<unknown>): Promise<void> {
    await button(this.page, name).click();
    const dialog = this.page.getByRole('dialog', { name });
    await fill?.(dialog);
    await dialog.getByLabel(/^(Reason|Note)$/).fill(reason);
    await button(dialog, name).click();
    await this.giveCode();
    await expect(dialog).toBeHidden();
  }

  /** Confirms what `other` asked for. */
  async confirm(other: OperatorPerson): Promise<void> {
    const asked = this.page.getByText(`${other.email} asked for`);
    await expect(asked).toBeVisible();
    await button(this.page, 'Confirm').click();
    await this.giveCode();
    await expect(asked).toBeHidden();
  }

  private async giveCode(): Promise<void> {
    if (this.hasGivenCode) return;
    const dialog = this.page.getByRole('dialog', { name: 'Confirm it’s you' });
    await dialog.getByLabel('Two-factor code').fill(this.who.code());
    await button(dialog, 'Confirm').click();
    this.hasGivenCode = true;
  }
}

async function balanceOf({ id }: Purse): Promise<number> {
  const [row] = await query<{ balance: string }>('SELECT balance FROM wallets WHERE id = $1', [id]);
  return Number(row?.balance);
}

test('the six incidents are each ended by two operators, and the books agree after each', async ({
  browser,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  let balance = 2_000_000;
  const agrees = async (name: string, change: number, ended?: string) => {
    balance += change;
    expect(await balanceOf(wallet), name).toBe(balance);
    expect(await brokenInvariants({ query }), name).toEqual({});
    if (ended !== undefined) expect(await objectionsOfReconcile(), name).not.toContain(ended);
  };
  const [stuck, returned] = [
    await pay(wallet, 300_000, 'Shoprite', 'Groceries', NEVER_SETTLES),
    await pay(wallet, 200_000, 'Jumia', 'Chargers', SENT_BACK),
  ];
  balance -= 500_000;
  const [first, second] = await operators();
  const unmatched = await transferToNobody(owner, 5_000);
  const held = await transferIn(wallet.id, 4_000, 'pending');
  const [retried, dropped] = [await jobGivenUp(), await jobGivenUp()];
  await aDayPassed(stuck);
  await caseOf(first, returned);
  expect(await objectionsOfReconcile()).toContain(returned);
  const ada = new Desk(await pageOf(browser, first), first);
  const bisi = new Desk(await pageOf(browser, second), second);
  const theirs = await pageOf(browser, owner);

  await test.step('others find no such page', async () => {
    const asked: string[] = [];
    theirs.on('request', (request) => asked.push(request.url()));
    await theirs.goto('/operator');
    await expect(theirs.getByRole('heading', { name: 'Page not found' })).toBeVisible();
    await expect(theirs.getByRole('button', { name: owner.email })).toBeVisible();
    expect(asked.filter((url) => /\/(operator-[^/]*\.(js|css)|v1\/operator)/.test(url))).toEqual([]);
  });

  await test.step('money that matches no wallet is given to one', async () => {
    const name = 'Transfer that matches no wallet';
    const caseId = await caseOf(first, unmatched);
    await ada.page.goto('/');
    await ada.page.getByRole('button', { name: first.email }).click();
    await ada.page.getByRole('menuitem', { name: 'Operators' }).click();
    const row = ada.page.getByRole('link', { name: new RegExp(`${name}.*${unmatched}.*Unassigned.*min`) });
    await row.click();
    await expect(ada.page).toHaveURL(new RegExp(caseId));
    await button(ada.page, 'Assign to me').click();
    await expect(ada.page.getByText(/Assigned to you\./)).toBeVisible();
    await ada.act('Add a note', 'The payer wrote: for the groceries agent');
    await ada.act('Credit to a wallet', 'Confirmed by the payer (ticket 1843)', (dialog) =>
      dialog.getByLabel('Wallet ID').fill(wallet.id),
    );
    await expect(ada.page.getByText('You asked for')).toBeVisible();
    await agrees('nothing moves before the second operator', 0);
    await bisi.open(caseId, name);
    await expect(bisi.page.getByText(`Assigned to ${first.email}.`)).toBeVisible();
    await bisi.confirm(first);
    await expect(bisi.page.getByText('Closed', { exact: true })).toBeVisible();
    await expect(bisi.page.getByText(/credited it to a wallet, ₦5,000, confirmed by/)).toBeVisible();
    await agrees(name, 500_000, unmatched);
  });

  await test.step('a transfer that the bank took back is marked returned', async () => {
    const name = 'Inbound transfer held';
    await ada.goTo('/operator/transfers?status=held');
    await expect(ada.page.getByText(held)).toBeVisible();
    await expect(ada.page.getByLabel('Sums')).toHaveText(/^\d+ held₦[\d,]+\.\d\d$/);
    const caseId = await caseOf(first, held);
    await bisi.open(caseId, name);
    await bisi.act('Mark returned', 'Gone from the statement of the bank');
    await ada.open(caseId, name);
    await ada.confirm(second);
    await expect(ada.page.getByText('Closed', { exact: true })).toBeVisible();
    await agrees(name, 0, held);
  });

  await test.step('a payout without an end gets the word of the bank', async () => {
    const name = 'Payout stuck';
    const caseId = await caseOf(first, stuck);
    await ada.open(caseId, name);
    await button(ada.page, 'Ask the bank').click();
    await expect(ada.page.getByText('The bank says it is under way.')).toBeVisible();
    await ada.act('Record the bank’s answer', 'By phone: it will not be paid', (dialog) =>
      dialog.getByLabel(/^Failed/).check(),
    );
    await bisi.open(caseId, name);
    await expect(bisi.page.getByText(/“Record the bank’s answer” \(failed\), ₦3,000/)).toBeVisible();
    await bisi.confirm(first);
    await expect(bisi.page.getByText('Failed, refunded')).toBeVisible();
    await theBankFails(stuck);
    await agrees(name, 300_000, stuck);
  });

  await test.step('a payout that was sent back is refunded, as its owner sees', async () => {
    const name = 'Payout sent back after it was paid';
    const caseId = await caseOf(first, returned);
    await goTo(theirs, `/payments?of=${wallet.id}&transaction=${returned}`);
    const drawer = theirs.getByRole('dialog', { name: 'Payment' });
    await expect(drawer.getByText(/^Being resolved by our operators since \d/)).toBeVisible();
    await expect(theirs.getByRole('link', { name: /Jumia.*Being resolved by our operators/ })).toBeVisible();
    await ada.goTo('/operator/payouts?state=returned');
    await expect(ada.page.getByLabel('Sums')).toHaveText(/^\d+ sent back₦[\d,]+\.\d\d$/);
    await ada.open(caseId, name);
    await ada.act('Refund the wallet', 'The float is back in our account');
    await button(ada.page, 'Withdraw').click();
    await expect(ada.page.getByText('You asked for')).toBeHidden();
    await ada.act('Refund the wallet', 'The float is back in our account (ticket 1844)');
    await bisi.goTo('/operator');
    const asked = bisi.page.getByRole('alert').filter({ hasText: 'ticket 1844' });
    await button(asked, 'Confirm').click();
    await expect(asked).toBeHidden();
    await bisi.open(caseId, name);
    await expect(bisi.page.getByText('Sent back, refunded')).toBeVisible();
    await expect(drawer.getByText(/^Refunded on \d/)).toBeVisible();
    await expect(theirs.getByRole('link', { name: /Jumia.*Refunded on/ })).toBeVisible();
    await agrees(name, 200_000, returned);
  });

  await test.step('a job that was given up runs again, or is dropped', async () => {
    const open = async (desk: Desk, job: string) => {
      await desk.goTo('/operator/jobs');
      const item = desk.page.getByRole('listitem').filter({ hasText: new RegExp(`Job${job}Attempts`) });
      await expect(item.getByText('a fault')).toBeVisible();
      return item;
    };
    const act = async (desk: Desk, job: string, name: string) => {
      const item = await open(desk, job);
      await button(item, name).click();
      const dialog = desk.page.getByRole('dialog', { name });
      await dialog.getByLabel('Reason').fill('Its cause is mended');
      await button(dialog, name).click();
      await expect(dialog).toBeHidden();
    };
    await act(ada, retried, 'Retry');
    await act(bisi, dropped, 'Drop');
    const left = await query('SELECT id FROM graphile_worker.jobs WHERE id = $1', [dropped]);
    expect(left).toEqual([]);
    await agrees('jobs', 0);
  });

  await test.step('a stolen login is stopped by one operator, and let go by another', async () => {
    const find = async (desk: Desk) => {
      await desk.goTo('/operator/find');
      await desk.page.getByLabel('ID, email, account number or reference').fill(owner.email);
      await expect(desk.page.getByText('Groceries agent')).toBeVisible();
    };
    await find(ada);
    await ada.act('Suspend user', 'The owner called: the phone was stolen');
    await expect(ada.page.getByText('Suspended by an operator')).toBeVisible();
    const blocked = await send<{ code?: string }>('/api/payment-intent', {
      headers: { 'x-api-key': wallet.key },
      body: {
        amount: 1_000,
        merchantName: 'Jumia',
        recipientAccountNo: '0123456789',
        recipientBankCode: '058',
      },
    });
    expect(blocked.code).toBe('WALLET_INACTIVE');
    await find(bisi);
    await bisi.act('Restore sign-in', 'The owner has a new phone (ticket 1850)');
    await expect(bisi.page.getByText('Suspended by its owner')).toBeVisible();
    await agrees('a suspension', 0);
  });

  await test.step('every act is on record, with who did it', async () => {
    await ada.goTo('/operator/record');
    for (const act of [/refunded it, ₦2,000, confirmed by/, /suspended the user/, /dropped the job/]) {
      await expect(ada.page.getByText(act).first()).toBeVisible();
    }
  });
});
