import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { generateSync } from 'otplib';
import pg from 'pg';
import { nubanCheckDigit } from '../../src/contexts/bank/nuban.js';
import { fund, PASSWORD, pay, type Person, person, send, walletOf } from './accounts.js';

const SCRIPTS = join(import.meta.dirname, '..', '..', 'dist', 'scripts');
const COMMAND = join(SCRIPTS, 'operator.js');
const RECONCILE = join(SCRIPTS, 'reconcile.js');
/** An account at the sandbox bank. */
const FAILS = '9000000001';
const DAY_MS = 24 * 60 * 60_000;

interface Finding {
  readonly reference: string;
}

const environment = () => ({
  PATH: process.env.PATH,
  DATABASE_URL: process.env.SERVICE_DATABASE_URL,
  DATA_DIR: process.env.SERVICE_DATA_DIR,
});

let pool: pg.Pool | undefined;

/** The service's database: time passes and jobs fail by it, never the end of an incident. */
/** Of the wallet `$1`, whose payments are moved in time: its next payment sums its window anew. */
export const FORGET_WINDOW =
  'UPDATE wallets SET window_days = NULL, window_spent = 0, window_from = NULL WHERE id = $1';

export async function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  pool ??= new pg.Pool({
    connectionString: process.env.SERVICE_DATABASE_URL,
    max: 1,
    idleTimeoutMillis: 1_000,
  });
  return (await pool.query(sql, values)).rows as Row[];
}

export interface OperatorPerson extends Person {
  /** What the authenticator app shows next. */
  readonly code: () => string;
}

async function withTwoFactor(): Promise<OperatorPerson> {
  const who = await person();
  const headers = { authorization: `Bearer ${who.token}` };
  const { data } = await send<{ data: { secret: string } }>('/v1/auth/two-factor', {
    headers,
    body: { currentPassword: PASSWORD },
  });
  const codeIn = (steps: number) =>
    generateSync({ secret: data.secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });
  await send('/v1/auth/two-factor/confirm', { headers, body: { code: codeIn(0) } });
  return { ...who, code: () => codeIn(1) };
}

/** Two people with two-factor authentication, whom the command makes operators. */
export async function operators(): Promise<readonly [OperatorPerson, OperatorPerson]> {
  const both = await Promise.all([withTwoFactor(), withTwoFactor()]);
  await Promise.all(
    both.map(({ email }) =>
      promisify(execFile)(process.execPath, [COMMAND, 'grant', email], { env: environment() }),
    ),
  );
  return both;
}

interface CaseRow {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
}

/** The open case of this subject, once there is one: the comparison of other tests' books with the bank opens a hundred. */
export async function caseOf({ token }: Person, subject: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const page = (number: number) =>
    send<{ data: CaseRow[]; pagination: { totalPages: number } }>(
      `/v1/operator/cases?pageSize=100&page=${number}`,
      { method: 'GET', headers },
    );
  let found: CaseRow | undefined;
  await expect(async () => {
    const open: CaseRow[] = [];
    for (let number = 1, pages = 1; number <= pages; number += 1) {
      const { data, pagination } = await page(number);
      open.push(...data);
      pages = pagination.totalPages;
    }
    expect(open.map((each) => each.subject)).toContain(subject);
    found = open.find((each) => each.subject === subject);
  }).toPass({ timeout: 60_000 });
  return found?.id ?? '';
}

/** Money that comes in; `status` contradicts its event. */
export async function transferIn(accountReference: string, naira: number, status?: string): Promise<string> {
  const reference = `TRF-${randomUUID().slice(0, 13)}`;
  await send('/api/webhooks', {
    body: {
      event: 'charge.success',
      data: {
        reference,
        amount: naira,
        currency: 'NGN',
        narration: 'Float for December',
        virtual_bank_account: { account_reference: accountReference },
        ...(status && { status }),
      },
    },
  });
  return reference;
}

/** Money at the bank on an account that no wallet has any more. */
export async function transferToNobody({ token }: Person, naira: number): Promise<string> {
  const [account] = await query<{ serial: string }>(
    `INSERT INTO sandbox_accounts (account_reference, account_name) VALUES ($1, 'Nobody') RETURNING serial`,
    [randomUUID()],
  );
  const serial = account?.serial ?? '';
  const accountNumber = `${serial}${nubanCheckDigit('035', serial)}`;
  // Answered as not taken, as the bank sees it.
  await send('/v1/sandbox/transfers', {
    headers: { authorization: `Bearer ${token}` },
    body: { accountNumber, amount: naira * 100 },
  });
  const [sent] = await query<{ reference: string }>(
    'SELECT reference FROM sandbox_collections WHERE account_number = $1',
    [accountNumber],
  );
  return sent?.reference ?? '';
}

/** References that `npm run reconcile` objects to. */
export async function objectionsOfReconcile(): Promise<string[]> {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const [from, to] = [day(Date.now() - 2 * DAY_MS), day(Date.now() + DAY_MS)];
  const run = promisify(execFile)(process.execPath, [RECONCILE, '--from', from, '--to', to, '--json'], {
    env: environment(),
  });
  // It answers 2 where anything is left for a person.
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  const report = JSON.parse(stdout) as Record<'collections' | 'payouts', { findings: { list: Finding[] } }>;
  return [...report.collections.findings.list, ...report.payouts.findings.list].map(
    ({ reference }) => reference,
  );
}

/** Has the bank's books say of a payout what it said by phone. */
export async function theBankFails(reference: string): Promise<void> {
  await query('UPDATE sandbox_payouts SET account_number = $2 WHERE reference = $1', [reference, FAILS]);
}

/** Has the payout be approved, and sent to the bank, more than a day ago. */
export async function aDayPassed(reference: string): Promise<void> {
  await query(
    `UPDATE settlements SET approved_at = approved_at - interval '25 hours', next_poll_at = now(),
            submitted_at = submitted_at - interval '25 hours' WHERE reference = $1`,
    [reference],
  );
}

/** What operators see: cases of each kind, and what waits for a second one. */
export interface OperatorFixture {
  readonly operator: OperatorPerson;
  readonly unmatched: string;
  readonly returned: string;
  readonly payout: string;
  /** Never settles. */
  readonly stuck: string;
  readonly owner: Person;
}

export async function operatorFixture(): Promise<OperatorFixture> {
  const owner = await person();
  const wallet = await walletOf(owner);
  await fund(wallet, 20_000);
  const payout = await pay(wallet, 200_000, 'Jumia', 'Chargers', '9000000004');
  const stuck = await pay(wallet, 150_000, 'Bolt Rides', 'To the airport', '9000000003');
  const reference = await transferIn(randomUUID(), 5_000);
  await transferIn(wallet.id, 4_000, 'pending');
  await jobGivenUp();
  const [operator, other] = await operators();
  const returned = await caseOf(operator, payout);
  await send('/v1/operator/acts', {
    headers: { authorization: `Bearer ${other.token}`, 'x-totp-code': other.code() },
    body: { act: 'payout.refund', subject: payout, reason: 'The money is back in our account' },
  });
  const unmatched = await caseOf(operator, reference);
  return { operator, unmatched, returned, payout, stuck, owner };
}

/** A job that failed as often as it may. */
export async function jobGivenUp(): Promise<string> {
  const [job] = await query<{ id: string }>(
    `SELECT id FROM graphile_worker.add_job('no.such.job', '{}', max_attempts => 1, run_at => now() + interval '1 day')`,
  );
  await query(`SELECT graphile_worker.permanently_fail_jobs(ARRAY[$1::bigint], 'a fault')`, [job?.id]);
  return job?.id ?? '';
}
