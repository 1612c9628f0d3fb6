import { Injectable, Logger } from '@nestjs/common';
import { Bank, type Collection } from '../bank/bank.port.js';
import { CaseOpened } from '../operations/operations.events.js';
import { Database, type Tx, violates } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { isTopup, WalletCredited } from '../wallet/wallet.events.js';
import { TransferReceived, WalletFunded } from './funding.events.js';
import { type NewVirtualAccount, type VirtualAccount, VirtualAccounts } from './funding.port.js';
import { type Charge, eventOf, readCharge } from './funding.domain.js';
import { FundingStore, type TransferRecord } from './funding.store.js';

/** What became of a delivery; each is acknowledged, since nothing is lost by it. */
export type DeliveryResult = 'credited' | 'duplicate' | 'held' | 'conflict' | 'ignored' | 'unmatched';

@Injectable()
export class FundingService extends VirtualAccounts {
  private readonly log = new Logger(FundingService.name);

  constructor(
    private readonly store: FundingStore,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
  ) {
    super();
  }

  async issue(wallet: { id: string; name: string; ownerEmail: string }): Promise<NewVirtualAccount> {
    const account = await this.bank.issueVirtualAccount({
      accountReference: wallet.id,
      accountName: wallet.name,
      customer: { name: wallet.name, email: wallet.ownerEmail },
    });
    return { ...account, walletId: wallet.id };
  }

  add(account: NewVirtualAccount, tx: Tx): Promise<VirtualAccount> {
    return this.store.addAccount(account, tx);
  }

  of(walletIds: readonly string[]): Promise<readonly VirtualAccount[]> {
    return this.store.accountsOf(walletIds);
  }

  /**
   * Takes one delivery of the bank's webhook and does with it what the decisions say ("Inbound webhook").
   * A transfer is credited once, however often and however concurrently it is delivered.
   * Throws `INVALID_SIGNATURE` and `VALIDATION_ERROR` (nothing is stored), and `WALLET_NOT_FOUND` (recorded as
   * unmatched; a later delivery can still credit it).
   */
  async receive(raw: Buffer, signature: string | undefined): Promise<DeliveryResult> {
    const read = this.bank.readWebhook(raw, signature);
    if (read.kind === 'bad-signature') {
      throw new AppError('INVALID_SIGNATURE', 'The signature of this delivery is missing or wrong.');
    }
    const body = raw.toString();
    const event = eventOf(read.body);
    if (event !== 'charge.success') {
      await this.database.transaction((tx) =>
        this.store.record({ status: 'ignored', reference: null, why: 'another event', body }, tx),
      );
      return 'ignored';
    }
    const charge = readCharge(read.body);
    const result = await this.credit(charge, body);
    if (result === 'unmatched') {
      this.log.warn({ reference: charge.reference }, 'a transfer matches no wallet');
      throw new AppError('WALLET_NOT_FOUND', 'No wallet has this account_reference.');
    }
    return result;
  }

  /**
   * Takes what the bank has on its books and no webhook told of: exactly as if one had, so that a webhook that
   * comes yet is a duplicate.
   */
  creditMissedCollection(collection: Collection): Promise<DeliveryResult> {
    return this.credit(collection, JSON.stringify({ foundBy: 'reconciliation', ...collection }));
  }

  private credit(charge: Charge, body: string): Promise<DeliveryResult> {
    return this.take(charge, body).catch((error: unknown) => {
      if (!violates(error, 'wallets_balance_range')) throw error;
      return this.take(charge, body, 'the balance of the wallet cannot hold it');
    });
  }

  /** Subscribers are told of money that arrived, and not of what is given back. */
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

  private take(charge: Charge, body: string, cannotHold?: string): Promise<DeliveryResult> {
    return this.database.transaction(async (tx) => {
      const { reference, amount, currency, narration } = charge;
      const walletId = charge.accountReference.toLowerCase();
      const transfer: TransferRecord = { reference, walletId, amount, currency: currency.toUpperCase() };
      const isKnown = (await this.store.findExistingIds([walletId], tx)).has(walletId);
      const why =
        cannotHold ?? (transfer.currency === 'NGN' ? null : 'a naira account cannot hold this currency');
      const seen = isKnown
        ? await this.store.recordTransfer(
            { ...transfer, status: why ? 'held' : 'credited', narration, why, body },
            tx,
          )
        : await this.store.countRedelivery(reference, tx);
      if (seen) {
        if (isSame(seen, transfer)) return 'duplicate';
        const conflict = 'the reference was seen with another amount, wallet or currency';
        await this.store.record({ status: 'conflict', reference, why: conflict, body }, tx);
        await this.events.publish(
          [
            new CaseOpened({
              kind: 'transfer-conflict',
              subject: reference,
              walletId: seen.walletId,
              what: conflict,
            }),
          ],
          tx,
        );
        return 'conflict';
      }
      if (!isKnown) {
        await this.store.record({ status: 'unmatched', reference, why: 'no such wallet', body }, tx);
        return 'unmatched';
      }
      if (why) {
        await this.events.publish(
          [new CaseOpened({ kind: 'transfer-held', subject: reference, walletId, what: why })],
          tx,
        );
        return 'held';
      }
      await this.events.publish([new TransferReceived({ walletId, amount, reference, narration })], tx);
      return 'credited';
    });
  }
}

function isSame(one: TransferRecord, other: TransferRecord): boolean {
  return one.walletId === other.walletId && one.amount === other.amount && one.currency === other.currency;
}
