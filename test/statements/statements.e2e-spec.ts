import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { brokenInvariants } from '../support/invariants.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';
import {
  askFor,
  book,
  csvOf,
  type Entry,
  madeStatement,
  setZone,
  withBlankPdfs,
} from './statement-helpers.js';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../scripts/verify-statement.mjs');

let service: TestService;
let mails: MailServer;
let folder: string;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ clock: true, env: { ...mailingTo(mails), SETTLEMENT_POLL_SECONDS: '1' } });
  folder = mkdtempSync(join(tmpdir(), 'statements-'));
});
afterAll(async () => {
  await service.close();
  await mails.stop();
  rmSync(folder, { recursive: true });
});

let blank: ReturnType<typeof withBlankPdfs>;
beforeEach(() => {
  blank = withBlankPdfs();
});

const file = (owner: TestUser, id: string, format: string) =>
  service.app.inject({
    method: 'GET',
    url: `/v1/statements/${id}/${format}`,
    headers: { authorization: `Bearer ${owner.token}` },
  });

const topup = (at: string, amount = 1_000): Entry => ({ type: 'topup', amount, at: new Date(at) });

/** The wallet's month with one entry at each of these moments: how many of them are in it. */
async function entriesIn(zone: string, month: string, moments: readonly string[]): Promise<unknown> {
  const wallet = await service.createWallet();
  await setZone(service, wallet.owner, zone);
  await book(
    service,
    wallet,
    moments.map((at) => topup(at)),
  );
  const { from, to, rows, figures } = await madeStatement(service, wallet.owner, month, wallet.id);
  return { from, to, rows, opening: figures?.opening, closing: figures?.closing };
}

describe('a statement of paid, refused and sent-back money', () => {
  let wallet: CreatedWallet;
  beforeAll(async () => {
    wallet = await service.createWallet(undefined, { name: 'Ọjà Ẹ̀kọ́' });
    await service.topUp(wallet.id, 1_000_000);
    expectStatus(201, await service.pay(wallet.key, { amount: 40_000, merchantName: 'Ṣọ̀ọ̀bù Ɗanƙo 🛒' }));
    expectStatus(
      201,
      await service.pay(wallet.key, {
        amount: 5_000,
        recipientAccountNo: '9000000001',
        merchantName: '=Shady',
      }),
    );
    await service.settled();
    await until(async () => (await service.ledger(wallet)).data.length === 4);
  });
  const month = () => new Date(Date.now() + 3_600_000).toISOString().slice(0, 7);

  it('is so far while the month runs: unsigned, and replaced by the next', async () => {
    const one = await madeStatement(service, wallet.owner, month(), wallet.id);
    expect(one).toMatchObject({
      status: 'done',
      isFinal: false,
      signature: null,
      version: 1,
      rows: 4,
      rowsDone: 4,
      figures: { opening: 0, received: 1_000_000, paidOut: 45_000, refunded: 5_000, closing: 960_000 },
    });
    const two = await madeStatement(service, wallet.owner, month(), wallet.id);
    expect(two).toMatchObject({ status: 'done', version: 2, timeZone: 'Africa/Lagos', walletId: wallet.id });
    const { token } = wallet.owner;
    const list = await service.get<{ data: { id: string }[] }>('/v1/statements', { token });
    expect(list.body.data.map(({ id }) => id)).toEqual([two.id]);
    expectStatus(404, await service.get(`/v1/statements/${one.id}`, { token }));
  });

  it('names merchant, key and references of each entry in its CSV, as text that no spreadsheet runs', async () => {
    const { id } = await madeStatement(service, wallet.owner, month(), wallet.id);
    const lines = await csvOf(service, wallet.owner, id);
    expect(lines.map(({ type }) => type)).toEqual([
      'Opening balance',
      'Money in',
      'Payment',
      'Payment',
      'Refund of a payment',
      'Closing balance',
    ]);
    const [opening, , paid, shady, refund, closing] = lines;
    expect(Object.keys(opening!)[0]).toBe('date (Africa/Lagos)');
    expect(paid).toMatchObject({
      wallet: 'Ọjà Ẹ̀kọ́',
      merchant: 'Ṣọ̀ọ̀bù Ɗanƙo 🛒',
      account_number: '"=""0123456789"""',
      bank_code: '"=""058"""',
      bank_name: 'GTBank',
      key: `${wallet.key.slice(0, 16)}…`,
      out_ngn: '400.00',
      in_ngn: '',
      balance_ngn: '9600.00',
      amount_kobo: '-40000',
    });
    expect([shady!.merchant, refund!.merchant]).toEqual(["'=Shady", "'=Shady"]);
    expect(refund).toMatchObject({ in_ngn: '50.00', bank_reference: shady!.bank_reference });
    expect([opening!.balance_ngn, closing!.balance_ngn]).toEqual(['0.00', '9600.00']);
  });

  it('is a PDF with an embedded font, a subset, that has the letters of Nigerian languages', async () => {
    blank.mockRestore();
    const { id, files } = await madeStatement(service, wallet.owner, month(), wallet.id);
    const { headers, rawPayload } = await file(wallet.owner, id, 'pdf');
    expect(headers['content-type']).toBe('application/pdf');
    expect(headers['content-disposition']).toMatch(/^attachment; filename="statement-[\w.-]+\.pdf"$/);
    expect(rawPayload).toHaveLength(files!.pdf.bytes);
    const text = rawPayload.toString('latin1');
    expect(text.startsWith('%PDF-')).toBe(true);
    expect(text).toMatch(/\/FontName \/[A-Z]{6}\+NotoSans/);
    expect(rawPayload.length).toBeLessThan(200_000);
  });

  it('is of all wallets without one, and each wallet begins and ends with its balance', async () => {
    const { figures, rows, walletId, id } = await madeStatement(service, wallet.owner, month());
    expect({ walletId, rows, closing: figures?.closing }).toEqual({
      walletId: null,
      rows: 4,
      closing: 960_000,
    });
    expect(await csvOf(service, wallet.owner, id)).toHaveLength(6);
    expect(await brokenInvariants(service)).toEqual({});
  });
});

describe('a statement of a month that is over', () => {
  it('is signed, the files can be checked without the service, and a changed one is refused', async () => {
    blank.mockRestore();
    const wallet = await service.createWallet();
    await book(service, wallet, [topup('2026-05-10T10:00:00Z', 900_719_925_474_099)]);
    const made = await madeStatement(service, wallet.owner, '2026-05', wallet.id);
    expect(made).toMatchObject({ isFinal: true, status: 'done' });
    const keys = (await service.get('/.well-known/jwks.json')).text;
    const at = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const [jws, jwks] = [at('s.jws', `${made.signature}\n`), at('jwks.json', keys)];
    const csv = (await file(wallet.owner, made.id, 'csv')).rawPayload;
    const pdf = (await file(wallet.owner, made.id, 'pdf')).rawPayload;
    const check = (content: Buffer) => run(process.execPath, [SCRIPT, at('file', content), jws, jwks]);
    expect((await check(csv)).stdout).toContain('valid: the CSV of the statement for 2026-05, version 1');
    expect((await check(pdf)).stdout).toContain('closing 900719925474099 kobo, 1 entries');
    const changed = Buffer.from(csv.toString().replace('9007199254740.99', '9007199254741.99'));
    await expect(check(changed)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not the file'),
    });
  });

  it('is one however often and at once it is asked for, and a new one in another zone', async () => {
    const wallet = await service.createWallet();
    const asked = await Promise.all(
      Array.from({ length: 6 }, () => askFor(service, wallet.owner, { month: '2026-05' })),
    );
    const first = asked[0]!.body.data;
    expect(new Set(asked.map(({ body }) => body.data.id))).toEqual(new Set([first.id]));
    expect((await madeStatement(service, wallet.owner, '2026-05')).id).toBe(first.id);
    await setZone(service, wallet.owner, 'Europe/London');
    expect(await madeStatement(service, wallet.owner, '2026-05')).toMatchObject({
      version: 2,
      timeZone: 'Europe/London',
      from: '2026-04-30T23:00:00.000Z',
    });
  });

  it('is nothing but zeros of a wallet without entries', async () => {
    const wallet = await service.createWallet();
    expect(await madeStatement(service, wallet.owner, '2026-05', wallet.id)).toMatchObject({
      rows: 0,
      status: 'done',
      figures: { opening: 0, received: 0, paidOut: 0, refunded: 0, closing: 0 },
    });
  });

  it('is refused where the books do not add up, and opens a case', async () => {
    const wallet = await service.createWallet();
    await book(service, wallet, [topup('2026-05-10T10:00:00Z'), topup('2026-05-11T10:00:00Z')]);
    await service.query(
      `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, reference, created_at)
       VALUES ($1, 3, gen_random_uuid(), 'topup', 10, 2011, 'x', '2026-05-12')`,
      [wallet.id],
    );
    const made = await madeStatement(service, wallet.owner, '2026-05', wallet.id);
    expect(made).toMatchObject({ status: 'failed', figures: null, files: null, signature: null });
    expect(made.problem).toContain('do not add up');
    expect((await file(wallet.owner, made.id, 'pdf')).statusCode).toBe(404);
    const cases = await service.query<{ description: string }>(
      `SELECT description FROM operator_cases WHERE kind = 'statement-mismatch' AND wallet_id = $1`,
      [wallet.id],
    );
    expect(cases).toHaveLength(1);
    expect(cases[0]!.description).toContain(
      'opening 0 + in 2010 - out 0 + refunds 0 kobo is not closing 2011',
    );
    // Failed ones use up none of the versions, and each makes way for the next.
    await service.query('UPDATE statements SET version = 100 WHERE id = $1', [made.id]);
    await service.query(
      `INSERT INTO statements SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'version', n))).*
         FROM statements s, generate_series(1, 9) n WHERE s.id = $1`,
      [made.id],
    );
    expect(await madeStatement(service, wallet.owner, '2026-05', wallet.id)).toMatchObject({
      status: 'failed',
      version: 101,
    });
    const { body } = await service.get<{ data: { status: string }[] }>('/v1/statements', {
      token: wallet.owner.token,
    });
    expect(body.data.map(({ status }) => status)).toEqual(['failed']);
  });

  it('is refused with more than 200,000 entries, and says what to do', async () => {
    const wallet = await service.createWallet();
    await service.query(
      `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, reference, created_at)
       VALUES ($1, 200001, gen_random_uuid(), 'topup', 10, 10, 'x', '2026-05-12')`,
      [wallet.id],
    );
    expect(await madeStatement(service, wallet.owner, '2026-05', wallet.id)).toMatchObject({
      status: 'failed',
      problem:
        'This month has 200,001 entries, and a statement takes 200,000. Download the ledger as CSV instead.',
    });
  });

  it('keeps its file in pieces of 256 KiB that make it up', async () => {
    blank.mockRestore();
    const wallet = await service.createWallet();
    await service.query(
      `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, reference, narration, created_at)
       SELECT $1, n, gen_random_uuid(), 'topup', 1, n, gen_random_uuid(), repeat(md5(n::text), 31), '2026-05-12'
         FROM generate_series(1, 300) n`,
      [wallet.id],
    );
    const { id, files } = await madeStatement(service, wallet.owner, '2026-05', wallet.id);
    const sizes = await service.query<{ size: number }>(
      `SELECT length(bytes) AS size FROM statement_chunks WHERE statement_id = $1 AND format = 'csv' ORDER BY place`,
      [id],
    );
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.slice(0, -1).every(({ size }) => size === 262_144)).toBe(true);
    expect((await file(wallet.owner, id, 'csv')).rawPayload).toHaveLength(files!.csv.bytes);
  });
});

describe('a month', () => {
  it.each([
    // Lagos is an hour ahead of UTC all year.
    ['Africa/Lagos', '2026-05', '2026-04-30T23:00:00.000Z', '2026-05-31T23:00:00.000Z'],
    // The clocks go forward in it.
    ['America/New_York', '2026-03', '2026-03-01T05:00:00.000Z', '2026-04-01T04:00:00.000Z'],
    // Its first midnight comes twice: it begins with the first one.
    ['America/Havana', '2020-11', '2020-11-01T04:00:00.000Z', '2020-12-01T05:00:00.000Z'],
    // Its first midnight does not exist.
    ['America/Asuncion', '2023-10', '2023-10-01T04:00:00.000Z', '2023-11-01T03:00:00.000Z'],
  ])(
    'of %s, %s, has what was booked at its first midnight and before its last',
    async (zone, month, from, to) => {
      const before = (at: string) => new Date(Date.parse(at) - 1).toISOString();
      expect(await entriesIn(zone, month, [before(from), from, before(to), to])).toEqual({
        from,
        to,
        rows: 2,
        opening: 1_000,
        closing: 3_000,
      });
    },
  );

  it('must be one that has begun', async () => {
    const owner = await service.signUp();
    const asked = async (month: unknown) => (await askFor(service, owner, { month })).status;
    expect([await asked('2099-01'), await asked('2026-13'), await asked('26-01'), await asked(5)]).toEqual([
      400, 400, 400, 400,
    ]);
    const body = { timeZone: '+01:00' };
    expectStatus(400, await service.call('PUT', '/v1/time-zone', { token: owner.token, body }));
  });
});

describe('the statements of a business', () => {
  it('are for its owner, approvers and accountants, and for nobody else', async () => {
    const owner = await businessOwner(service);
    const { id: walletId } = await service.createWallet(owner);
    const made = await madeStatement(service, owner, '2026-05', walletId);
    const stranger = await service.signUp();
    expect((await file(stranger, made.id, 'pdf')).statusCode).toBe(404);
    expect((await askFor(service, stranger, { month: '2026-05', walletId })).status).toBe(404);
    const viewer = await newMember(service, mails, owner, 'viewer');
    expect((await file(viewer, made.id, 'pdf')).statusCode).toBe(403);
    const accountant = await newMember(service, mails, owner, 'accountant');
    expect((await file(accountant, made.id, 'pdf')).statusCode).toBe(200);
    const body = { timeZone: 'Africa/Cairo' };
    expectStatus(403, await service.call('PUT', '/v1/time-zone', { token: accountant.token, body }));
  });

  it('are mailed once to who asked, after the month, with the PDF', async () => {
    blank.mockRestore();
    const owner = await businessOwner(service);
    await service.createWallet(owner);
    const accountant = await newMember(service, mails, owner, 'accountant');
    const choose = (mail: boolean, { token }: TestUser) =>
      service.call('PUT', '/v1/statement-mail', { token, body: { mail } });
    expectStatus(200, await choose(true, accountant));
    await service.query(`UPDATE statement_mails SET mailed_month = '2020-01' WHERE user_id = $1`, [
      accountant.id,
    ]);
    const last = new Date();
    last.setUTCDate(0);
    const month = last.toISOString().slice(0, 7);
    const letters = () =>
      mails.to(accountant.email).filter(({ subject }) => subject.startsWith('Statement for'));
    const runHourly = () => service.query(`SELECT FROM graphile_worker.add_job('statements.mail-hourly')`);
    // More accounts than one job takes, which can have no statement, hold up nobody's.
    const other = await businessOwner(service);
    expectStatus(200, await choose(true, other));
    await service.query(
      `UPDATE statement_mails SET mailed_month = '2020-01', account_id = '00000000-0000-0000-0000-000000000000'
        WHERE user_id = $1`,
      [other.id],
    );
    await service.query(
      `INSERT INTO statement_mails (user_id, account_id, mailed_month)
       SELECT gen_random_uuid(), ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, '2020-01'
         FROM generate_series(1, 100) n`,
    );
    await runHourly();
    await until(() => Promise.resolve(letters().length > 0), 60_000);
    const [made] = (
      await service.get<{ data: { month: string; version: number }[] }>('/v1/statements', {
        token: owner.token,
      })
    ).body.data;
    expect(made).toMatchObject({ month, version: 1 });
    await service.query(
      `DELETE FROM statement_mails WHERE account_id < '00000001-0000-0000-0000-000000000000'`,
    );
    await runHourly();
    await until(
      async () =>
        (await service.query(`SELECT FROM graphile_worker.jobs WHERE task_identifier LIKE 'statements.%'`))
          .length === 0,
    );
    expect(letters()).toHaveLength(1);
    expect(letters()[0]!.files).toEqual([`statement-${month}-all-wallets-v1.pdf`]);
    expect(letters()[0]!.text).toContain('Closing balance: ₦0.00');
    expect(mails.to(owner.email).some(({ subject }) => subject.startsWith('Statement'))).toBe(false);
  }, 90_000);
});
