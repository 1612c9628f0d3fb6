import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { InTransaction } from '../../platform/events/events.js';
import { isTopup, WalletCredited, WalletDebited } from '../wallet/wallet.events.js';
import { LedgerStore } from './ledger.store.js';

/** Writes down every change of a balance, in the transaction that changes it. */
@Injectable()
export class LedgerService {
  constructor(private readonly store: LedgerStore) {}

  @InTransaction(WalletDebited)
  recordDebits(debits: readonly WalletDebited[], tx: Tx): void {
    this.store.append(
      debits.map(({ at, reference, ...debit }) => ({
        ...debit,
        type: 'debit',
        transactionId: reference,
        reference,
        createdAt: at,
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
        transactionId: isTopup(credit) ? null : credit.reference,
        createdAt: credit.at,
      })),
      tx,
    );
  }
}
