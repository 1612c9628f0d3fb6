import { AppError } from '../../../kernel/errors.js';
import type { AccountRequest, IssuedAccount } from '../bank.port.js';
import { pathSegment, type KoraHttp, type KoraReply } from './kora-http.js';
import { readAccount } from './kora-read.js';
import { describe } from './kora-verdict.js';

interface IssueOptions {
  readonly bvn: string;
  readonly issuingBankCode: string;
  readonly creationGraceMs: number;
}

const AMBIGUOUS_CREATIONS_MAX = 10_000;

/** `retryAfterSeconds`, if known. */
export function unavailable(reply: KoraReply, retryAfterSeconds?: number): AppError {
  return new AppError(
    'BANK_UNAVAILABLE',
    `the bank gave no usable answer: ${describe(reply)}`,
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}

/** Kora does not document the sentence: the status decides. */
function isUnissued(reply: KoraReply): boolean {
  return reply.kind === 'answer' && !reply.ok && reply.status === 404;
}

/**
 * Creates only after a query found none; a lost answer is queried, not sent again, while it may still run.
 */
export class KoraAccounts {
  readonly #running = new Map<string, Promise<IssuedAccount>>();
  /** Creations that may still land, and until when. */
  readonly #ambiguousCreations = new Map<string, number>();

  constructor(
    private readonly http: KoraHttp,
    private readonly options: IssueOptions,
  ) {}

  /** Concurrent calls share one creation. */
  issue(request: AccountRequest): Promise<IssuedAccount> {
    const { accountReference } = request;
    const running = this.#running.get(accountReference);
    if (running) return running;
    const issuing = this.#issue(request).finally(() => this.#running.delete(accountReference));
    this.#running.set(accountReference, issuing);
    return issuing;
  }

  async find(accountReference: string): Promise<IssuedAccount | null> {
    const segment = pathSegment(accountReference);
    if (!segment) return null;
    const reply = await this.http.get('account', `/virtual-bank-account/${segment}`);
    if (isUnissued(reply)) return null;
    const account = reply.kind === 'answer' && reply.ok ? readAccount(reply.data, accountReference) : null;
    if (!account) throw unavailable(reply);
    return account;
  }

  async #issue(request: AccountRequest): Promise<IssuedAccount> {
    const { accountReference } = request;
    const before = await this.find(accountReference);
    if (before) return this.#settle(before, accountReference);
    this.#refuseWhileAmbiguous(accountReference);

    const reply = await this.http.post('issue-account', '/virtual-bank-account', this.#creation(request));
    const created = reply.kind === 'answer' && reply.ok ? readAccount(reply.data, accountReference) : null;
    if (created) return created;
    if (reply.kind === 'no-response' || reply.ok || reply.status >= 500)
      this.#markAmbiguous(accountReference);
    const after = await this.find(accountReference);
    if (after) return this.#settle(after, accountReference);
    throw unavailable(reply);
  }

  #settle(account: IssuedAccount, accountReference: string): IssuedAccount {
    this.#ambiguousCreations.delete(accountReference);
    return account;
  }

  #markAmbiguous(accountReference: string): void {
    for (const oldest of this.#ambiguousCreations.keys()) {
      if (this.#ambiguousCreations.size < AMBIGUOUS_CREATIONS_MAX) break;
      this.#ambiguousCreations.delete(oldest);
    }
    this.#ambiguousCreations.set(accountReference, performance.now() + this.options.creationGraceMs);
  }

  #refuseWhileAmbiguous(accountReference: string): void {
    const waitMs = (this.#ambiguousCreations.get(accountReference) ?? 0) - performance.now();
    if (waitMs <= 0) {
      this.#ambiguousCreations.delete(accountReference);
      return;
    }
    const reason = 'the creation of this account was sent and not yet answered';
    throw unavailable({ kind: 'no-response', reason }, Math.ceil(waitMs / 1000));
  }

  #creation({ accountReference, accountName, customer }: AccountRequest): object {
    return {
      account_name: accountName,
      account_reference: accountReference,
      permanent: true,
      bank_code: this.options.issuingBankCode,
      customer: { name: customer.name, email: customer.email },
      kyc: { bvn: this.options.bvn },
    };
  }
}
