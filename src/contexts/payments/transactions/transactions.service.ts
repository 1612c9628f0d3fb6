import { Injectable } from '@nestjs/common';
import { type OpenSettlements, Settlements, shownSettlement } from '../../settlement/settlement.port.js';
import { Database } from '../../../platform/database/database.js';
import { DOWNLOAD_PAGE_SIZE } from '../../../platform/batching/pages.js';
import { AppError } from '../../../kernel/errors.js';
import { type Kobo, KOBO_MAX } from '../../../kernel/money.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import {
  holdsOf,
  type KeyHash,
  type KeyLabel,
  type KeyReader,
  type KeyWallet,
  type OwnedWallet,
  type WalletChoice,
  type WalletRules,
  Wallets,
} from '../../wallet/wallet.port.js';
import { approvalEvents, decisionOf, type PaymentStatus, paymentStatus } from '../payments.domain.js';
import { type Transaction, type SettledTransaction, Transactions } from '../payments.port.js';
import { type AuditEvent, checkEvents } from '../checks/decide.domain.js';
import type { Labels } from '../labels/labels.domain.js';
import { LabelsStore } from '../labels/labels.store.js';
import { PaymentsStore } from '../payments.store.js';
import type { AttemptFilter } from './attempt-pages.js';
import { type DayOfSpending, TransactionsStore } from './transactions.store.js';

/** In kobo. */
export interface SpendingStats extends Omit<WalletRules, 'periodWindowDays'> {
  readonly balance: Kobo;
  readonly spentThisPeriod: number;
  readonly remainingAllowance: number;
  /** Set only if payments can wait for a person. */
  readonly held?: Kobo;
  readonly available?: Kobo;
}

export const STATS_SORTS = ['-createdAt', '-spentThisPeriod', 'spentThisPeriod'] as const;

/** A null request: all at once. */
export interface StatsQuery extends WalletChoice {
  readonly sort: (typeof STATS_SORTS)[number];
  readonly request: PageRequest | null;
}

export interface TotalStats {
  readonly wallets: number;
  readonly active: number;
  readonly balance: number;
  readonly spentThisPeriod: number;
  readonly remainingAllowance: number;
}

type StatsOfWallet = SpendingStats & { readonly walletId: string };

export interface TransactionEntry extends SettledTransaction {
  readonly status: PaymentStatus;
  readonly auditEvents: readonly AuditEvent[];
  /** Shown to owners only, as `labels`. */
  readonly key?: KeyLabel;
  readonly labels?: Labels;
}

export type TransactionPages = AsyncGenerator<readonly TransactionEntry[], void>;

@Injectable()
export class TransactionsService implements Transactions {
  constructor(
    private readonly store: TransactionsStore,
    private readonly payments: PaymentsStore,
    private readonly wallets: Wallets,
    private readonly settlements: Settlements,
    private readonly labels: LabelsStore,
    private readonly database: Database,
  ) {}

  /** Throws `WALLET_NOT_FOUND`. */
  async stats(walletId: string, accountId: string): Promise<SpendingStats> {
    const [stats] = await this.statsOf([await this.wallets.requireOwned(walletId, accountId)]);
    const { walletId: _, ...rest } = stats as StatsOfWallet;
    return rest;
  }

  /** Throws `INVALID_API_KEY`. */
  async walletOfKey(keyHash: KeyHash): Promise<KeyWallet & SpendingStats> {
    const wallet = await this.wallets.ofKey(keyHash);
    const [stats] = await this.statsOf([wallet]);
    return { ...wallet, ...(stats as SpendingStats) };
  }

  /** A user has at most 1,000 wallets. */
  async statsOfAll(
    accountId: string,
    { sort, request, ...choice }: StatsQuery,
  ): Promise<Page<StatsOfWallet>> {
    const wallets = await this.wallets.ownedBy(accountId, choice);
    const total = wallets.length;
    if (sort === '-createdAt') return { rows: await this.statsOf(pageIn(wallets, request)), total };
    const sign = sort.startsWith('-') ? -1 : 1;
    const stats = await this.statsOf(wallets);
    stats.sort((one, other) => sign * (one.spentThisPeriod - other.spentThisPeriod));
    return { rows: pageIn(stats, request), total };
  }

  /** Sums stop at the largest amount. */
  async total(accountId: string): Promise<TotalStats> {
    const wallets = await this.wallets.ownedBy(accountId, { ids: null, text: null });
    const stats = await this.statsOf(wallets);
    const active = wallets.filter(({ status }) => status === 'ACTIVE');
    const paying = new Set(active.filter(({ expired }) => !expired).map(({ id }) => id));
    const sum = (of: (each: StatsOfWallet) => number) =>
      Math.min(
        stats.reduce((total, each) => total + of(each), 0),
        KOBO_MAX,
      );
    return {
      wallets: wallets.length,
      active: active.length,
      balance: sum(({ balance }) => balance),
      spentThisPeriod: sum(({ spentThisPeriod }) => spentThisPeriod),
      // Suspended, closed and expired wallets count 0; so do limits lowered below the spend.
      remainingAllowance: sum(({ walletId, remainingAllowance }) =>
        paying.has(walletId) ? Math.max(0, remainingAllowance) : 0,
      ),
    };
  }

  /** Approved payouts on their way, which a suspension does not stop. */
  async atBank(accountId: string): Promise<OpenSettlements> {
    return this.settlements.openOf(await this.wallets.idsOwnedBy(accountId));
  }

  async statsOf(wallets: readonly OwnedWallet[]): Promise<StatsOfWallet[]> {
    const windows = new Map(
      (await this.payments.windows(wallets, this.database.reads)).map((window) => [window.walletId, window]),
    );
    return wallets.map((wallet) => {
      const { id, balance, spendLimitPerTx, spendLimitPeriod } = wallet;
      const { spent, held } = windows.get(id) ?? { spent: 0, held: 0 };
      const spentThisPeriod = spent - held;
      const remainingAllowance = spendLimitPeriod - spent;
      return {
        walletId: id,
        balance,
        spendLimitPerTx,
        spendLimitPeriod,
        spentThisPeriod,
        remainingAllowance,
        ...holdsOf(wallet),
      };
    });
  }

  /** Null: all wallets. Throws `WALLET_NOT_FOUND`. */
  async byDay(
    walletId: string | null,
    accountId: string,
    days: number,
    timeZone: string,
  ): Promise<DayOfSpending[]> {
    const ids =
      walletId === null
        ? await this.wallets.idsOwnedBy(accountId)
        : [(await this.wallets.requireOwned(walletId, accountId)).id];
    return this.store.byDay(ids, days, timeZone);
  }

  /** Newest first. Throws `WALLET_NOT_FOUND`. */
  async history(
    walletId: string,
    accountId: string,
    request: PageRequest,
    filter?: AttemptFilter,
  ): Promise<Page<TransactionEntry>> {
    const { rows, total } = await this.list(walletId, accountId, request, filter);
    return { rows: await this.entriesOf(rows), total };
  }

  async ofKey(
    reader: KeyReader,
    request: PageRequest,
    filter: AttemptFilter,
  ): Promise<Page<TransactionEntry>> {
    const { rows, total } = await this.store.page(reader, request, filter);
    return { rows: await this.entriesOf(rows), total };
  }

  /** Throws `WALLET_NOT_FOUND` and `TRANSACTION_NOT_FOUND`. */
  async attempt(walletId: string, accountId: string, transactionId: string): Promise<TransactionEntry> {
    const transaction = await this.requireOwn(walletId, transactionId, accountId);
    const [entry] = await this.forOwners([await this.entryOf(transaction)]);
    return entry as TransactionEntry;
  }

  async requireOwn(walletId: string, transactionId: string, accountId: string): Promise<Transaction> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    return found(await this.store.find(transactionId, wholeWallet(id)));
  }

  /** Newest first. Throws `WALLET_NOT_FOUND`. */
  async exportTransactions(walletId: string, accountId: string): Promise<TransactionPages> {
    return this.pagesOf((await this.wallets.requireOwned(walletId, accountId)).id);
  }

  private async *pagesOf(id: string): TransactionPages {
    for await (const page of this.store.all(id, DOWNLOAD_PAGE_SIZE))
      yield await this.forOwners(await this.entriesOf(page));
  }

  async forOwners(entries: readonly TransactionEntry[]): Promise<TransactionEntry[]> {
    const keyIds = new Set(entries.flatMap(({ transaction: { keyId } }) => keyId ?? []));
    const [keys, labelled] = await Promise.all([
      keyIds.size > 0 ? this.wallets.keyLabels([...keyIds]) : null,
      this.labels.of(entries.map(({ transaction }) => transaction)),
    ]);
    return entries.map((entry) => {
      const key = keys?.get(entry.transaction.keyId ?? '');
      const labels = labelled.get(entry.transaction.id);
      return {
        ...entry,
        auditEvents: namingDecider(entry),
        ...(key && { key }),
        ...(labels && { labels }),
      };
    });
  }

  async entriesOf(rows: readonly Transaction[]): Promise<TransactionEntry[]> {
    const approved = rows.filter((row) => decisionOf(row) === 'approved');
    const settlements = await this.settlements.of(approved.map(({ id }) => id));
    return rows.map((transaction) => {
      const settlement = settlements.get(transaction.id);
      const checks = checkEvents(transaction.facts, transaction, transaction.blockReason);
      return {
        transaction,
        status: paymentStatus(transaction, settlement?.status ?? null),
        settlement: settlement ? shownSettlement(settlement) : null,
        auditEvents: [...checks, ...approvalEvents(transaction), ...(settlement?.steps ?? [])],
      };
    });
  }

  async get(transactionId: string, reader: KeyReader): Promise<TransactionEntry> {
    return this.entryOf(await this.store.find(transactionId, reader));
  }

  async ofUser(transactionId: string, accountId: string): Promise<TransactionEntry> {
    const walletIds = await this.wallets.idsOwnedBy(accountId);
    return this.entryOf(await this.store.findAmong(transactionId, walletIds));
  }

  private async entryOf(transaction: Transaction | null): Promise<TransactionEntry> {
    const [entry] = await this.entriesOf([found(transaction)]);
    return entry as TransactionEntry;
  }

  async list(
    walletId: string,
    accountId: string,
    request: PageRequest,
    filter?: AttemptFilter,
  ): Promise<Page<Transaction>> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    return this.store.page(wholeWallet(id), request, filter);
  }
}

function found(transaction: Transaction | null): Transaction {
  if (transaction) return transaction;
  throw new AppError('TRANSACTION_NOT_FOUND', 'No transaction of this wallet has this id.');
}

function namingDecider({ auditEvents, transaction }: TransactionEntry): readonly AuditEvent[] {
  const { approval, approvalDecidedBy: decidedBy } = transaction;
  if (decidedBy === null) return auditEvents;
  return auditEvents.map((event) =>
    event.type === `approval.${approval}` ? { ...event, detail: { ...event.detail, decidedBy } } : event,
  );
}

const wholeWallet = (walletId: string): KeyReader => ({ walletId, historyId: null });

function pageIn<Row>(rows: readonly Row[], request: PageRequest | null): Row[] {
  if (!request) return [...rows];
  const from = (request.page - 1) * request.pageSize;
  return rows.slice(from, from + request.pageSize);
}
