import { Injectable } from '@nestjs/common';
import type { Tx } from '../shared/database.js';
import { InTransaction } from '../shared/events.js';
import { WalletCredited, WalletDebited } from '../wallet/wallet.contract.js';
import { LedgerStore } from './ledger.store.js';

/** Writes down every change of a balance, in the transaction that changes it. */
@Injectable()
export class LedgerService {
  constructor(private readonly store: LedgerStore) {}

  @InTransaction(WalletDebited)
  recordDebits(debits: readonly WalletDebited[], tx: Tx): Promise<void> {
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
    return Promise.resolve();
  }

  @InTransaction(WalletCredited)
  recordCredits(credits: readonly WalletCredited[], tx: Tx): Promise<void> {
    this.store.append(
      credits.map(({ at, ...credit }) => ({
        ...credit,
        type: credit.transactionId === null ? 'topup' : 'refund',
        createdAt: at,
      })),
      tx,
    );
    return Promise.resolve();
  }
}
