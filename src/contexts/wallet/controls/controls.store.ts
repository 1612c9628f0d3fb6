import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../../identity/identity.events.js';
import { type Actor, Users } from '../../identity/identity.port.js';
import type { Act } from '../../identity/permissions.port.js';
import { newId } from '../../../kernel/ids.js';
import { AppError } from '../../../kernel/errors.js';
import { LIST_BYTES_MAX, type Page, type PageRequest, seqRange } from '../../../kernel/page.js';
import { isUuid, merchantIdentity } from '../../../kernel/text.js';
import type { SpendingRules } from '../wallet.domain.js';
import { Wallet } from '../wallet.entity.js';
import type { WalletStatus } from '../wallet.events.js';
import type { WalletControls } from '../wallet.events.js';
import { WalletChange } from './controls.entity.js';

export type WalletSettings = SpendingRules & {
  readonly name: string;
  readonly status: WalletStatus;
  readonly controls: WalletControls | null;
};

export type ListedChange = Omit<WalletChange, 'seq'> & {
  /** True: left out, as the page would be too large. */
  readonly omitted: boolean;
};

export interface NewChange {
  readonly walletId: string;
  readonly userId: string;
  readonly action: string;
  readonly before: object;
  readonly after: object;
  readonly isByOperator?: boolean;
}

@Injectable()
export class ControlsStore {
  constructor(
    private readonly users: Users,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** Throws `WALLET_NOT_FOUND` and `FORBIDDEN`. */
  async lock(walletId: string, actor: Actor, act: Act, tx: Tx): Promise<Wallet> {
    const [wallet] = await this.lockAll([walletId], actor, act, tx);
    return wallet as Wallet;
  }

  /** Keeps the order of the ids. */
  async lockAll(walletIds: readonly string[], actor: Actor, act: Act, tx: Tx): Promise<Wallet[]> {
    if (!walletIds.every(isUuid)) throw walletNotFound();
    const ids = walletIds.map((id) => id.toLowerCase());
    const rows = await tx.repository(Wallet).find({
      where: { id: In(ids), accountId: actor.accountId },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    await this.users.assertMay(actor, act, tx);
    return ids.map((id) => {
      const wallet = rows.find((row) => row.id === id);
      if (!wallet) throw walletNotFound();
      return wallet;
    });
  }

  async lockActive(actor: Actor, act: Act, tx: Tx): Promise<Wallet[]> {
    const active = await tx.repository(Wallet).find({
      where: { accountId: actor.accountId, status: 'ACTIVE' },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    await this.users.assertMay(actor, act, tx);
    return active;
  }

  /** Later than what came before: times tell which rules decided a payment. */
  async timeOfChange(wallets: readonly Wallet[], tx: Tx): Promise<Date> {
    const last = new Date(Math.max(...wallets.map(({ updatedAt }) => updatedAt.getTime())));
    const [row] = await tx.query<{ at: Date }>(
      `SELECT greatest(date_trunc('milliseconds', clock_timestamp()), $1::timestamptz + interval '1 ms') AS at`,
      [last],
    );
    return (row as { at: Date }).at;
  }

  async change(wallet: Wallet, change: Partial<WalletSettings>, at: Date, tx: Tx): Promise<Wallet> {
    const { merchantAllowlist } = change;
    const version = wallet.version + 1;
    await tx.repository(Wallet).update(
      { id: wallet.id },
      {
        ...change,
        ...(merchantAllowlist && { allowedMerchants: merchantAllowlist.map(merchantIdentity) }),
        version,
        updatedAt: at,
      },
    );
    const expired = change.expiry ? change.expiry <= at : wallet.expired;
    return { ...wallet, ...change, expired, version, updatedAt: at };
  }

  async setStatus(
    wallets: readonly Wallet[],
    change: Pick<Wallet, 'status' | 'suspendedAllAt'>,
    at: Date,
    tx: Tx,
  ): Promise<void> {
    await tx
      .repository(Wallet)
      .update(
        { id: In(wallets.map(({ id }) => id)) },
        { ...change, version: () => 'version + 1', updatedAt: at },
      );
  }

  async touch({ id }: Wallet, at: Date, tx: Tx): Promise<void> {
    await tx.repository(Wallet).update({ id }, { updatedAt: at });
  }

  async record(changes: readonly NewChange[], at: Date, tx: Tx): Promise<void> {
    const last = await tx
      .repository(WalletChange)
      .createQueryBuilder('change')
      .select('change.walletId', 'walletId')
      .addSelect('max(change.seq)', 'seq')
      .where('change.walletId IN (:...ids)', { ids: changes.map(({ walletId }) => walletId) })
      .groupBy('change.walletId')
      .getRawMany<{ walletId: string; seq: number }>();
    const seqOf = new Map(last.map(({ walletId, seq }) => [walletId, seq]));
    const next = (walletId: string): number => {
      const seq = (seqOf.get(walletId) ?? 0) + 1;
      seqOf.set(walletId, seq);
      return seq;
    };
    await tx.repository(WalletChange).insert(
      changes.map(({ isByOperator: _, ...change }) => ({
        ...change,
        id: newId(),
        seq: next(change.walletId),
        createdAt: at,
      })),
    );
    await this.publishActs(changes, tx);
  }

  private async publishActs(changes: readonly NewChange[], tx: Tx): Promise<void> {
    const ids = [...new Set(changes.map(({ walletId }) => walletId))];
    const wallets = await tx
      .repository(Wallet)
      .find({ select: { id: true, accountId: true }, where: { id: In(ids) } });
    const accountOf = new Map(wallets.map(({ id, accountId }) => [id, accountId]));
    const acts = changes.map(
      ({ walletId, userId, action, before, after, isByOperator = false }) =>
        new AccountActed({
          accountId: accountOf.get(walletId) as string,
          userId,
          act: action.includes('.') ? action : `wallet.${action.split(' ')[0]}`,
          subject: walletId,
          before,
          after,
          isByOperator,
        }),
    );
    await this.events.publish(acts, tx);
  }

  /** Details past {@link LIST_BYTES_MAX} are left out. */
  async changesOf(walletId: string, request: PageRequest): Promise<Page<ListedChange>> {
    const { reads } = this.database;
    const [last] = await reads.query<{ seq: number }>(
      'SELECT seq FROM wallet_changes WHERE wallet_id = $1 ORDER BY seq DESC LIMIT 1',
      [walletId],
    );
    const total = last?.seq ?? 0;
    const { after, upTo } = seqRange(request, total);
    const rows = await reads.query<ListedChange>(
      `SELECT id, wallet_id AS "walletId", user_id AS "userId", action, created_at AS "createdAt", omitted,
              CASE WHEN omitted THEN '{}' ELSE before END AS before, CASE WHEN omitted THEN '{}' ELSE after END AS after
         FROM (SELECT *, sum(octet_length(before::text) + octet_length(after::text)) OVER (ORDER BY seq DESC) > $4 AS omitted
                 FROM wallet_changes WHERE wallet_id = $1 AND seq > $2 AND seq <= $3) listed
        ORDER BY seq DESC`,
      [walletId, after, upTo, LIST_BYTES_MAX],
    );
    return { rows, total };
  }
}

function walletNotFound(): AppError {
  return new AppError('WALLET_NOT_FOUND', 'Wallet not found.');
}
