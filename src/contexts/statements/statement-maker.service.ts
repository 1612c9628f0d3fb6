import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { localTimes } from '../../kernel/time.js';
import { turn } from '../../platform/batching/turns.js';
import { BYTE_ORDER_MARK, csvLines } from '../../platform/csv-lines.js';
import { Database } from '../../platform/database/database.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { RecurringTask } from '../../platform/jobs/recurring-task.js';
import { Businesses, Users } from '../identity/identity.port.js';
import { type LedgerPeriod, LedgerPeriods } from '../ledger/ledger.port.js';
import { CaseOpened } from '../operations/operations.events.js';
import { Signatures } from '../receipts/receipts.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { ChunkedFile } from './chunked-file.js';
import { PdfDrawing } from './pdf-drawing.js';
import { csvBalance, csvNames, csvRow, pdfHead, pdfHeading, pdfRow } from './statement-files.domain.js';
import {
  BooksDisagree,
  type Figures,
  figuresOf,
  RunningBook,
  STATEMENT_ROWS_MAX,
  STATEMENT_TYPE,
  StatementRefused,
  total,
} from './statements.domain.js';
import { StatementMade } from './statements.events.js';
import { type StatementEnding, type Leased, StatementsStore } from './statements.store.js';

const POLL_EVERY_MS = 5_000;
const LINES_PAGE = 100;
const TRIES_MAX = 5;
const RETRY_SECONDS = 15;

interface WalletMonth {
  readonly name: string;
  readonly period: LedgerPeriod;
  readonly figures: Figures;
}

interface Files {
  readonly pdf: ChunkedFile;
  readonly csv: ChunkedFile;
}

class Interrupted extends Error {}

@Injectable()
export class StatementMaker implements OnModuleDestroy {
  private readonly log = new Logger('statements');
  private readonly task: RecurringTask;
  private isStopping = false;

  constructor(
    private readonly store: StatementsStore,
    private readonly ledger: LedgerPeriods,
    private readonly wallets: Wallets,
    private readonly users: Users,
    private readonly businesses: Businesses,
    private readonly signatures: Signatures,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
  ) {
    this.task = jobs.every(POLL_EVERY_MS, () => this.makeDue());
  }

  wake(): void {
    this.task.triggerWithin(0);
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  private async makeDue(): Promise<void> {
    while (!this.isStopping) {
      const statement = await this.store.claim();
      if (!statement) return;
      try {
        if (statement.tries > TRIES_MAX) throw new Error('it was given up before');
        await this.make(statement);
      } catch (error) {
        await this.giveUp(statement, error);
      }
    }
  }

  private async giveUp(statement: Leased, error: unknown): Promise<void> {
    if (error instanceof Interrupted) {
      await this.store.release(statement, 0);
    } else if (error instanceof StatementRefused) {
      await this.database.transaction((tx) => this.store.fail(statement, error.message, tx));
    } else if (error instanceof BooksDisagree) {
      await this.openCase(statement, error);
    } else if (statement.tries >= TRIES_MAX) {
      this.log.error({ err: error, statementId: statement.id }, 'a statement could not be made');
      const problem = 'It could not be made. Ask for it again later.';
      await this.database.transaction((tx) => this.store.fail(statement, problem, tx));
    } else {
      this.log.warn({ err: error, statementId: statement.id }, 'a statement is made again');
      await this.store.release(statement, RETRY_SECONDS);
    }
  }

  private async openCase(statement: Leased, { walletId, message }: BooksDisagree): Promise<void> {
    const problem = 'The books of this month do not add up. We were told, and look into it.';
    const { month, timeZone } = statement;
    const description = `no statement was made of ${month} (${timeZone}): ${message}`;
    const subject = `${walletId} ${month}`;
    await this.database.transaction(async (tx) => {
      await this.store.fail(statement, problem, tx);
      await this.events.publish(
        [new CaseOpened({ kind: 'statement-mismatch', subject, walletId, description, reopens: true })],
        tx,
      );
    });
  }

  private async make(statement: Leased): Promise<void> {
    const months = await this.readMonths(statement);
    const figures = total(months.map((month) => month.figures));
    const rows = rowsOf(months);
    const files: Files = {
      pdf: new ChunkedFile((place, bytes) => this.store.addChunk(statement, 'pdf', place, bytes)),
      csv: new ChunkedFile((place, bytes) => this.store.addChunk(statement, 'csv', place, bytes)),
    };
    await this.progress(statement, 0, rows);
    await this.write(statement, months, figures, files);
    const [pdf, csv] = [await files.pdf.end(), await files.csv.end()];
    const ending: StatementEnding = {
      opening: Number(figures.opening),
      received: Number(figures.received),
      paidOut: Number(figures.paidOut),
      refunded: Number(figures.refunded),
      closing: Number(figures.closing),
      pdfBytes: pdf.bytes,
      pdfSha256: pdf.sha256,
      csvBytes: csv.bytes,
      csvSha256: csv.sha256,
      signature: null,
    };
    const signature = statement.isFinal
      ? await this.signatures.sign(STATEMENT_TYPE, claimsOf(statement, ending, rows))
      : null;
    await this.database.transaction(async (tx) => {
      if (!(await this.store.finish(statement, { ...ending, signature }, tx))) return;
      const { id: statementId, accountId } = statement;
      await this.events.publish([new StatementMade({ statementId, accountId })], tx);
    });
  }

  private async readMonths(statement: Leased): Promise<WalletMonth[]> {
    const { accountId, scopeId, startsAt, endsAt } = statement;
    const ids = scopeId === accountId ? await this.wallets.idsOwnedBy(accountId) : [scopeId];
    const [names, periods] = await Promise.all([
      this.wallets.namesOf(ids),
      this.ledger.between(ids, startsAt, endsAt),
    ]);
    const rows = rowsOf(periods.map((period) => ({ period })));
    if (rows > STATEMENT_ROWS_MAX) {
      throw new StatementRefused(
        `This month has ${rows.toLocaleString('en')} entries, and a statement takes ` +
          `${STATEMENT_ROWS_MAX.toLocaleString('en')}. ` +
          (ids.length > 1 ? 'Ask for one wallet at a time.' : 'Download the ledger as CSV instead.'),
      );
    }
    const sums = await this.ledger.sums(periods);
    return periods
      .map((period) => ({
        name: names.get(period.walletId) ?? '',
        period,
        figures: figuresOf(period, sums.get(period.walletId)),
      }))
      .filter(({ period: { after, upTo, opening }, figures }) => {
        const isEmpty = after === upTo && opening === 0 && figures.closing === 0n;
        return !isEmpty || scopeId !== accountId;
      })
      .sort((one, other) => one.name.localeCompare(other.name, 'en'));
  }

  private async write(
    statement: Leased,
    months: readonly WalletMonth[],
    figures: Figures,
    { pdf, csv }: Files,
  ): Promise<void> {
    const { timeZone, startsAt, endsAt, createdAt } = statement;
    const local = localTimes(timeZone);
    const [from, to] = [local(startsAt), local(endsAt)];
    const titles = {
      ...statement,
      from,
      to,
      madeAt: local(createdAt),
      holder: await this.holderOf(statement.accountId),
      walletName: statement.scopeId === statement.accountId ? null : (months[0]?.name ?? ''),
    };
    const entries = months.map(({ period: { after, upTo } }) => upTo - after);
    const rows = rowsOf(months);
    const drawing = PdfDrawing.start(pdfHead(titles, figures, entries));
    try {
      await csv.add(Buffer.from(BYTE_ORDER_MARK + csvLines([csvNames(timeZone)])));
      let done = 0;
      for (const { name, period, figures: own } of months) {
        if (titles.walletName === null) await pdf.add(await drawing.draw([pdfHeading(name, own)]));
        await csv.add(Buffer.from(csvLines([csvBalance(from, 'Opening balance', name, own.opening)])));
        const book = new RunningBook(period);
        for (let after = period.after; after < period.upTo;) {
          const lines = await this.ledger.lines({ ...period, after }, LINES_PAGE);
          if (lines.length === 0) throw new BooksDisagree(period.walletId, `entry ${after + 1} is missing`);
          for (const line of lines) book.add(line);
          await turn();
          await csv.add(Buffer.from(csvLines(lines.map((line) => csvRow(line, local)))));
          await pdf.add(await drawing.draw(lines.map((line) => pdfRow(line, local))));
          after += lines.length;
          done += lines.length;
          await this.progress(statement, done, rows);
        }
        book.end(own);
        await csv.add(Buffer.from(csvLines([csvBalance(to, 'Closing balance', name, own.closing)])));
      }
      await pdf.add(await drawing.end());
    } finally {
      await drawing.close();
    }
  }

  private async holderOf(accountId: string): Promise<string> {
    return (await this.businesses.of(accountId))?.name ?? (await this.users.emailOf(accountId));
  }

  private async progress(statement: Leased, done: number, rows: number): Promise<void> {
    if (this.isStopping || !(await this.store.progress(statement, done, rows))) throw new Interrupted();
  }
}

function rowsOf(months: readonly { readonly period: LedgerPeriod }[]): number {
  return months.reduce((sum, { period: { after, upTo } }) => sum + upTo - after, 0);
}

function claimsOf(statement: Leased, ending: StatementEnding, rows: number): object {
  const { id, accountId, scopeId, month, version, timeZone, startsAt, endsAt } = statement;
  const { opening, received, paidOut, refunded, closing, pdfSha256, csvSha256 } = ending;
  return {
    jti: id,
    sub: scopeId,
    scope: scopeId === accountId ? 'business' : 'wallet',
    month,
    version,
    timeZone,
    from: startsAt.toISOString(),
    to: endsAt.toISOString(),
    currency: 'NGN',
    opening,
    received,
    paidOut,
    refunded,
    closing,
    entries: rows,
    pdfSha256,
    csvSha256,
  };
}
