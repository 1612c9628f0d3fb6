import { kobo, nairaFromKobo } from '../../../kernel/money.js';
import {
  Bank,
  type AccountRequest,
  type BankName,
  type Capabilities,
  type Collection,
  type UnreadableCollection,
  type IssuedAccount,
  type Payout,
  type PayoutState,
  type ReadWebhook,
  type ResolvedName,
} from '../bank.port.js';
import { KoraHttp, pathSegment } from './kora-http.js';
import { exactNumber } from './kora-json.js';
import { KoraAccounts, unavailable } from './kora-accounts.js';
import { listAccountCollections } from './kora-collections.js';
import { chargedAccount, isAbout, readBanks, readCharge } from './kora-read.js';
import { type Disbursement, disbursement, isAbsent, payoutState, resolvedName } from './kora-verdict.js';
import { readKoraWebhook } from './kora-webhook.js';

export interface KoraOptions {
  /** `sk_test_…` or `sk_live_…`: the key alone chooses between Kora's sandbox and real money. */
  readonly secretKey: string;
  readonly baseUrl: string;
  /** The operator's bank verification number, which the Central Bank's rules ask for with every virtual account. */
  readonly bvn: string;
  /** Kora wants an e-mail address with every payout, and a payment has none. */
  readonly payoutEmail: string;
  readonly timeoutMs?: number;
  /** Unset: unsigned webhooks are accepted. */
  readonly webhookSecret?: string;
  /** The bank that issues virtual accounts with a live key; with a test key it is `000`, whatever this says. */
  readonly issuingBankCode: string;
  /** Where Kora is asked to report payouts. */
  readonly notificationUrl?: string;
  /** How long a creation whose fate is unknown counts as possibly still running. */
  readonly creationGraceMs?: number;
}

type Unconfirmed = Extract<Disbursement, { kind: 'rejected' | 'ask' }>;

const TIMEOUT_MS = 30_000;
const CREATION_GRACE_MS = 5 * 60_000;

/**
 * Kora (korapay.com). It has no idempotency header: the `reference` is the key, and one used again is refused, not
 * replayed. So after any doubt the adapter asks; it never sends a payout twice by itself.
 */
export class KoraBank extends Bank {
  /** The limits are those of Kora's support page; an account's own may be narrower. */
  override readonly capabilities: Capabilities = {
    provider: 'kora',
    minPayout: kobo(100_00),
    maxPayout: kobo(10_000_000_00),
    payoutConcurrency: 8,
    payoutsPerBatch: 1,
  };

  readonly #http: KoraHttp;
  readonly #accounts: KoraAccounts;

  constructor(private readonly options: KoraOptions) {
    super();
    const issuingBankCode = options.secretKey.startsWith('sk_test_') ? '000' : options.issuingBankCode;
    const { secretKey, baseUrl, bvn, timeoutMs = TIMEOUT_MS, creationGraceMs = CREATION_GRACE_MS } = options;
    this.#http = new KoraHttp({ secretKey, baseUrl, timeoutMs });
    this.#accounts = new KoraAccounts(this.#http, { bvn, issuingBankCode, creationGraceMs });
  }

  override issueVirtualAccount(request: AccountRequest): Promise<IssuedAccount> {
    return this.#accounts.issue(request);
  }

  override findVirtualAccount(accountReference: string): Promise<IssuedAccount | null> {
    return this.#accounts.find(accountReference);
  }

  override async resolveAccount(account: { bankCode: string; accountNumber: string }): Promise<ResolvedName> {
    const { bankCode: bank, accountNumber } = account;
    return resolvedName(
      await this.#http.post('/misc/banks/resolve', { bank, account: accountNumber, currency: 'NGN' }),
      accountNumber,
    );
  }

  override async listBanks(): Promise<readonly BankName[]> {
    const reply = await this.#http.get('/misc/banks?countryCode=NG');
    const banks = reply.kind === 'answer' && reply.ok ? readBanks(reply.data) : null;
    if (!banks) throw unavailable(reply);
    return banks;
  }

  /**
   * A refusal is believed only once a query says that Kora has no such payout: the reference may have been sent
   * before, and then a refusal of this sending says nothing of that one.
   */
  override async startPayout(payout: Payout): Promise<PayoutState> {
    const verdict = disbursement(
      await this.#http.post('/transactions/disburse', this.#disburse(payout), payout.sendBefore),
      payout.reference,
    );
    switch (verdict.kind) {
      case 'accepted':
      case 'succeeded':
        return { kind: verdict.kind };
      case 'unknown':
        return verdict;
      default:
        return this.#confirm(verdict, payout.reference);
    }
  }

  async #confirm(unconfirmed: Unconfirmed, reference: string): Promise<PayoutState> {
    const known = await this.getPayout(reference);
    const circuitOpen = unconfirmed.circuitOpen ?? ('circuitOpen' in known ? known.circuitOpen : undefined);
    const left = circuitOpen && { circuitOpen };
    if (known.kind === 'unknown')
      return { kind: 'unknown', reason: `${unconfirmed.reason}; the query: ${known.reason}`, ...left };
    if (known.kind !== 'not-found') return known;
    return {
      kind: unconfirmed.kind === 'rejected' ? 'rejected' : 'unknown',
      reason: unconfirmed.reason,
      ...left,
    };
  }

  override async getPayout(reference: string): Promise<PayoutState> {
    const segment = pathSegment(reference);
    if (!segment) return { kind: 'unknown', reason: 'not a reference that Kora can be asked for' };
    return payoutState(await this.#http.get(`/transactions/${segment}`), reference);
  }

  override async getCollection(reference: string): Promise<Collection | null> {
    const segment = pathSegment(reference);
    if (!segment) return null;
    const reply = await this.#http.get(`/charges/${segment}`);
    if (isAbsent(reply)) return null;
    if (reply.kind === 'no-response' || !reply.ok || !isAbout(reply.data, reference))
      throw unavailable(reply);
    const charge = readCharge(reply.data);
    const account = chargedAccount(reply.data);
    if (charge.kind === 'unreadable') throw unavailable(reply);
    return charge.kind === 'money' && account
      ? { ...charge.money, accountReference: account.accountReference }
      : null;
  }

  override listCollections(
    accountNumber: string,
    from: Date,
    to: Date,
  ): AsyncIterable<Collection | UnreadableCollection> {
    return listAccountCollections(this.#http, accountNumber, from, to);
  }

  /** Never throws. With no secret configured a webhook need not be signed. */
  override readWebhook(raw: Buffer, signature: string | undefined): ReadWebhook {
    return readKoraWebhook(raw, signature, this.options.webhookSecret);
  }

  /** `metadata` is left out: Kora refuses an empty one. */
  #disburse({ reference, amount, bankCode, accountNumber, narration }: Payout): object {
    const { payoutEmail, notificationUrl } = this.options;
    return {
      reference,
      destination: {
        type: 'bank_account',
        amount: exactNumber(nairaFromKobo(amount)),
        currency: 'NGN',
        ...(narration && { narration }),
        bank_account: { bank: bankCode, account: accountNumber },
        customer: { email: payoutEmail },
      },
      ...(notificationUrl && { notification_url: notificationUrl }),
    };
  }
}
