import { type Database } from '../shared/database.js';
import { Refusal } from '../shared/errors.js';
import { GroupCommit } from '../shared/group-commit.js';
import { DecimalText, kobo, KOBO_MAX } from '../shared/money.js';
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
} from './bank.contract.js';
import { nubanCheckDigit } from './nuban.js';

/** The bank that the sandbox plays: a real 3-digit code, so that its numbers pass the NUBAN check. */
const HOUSE = { bankCode: '035', bankName: 'Wema Bank (sandbox)' };
const ACCOUNT_NAME_MAX = 100;

/**
 * A bank of our own, on our own database: no money moves. It keeps books like a real one, so that payouts are
 * idempotent by reference and can be asked for again after a crash.
 */
export class SandboxBank extends Bank {
  readonly capabilities: Capabilities = {
    provider: 'sandbox',
    minPayout: kobo(1),
    maxPayout: KOBO_MAX,
    payoutsAtOnce: 500,
    reportsReversals: true,
  };

  private readonly payouts = new GroupCommit<Payout, PayoutState>((payouts) => this.accept(payouts), {
    queueMax: 10_000,
    batchMax: 500,
    lanesMax: 1,
  });

  constructor(private readonly database: Database) {
    super();
  }

  async issueVirtualAccount({
    accountReference,
    accountName,
    customer,
  }: AccountRequest): Promise<IssuedAccount> {
    const holder = `${accountName} / ${customer.email}`.slice(0, ACCOUNT_NAME_MAX);
    await this.database.query(
      `INSERT INTO sandbox_accounts (account_reference, account_name) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [accountReference, holder],
    );
    const issued = await this.findVirtualAccount(accountReference);
    if (!issued)
      throw new Refusal('BANK_UNAVAILABLE', 'The sandbox bank did not keep the account. Try again.');
    return issued;
  }

  async findVirtualAccount(accountReference: string): Promise<IssuedAccount | null> {
    const [row] = await this.database.query<{ serial: number; accountName: string }>(
      `SELECT serial, account_name AS "accountName" FROM sandbox_accounts WHERE account_reference = $1`,
      [accountReference],
    );
    if (!row) return null;
    const serial = String(row.serial).padStart(9, '0');
    return {
      accountNumber: `${serial}${nubanCheckDigit(HOUSE.bankCode, serial)}`,
      accountName: row.accountName,
      ...HOUSE,
      providerRef: `sandbox-${row.serial}`,
    };
  }

  resolveAccount(): Promise<ResolvedName> {
    return Promise.resolve({ kind: 'not-resolved' });
  }

  listBanks(): Promise<readonly BankName[]> {
    return Promise.resolve([{ code: HOUSE.bankCode, name: HOUSE.bankName }]);
  }

  startPayout(payout: Payout): Promise<PayoutState> {
    return this.payouts.submit(payout).catch((error: unknown) => ({ kind: 'unknown', why: String(error) }));
  }

  private async accept(payouts: readonly Payout[]): Promise<{ done: PayoutState }[]> {
    await this.database.query(
      `INSERT INTO sandbox_payouts (reference, amount, bank_code, account_number, accepted_at)
       SELECT p.*, clock_timestamp() FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[]) p
       ON CONFLICT DO NOTHING`,
      [
        payouts.map(({ reference }) => reference),
        payouts.map(({ amount }) => amount),
        payouts.map(({ bankCode }) => bankCode),
        payouts.map(({ accountNumber }) => accountNumber),
      ],
    );
    return payouts.map(() => ({ done: { kind: 'succeeded' } }));
  }

  async getPayout(reference: string): Promise<PayoutState> {
    const rows = await this.database.query('SELECT 1 FROM sandbox_payouts WHERE reference = $1', [reference]);
    return { kind: rows.length > 0 ? 'succeeded' : 'not-found' };
  }

  getCollection(): Promise<Collection | null> {
    return Promise.resolve(null);
  }

  async *listCollections(): AsyncIterable<Collection> {
    // Nothing reaches the sandbox but by webhook.
  }

  readWebhook(raw: Buffer): ReadWebhook {
    const body: unknown = JSON.parse(
      raw.toString() || 'null',
      (key, value: unknown, context?: { source?: string }) =>
        key === 'amount' && typeof value === 'number'
          ? new DecimalText(context?.source ?? String(value))
          : value,
    );
    return { kind: 'ok', body };
  }
}
