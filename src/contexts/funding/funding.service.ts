import { Injectable } from '@nestjs/common';
import { Bank, type Collection } from '../bank/bank.port.js';
import { CaseOpened, CaseResolved } from '../operations/operations.events.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { violates } from '../../platform/database/failures.js';
import { AppError } from '../../kernel/errors.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { isTopup, WalletCredited } from '../wallet/wallet.events.js';
import { TransferReceived, WalletFunded } from './funding.events.js';
import { type Charge, conflictWith, eventOf, holdReason, storedText, readCharge } from './funding.domain.js';
import { FundingStore } from './funding.store.js';
import { VirtualAccountsStore } from './virtual-accounts.store.js';

const RESULTS = ['credited', 'duplicate', 'held', 'conflict', 'ignored', 'unmatched'] as const;
/** All are acknowledged. */
export type DeliveryResult = (typeof RESULTS)[number];

const IGNORED_DAYS = 30;

interface Source {
  readonly from: 'bank' | 'reconciliation';
  readonly body: string;
}

@Injectable()
export class FundingService {
  private readonly transfers;

  constructor(
    private readonly store: FundingStore,
    private readonly accounts: VirtualAccountsStore,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
    metrics: Metrics,
  ) {
    this.transfers = metrics.counter(
      'apw_inbound_transfers_total',
      'Deliveries of inbound transfers, by result',
      RESULTS.map((result) => ({ result })),
    );
    jobs.daily('funding.purge-ignored-daily', '03:30', () => this.store.purgeIgnored(IGNORED_DAYS));
  }

  /**
   * Credits a transfer once, however often it comes. Throws `INVALID_SIGNATURE`, `VALIDATION_ERROR` (nothing
   * stored) and `WALLET_NOT_FOUND` (recorded).
   */
  async receive(raw: Buffer, signature: string | undefined): Promise<DeliveryResult> {
    const read = this.bank.readWebhook(raw, signature);
    if (read.kind === 'bad-signature') {
      throw new AppError('INVALID_SIGNATURE', 'The signature of this delivery is missing or wrong.');
    }
    const body = raw.toString();
    const event = eventOf(read.body);
    if (event !== 'charge.success') {
      await this.store.recordIgnored(body);
      this.transfers.add(1, { result: 'ignored' });
      return 'ignored';
    }
    const charge = readCharge(read.body);
    const result = await this.credit(charge, { from: 'bank', body });
    if (result === 'unmatched') {
      throw new AppError('WALLET_NOT_FOUND', 'No wallet has this account_reference.');
    }
    return result;
  }

  /** Credits as a webhook would, so that a late webhook is a duplicate. */
  creditMissedCollection(collection: Collection): Promise<DeliveryResult> {
    const body = JSON.stringify({ foundBy: 'reconciliation', ...collection });
    const narration = collection.narration === null ? null : storedText(collection.narration);
    return this.credit({ ...collection, narration, bankStatus: null }, { from: 'reconciliation', body });
  }

  private async credit(charge: Charge, source: Source): Promise<DeliveryResult> {
    const result = await this.tryCredit(charge, source).catch((error: unknown) => {
      if (!violates(error, 'wallets_balance_range')) throw error;
      return this.tryCredit(charge, source, 'the balance of the wallet cannot hold it');
    });
    this.transfers.add(1, { result });
    return result;
  }

  /** Only money that came in, not refunds. */
  @InTransaction(WalletCredited)
  async announce(credits: readonly WalletCredited[], tx: Tx): Promise<void> {
    const funded = credits.filter(isTopup).map(
      ({ walletId, amount, balanceAfter, at }) =>
        new WalletFunded({
          walletId,
          amountCredited: amount,
          newBalance: balanceAfter,
          currency: 'NGN',
          fundedAt: at.toISOString(),
        }),
    );
    await this.events.publish(funded, tx);
  }

  private tryCredit(charge: Charge, { from, body }: Source, cannotHold?: string): Promise<DeliveryResult> {
    return this.database.transaction(async (tx) => {
      const { reference, amount, narration, bankStatus } = charge;
      const accountReference = charge.accountReference.toLowerCase();
      const currency = charge.currency.toUpperCase();
      const isKnown = (await this.accounts.findExistingIds([accountReference], tx)).has(accountReference);
      const reason = cannotHold ?? holdReason(charge);
      const seen = isKnown
        ? await this.store.recordTransfer(
            {
              reference,
              walletId: accountReference,
              amount,
              currency,
              bankStatus,
              status: reason ? 'held' : 'credited',
              narration,
              reason,
              body,
            },
            tx,
          )
        : await this.store.countRedelivery(reference, tx);
      const delivery = { reference, accountReference, amount, currency, bankStatus, body };
      if (seen) {
        const conflict = conflictWith(seen, delivery);
        if (!conflict) return 'duplicate';
        const isNew = await this.store.record({ ...delivery, status: 'conflict', reason: conflict }, tx);
        // A webhook reopens a closed case; a reconciliation does so once.
        const reopens = isNew || from === 'bank';
        await this.events.publish(
          [
            new CaseOpened({
              kind: 'transfer-conflict',
              subject: reference,
              walletId: seen.walletId,
              description: conflict,
              reopens,
            }),
          ],
          tx,
        );
        return 'conflict';
      }
      if (!isKnown) {
        const more = reason ? `; ${reason}` : '';
        const isNew = await this.store.record(
          { ...delivery, status: 'unmatched', reason: `no such wallet${more}` },
          tx,
        );
        await this.events.publish(
          [
            new CaseOpened({
              kind: 'transfer-unmatched',
              subject: reference,
              walletId: null,
              description: `${amount} kobo in ${currency} for the account reference "${accountReference}", which is no wallet's${more}`,
              // Repeats do not reopen.
              reopens: isNew,
            }),
          ],
          tx,
        );
        return 'unmatched';
      }
      const outcome = `${reason ? 'held' : 'credited'} since, for the wallet ${accountReference}`;
      await this.events.publish(
        [new CaseResolved({ kind: 'transfer-unmatched', subject: reference, outcome })],
        tx,
      );
      if (reason) {
        await this.events.publish(
          [
            new CaseOpened({
              kind: 'transfer-held',
              subject: reference,
              walletId: accountReference,
              description: reason,
            }),
          ],
          tx,
        );
        return 'held';
      }
      await this.events.publish(
        [new TransferReceived({ walletId: accountReference, amount, reference, narration })],
        tx,
      );
      return 'credited';
    });
  }
}
