import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { InTransaction } from '../../platform/events/events.js';
import { type Cause, isTopup, WalletCredited, WalletDebited } from '../wallet/wallet.events.js';
import { LedgerStore, type NewEntry } from './ledger.store.js';

const SOURCES = {
  payment: null,
  'bank-transfer': null,
  withdrawal: 'withdrawal',
  'wallet-transfer': 'transfer',
} as const satisfies Record<Cause, NewEntry['source']>;

/** Writes down every change of a balance, in the transaction that changes it. */
@Injectable()
export class LedgerService {
  constructor(private readonly store: LedgerStore) {}

  @InTransaction(WalletDebited)
  recordDebits(debits: readonly WalletDebited[], tx: Tx): void {
    this.store.append(
      debits.map((debit) => ({
        ...debit,
        type: 'debit',
        movementId: debit.reference,
        source: SOURCES[debit.cause],
        createdAt: debit.at,
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
        createdAt: credit.at,
      })),
      tx,
    );
  }
}
