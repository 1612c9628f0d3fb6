import { Injectable } from '@nestjs/common';
import { Payments } from '../payments/payments.port.js';
import { SessionIds } from '../settlement/settlement.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { LedgerPeriodsStore, type NumberedEntry } from './ledger-periods.store.js';
import {
  type EntryRange,
  type LedgerLine,
  type LedgerPeriod,
  LedgerPeriods,
  type LedgerSums,
} from './ledger.port.js';
import { LedgerService } from './ledger.service.js';
import type { ReadEntry } from './ledger.store.js';

@Injectable()
export class LedgerLinesService implements LedgerPeriods {
  constructor(
    private readonly store: LedgerPeriodsStore,
    private readonly ledger: LedgerService,
    private readonly payments: Payments,
    private readonly sessionIds: SessionIds,
    private readonly wallets: Wallets,
  ) {}

  between(walletIds: readonly string[], from: Date, to: Date): Promise<readonly LedgerPeriod[]> {
    return this.store.between(walletIds, from, to);
  }

  sums(ranges: readonly EntryRange[]): Promise<ReadonlyMap<string, LedgerSums>> {
    return this.store.sums(ranges);
  }

  async lines(range: EntryRange, limit: number): Promise<readonly LedgerLine[]> {
    return this.linesOf(await this.store.entries(range, limit));
  }

  async linesOf<Entry extends ReadEntry>(entries: readonly Entry[]): Promise<(Entry & LedgerLine)[]> {
    if (entries.length === 0) return [];
    const paid = entries.flatMap(({ transactionId }) => transactionId ?? []);
    const payouts = entries.filter(isPayout).map(({ reference }) => reference);
    const [counterparties, origins, sessionIds, names] = await Promise.all([
      this.ledger.counterpartiesOf(entries),
      this.payments.originsOf(paid),
      this.sessionIds.sessionIdsOf(payouts),
      this.wallets.namesOf([...new Set(entries.map(({ walletId }) => walletId))]),
    ]);
    const labels = await this.wallets.keyLabels([
      ...new Set([...origins.values()].flatMap(({ keyId }) => keyId ?? [])),
    ]);
    return entries.map((entry) => {
      const { name = null, accountNumber = null, bankCode = null } = counterparties.get(entry.id) ?? {};
      const { keyId = null, reason = null } = origins.get(entry.transactionId ?? '') ?? {};
      return {
        ...entry,
        cause: causeOf(entry),
        walletName: names.get(entry.walletId) ?? '',
        counterparty: name,
        accountNumber,
        bankCode,
        reason,
        key: labels.get(keyId ?? '') ?? null,
        sessionId: sessionIds.get(entry.reference) ?? null,
        seq: (entry as Partial<NumberedEntry>).seq ?? 0,
      };
    });
  }
}

function causeOf({ source, type, transactionId }: ReadEntry): LedgerLine['cause'] {
  if (source !== null) return source;
  return type === 'topup' && transactionId === null ? 'bank-transfer' : 'payment';
}

const isPayout = ({ source, type }: ReadEntry): boolean => type !== 'topup' && source !== 'transfer';
