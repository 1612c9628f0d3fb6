import { Injectable } from '@nestjs/common';
import type { StatusTotal } from '../../../kernel/page.js';
import { DOWNLOAD_PAGE_SIZE } from '../../../platform/batching/pages.js';
import type { SettlementStatus } from '../../settlement/settlement.port.js';
import { Settlements } from '../../settlement/settlement.port.js';
import { Wallets } from '../../wallet/wallet.port.js';
import { WalletSearch } from '../../wallet/wallet-search.port.js';
import type { FoundPayment, PaymentSearch } from '../payments.port.js';
import { decisionOf, type PaymentStatus, paymentStatus } from '../payments.domain.js';
import { type TransactionEntry, TransactionsService } from './transactions.service.js';
import {
  beginningOf,
  candidatesOf,
  isCounted,
  isNarrowed,
  type PaymentFilter,
  type Position,
  soughtByWords,
  startOf,
} from './search.domain.js';
import { type Candidate, SearchStore } from './search.store.js';
import { TotalsStore } from './totals.store.js';

export interface SearchPage {
  readonly rows: readonly TransactionEntry[];
  readonly next: Position | null;
}

export interface NamedEntry extends TransactionEntry {
  readonly walletName: string;
}

type NamedPages = AsyncGenerator<readonly NamedEntry[], void>;

interface Scope {
  readonly walletIds: readonly string[];
  readonly filter: PaymentFilter;
  /** Keys named by the text. */
  readonly keyIds: readonly string[];
}

const SCANNED_MAX = 40_000;
export const TOTALLED_MAX = 40_000;
/** Attempts held in memory at once. */
const CHUNK_PAGE = 1_000;
const NAMED_KEYS_MAX = 100;

@Injectable()
export class SearchService implements PaymentSearch {
  constructor(
    private readonly store: SearchStore,
    private readonly sums: TotalsStore,
    private readonly history: TransactionsService,
    private readonly wallets: Wallets,
    private readonly named: WalletSearch,
    private readonly settlements: Settlements,
  ) {}

  /**
   * Returns up to `limit` matches after `cursor`, reading at most {@link SCANNED_MAX}. Throws
   * `WALLET_NOT_FOUND` and `KEY_NOT_FOUND` for those of another user.
   */
  async page(
    accountId: string,
    filter: PaymentFilter,
    cursor: Position | null,
    limit: number,
  ): Promise<SearchPage> {
    return this.pageOf(await this.scopeOf(accountId, filter), cursor, limit);
  }

  async newestNamed(accountId: string, text: string, limit: number): Promise<FoundPayment[]> {
    const { rows } = await this.page(accountId, soughtByWords(text), null, limit);
    return rows.map(({ transaction, status }) => {
      const { id, walletId, merchantName, amount, createdAt } = transaction;
      return { id, walletId, merchantName, amount, status, createdAt };
    });
  }

  /** Null: more than {@link TOTALLED_MAX} attempts. Throws as {@link page} does. */
  async totals(
    accountId: string,
    filter: PaymentFilter,
  ): Promise<readonly StatusTotal<PaymentStatus>[] | null> {
    const { walletIds, filter: narrowed, keyIds } = await this.scopeOf(accountId, filter);
    const { statuses } = narrowed;
    const [hasPaid, hasOpen] = [statuses?.has('paid') ?? true, statuses?.has('processing') ?? true];
    const read = hasPaid || hasOpen ? await this.settlements.openReferences(walletIds) : [];
    const open = hasPaid === hasOpen ? (read ?? []) : read;
    return open && this.sums.byStatus(walletIds, narrowed, keyIds, open, TOTALLED_MAX);
  }

  /** All matches made before the call, in bounded pages. */
  async all(accountId: string, filter: PaymentFilter): Promise<NamedPages> {
    return this.pagesOf(await this.scopeOf(accountId, filter));
  }

  private async *pagesOf(scope: Scope): NamedPages {
    const names = await this.wallets.namesOf(scope.walletIds);
    let next: Position | null = null;
    do {
      const page: SearchPage = await this.pageOf(scope, next, DOWNLOAD_PAGE_SIZE);
      yield page.rows.map((row) => ({ ...row, walletName: names.get(row.transaction.walletId) ?? '' }));
      next = page.next;
    } while (next);
  }

  /** A key pays from one wallet, from its creation on. */
  private async scopeOf(accountId: string, filter: PaymentFilter): Promise<Scope> {
    const walletIds = await this.wallets.chosenOwned(filter.walletIds, accountId);
    const keyIds = filter.text === null ? [] : await this.keysNamed(filter.text, accountId);
    if (filter.keyId === null) return { walletIds, filter, keyIds };
    const { walletId, createdAt } = await this.wallets.requireOwnedKey(filter.keyId, accountId);
    const from = filter.from && filter.from > createdAt ? filter.from : createdAt;
    return { walletIds: walletIds.filter((id) => id === walletId), filter: { ...filter, from }, keyIds };
  }

  private async keysNamed(text: string, accountId: string): Promise<string[]> {
    const keys = await this.named.keys({ accountId, text, limit: NAMED_KEYS_MAX });
    return keys.map(({ id }) => id);
  }

  private async pageOf(
    { walletIds, filter, keyIds }: Scope,
    cursor: Position | null,
    limit: number,
  ): Promise<SearchPage> {
    const candidates = candidatesOf(filter);
    let position = beginningOf(filter, cursor);
    const rowsMax = isNarrowed(filter) ? SCANNED_MAX : 4 * limit;
    const until = isCounted(candidates)
      ? await this.store.horizon(candidates, walletIds, filter, position, rowsMax)
      : null;
    const found: Candidate[] = [];
    let end = until === null ? null : startOf(until);
    for (let scanned = 0; ;) {
      const size = scanned === 0 ? limit + 1 : CHUNK_PAGE;
      const chunk = await this.store.scan(candidates, walletIds, filter, position, until, size, keyIds);
      found.push(...(await this.withStatus(chunk, filter)));
      scanned += chunk.length;
      position = chunk.at(-1) ?? position;
      if (found.length > limit || chunk.length < size) break;
      if (scanned >= SCANNED_MAX) {
        end = position;
        break;
      }
    }
    if (found.length > limit) end = found[limit - 1] as Candidate;
    const attempts = await this.store.at(found.slice(0, limit));
    const entries = await this.history.forOwners(await this.history.entriesOf(attempts));
    // A settlement may have ended since.
    const rows = entries.filter(({ status }) => filter.statuses?.has(status) ?? true);
    return { rows, next: end };
  }

  private async withStatus(
    chunk: readonly Candidate[],
    { statuses }: PaymentFilter,
  ): Promise<readonly Candidate[]> {
    if (statuses === null) return chunk;
    const approved = chunk.filter((each) => decisionOf(each) === 'approved').map(({ id }) => id);
    const settled: ReadonlyMap<string, SettlementStatus> =
      approved.length > 0 ? await this.settlements.statusesOf(approved) : new Map();
    return chunk.filter((each) => statuses.has(paymentStatus(each, settled.get(each.id) ?? null)));
  }
}
