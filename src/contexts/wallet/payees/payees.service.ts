import { Injectable } from '@nestjs/common';
import { NameEnquiry } from '../../bank/name-enquiry.port.js';
import { type Actor, secondFactorRequired } from '../../identity/identity.port.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { AfterCommit, Events } from '../../../platform/events/events.js';
import { JOB_DEADLINE_MS } from '../../../platform/jobs/jobs.js';
import { AppError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { merchantIdentity } from '../../../kernel/text.js';
import { assertOpen } from '../open-wallet.port.js';
import { ControlsStore } from '../controls/controls.store.js';
import type { Wallet } from '../wallet.entity.js';
import { PayeeRemembered } from '../../payments/payments.events.js';
import { PayeeRegistered } from '../wallet.events.js';
import { WalletStore } from '../wallet.store.js';
import type { Payee } from './payees.entity.js';
import { PAYEES_MAX, WHOLE_WALLET } from './payees.port.js';
import { PayeesStore } from './payees.store.js';

/** Leaves time for one more enquiry within a job's deadline. */
const NAMING_MS_MAX = JOB_DEADLINE_MS / 4;

export interface PayeeRequest {
  readonly merchantName: string;
  readonly accountNumber: string;
  readonly bankCode: string;
}

@Injectable()
export class WalletPayeesService {
  constructor(
    private readonly store: PayeesStore,
    private readonly wallets: WalletStore,
    private readonly controls: ControlsStore,
    private readonly names: NameEnquiry,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /**
   * Registers with the bank's name, asked before the lock; repeatable. Throws `WALLET_NOT_FOUND`,
   * `ACCOUNT_NOT_FOUND`, `BANK_UNAVAILABLE`, `WALLET_CLOSED` and `PAYEE_LIMIT_REACHED`.
   */
  async register(walletId: string, actor: Actor, request: PayeeRequest): Promise<Payee> {
    const { accountId, userId } = actor;
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    const accountName = await this.names.accountName(request);
    return this.database.transaction(async (tx) => {
      const wallet = await this.controls.lock(id, actor, 'payees.manage', tx);
      assertOpen(wallet);
      const merchant = merchantIdentity(request.merchantName);
      const identity = { ...request, walletId: id, merchant, historyId: WHOLE_WALLET };
      const known = await this.store.find(identity, tx);
      if (known?.origin === 'registered') return known;
      const at = await this.controls.timeOfChange([wallet], tx);
      const payee: Payee = known
        ? { ...known, origin: 'registered', accountName }
        : {
            ...identity,
            id: newId(),
            accountName,
            origin: 'registered',
            firstTransactionId: null,
            createdAt: at,
          };
      if (known) await this.store.register(payee, tx);
      else {
        if ((await this.store.count(id, tx)) >= PAYEES_MAX) throw limitReached();
        await this.store.add(payee, tx);
      }
      await this.record(wallet, userId, 'payee.registered', known && shown(known), shown(payee), at, tx);
      const { id: payeeId, merchantName, accountNumber, bankCode } = payee;
      const registered = { walletId: id, payeeId, merchantName, accountNumber, bankCode, accountName };
      await this.events.publish([new PayeeRegistered(registered)], tx);
      return payee;
    });
  }

  /** Returns one page, newest first. Throws `WALLET_NOT_FOUND`. */
  async list(walletId: string, accountId: string, request: PageRequest): Promise<Page<Payee>> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    return this.store.list(id, request);
  }

  /**
   * Throws `WALLET_NOT_FOUND`, `PAYEE_NOT_FOUND`, and `TWO_FACTOR_REQUIRED` without `mayWeaken` if the next
   * payment would choose the account anew.
   */
  remove(walletId: string, actor: Actor, payeeId: string, mayWeaken: boolean): Promise<Payee> {
    return this.database.transaction(async (tx) => {
      const wallet = await this.controls.lock(walletId, actor, 'payees.manage', tx);
      const payee = await this.store.get(payeeId, wallet.id, tx);
      if (!mayWeaken && wallet.controls?.payeePolicy === 'first_use') throw secondFactorRequired();
      const at = await this.controls.timeOfChange([wallet], tx);
      await this.store.remove(payee, tx);
      await this.record(wallet, actor.userId, 'payee.removed', shown(payee), null, at, tx);
      return payee;
    });
  }

  private async record(
    wallet: Wallet,
    userId: string,
    action: string,
    before: object | null,
    after: object | null,
    at: Date,
    tx: Tx,
  ): Promise<void> {
    await this.controls.touch(wallet, at, tx);
    const change = { walletId: wallet.id, userId, action, before: before ?? {}, after: after ?? {} };
    await this.controls.record([change], at, tx);
  }

  /** Throws if the bank does not answer in time: the job is retried. */
  @AfterCommit(PayeeRemembered)
  async nameRemembered(events: readonly PayeeRemembered[]): Promise<void> {
    const stopAt = performance.now() + NAMING_MS_MAX;
    const unnamed = await this.store.unnamed(events);
    for (const payee of unnamed) {
      if (performance.now() > stopAt) throw new Error('the bank answers too slowly');
      const name = await this.names.resolve(payee);
      if (name.kind === 'unknown') throw new Error(`name enquiry failed: ${name.reason}`);
      if (name.kind === 'resolved') await this.store.name(payee, name.accountName);
    }
  }
}

function limitReached(): AppError {
  return new AppError('PAYEE_LIMIT_REACHED', `A wallet can have ${PAYEES_MAX} payees. Remove one first.`);
}

function shown({ id, merchant, merchantName, accountNumber, bankCode, accountName, origin }: Payee): object {
  return { payeeId: id, merchant, merchantName, accountNumber, bankCode, accountName, origin };
}
