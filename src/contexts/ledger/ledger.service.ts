import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { InTransaction } from '../../platform/events/events.js';
import { WalletCredited, WalletDebited } from '../wallet/wallet.events.js';
import { LedgerStore } from './ledger.store.js';

/** Writes down every change of a balance, in the transaction that changes it. */
@Injectable()
export class LedgerService {
  constructor(private readonly store: LedgerStore) {}

  @InTransaction(WalletDebited)
  recordDebits(debits: readonly WalletDebited[], tx: Tx): void {
    this.store.append(
      debits.map(({ at, ...debit }) => ({
        ...debit,
        type: 'debit',
        reference: debit.transactionId,
        narration: null,
        createdAt: at,
      })),
      tx,
    );
  }

  @InTransaction(WalletCredited)
  recordCredits(credits: readonly WalletCredited[], tx: Tx): void {
    this.store.append(
      credits.map(({ at, ...credit }) => ({
        ...credit,
        type: credit.transactionId === null ? 'topup' : 'refund',
        createdAt: at,
      })),
      tx,
    );
  }
}
