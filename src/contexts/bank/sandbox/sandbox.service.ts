import { randomUUID } from 'node:crypto';
import { AppError } from '../../../kernel/errors.js';
import { GroupCommit } from '../../../platform/batching/group-commit.js';
import { TRANSACTION_DEADLINE_MS } from '../../../platform/database/data-source.js';
import { type Kobo, kobo, KOBO_MAX } from '../../../kernel/money.js';
import {
  type AccountRequest,
  Bank,
  type BankName,
  type Capabilities,
  type Collection,
  isTooLate,
  type IssuedAccount,
  NOT_SENT,
  type Payout,
  type PayoutState,
  type ReadWebhook,
} from '../bank.port.js';
import type { ResolvedName } from '../name-enquiry.port.js';
import { BANKS } from '../bank-names.port.js';
import { readKoraWebhook } from '../kora/kora-webhook.js';
import { nubanCheckDigit } from '../nuban.js';
import type { SandboxAccount } from './sandbox.entity.js';
import { stateAfter, UNKNOWN_ACCOUNT } from './sandbox-outcomes.js';
import type { SandboxTransfers } from './sandbox.port.js';
import type { SandboxReports } from './sandbox-reports.js';
import type { SandboxStore } from './sandbox.store.js';

/** A real three-digit code, so that numbers pass the NUBAN check. */
const SANDBOX_BANK = { bankCode: '035', bankName: 'Wema Bank (sandbox)' };
const COLLECTIONS_PAGE = 500;
const LIMITS = { queueMax: 10_000, batchMax: 500, lockWaitsMax: 1, resultsPerTick: 500, gathersTurn: true };

/** No money moves. Payouts are idempotent by reference and can be polled after a crash. */
export class SandboxBank extends Bank implements SandboxTransfers {
  override readonly capabilities: Capabilities = {
    provider: 'sandbox',
    minPayout: kobo(1),
    maxPayout: KOBO_MAX,
    payoutConcurrency: 1,
    payoutsPerBatch: 500,
    callMsMax: TRANSACTION_DEADLINE_MS,
  };

  private readonly payouts = new GroupCommit<Payout, PayoutState>((payouts) => this.accept(payouts), LIMITS);

  constructor(
    private readonly store: SandboxStore,
    private readonly reports: SandboxReports,
    private readonly webhookSecrets: readonly string[],
  ) {
    super();
  }

  override async issueVirtualAccount(request: AccountRequest): Promise<IssuedAccount> {
    const { accountReference, accountName } = request;
    await this.store.addAccount(accountReference, accountName);
    const issued = await this.findVirtualAccount(accountReference);
    if (!issued)
      throw new AppError('BANK_UNAVAILABLE', 'The sandbox bank did not keep the account. Try again.');
    return issued;
  }

  override async findVirtualAccount(accountReference: string): Promise<IssuedAccount | null> {
    const account = await this.store.findAccount({ accountReference });
    if (!account) return null;
    const serial = String(account.serial);
    return {
      accountNumber: `${serial}${nubanCheckDigit(SANDBOX_BANK.bankCode, serial)}`,
      accountName: account.accountName,
      ...SANDBOX_BANK,
      providerRef: `sandbox-${serial}`,
    };
  }

  override async resolveAccount({ accountNumber }: { accountNumber: string }): Promise<ResolvedName> {
    if (accountNumber === UNKNOWN_ACCOUNT) return { kind: 'not-resolved' };
    const own = await this.holderOf(accountNumber);
    return { kind: 'resolved', accountName: own?.accountName ?? `Sandbox Holder ${accountNumber.slice(-4)}` };
  }

  override listBanks(): Promise<readonly BankName[]> {
    return Promise.resolve(BANKS);
  }

  override startPayout(payout: Payout): Promise<PayoutState> {
    return this.payouts
      .submit(payout)
      .catch((error: unknown) => ({ kind: 'unknown', reason: String(error) }));
  }

  private async accept(payouts: readonly Payout[]): Promise<{ done: PayoutState }[]> {
    const accepted: Payout[] = [];
    const outcomes: { done: PayoutState }[] = [];
    for (const payout of payouts) {
      if (isTooLate(payout)) {
        outcomes.push({ done: NOT_SENT });
        continue;
      }
      const done = stateAfter(payout.accountNumber, 0);
      outcomes.push({ done });
      if (done.kind !== 'rejected') accepted.push(payout);
    }
    if (accepted.length > 0) await this.store.addPayouts(accepted);
    for (const payout of accepted) this.reports.reportLater(payout);
    return outcomes;
  }

  override async getPayout(reference: string): Promise<PayoutState> {
    const payout = await this.store.findPayout(reference);
    return payout ? stateAfter(payout.accountNumber, payout.ageMs) : { kind: 'not-found' };
  }

  override async getCollection(reference: string): Promise<Collection | null> {
    return (await this.store.findCollection(reference)) ?? null;
  }

  override async *listCollections(accountNumber: string, from: Date, to: Date): AsyncIterable<Collection> {
    for (let after = ''; ;) {
      const page = await this.store.collectionsPage({ accountNumber, from, to, after }, COLLECTIONS_PAGE);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < COLLECTIONS_PAGE) return;
      after = last.reference;
    }
  }

  private async holderOf(accountNumber: string): Promise<SandboxAccount | null> {
    const serial = accountNumber.slice(0, 9);
    if (`${serial}${nubanCheckDigit(SANDBOX_BANK.bankCode, serial)}` !== accountNumber) return null;
    return this.store.findAccount({ serial: Number(serial) });
  }

  async accountReferenceOf(accountNumber: string): Promise<string | null> {
    return (await this.holderOf(accountNumber))?.accountReference ?? null;
  }

  async collect(accountNumber: string, amount: Kobo): Promise<Collection> {
    const reference = `SBX-${randomUUID()}`;
    await this.store.addCollection(reference, accountNumber, amount);
    const collection = (await this.getCollection(reference)) as Collection;
    if (await this.reports.reportCollection(collection, accountNumber)) return collection;
    throw new AppError(
      'BANK_UNAVAILABLE',
      'The transfer is on the books of the sandbox, but its report was not taken; reconciliation will find it.',
    );
  }

  override readWebhook(raw: Buffer, signature: string | undefined): ReadWebhook {
    return readKoraWebhook(raw, signature, this.webhookSecrets);
  }
}
