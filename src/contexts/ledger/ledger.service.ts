import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import { InTransaction } from '../../platform/events/events.js';
import { type Cause, isTopup, WalletCredited, WalletDebited } from '../wallet/wallet.events.js';
import { Payments } from '../payments/payments.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { LedgerStore, type NewEntry, type ReadEntry } from './ledger.store.js';
import { mapped } from '../../kernel/mapped.js';

const SOURCES = {
  payment: null,
  'bank-transfer': null,
  withdrawal: 'withdrawal',
  'wallet-transfer': 'transfer',
} as const satisfies Record<Cause, NewEntry['source']>;

/** Null: unknown. */
export interface Counterparty {
  readonly type: 'merchant' | 'bank_account' | 'wallet';
  /** As supplied. */
  readonly name: string | null;
  readonly accountNumber: string | null;
  readonly bankCode: string | null;
  readonly walletId: string | null;
}

@Injectable()
export class LedgerService {
  constructor(
    private readonly store: LedgerStore,
    private readonly payments: Payments,
    private readonly wallets: Wallets,
  ) {}

  async counterpartiesOf(entries: readonly ReadEntry[]): Promise<ReadonlyMap<string, Counterparty>> {
    const withdrawalIds = entries
      .filter(({ source }) => source === 'withdrawal')
      .map(({ reference }) => reference);
    const [payees, targets, names] = await Promise.all([
      this.payments.payeesOf(present(entries.map(({ transactionId }) => transactionId))),
      this.wallets.withdrawalTargetsOf(withdrawalIds),
      this.wallets.namesOf(present(entries.map(({ otherWalletId }) => otherWalletId))),
    ]);
    const known = entries.map((entry): [string, Counterparty | null] => {
      const payee = payees.get(entry.transactionId ?? '');
      if (payee) {
        const { merchantName: name, ...account } = payee;
        return [entry.id, { type: 'merchant', name, ...account, walletId: null }];
      }
      const target = targets.get(entry.reference);
      if (entry.source === 'withdrawal' && target) {
        return [entry.id, { type: 'bank_account', name: null, ...target, walletId: null }];
      }
      const walletId = entry.otherWalletId;
      if (walletId === null) return [entry.id, null];
      const name = names.get(walletId) ?? null;
      return [entry.id, { type: 'wallet', name, accountNumber: null, bankCode: null, walletId }];
    });
    return new Map(known.filter((each): each is [string, Counterparty] => each[1] !== null));
  }

  @InTransaction(WalletDebited)
  recordDebits(debits: readonly WalletDebited[], tx: Tx): void {
    this.store.append(
      mapped(debits, ({ walletId, seq, amount, balanceAfter, cause, reference, narration, purpose, at }) => ({
        walletId,
        seq,
        type: 'debit',
        amount,
        balanceAfter,
        movementId: reference,
        reference,
        narration,
        createdAt: at,
        source: SOURCES[cause],
        purpose,
        caseId: null,
      })),
      tx,
    );
  }

  @InTransaction(WalletCredited)
  recordCredits(credits: readonly WalletCredited[], tx: Tx): void {
    this.store.append(
      credits.map((credit) => ({
        ...credit,
        type: isTopup(credit) ? 'topup' : 'refund',
        movementId: isTopup(credit) ? null : credit.reference,
        source: SOURCES[credit.cause],
        purpose: null,
        caseId: credit.caseId ?? null,
        createdAt: credit.at,
      })),
      tx,
    );
  }
}

function present<T>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.filter((each) => each !== null))];
}
