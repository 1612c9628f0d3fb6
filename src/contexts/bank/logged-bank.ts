import { Logger } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { inSpan, isTraced, type SpanOptions } from '../../platform/observability/tracing.js';
import { isSampled } from '../../platform/observability/request-log.js';
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
  type UnreadableCollection,
} from './bank.port.js';
import type { BankAccount, ResolvedName } from './name-enquiry.port.js';

interface Subject {
  readonly requestId?: string | null | undefined;
  readonly reference?: string;
}

export class LoggedBank extends Bank {
  override readonly capabilities: Capabilities;
  private readonly log = new Logger('bank');

  constructor(
    private readonly bank: Bank,
    private readonly approvedSample: number,
  ) {
    super();
    this.capabilities = bank.capabilities;
  }

  override issueVirtualAccount(request: AccountRequest): Promise<IssuedAccount> {
    return this.logged('issueVirtualAccount', () => this.bank.issueVirtualAccount(request), {
      reference: request.accountReference,
    });
  }

  override findVirtualAccount(reference: string): Promise<IssuedAccount | null> {
    return this.logged('findVirtualAccount', () => this.bank.findVirtualAccount(reference), { reference });
  }

  override resolveAccount(account: BankAccount): Promise<ResolvedName> {
    return this.logged('resolveAccount', () => this.bank.resolveAccount(account));
  }

  override listBanks(): Promise<readonly BankName[]> {
    return this.logged('listBanks', () => this.bank.listBanks());
  }

  override async startPayout(payout: Payout): Promise<PayoutState> {
    const startedAt = performance.now();
    const { reference, requestId, traceParent = null } = payout;
    const state = isTraced
      ? await spanned('startPayout', { reference }, () => this.bank.startPayout(payout), traceParent)
      : await this.bank.startPayout(payout);
    const isFine = state.kind === 'accepted' || state.kind === 'succeeded';
    if (!isFine || isSampled(reference, this.approvedSample))
      this.write('startPayout', startedAt, outcomeOf(state), { reference, requestId });
    return state;
  }

  override getPayout(reference: string): Promise<PayoutState> {
    return this.logged('getPayout', () => this.bank.getPayout(reference), { reference });
  }

  override getCollection(reference: string): Promise<Collection | null> {
    return this.logged('getCollection', () => this.bank.getCollection(reference), { reference });
  }

  override async *listCollections(
    accountNumber: string,
    from: Date,
    to: Date,
  ): AsyncIterable<Collection | UnreadableCollection> {
    const startedAt = performance.now();
    let count = 0;
    let outcome = 'failed';
    try {
      for await (const each of this.bank.listCollections(accountNumber, from, to)) {
        count += 1;
        yield each;
      }
      outcome = 'answered';
    } finally {
      this.write('listCollections', startedAt, { outcome, count }, {});
    }
  }

  override readWebhook(raw: Buffer, signature: string | undefined): ReadWebhook {
    return this.bank.readWebhook(raw, signature);
  }

  private async logged<T>(call: string, ask: () => Promise<T>, subject: Subject = {}): Promise<T> {
    const startedAt = performance.now();
    try {
      const answer = await (isTraced ? spanned(call, subject, ask) : ask());
      this.write(call, startedAt, outcomeOf(answer), subject);
      return answer;
    } catch (error) {
      this.write(call, startedAt, { outcome: 'failed' }, subject);
      throw error;
    }
  }

  private write(call: string, startedAt: number, outcome: object, { requestId, ...subject }: Subject): void {
    const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
    this.log.log({ ...(requestId && { requestId }), call, durationMs, ...outcome, ...subject }, 'bank call');
  }
}

function spanned<T>(
  call: string,
  { reference }: Subject,
  ask: () => Promise<T>,
  parent?: SpanOptions['parent'],
): Promise<T> {
  const attributes = { 'wallet.bank_call': call, 'wallet.reference': reference };
  return inSpan(`bank ${call}`, { kind: SpanKind.CLIENT, parent, attributes }, async (span) => {
    const answer = await ask();
    span?.setAttribute('wallet.outcome', outcomeOf(answer).outcome);
    return answer;
  });
}

function outcomeOf(answer: unknown): { outcome: string; reason?: string } {
  if (answer === null) return { outcome: 'not-found' };
  const { kind, reason } = answer as { kind?: string; reason?: string };
  return { outcome: kind ?? 'answered', ...(reason !== undefined && { reason }) };
}
