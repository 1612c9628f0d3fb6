import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import { expectStatus, startService, type TestService, type TestUser, until } from '../support/service.js';
import { book, madeStatement, withBlankPdfs } from './statement-helpers.js';

let service: TestService;
let mails: MailServer;
beforeAll(async () => {
  withBlankPdfs();
  mails = await MailServer.start();
  service = await startService({ env: { ...mailingTo(mails), SETTLEMENT_POLL_SECONDS: '1' } });
});
afterAll(async () => {
  await service.close();
  await mails.stop();
});

const download = ({ token }: TestUser, query: string) =>
  service.get(`/v1/bookkeeping.csv?${query}`, { token });
async function rows(user: TestUser, query: string): Promise<Record<string, string>[]> {
  const { text } = expectStatus(200, await download(user, query));
  expect(text.startsWith('Date,Description,Amount,Payee,Reference\r\n')).toBe(true);
  const [names = [], ...lines] = text.trimEnd().split('\r\n').map(cellsOf);
  return lines.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
}
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
const koboIn = (lines: readonly Record<string, string>[]) =>
  lines.reduce((sum, { Amount = '' }) => sum + Math.round(Number(Amount) * 100), 0);

it('a month for bookkeeping sums up to what its statement says that the balance changed by', async () => {
  const owner = await businessOwner(service);
  const one = await service.createWallet(owner, { name: 'Groceries' });
  const other = await service.createWallet(owner, { name: '=Travel' });
  const at = (day: string) => new Date(`2026-05-${day}Z`);
  await book(service, one, [
    { type: 'topup', amount: 1, at: new Date('2026-04-30T22:59:59Z') },
    { type: 'topup', amount: 123_456_789, at: new Date('2026-04-30T23:00:00Z') },
    { type: 'debit', amount: 105, at: at('02T10:00') },
    { type: 'refund', amount: 5, at: at('03T10:00') },
    { type: 'topup', amount: 9, at: new Date('2026-05-31T23:00:00Z') },
  ]);
  await book(service, other, [
    { type: 'topup', amount: 700, at: at('04T10:00') },
    { type: 'debit', amount: 700, at: at('31T22:59:59.999') },
  ]);
  for (const walletId of [one.id, other.id, null]) {
    const { figures } = await madeStatement(service, owner, '2026-05', walletId);
    const lines = await rows(owner, `month=2026-05${walletId === null ? '' : `&walletId=${walletId}`}`);
    expect(koboIn(lines)).toBe(figures!.closing - figures!.opening);
  }
  const lines = await rows(owner, `month=2026-05&walletId=${one.id}`);
  expect(lines.map(({ Date: date, Amount, Description }) => [date, Amount, Description])).toEqual([
    ['01/05/2026', '1234567.89', 'Money in from Groceries'],
    ['02/05/2026', '-1.05', 'Payment from Groceries'],
    ['03/05/2026', '0.05', 'Refund of a payment from Groceries'],
  ]);
  const stranger = await service.signUp();
  expect((await download(stranger, `month=2026-05&walletId=${one.id}`)).status).toBe(404);
  for (const query of ['', 'month=2026-13', 'month=2099-01', 'month=2026-05&walletId=x'])
    expect([query, (await download(owner, query)).status]).toEqual([query, 400]);
  const viewer = await newMember(service, mails, owner, 'viewer');
  expect((await download(viewer, 'month=2026-05')).status).toBe(403);
  const accountant = await newMember(service, mails, owner, 'accountant');
  expect((await download(accountant, 'month=2026-05')).status).toBe(200);
});

it('names payee, why and reference of a payment in one line, which no program reads as a formula', async () => {
  const wallet = await service.fundedWallet(100_000, { name: 'Errands' });
  expectStatus(
    201,
    await service.pay(wallet.key, { amount: 500, merchantName: '=Shady', reason: 'Milk,\nbread' }),
  );
  await service.settled();
  await until(async () => (await service.ledger(wallet)).data.length === 2);
  // In Lagos it is an hour later.
  const month = new Date(Date.now() + 3_600_000).toISOString().slice(0, 7);
  const [, paid] = await rows(wallet.owner, `month=${month}`);
  expect(paid).toMatchObject({
    Description: 'Payment from Errands: Milk, bread',
    Amount: '-5.00',
    Payee: "'=Shady",
    Reference: expect.stringMatching(/^[\w-]{8,}$/),
  });
});

it('keeps the reference of money that came in on its line, where no program reads a part of it as a formula', async () => {
  const wallet = await service.createWallet(await service.signUp());
  const id = String(Date.now());
  for (const lineBreak of ['\n', '\r', '\r\n']) await service.topUp(wallet.id, 100, `${id}${lineBreak}=1+1`);
  const month = new Date(Date.now() + 3_600_000).toISOString().slice(0, 7);
  const { text } = expectStatus(200, await download(wallet.owner, `month=${month}`));
  const [, ...lines] = text.trimEnd().split(/[\r\n]+/);
  expect(lines.map((line) => cellsOf(line).at(-1))).toEqual(Array(3).fill(`${id} =1+1`));
});
