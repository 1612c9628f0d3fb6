import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/errors.js';
import type { PageRequest, TotalledPage } from '../../kernel/page.js';
import { isUuid } from '../../kernel/text.js';
import { violates } from '../../platform/database/failures.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events } from '../../platform/events/events.js';
import { TransferReceived } from './funding.events.js';
import { creditProblem, InboundTransfers, type OpenTransfer } from './inbound-transfers.port.js';
import { InboundTransfersStore } from './inbound-transfers.store.js';
import { VirtualAccountsStore } from './virtual-accounts.store.js';

@Injectable()
export class InboundTransfersService implements InboundTransfers {
  constructor(
    private readonly store: InboundTransfersStore,
    private readonly accounts: VirtualAccountsStore,
    private readonly events: Events,
  ) {}

  page(
    status: OpenTransfer['status'] | null,
    request: PageRequest,
  ): Promise<TotalledPage<OpenTransfer, OpenTransfer['status']>> {
    return this.store.page(status, request);
  }

  ofReference(reference: string, limit: number): Promise<readonly OpenTransfer[]> {
    return this.store.ofReference(reference, limit);
  }

  async lock(id: string, tx: Tx): Promise<OpenTransfer> {
    const transfer = await this.store.lock(id, tx);
    if (transfer) return transfer;
    throw new AppError(
      'OPERATOR_SUBJECT_NOT_FOUND',
      'No inbound transfer with this id waits for an operator. It may be resolved already.',
    );
  }

  isWaiting(transfer: Pick<OpenTransfer, 'status' | 'reference'>, tx: Tx): Promise<boolean> {
    return this.store.isWaiting(transfer, tx);
  }

  async credit(transfer: OpenTransfer, walletId: string, caseId: string | null, tx: Tx): Promise<void> {
    const problem = creditProblem(transfer);
    if (problem !== null) throw refused(problem);
    const { id, amount, reference, narration } = transfer;
    const isKnown = isUuid(walletId) && (await this.accounts.findExistingIds([walletId], tx)).has(walletId);
    if (!isKnown) throw new AppError('WALLET_NOT_FOUND', 'Wallet not found.');
    await this.once(this.store.setCredited(id, walletId, tx));
    try {
      const credit = { walletId, amount, reference, narration, caseId };
      await this.events.publish([new TransferReceived(credit)], tx);
    } catch (error) {
      if (!violates(error, 'wallets_balance_range')) throw error;
      throw refused('The balance of the wallet can not hold it.');
    }
  }

  async markReturned({ id }: OpenTransfer, tx: Tx): Promise<void> {
    await this.once(this.store.setReturned(id, tx));
  }

  private once(change: Promise<void>): Promise<void> {
    return change.catch((error: unknown) => {
      if (!violates(error, 'inbound_transfers_seen')) throw error;
      throw refused('Another delivery of this reference was credited or held meanwhile.');
    });
  }
}

function refused(message: string): AppError {
  return new AppError('OPERATOR_ACT_REFUSED', message);
}
