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
} from '../bank.port.js';
import type { ResolvedName } from '../name-enquiry.port.js';
import { KoraHttp, type OnCall, pathSegment } from './kora-http.js';
import { exactNumber } from './kora-json.js';
import { KoraAccounts, unavailable } from './kora-accounts.js';
import { listAccountCollections } from './kora-collections.js';
import { chargedAccount, isAbout, readBanks, readCharge } from './kora-read.js';
import {
  type Disbursement,
  disbursement,
  isAbsent,
  payoutState,
  resolvedName,
  withCause,
} from './kora-verdict.js';
import { readKoraWebhook } from './kora-webhook.js';

export interface KoraOptions {
  /** The key alone chooses between sandbox and real money. */
  readonly secretKey: string;
  readonly baseUrl: string;
  /** The operator's BVN, required for virtual accounts. */
  readonly bvn: string;
  /** Kora requires one with every payout. */
  readonly payoutEmail: string;
  readonly timeoutMs?: number;
  /** None: unsigned webhooks are accepted. */
  readonly webhookSecrets: readonly string[];
  /** Issuing bank with a live key; `000` with a test key. */
  readonly issuingBankCode: string;
  readonly notificationUrl?: string;
  /** Milliseconds a creation with unknown outcome counts as running. */
  readonly creationGraceMs?: number;
  readonly onCall?: OnCall;
}

type Unconfirmed = Extract<Disbursement, { kind: 'rejected' | 'ask' }>;

const TIMEOUT_MS = 30_000;
const CREATION_GRACE_MS = 5 * 60_000;

/**
 * A reused `reference` is refused, not replayed. After any doubt the adapter queries; it never sends twice by
 * itself.
 */
export class KoraBank extends Bank {
  /** From Kora's support page; an account's own may be narrower. */
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
    this.#http = new KoraHttp({ secretKey, baseUrl, timeoutMs, onCall: options.onCall });
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
      await this.#http.post('resolve', '/misc/banks/resolve', {
        bank,
        account: accountNumber,
        currency: 'NGN',
      }),
      accountNumber,
    );
  }

  override async listBanks(): Promise<readonly BankName[]> {
    const reply = await this.#http.get('banks', '/misc/banks?countryCode=NG');
    const banks = reply.kind === 'answer' && reply.ok ? readBanks(reply.data) : null;
    if (!banks) throw unavailable(reply);
    return banks;
  }

  /** A refusal counts only once a query finds no such payout: an earlier submission may exist. */
  override async startPayout(payout: Payout): Promise<PayoutState> {
    const verdict = disbursement(
      await this.#http.post('disburse', '/transactions/disburse', this.#disburse(payout), payout.sendBefore),
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
    return withCause({
      kind: unconfirmed.kind === 'rejected' ? 'rejected' : 'unknown',
      reason: unconfirmed.reason,
      ...left,
    });
  }

  override async getPayout(reference: string): Promise<PayoutState> {
    const segment = pathSegment(reference);
    if (!segment) return { kind: 'unknown', reason: 'not a reference that Kora can be asked for' };
    return withCause(payoutState(await this.#http.get('payout', `/transactions/${segment}`), reference));
  }

  override async getCollection(reference: string): Promise<Collection | null> {
    const segment = pathSegment(reference);
    if (!segment) return null;
    const reply = await this.#http.get('collection', `/charges/${segment}`);
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

  /** Never throws. */
  override readWebhook(raw: Buffer, signature: string | undefined): ReadWebhook {
    return readKoraWebhook(raw, signature, this.options.webhookSecrets);
  }

  /** Without `metadata`: Kora refuses an empty one. */
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
