import { queryOptions } from '@tanstack/react-query';
import { overview } from '../live/poll-intervals.js';
import { queryKeys } from './query-keys.js';
import { answerOf, api, data } from './request.js';
import type { Page, Wallet, WalletStats } from './types.js';

/* The wallets of an account, which has up to 1,000: never all of them with everything. */

const PAGE_SIZE = 10;

export const WALLET_SORTS = ['newest', 'name', 'balance', 'spent', 'expiry'] as const;

export interface WalletQuery {
  readonly search: string;
  readonly sort: (typeof WALLET_SORTS)[number];
  readonly page: number;
}

export const FIRST_WALLETS: WalletQuery = { search: '', sort: 'newest', page: 1 };

const API_SORTS = { newest: '-createdAt', name: 'name', balance: '-balance', expiry: 'expiry' } as const;

/** A wallet, with what it spent in its window; undefined where it was made meanwhile. */
export interface ListedWallet {
  readonly wallet: Wallet;
  readonly stats: WalletStats | undefined;
}

/** One page of the wallets; past the last one, the last one. */
async function walletPage(asked: WalletQuery): Promise<Page<ListedWallet>> {
  const found = await (asked.sort === 'spent' ? bySpent(asked) : byWallet(asked, API_SORTS[asked.sort]));
  const last = Math.max(found.pagination.totalPages, 1);
  return asked.page > last ? walletPage({ ...asked, page: last }) : found;
}

/** Blank text is no search. */
function paged({ search, page }: WalletQuery) {
  const text = search.trim();
  return { page, pageSize: PAGE_SIZE, ...(text !== '' && { search: text }) };
}

/** The newest wallet of just this name, or nothing. */
export async function newestNamed(name: string): Promise<Wallet | undefined> {
  const query = { ...paged({ search: name, sort: 'newest', page: 1 }), sort: API_SORTS.newest };
  const { data: found } = await answerOf(api.GET('/v1/wallets', { params: { query } }));
  return found.find((wallet) => wallet.name === name.trim());
}

async function byWallet(
  asked: WalletQuery,
  sort: (typeof API_SORTS)[keyof typeof API_SORTS],
): Promise<Page<ListedWallet>> {
  const query = { ...paged(asked), sort };
  const { data: wallets, pagination } = await answerOf(api.GET('/v1/wallets', { params: { query } }));
  if (wallets.length === 0) return { data: [], pagination };
  const stats = await data(
    answerOf(api.GET('/v1/stats', { params: { query: { walletId: idsOf(wallets.map(({ id }) => id)) } } })),
  );
  const statsOf = new Map(stats.map((each) => [each.walletId, each]));
  return { data: wallets.map((wallet) => ({ wallet, stats: statsOf.get(wallet.id) })), pagination };
}

async function bySpent(asked: WalletQuery): Promise<Page<ListedWallet>> {
  const query = { ...paged(asked), sort: '-spentThisPeriod' } as const;
  const { data: stats, pagination } = await answerOf(api.GET('/v1/stats', { params: { query } }));
  if (!pagination) throw new Error('no page was answered');
  if (stats.length === 0) return { data: [], pagination };
  const ofThem = { walletId: idsOf(stats.map(({ walletId }) => walletId)), pageSize: PAGE_SIZE };
  const wallets = await data(answerOf(api.GET('/v1/wallets', { params: { query: ofThem } })));
  const walletOf = new Map(wallets.map((wallet) => [wallet.id, wallet]));
  const rows = stats.flatMap((each) => {
    const wallet = walletOf.get(each.walletId);
    return wallet ? [{ wallet, stats: each }] : [];
  });
  return { data: rows, pagination };
}

const idsOf = (ids: readonly string[]) => ids.join(',');

export const walletsQuery = (asked: WalletQuery) =>
  queryOptions({
    queryKey: queryKeys.wallets(asked),
    queryFn: () => walletPage(asked),
    refetchInterval: overview,
  });

/** Names of all wallets. */
export const walletNamesQuery = queryOptions({
  queryKey: queryKeys.walletNames,
  queryFn: () => data(answerOf(api.GET('/v1/wallets/names'))),
});

/** The sums over all wallets. */
export const totalsQuery = queryOptions({
  queryKey: queryKeys.stats(),
  queryFn: () => data(answerOf(api.GET('/v1/stats/total'))),
  refetchInterval: overview,
});
