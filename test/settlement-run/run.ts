import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Random } from '../fake-bank/random.ts';
import { type Counts, COUNTS } from './counts.ts';
import { SettlementOwner } from './owners.ts';
import { PAYEES, STUCK } from './payees.ts';
import { NODE, PATIENCE_MS, ROOT, Stage, type StageOptions } from './stage.ts';
import { disagreements, type BankBooks } from '../support/bank-books.ts';

export interface RunOptions extends StageOptions {
  /** How long payments, collections and kills go on: so many milliseconds, or until so many of both were seen. */
  readonly length: { readonly ms: number } | { readonly payments: number; readonly kills: number };
  readonly report: (line: string) => void;
}

/** What a run did and found. `wrong` is empty when every promise was kept. */
export interface RunResult extends Counts {
  readonly wrong: readonly string[];
  readonly creditedByReconciliation: number;
  readonly kills: number;
  readonly faults: number;
}

const WALLETS = 6;
/** Wallets beside them whose owner uses every control. */
const CONTROLLED = 2;
const PAYERS = 4;
const FAULT_RATE = 0.25;
/** How long after the last fault a call may still be on its way, in milliseconds. */
const CALM_MS = 3_000;
const SETTLE_MS_MAX = 90_000;

/**
 * Pays and is paid at random while the bank fails at random and the service is killed at random; then lets the bank
 * settle, reconciles, and compares the books of both.
 */
export async function runSettlement(options: RunOptions): Promise<RunResult> {
  const run = new Run(options);
  try {
    return await run.go();
  } finally {
    await run.stage.end();
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #random: Random;
  readonly stage: Stage;
  #wallets: { id: string; key: string }[] = [];
  #owner: SettlementOwner | undefined;
  #controlled: Awaited<ReturnType<SettlementOwner['takeControl']>>[] = [];
  #kills = 0;
  #isOver = (): boolean => true;
  /** Every kind of payee is paid once, whatever the seed; after that they are chosen at random. */
  readonly #unpaid = [...PAYEES];
  readonly #acknowledged = new Set<string>();

  constructor(options: RunOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.stage = new Stage(options);
  }

  async go(): Promise<RunResult> {
    const { length, report } = this.#options;
    await this.stage.start();
    await this.#openWallets();
    await this.stage.control('POST', 'chaos', { rate: FAULT_RATE });
    report('paying, collecting and killing…');
    const until = Date.now() + ('ms' in length ? length.ms : 0);
    this.#isOver = () =>
      'ms' in length
        ? Date.now() > until
        : this.#acknowledged.size >= length.payments &&
          this.#kills >= length.kills &&
          this.#unpaid.length === 0;
    const payers = Array.from({ length: PAYERS }, () => this.#payer());
    const owners = this.#controlled.map((wallet) => this.#owner!.control(wallet, this.#isOver));
    await Promise.all([...payers, ...owners, this.#collector(), this.#killer(), this.#teller()]);
    const { hits } = await this.stage.control<{ hits: number }>('POST', 'chaos', { rate: 0 });
    report('letting the bank settle…');
    await sleep(CALM_MS);
    const wrong = await this.#settle();
    report('reconciling…');
    const creditedByReconciliation = await this.#reconcile(wrong);
    wrong.push(...(await this.#judge()));
    const [counts] = await this.stage.rows<Counts>(COUNTS);
    return { wrong, ...counts!, creditedByReconciliation, kills: this.#kills, faults: hits };
  }

  async #openWallets(): Promise<void> {
    const { data } = await this.stage.made<{ data: { user: { id: string }; token: string } }>(
      '/v1/auth/signup',
      {
        email: `${randomUUID()}@example.com`,
        password: 'correct horse',
        accountType: 'developer',
      },
    );
    const { user, token } = data;
    this.#owner = new SettlementOwner((...request) => this.stage.post(...request), token, this.#random);
    for (let n = 0; n < WALLETS + CONTROLLED; n += 1) {
      const made = await this.stage.made<{ data: { wallet: { id: string }; apiKey: { fullKey: string } } }>(
        '/api/wallets',
        {
          name: `Agent ${n}`,
          userId: user.id,
          spendLimitPerTx: 100_000_000,
          spendLimitPeriod: 100_000_000_000,
          expiry: '2099-01-01T00:00:00.000Z',
        },
        { authorization: `Bearer ${token}` },
      );
      const { wallet, apiKey } = made.data;
      if (n < WALLETS) this.#wallets.push({ id: wallet.id, key: apiKey.fullKey });
      else this.#controlled.push(await this.#owner.takeControl(wallet.id));
      await this.stage.control('POST', 'collections', { accountReference: wallet.id, amount: '50000.00' });
    }
    const giveUp = Date.now() + 30_000;
    while ((await this.stage.rows('SELECT 1 FROM wallets WHERE balance > 0')).length < WALLETS + CONTROLLED) {
      if (Date.now() > giveUp) throw new Error('the first collections were not credited');
      await sleep(50);
    }
  }

  /** Pays again and again; what got no clear answer is sent again under its key, like an agent does. */
  async #payer(): Promise<void> {
    while (!this.#isOver()) {
      const wallet = this.#pick(this.#wallets);
      const first = this.#unpaid.shift();
      const payee = first ?? (this.#random.unit() < 0.4 ? PAYEES[0]! : this.#pick(PAYEES));
      const [recipientBankCode, recipientAccountNo] = payee;
      const payment = {
        // From the least that the bank pays out.
        amount: 10_000 + Math.floor(this.#random.unit() * 490_000),
        merchantName: 'Acme Stores',
        recipientAccountNo,
        recipientBankCode,
      };
      const headers = { 'x-api-key': wallet.key, 'idempotency-key': randomUUID() };
      const giveUp = Date.now() + PATIENCE_MS;
      let isApproved = false;
      while (Date.now() < giveUp) {
        const answer = await this.stage
          .post<{ data: { transaction: { id: string } } }>('/api/payment-intent', payment, headers)
          .catch(() => null);
        isApproved = answer !== null && answer.status < 300;
        if (answer && isApproved) this.#acknowledged.add(answer.body.data.transaction.id);
        if (answer && answer.status < 500) break;
        await sleep(100);
      }
      if (first && !isApproved) this.#unpaid.push(first);
      await sleep(this.#random.between(10, 150));
    }
  }

  async #collector(): Promise<void> {
    while (!this.#isOver()) {
      const naira = Math.floor(this.#random.between(1, 20_000));
      const kobo = String(Math.floor(this.#random.between(0, 100))).padStart(2, '0');
      const { id } = this.#pick(this.#wallets);
      await this.stage.control('POST', 'collections', { accountReference: id, amount: `${naira}.${kobo}` });
      await sleep(this.#random.between(50, 600));
    }
  }

  async #killer(): Promise<void> {
    for (;;) {
      // A short run ends with its last kill.
      await sleep(this.#random.between(300, 'ms' in this.#options.length ? 4_000 : 1_500));
      if (this.#isOver()) return;
      await this.stage.killService();
      this.#kills += 1;
      await sleep(this.#random.between(0, 500));
      await this.stage.startService();
    }
  }

  async #teller(): Promise<void> {
    let toldAt = Date.now();
    while (!this.#isOver()) {
      await sleep(200);
      if (Date.now() - toldAt < 10_000) continue;
      toldAt = Date.now();
      this.#options.report(`${this.#acknowledged.size} payments, ${this.#kills} kills`);
    }
  }

  /** Lets the time of the database's clock pass for every settlement, and all that waits, until none is open. */
  async #settle(): Promise<string[]> {
    const giveUp = Date.now() + SETTLE_MS_MAX;
    // Once, and never of one that is overdue: it may be lapsing right now, as of a time before this one.
    await this.stage.rows(`UPDATE transactions SET approval_expires_at = clock_timestamp()
      WHERE approval = 'pending' AND approval_expires_at > clock_timestamp()`);
    const waiting = `SELECT id FROM transactions WHERE approval = 'pending'`;
    while ((await this.stage.rows(waiting)).length > 0 && Date.now() < giveUp) await sleep(200);
    for (;;) {
      for (const { reference, status, bankCode, accountNumber } of (await this.#books()).payouts) {
        const isStuck = status === 'processing' && bankCode === STUCK[0] && accountNumber === STUCK[1];
        // All others end by themselves, and one that has must not be turned around.
        if (!isStuck) continue;
        const end = this.#random.unit() < 0.5 ? 'success' : 'failed';
        await this.stage.control('POST', `payouts/${reference}/settle`, { status: end });
      }
      const open = await this.stage.rows(`
        UPDATE settlements SET next_poll_at = clock_timestamp(), submitted_at = submitted_at - interval '11 minutes'
         WHERE reference IN (SELECT reference FROM settlements WHERE status IN ('pending', 'processing')
                                FOR UPDATE SKIP LOCKED) RETURNING reference, status`);
      if (open.length === 0) return [];
      if (Date.now() > giveUp) return [`${open.length} settlements do not end`];
      await sleep(1_500);
    }
  }

  /** Runs the operator's command, twice: the second time there is nothing left to do. */
  async #reconcile(wrong: string[]): Promise<number> {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const flags = ['--from', day(-2), '--to', day(60), '--json'];
    const credited: number[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { stdout } = await promisify(execFile)(
        NODE,
        [join(this.#options.built, 'scripts', 'reconcile.js'), ...flags],
        { cwd: ROOT, env: this.stage.environment, maxBuffer: 100_000_000 },
      ).catch((error: unknown) => {
        wrong.push(`the reconciliation ended with ${String((error as { code: unknown }).code)}`);
        return error as { stdout: string };
      });
      const report = JSON.parse(stdout || '{}') as {
        clean?: boolean;
        collections?: { creditedNow: { count: number } };
      };
      if (!report.clean) wrong.push(`the reconciliation is not clean: ${stdout.slice(0, 2_000)}`);
      credited.push(report.collections?.creditedNow.count ?? 0);
    }
    if (credited[1] !== 0) wrong.push(`the second reconciliation credited ${credited[1]} more`);
    return credited[0] ?? 0;
  }

  async #judge(): Promise<string[]> {
    const query = <Row>(text: string): Promise<Row[]> => this.stage.rows<Row>(text);
    const wrong = await disagreements({ query }, await this.#books());
    wrong.push(...(await this.#owner!.disagreements({ query })));
    const known = await this.stage.rows<{ id: string }>(
      'SELECT id FROM transactions WHERE block_reason IS NULL',
    );
    const ids = new Set(known.map(({ id }) => id));
    for (const id of this.#acknowledged) {
      if (!ids.has(id)) wrong.push(`${id} was approved before the client, and is gone`);
    }
    const cases = await this.stage.rows<{ kind: string; subject: string; description: string }>(
      `SELECT kind, subject, description FROM operator_cases`,
    );
    for (const { kind, subject, description } of cases)
      wrong.push(`a case: ${kind} ${subject} ${description}`);
    return wrong;
  }

  #books(): Promise<BankBooks> {
    return this.stage.control<BankBooks>('GET', 'state');
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random.unit() * list.length)]!;
  }
}
