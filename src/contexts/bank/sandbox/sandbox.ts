import { randomUUID } from 'node:crypto';
import type { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../kernel/errors.js';
import { GroupCommit } from '../../../platform/batching/group-commit.js';
import { type Kobo, kobo, KOBO_MAX } from '../../../kernel/money.js';
import {
  type AccountRequest,
  Bank,
  type BankName,
  type Capabilities,
  type Collection,
  type IssuedAccount,
  type Payout,
  type PayoutState,
  type ReadWebhook,
  type ResolvedName,
} from '../bank.port.js';
import { BANKS } from '../banks.js';
import { readKoraWebhook } from '../kora/kora-webhook.js';
import { nubanCheckDigit } from '../nuban.js';

/** The bank that the sandbox plays: a real 3-digit code, so that its numbers pass the NUBAN check. */
const SANDBOX_BANK = { bankCode: '035', bankName: 'Wema Bank (sandbox)' };
const ACCOUNT_NAME_MAX = 100;
const COLLECTIONS_PAGE = 500;

/** How payouts to an account end. `afterMs` counts from the acceptance, by the database's clock. */
interface Outcome {
  readonly atFirst: PayoutState;
  readonly later?: { readonly afterMs: number; readonly state: PayoutState };
}

/** Account numbers that lead to each outcome, at any bank code. Payouts to all others succeed at once. */
export const MAGIC_ACCOUNTS: Readonly<Record<string, Outcome>> = {
  '9000000001': { atFirst: { kind: 'rejected', why: 'Invalid account.' } },
  '9000000002': {
    atFirst: { kind: 'accepted' },
    later: { afterMs: 2_000, state: { kind: 'failed', why: 'The destination bank refused the payout.' } },
  },
  '9000000003': { atFirst: { kind: 'accepted' } },
  '9000000004': {
    atFirst: { kind: 'succeeded' },
    later: { afterMs: 2_000, state: { kind: 'reversed', why: 'The destination bank sent the money back.' } },
  },
  '9000000005': {
    atFirst: { kind: 'unknown', why: 'The connection broke before the answer came.' },
    later: { afterMs: 2_000, state: { kind: 'succeeded' } },
  },
};
const UNKNOWN_ACCOUNT = '9000000001';

const stateAfter = (accountNumber: string, ageMs: number): PayoutState => {
  const outcome = MAGIC_ACCOUNTS[accountNumber];
  if (!outcome) return { kind: 'succeeded' };
  return outcome.later && ageMs >= outcome.later.afterMs ? outcome.later.state : outcome.atFirst;
};

/**
 * A bank of our own, on our own database: no money moves. It keeps books like a real one, so that payouts are
 * idempotent by reference and can be asked for again after a crash.
 */
export class SandboxBank extends Bank {
  override readonly capabilities: Capabilities = {
    provider: 'sandbox',
    minPayout: kobo(1),
    maxPayout: KOBO_MAX,
    payoutConcurrency: 1,
    payoutsPerBatch: 500,
  };

  private readonly payouts = new GroupCommit<Payout, PayoutState>((payouts) => this.accept(payouts), {
    queueMax: 10_000,
    batchMax: 500,
    lockWaitsMax: 1,
    resultsPerTick: 500,
  });

  constructor(
    private readonly database: Database,
    private readonly webhookSecret?: string,
  ) {
    super();
  }

  override async issueVirtualAccount(request: AccountRequest): Promise<IssuedAccount> {
    const { accountReference, accountName, customer } = request;
    const owner = customer.email.slice(0, customer.email.lastIndexOf('@'));
    await this.database.query(
      `INSERT INTO sandbox_accounts (account_reference, account_name) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [accountReference, [...`${accountName} / ${owner}`].slice(0, ACCOUNT_NAME_MAX).join('')],
    );
    const issued = await this.findVirtualAccount(accountReference);
    if (!issued)
      throw new AppError('BANK_UNAVAILABLE', 'The sandbox bank did not keep the account. Try again.');
    return issued;
  }

  override async findVirtualAccount(accountReference: string): Promise<IssuedAccount | null> {
    const [row] = await this.database.query<{ serial: number; accountName: string }>(
      `SELECT serial, account_name AS "accountName" FROM sandbox_accounts WHERE account_reference = $1`,
      [accountReference],
    );
    if (!row) return null;
    const serial = String(row.serial);
    return {
      accountNumber: `${serial}${nubanCheckDigit(SANDBOX_BANK.bankCode, serial)}`,
      accountName: row.accountName,
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
    return this.payouts.submit(payout).catch((error: unknown) => ({ kind: 'unknown', why: String(error) }));
  }

  private async accept(payouts: readonly Payout[]): Promise<{ done: PayoutState }[]> {
    const taken = payouts.filter(({ accountNumber }) => stateAfter(accountNumber, 0).kind !== 'rejected');
    await this.database.query(
      `INSERT INTO sandbox_payouts (reference, amount, bank_code, account_number, accepted_at)
       SELECT p.*, clock_timestamp() FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[]) p
       ON CONFLICT DO NOTHING`,
      [
        taken.map(({ reference }) => reference),
        taken.map(({ amount }) => amount),
        taken.map(({ bankCode }) => bankCode),
        taken.map(({ accountNumber }) => accountNumber),
      ],
    );
    return payouts.map(({ accountNumber }) => ({ done: stateAfter(accountNumber, 0) }));
  }

  override async getPayout(reference: string): Promise<PayoutState> {
    const [row] = await this.database.query<{ accountNumber: string; ageMs: number }>(
      `SELECT account_number AS "accountNumber",
              (extract(epoch FROM clock_timestamp() - accepted_at) * 1000)::bigint AS "ageMs"
         FROM sandbox_payouts WHERE reference = $1`,
      [reference],
    );
    return row ? stateAfter(row.accountNumber, row.ageMs) : { kind: 'not-found' };
  }

  override async getCollection(reference: string): Promise<Collection | null> {
    const [row] = await this.collections(`c.reference = $1`, [reference]);
    return row ?? null;
  }

  override async *listCollections(accountNumber: string, from: Date, to: Date): AsyncIterable<Collection> {
    for (let after = ''; ;) {
      const page = await this.collections(
        `c.account_number = $1 AND c.at >= $2 AND c.at < $3 AND c.reference > $4
         ORDER BY c.reference LIMIT ${COLLECTIONS_PAGE}`,
        [accountNumber, from, to, after],
      );
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < COLLECTIONS_PAGE) return;
      after = last.reference;
    }
  }

  private collections(where: string, values: readonly unknown[]): Promise<Collection[]> {
    return this.database.query<Collection>(
      `SELECT c.reference, a.account_reference AS "accountReference", c.amount, 'NGN' AS currency, c.narration, c.at
         FROM sandbox_collections c
         JOIN sandbox_accounts a ON a.serial = left(c.account_number, 9)::bigint WHERE ${where}`,
      values,
    );
  }

  private async holderOf(
    accountNumber: string,
  ): Promise<{ reference: string; accountName: string } | undefined> {
    const serial = accountNumber.slice(0, 9);
    if (`${serial}${nubanCheckDigit(SANDBOX_BANK.bankCode, serial)}` !== accountNumber) return undefined;
    const [row] = await this.database.query<{ reference: string; accountName: string }>(
      `SELECT account_reference AS reference, account_name AS "accountName" FROM sandbox_accounts WHERE serial = $1`,
      [serial],
    );
    return row;
  }

  /** The reference under which the account was issued; null for a number that the sandbox did not issue. */
  async accountReferenceOf(accountNumber: string): Promise<string | null> {
    return (await this.holderOf(accountNumber))?.reference ?? null;
  }

  /**
   * Simulates "somebody sent money to this account", which the sandbox must have issued: puts it on the sandbox's
   * books and answers the collection, which the sandbox then reports like a real bank.
   */
  async collect(accountNumber: string, amount: Kobo): Promise<Collection> {
    const reference = `SBX-${randomUUID()}`;
    await this.database.query(
      `INSERT INTO sandbox_collections (reference, account_number, amount, narration, at)
       VALUES ($1, $2, $3, 'Sandbox transfer', date_trunc('milliseconds', clock_timestamp()))`,
      [reference, accountNumber, amount],
    );
    return (await this.getCollection(reference)) as Collection;
  }

  override readWebhook(raw: Buffer, signature: string | undefined): ReadWebhook {
    return readKoraWebhook(raw, signature, this.webhookSecret);
  }
}
