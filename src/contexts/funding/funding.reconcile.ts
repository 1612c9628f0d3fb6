import { Injectable, Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import { Bank, type Collection } from '../bank/bank.port.js';
import { CaseOpened } from '../operations/operations.events.js';
import { Database } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import {
  Findings,
  reconcileDaily,
  type Step,
  Tally,
  type TimeRange,
} from '../../platform/jobs/reconciliation.js';
import type { WalletVirtualAccount } from './funding.port.js';
import { FundingService } from './funding.service.js';
import { FundingStore, type TransferRecord } from './funding.store.js';
import { VirtualAccountsStore } from './virtual-accounts.store.js';

export class CollectionTally {
  readonly listed = new Tally();
  readonly matched = new Tally();
  readonly creditedNow = new Tally();
  readonly held = new Tally();
  readonly conflicts = new Tally();
  readonly unknownToBank = new Tally();
  accounts = 0;
  /** Accounts not listed whole. */
  accountsUnread = 0;
  rowsUnread = 0;
  /** Our kobo less the bank's. */
  difference = 0n;
  readonly findings = new Findings();
}

const ACCOUNTS_PAGE = 20;
const ACCOUNTS_AT_ONCE = 4;
const ROWS_PAGE = 500;
/** Unread accounts in a row after which the run is given up. */
const UNREAD_MAX = 10;

/** Credits what a webhook lost. */
@Injectable()
export class FundingReconciliation {
  private readonly log = new Logger(FundingReconciliation.name);

  constructor(
    private readonly store: FundingStore,
    private readonly accounts: VirtualAccountsStore,
    private readonly funding: FundingService,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
  ) {
    reconcileDaily(jobs, database, 'funding.reconcile', '01:30', (range, step) => this.runDaily(range, step));
  }

  private async runDaily(range: TimeRange, step: Step): Promise<string | null> {
    const { next, tally } = await this.run(range, step);
    const { accounts, accountsUnread, creditedNow, findings } = tally;
    if (creditedNow.count + accountsUnread + findings.list.length > 0) {
      this.log.warn(
        { accounts, accountsUnread, creditedNow, findings: findings.list.length },
        'reconciled collections',
      );
    }
    return next;
  }

  /**
   * Until the last account (`next` is null) or `msMax`. Throws `BANK_UNAVAILABLE` if a whole step cannot be
   * read.
   */
  async run(
    range: TimeRange,
    { after = null, msMax = Infinity, report }: Step = {},
  ): Promise<{ next: string | null; tally: CollectionTally }> {
    const tally = new CollectionTally();
    const total = report ? await this.accounts.count() : 0;
    const endsAt = performance.now() + msMax;
    let next = after;
    let unread = 0;
    const limit = pLimit(ACCOUNTS_AT_ONCE);
    do {
      const accounts = await this.accounts.after(next, ACCOUNTS_PAGE);
      const begun = await Promise.all(
        accounts.map((account, i) =>
          limit(async () => {
            if (i > 0 && performance.now() >= endsAt) return false;
            const isRead = await this.account(account, range, tally);
            unread = isRead ? 0 : unread + 1;
            if (unread > UNREAD_MAX) throw bankIsDown();
            tally.accounts += 1;
            report?.(tally.accounts, total);
            return true;
          }),
        ),
      );
      const count = begun.filter((isBegun) => isBegun).length;
      if (count < accounts.length && count > 1 && tally.accountsUnread === tally.accounts) throw bankIsDown();
      if (accounts.length < ACCOUNTS_PAGE && count === accounts.length) return { next: null, tally };
      next = accounts[count - 1]?.walletId ?? null;
    } while (performance.now() < endsAt);
    return { next, tally };
  }

  /** True if the account was listed whole. Rows before a failure count. */
  private async account(
    account: WalletVirtualAccount,
    range: TimeRange,
    tally: CollectionTally,
  ): Promise<boolean> {
    try {
      const listed = new Set<string>();
      const seen = new Set<string>();
      let isReadable = true;
      let batch: Collection[] = [];
      for await (const collection of this.bank.listCollections(account.accountNumber, range.from, range.to)) {
        if ('unreadable' in collection) {
          isReadable = false;
          listed.add(collection.unreadable);
          await this.openUnreadableCase(account, collection.unreadable, tally);
          continue;
        }
        const { reference, amount, currency } = collection;
        const content = JSON.stringify([reference, amount, currency]);
        if (seen.has(content)) continue;
        seen.add(content);
        listed.add(reference);
        batch.push(collection);
        if (batch.length < ROWS_PAGE) continue;
        await this.compare(account, batch, tally);
        batch = [];
      }
      await this.compare(account, batch, tally);
      await this.findUnknownToBank(account, range, listed, tally);
      return isReadable;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'BANK_UNAVAILABLE') throw error;
      tally.accountsUnread += 1;
      tally.findings.add(`the account was not read: ${error.message}`, account.providerRef, account.walletId);
      return false;
    }
  }

  private async compare(
    account: WalletVirtualAccount,
    collections: readonly Collection[],
    tally: CollectionTally,
  ): Promise<void> {
    if (collections.length === 0) return;
    const rows = await this.store.findByReferences(collections.map(({ reference }) => reference));
    const seen = new Map(rows.map((row) => [row.reference, row]));
    for (const collection of collections) {
      tally.listed.add(collection.amount);
      const row = seen.get(collection.reference);
      if (collection.accountReference.toLowerCase() !== account.walletId) {
        await this.conflict(
          account,
          collection,
          row,
          'the bank names another wallet for this account',
          tally,
        );
      } else if (!row) {
        await this.credit(account, collection, tally);
      } else if (!isSame(row, collection)) {
        await this.funding.creditMissedCollection(collection);
        this.count(tally.conflicts, collection, row.status === 'credited' ? row.amount : 0, tally);
        tally.findings.add(
          'on record with another amount, wallet or currency',
          row.reference,
          account.walletId,
        );
      } else if (row.status === 'held') {
        this.count(tally.held, collection, 0, tally);
        if (!row.returnedAt) tally.findings.add('held for the operator', row.reference, account.walletId);
      } else {
        this.count(tally.matched, collection, row.amount, tally);
      }
    }
  }

  private async credit(
    account: WalletVirtualAccount,
    collection: Collection,
    tally: CollectionTally,
  ): Promise<void> {
    const result = await this.funding.creditMissedCollection(collection);
    // Credited by its webhook meanwhile.
    if (result === 'duplicate') this.count(tally.matched, collection, collection.amount, tally);
    else if (result === 'credited') this.count(tally.creditedNow, collection, collection.amount, tally);
    else if (result === 'held') this.count(tally.held, collection, 0, tally);
    else this.count(tally.conflicts, collection, 0, tally);
    if (result !== 'duplicate')
      tally.findings.add(FOUND[result] ?? result, collection.reference, account.walletId);
  }

  private async conflict(
    { walletId }: WalletVirtualAccount,
    collection: Collection,
    row: TransferRecord | undefined,
    description: string,
    tally: CollectionTally,
  ): Promise<void> {
    await this.open(
      new CaseOpened({
        kind: 'transfer-conflict',
        subject: collection.reference,
        walletId,
        description,
      }),
    );
    this.count(tally.conflicts, collection, row?.amount ?? 0, tally);
    tally.findings.add(description, collection.reference, walletId);
  }

  private async openUnreadableCase(
    { walletId }: WalletVirtualAccount,
    subject: string,
    tally: CollectionTally,
  ) {
    const description = 'a row in the list of the bank can not be read: money may have arrived with it';
    await this.open(new CaseOpened({ kind: 'transfer-unreadable', subject, walletId, description }));
    tally.rowsUnread += 1;
    tally.findings.add(description, subject, walletId);
  }

  private async findUnknownToBank(
    { walletId }: WalletVirtualAccount,
    { from, to }: TimeRange,
    listed: ReadonlySet<string>,
    tally: CollectionTally,
  ): Promise<void> {
    for (let after = ''; ;) {
      const page = await this.store.creditedPage(walletId, from, to, after, ROWS_PAGE);
      for (const row of page) {
        if (listed.has(row.reference)) continue;
        const collection = await this.bank.getCollection(row.reference);
        if (collection && isSame(row, collection)) {
          tally.listed.add(collection.amount);
          this.count(tally.matched, collection, row.amount, tally);
          continue;
        }
        const description = collection
          ? 'the bank has it with another amount, wallet or currency'
          : 'credited, and the bank knows of no such collection';
        await this.open(
          new CaseOpened({
            kind: collection ? 'transfer-conflict' : 'topup-unknown-to-bank',
            subject: row.reference,
            walletId,
            description,
          }),
        );
        if (collection) tally.listed.add(collection.amount);
        tally[collection ? 'conflicts' : 'unknownToBank'].add(collection?.amount ?? row.amount);
        tally.difference += BigInt(row.amount) - BigInt(collection?.amount ?? 0);
        tally.findings.add(description, row.reference, walletId);
      }
      const last = page.at(-1);
      if (!last || page.length < ROWS_PAGE) return;
      after = last.reference;
    }
  }

  private count(into: Tally, { amount }: Collection, booked: number, tally: CollectionTally): void {
    into.add(amount);
    tally.difference += BigInt(booked) - BigInt(amount);
  }

  private open(opened: CaseOpened): Promise<void> {
    return this.database.transaction((tx) => this.events.publish([opened], tx));
  }
}

function bankIsDown(): AppError {
  return new AppError('BANK_UNAVAILABLE', 'The bank does not list collections.');
}

const FOUND: Readonly<Record<string, string>> = {
  credited: 'credited now: no webhook had told of it',
  held: 'held for the operator',
};

function isSame(row: TransferRecord, { accountReference, amount, currency }: Collection): boolean {
  return (
    (row.accountReference ?? row.walletId) === accountReference.toLowerCase() &&
    row.amount === amount &&
    row.currency === currency.toUpperCase()
  );
}
