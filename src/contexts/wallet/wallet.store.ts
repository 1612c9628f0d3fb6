import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual, Raw, type SelectQueryBuilder } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { databaseNow } from '../../platform/database/clock.js';
import { Database } from '../../platform/database/database.js';
import { sqlWithoutIgnorable } from '../../platform/database/ignorable.js';
import type { Queryable, Tx } from '../../platform/database/tx.js';
import { AppError } from '../../kernel/errors.js';
import { note, readFor } from '../../platform/observability/request-id.js';
import { kobo } from '../../kernel/money.js';
import { merchantIdentity } from '../../kernel/text.js';
import {
  type KeyLabel,
  type KeyHash,
  keyHashBytes,
  type KeyReader,
  type KeyWallet,
  type OwnedWallet,
  type WalletChoice,
  Wallets,
} from './wallet.port.js';
import type { BankAccount } from '../bank/name-enquiry.port.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { WalletStatus } from './wallet.events.js';
import { NEVER_SUSPENDED, type SpendingRules } from './wallet.domain.js';
import { KeyReadersStore } from './keys/key-readers.store.js';
import { KeyUsages } from './keys/key-usages.port.js';
import type { Actor } from '../identity/identity.port.js';
import { found, idOf, invalidKey } from './lookups.js';
import { ApiKey, Wallet, WalletMerchant } from './wallet.entity.js';
import { Withdrawal } from './withdrawals/withdrawals.entity.js';

export interface Holdings {
  readonly wallets: number;
  readonly allowlistEntries: number;
}

export const WALLET_SORTS = [
  '-createdAt',
  'createdAt',
  'name',
  '-name',
  'balance',
  '-balance',
  'expiry',
  '-expiry',
] as const;

/** Null: all. */
export interface WalletQuery extends WalletChoice {
  readonly statuses: ReadonlySet<WalletStatus> | null;
  readonly sort: (typeof WALLET_SORTS)[number];
}

/** Without allowlists, which may be long. */
const OWNED = {
  id: true,
  balance: true,
  held: true,
  controls: true,
  status: true,
  expired: true,
  spendLimitPerTx: true,
  spendLimitPeriod: true,
  periodWindowDays: true,
} as const;
/** Without limits, whose merchants may be many. */
const KEY_SUMMARY = { id: true, walletId: true, keyPrefix: true, createdAt: true } as const;
export type KeySummary = Pick<ApiKey, keyof typeof KEY_SUMMARY>;
const LIVE = {
  revokedAt: IsNull(),
  expiresAt: Raw((at) => `(${at} IS NULL OR ${at} > clock_timestamp())`),
};
const MERCHANTS_SHOWN_MAX = 1_000;
const LIST_PAGE_SIZE = 20;
const OWNER_LOCK = 7_241_002;

@Injectable()
export class WalletStore extends Wallets {
  constructor(
    private readonly database: Database,
    private readonly keyUsages: KeyUsages,
    private readonly keyReaders: KeyReadersStore,
  ) {
    super();
  }

  async lockOwner(accountId: string, tx: Tx): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [OWNER_LOCK, accountId]);
  }

  async holdingsOf(accountId: string, from: Pick<Database | Tx, 'repository'>): Promise<Holdings> {
    const holdings = await from
      .repository(Wallet)
      .createQueryBuilder('wallet')
      .select('count(*)::integer', 'wallets')
      .addSelect('coalesce(sum(cardinality(wallet.merchantAllowlist)), 0)::integer', 'allowlistEntries')
      .where('wallet.accountId = :accountId', { accountId })
      .getRawOne<Holdings>();
    return holdings as Holdings;
  }

  async add(
    rules: SpendingRules & Pick<Wallet, 'id' | 'accountId' | 'madeByUserId' | 'name' | 'controls'>,
    key: { hash: Buffer; keyPrefix: string },
    tx: Tx,
  ): Promise<{ wallet: Wallet; apiKey: ApiKey }> {
    const now = await databaseNow(tx);
    const wallet = {
      ...rules,
      allowedMerchants: rules.merchantAllowlist.map(merchantIdentity),
      balance: kobo(0),
      held: kobo(0),
      ...NEVER_SUSPENDED,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    await tx.repository(Wallet).insert(wallet);
    const apiKey = {
      ...key,
      id: newId(),
      walletId: wallet.id,
      name: null,
      limits: null,
      purpose: null,
      requires: null,
      secondApprovalAbove: null,
      madeByUserId: null,
      expiresAt: null,
      lastUsedAt: null,
      createdAt: now,
      revokedAt: null,
    };
    await tx.repository(ApiKey).insert(apiKey);
    return { wallet: { ...wallet, expired: wallet.expiry <= now }, apiKey };
  }

  async find(walletId: string, accountId: string): Promise<Wallet> {
    const id = idOf(walletId);
    return found(await this.database.repository(Wallet).findOneBy({ id, accountId }));
  }

  async requireOwned(walletId: string, accountId: string): Promise<OwnedWallet> {
    const id = idOf(walletId);
    return found(await this.database.repository(Wallet).findOne({ select: OWNED, where: { id, accountId } }));
  }

  /** Those that the user made; without wallets made meanwhile. */
  async *pagesOf({ accountId, userId }: Actor): AsyncGenerator<Wallet[], void> {
    let page: Wallet[] = [];
    do {
      const oldest = page.at(-1);
      const query = this.database.reads
        .repository(Wallet)
        .createQueryBuilder('wallet')
        .where('wallet.accountId = :accountId', { accountId })
        .andWhere('coalesce(wallet.madeByUserId, wallet.accountId) = :userId', { userId })
        .orderBy('wallet.createdAt', 'DESC')
        .addOrderBy('wallet.id', 'DESC')
        .limit(LIST_PAGE_SIZE);
      if (oldest) query.andWhere('(wallet.createdAt, wallet.id) < (:createdAt, :id)', oldest);
      page = await query.getMany();
      if (page.length > 0) yield page;
    } while (page.length === LIST_PAGE_SIZE);
  }

  async search(
    accountId: string,
    { statuses, sort, ...choice }: WalletQuery,
    { page, pageSize }: PageRequest,
  ): Promise<Page<Wallet>> {
    const by = sort.replace('-', '');
    const query = this.chosen(accountId, choice)
      .orderBy(by === 'name' ? 'lower(wallet.name)' : `wallet.${by}`, sort.startsWith('-') ? 'DESC' : 'ASC')
      .addOrderBy('wallet.id', 'DESC')
      .offset((page - 1) * pageSize)
      .limit(pageSize);
    if (statuses) query.andWhere('wallet.status IN (:...statuses)', { statuses: [...statuses] });
    const [rows, total] = await query.getManyAndCount();
    return { rows, total };
  }

  ownedBy(accountId: string, choice: WalletChoice): Promise<readonly OwnedWallet[]> {
    return this.chosen(accountId, choice)
      .setFindOptions({ select: OWNED, order: { createdAt: 'DESC', id: 'DESC' } })
      .getMany();
  }

  labelsOf(accountId: string): Promise<readonly Pick<Wallet, 'id' | 'name' | 'status' | 'suspendedAllAt'>[]> {
    return this.chosen(accountId, { ids: null, text: null })
      .select(['wallet.id', 'wallet.name', 'wallet.status', 'wallet.suspendedAllAt'])
      .orderBy('lower(wallet.name)')
      .addOrderBy('wallet.id')
      .getMany();
  }

  private chosen(accountId: string, { ids, text }: WalletChoice): SelectQueryBuilder<Wallet> {
    const query = this.database.reads
      .repository(Wallet)
      .createQueryBuilder('wallet')
      .where('wallet.accountId = :accountId', { accountId });
    if (ids) query.andWhere('wallet.id IN (:...ids)', { ids });
    if (text !== null)
      query.andWhere(`strpos(${sqlWithoutIgnorable('lower(wallet.name)')}, :text) > 0`, { text });
    return query;
  }

  async idsOwnedBy(accountId: string | null): Promise<readonly string[]> {
    const wallets = await this.database.reads
      .repository(Wallet)
      .find({ select: { id: true }, where: accountId === null ? {} : { accountId } });
    return wallets.map(({ id }) => id);
  }

  async namesOf(walletIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wallets = await this.database.reads
      .repository(Wallet)
      .find({ select: { id: true, name: true }, where: { id: In(walletIds) } });
    return new Map(wallets.map(({ id, name }) => [id, name]));
  }

  async keyLabels(ids: readonly string[], from: Queryable = this.database.reads) {
    const sql = 'SELECT id, key_prefix AS prefix, name FROM api_keys WHERE id = ANY ($1::uuid[])';
    const keys = await from.query<KeyLabel>(sql, [ids]);
    return new Map(keys.map((key) => [key.id, key]));
  }

  async requireOwnedKey(keyId: string, accountId: string): Promise<{ walletId: string; createdAt: Date }> {
    const [key] = await this.database.reads.query<{ walletId: string; createdAt: Date }>(
      `SELECT k.wallet_id AS "walletId", k.created_at AS "createdAt"
         FROM api_keys k JOIN wallets w ON w.id = k.wallet_id WHERE k.id = $1 AND w.user_id = $2`,
      [keyId, accountId],
    );
    if (!key) throw new AppError('KEY_NOT_FOUND', 'Key not found.');
    return key;
  }

  async withdrawalTargetsOf(withdrawalIds: readonly string[]): Promise<ReadonlyMap<string, BankAccount>> {
    const withdrawals = await this.database.reads.repository(Withdrawal).find({
      select: { id: true, walletId: true, seq: true, accountNumber: true, bankCode: true },
      where: { id: In(withdrawalIds) },
    });
    return new Map(withdrawals.map(({ id, accountNumber, bankCode }) => [id, { accountNumber, bankCode }]));
  }

  async ownersOf(walletIds: readonly string[], from: Queryable): Promise<ReadonlyMap<string, string>> {
    const rows = await from.query<{ id: string; accountId: string }>(
      'SELECT id, user_id AS "accountId" FROM wallets WHERE id = ANY ($1::uuid[])',
      [walletIds],
    );
    return new Map(rows.map(({ id, accountId }) => [id, accountId]));
  }

  keysOf(walletIds: readonly string[]): Promise<KeySummary[]> {
    return this.database.reads.repository(ApiKey).find({
      select: KEY_SUMMARY,
      where: { walletId: In(walletIds), ...LIVE },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  merchantsOf(walletId: string): Promise<WalletMerchant[]> {
    return this.database.reads.repository(WalletMerchant).find({
      select: { id: true, name: true },
      where: { walletId },
      order: { id: 'ASC' },
      take: MERCHANTS_SHOWN_MAX,
    });
  }

  async requireKey(keyHash: KeyHash): Promise<void> {
    await this.keyReaders.find(keyHash);
  }

  requireReader(keyHash: KeyHash): Promise<KeyReader> {
    return this.keyReaders.requireReader(keyHash);
  }

  async ofKey(keyHash: KeyHash): Promise<KeyWallet> {
    const key = await this.database.repository(ApiKey).findOneBy({ hash: keyHashBytes(keyHash), ...LIVE });
    if (!key) throw invalidKey();
    const { id: keyId, walletId, limits } = key;
    const wallet = await this.database.repository(Wallet).findOneByOrFail({ id: walletId });
    readFor({ kind: 'key', id: keyId }, { kind: 'user', id: wallet.accountId });
    note({ walletId });
    if (!limits) return { ...wallet, key };
    const asked = { walletId, keyId, days: limits.periodWindowDays ?? 0 };
    const usage = (await this.keyUsages.usageOf([asked], this.database)).get(keyId);
    if (!usage) throw new Error(`usage of key ${keyId} was not found`);
    return { ...wallet, key, limited: { limits, usage, now: usage.now } };
  }

  async keyEndsBy(keyId: string, at: Date): Promise<boolean> {
    return this.database.reads.repository(ApiKey).existsBy({ id: keyId, expiresAt: LessThanOrEqual(at) });
  }
}
